import * as z from 'zod';
import { languageOf } from '../../shared/base/i18n/languages.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { file } from '../../shared/http/operation/responses.ts';
import { readShown } from '../../shared/inspections/certificates/certificates.ts';
import { drawCertificate, DRAWS_CERTIFICATES } from '../../shared/reports/pdf/draw-certificate.ts';
import { LanguageTag, Uuid } from '../../shared/schemas/common.ts';

const PDF = 'application/pdf';

export const operation = defineOperation({
  id: 'getCertificatePage',
  method: 'GET',
  path: '/certificates/{certificate_id}/page',
  summary: 'Get the page of a certificate',
  description:
    'What the certificate says, on one page, in the layout that its kind had when it was issued. If the certificate is not valid, the page says so. Its QR code leads to `{base_url}/verify/{number}`.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ certificate_id: Uuid }),
  query: z.strictObject({
    language: LanguageTag.optional().meta({ description: 'The language of the organization when left out.' }),
  }),
  success: 200,
  response: file('The page.', PDF),
  memory: 2_048,
  heavy: true,
  ...DRAWS_CERTIFICATES,
});

export const handler = createHandler(operation, async ({ params, query, caller }) => {
  const { certificate, organization } = await readShown(caller, params.certificate_id);
  const language = query.language ?? languageOf(organization.locale);
  const bytes = await drawCertificate(certificate, language, new Date().toISOString());
  return { bytes, media_type: PDF, file_name: `${certificate.number}.pdf` };
});
