import * as z from 'zod';
import { publicUrl } from '../../shared/base/environment.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { picture } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { openLink } from '../../shared/issues/report.ts';
import { qrSvg } from '../../shared/reports/qr-code.ts';

export const operation = defineOperation({
  id: 'getIssueQrSvg',
  method: 'GET',
  path: '/r/{token}/qr.svg',
  summary: 'Get the address of a public link as a QR code (SVG)',
  link: 'issue',
  visits: { perLink: 300, perAddress: 1_000, isShared: true },
  namesItself: true,
  params: z.strictObject({ token: z.string() }),
  success: 200,
  response: picture('The code. It says no more than the address by which it was asked for.'),
});

export const handler = createPageHandler(operation, async ({ caller, target, token }) => {
  await openLink(caller, target);
  return { bytes: Buffer.from(qrSvg(publicUrl('r', token))), mediaType: 'image/svg+xml' };
});
