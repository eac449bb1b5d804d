import * as z from 'zod';
import { senderOf } from '../../shared/files/logo.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { certificatePage } from '../../shared/http/pages/certificate-page.ts';
import { openNumbered } from '../../shared/inspections/certificates/certificates.ts';
import { toCertificate } from '../../shared/inspections/certificates/records.ts';

export const operation = defineOperation({
  id: 'getCertificateVerification',
  method: 'GET',
  path: '/verify/{token}',
  summary: 'Show anyone whether the certificate with a number is valid',
  link: 'verify',
  visits: { perLink: 1_000, perAddress: 500, isShared: true },
  params: z.strictObject({ token: z.string() }),
  success: 200,
  response: page('What the certificate is for, and whether it is valid, expired, suspended or revoked.'),
});

export const handler = createPageHandler(operation, async ({ caller, target, token, language }) => {
  const { certificate, organization } = await openNumbered(caller, target, token);
  return certificatePage(language, {
    sender: await senderOf(caller, organization),
    certificate: toCertificate(certificate, new Date().toISOString()),
    file: null,
  });
});
