import * as z from 'zod';
import * as errors from '../../shared/base/errors.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { redirect } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { sharedFileUrl } from '../../shared/reports/files.ts';
import { openShared } from '../../shared/reports/rows/share-links.ts';

export const operation = defineOperation({
  id: 'getSharedFile',
  method: 'GET',
  path: '/s/{token}/report.pdf',
  summary: 'Read the PDF of a shared report',
  link: 'share',
  visits: { perLink: 1_000, perAddress: 2_000, isShared: true },
  params: z.strictObject({ token: z.string() }),
  query: z.object({ download: z.literal('1').optional() }),
  success: 302,
  response: redirect('Leads to the file, by a URL that works for a minute.'),
});

export const handler = createPageHandler(operation, async ({ caller, target, query }) => {
  const shared = await openShared(caller, target);
  if (shared.report.status !== 'ready') throw errors.notFound('file');
  return { location: await sharedFileUrl(caller, shared, query.download ? 'attachment' : 'inline') };
});
