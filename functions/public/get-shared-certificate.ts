import * as z from 'zod';
import { senderOf } from '../../shared/files/logo.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { certificatePage } from '../../shared/http/pages/certificate-page.ts';
import { openShared } from '../../shared/inspections/certificates/certificates.ts';
import { toCertificate } from '../../shared/inspections/certificates/records.ts';

export const operation = defineOperation({
  id: 'getSharedCertificate',
  method: 'GET',
  path: '/k/{token}',
  summary: 'Show a shared certificate',
  link: 'certificate',
  visits: { perLink: 1_000, perAddress: 2_000, isShared: true },
  params: z.strictObject({ token: z.string() }),
  success: 200,
  response: page('What the certificate says and whether it is valid, with its PDF.'),
});

export const handler = createPageHandler(operation, async ({ caller, target, token, language }) => {
  const { certificate, organization } = await openShared(caller, target);
  return certificatePage(language, {
    sender: await senderOf(caller, organization),
    certificate: toCertificate(certificate, new Date().toISOString()),
    file: `${token}/certificate.pdf`,
  });
});
