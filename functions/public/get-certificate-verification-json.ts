import * as z from 'zod';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { forProgram } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { openNumbered } from '../../shared/inspections/certificates/certificates.ts';
import { verificationOf } from '../../shared/inspections/certificates/records.ts';

export const operation = defineOperation({
  id: 'getCertificateVerificationJson',
  method: 'GET',
  path: '/verify/{token}/json',
  summary: 'Tell a program whether the certificate with a number is valid',
  link: 'verify',
  visits: { perLink: 1_000, perAddress: 500, isShared: true },
  params: z.strictObject({ token: z.string() }),
  success: 200,
  response: forProgram('The same as the page shows.'),
});

export const handler = createPageHandler(operation, async ({ caller, target, token }) => {
  const { certificate } = await openNumbered(caller, target, token);
  return { json: verificationOf(certificate, new Date().toISOString()) };
});
