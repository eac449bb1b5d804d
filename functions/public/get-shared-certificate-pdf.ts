import * as z from 'zod';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { shownFile } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { openShared } from '../../shared/inspections/certificates/certificates.ts';
import { drawCertificate, DRAWS_CERTIFICATES } from '../../shared/reports/pdf/draw-certificate.ts';

export const operation = defineOperation({
  id: 'getSharedCertificatePdf',
  method: 'GET',
  path: '/k/{token}/certificate.pdf',
  summary: 'Read the page of a shared certificate',
  link: 'certificate',
  visits: { perLink: 120, perAddress: 300, isShared: true },
  params: z.strictObject({ token: z.string() }),
  success: 200,
  response: shownFile('The page, as a PDF.'),
  memory: 2_048,
  heavy: true,
  ...DRAWS_CERTIFICATES,
});

export const handler = createPageHandler(operation, async ({ caller, target, language }) => {
  const { certificate } = await openShared(caller, target);
  const bytes = await drawCertificate(certificate, language, new Date().toISOString());
  return { bytes, mediaType: 'application/pdf' };
});
