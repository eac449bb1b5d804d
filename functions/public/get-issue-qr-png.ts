import * as z from 'zod';
import { publicUrl } from '../../shared/base/environment.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { picture } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { openLink } from '../../shared/issues/report.ts';
import { qrPng } from '../../shared/reports/qr-png.ts';

export const operation = defineOperation({
  id: 'getIssueQrPng',
  method: 'GET',
  path: '/r/{token}/qr.png',
  summary: 'Get the address of a public link as a QR code (PNG)',
  link: 'issue',
  visits: { perLink: 300, perAddress: 1_000, isShared: true },
  namesItself: true,
  params: z.strictObject({ token: z.string() }),
  success: 200,
  response: picture('The code. It says no more than the address by which it was asked for.'),
  native: ['sharp'],
});

export const handler = createPageHandler(operation, async ({ caller, target, token }) => {
  await openLink(caller, target);
  return { bytes: await qrPng(publicUrl('r', token)), mediaType: 'image/png' };
});
