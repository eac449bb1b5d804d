import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as shareLinks from '../../shared/reports/rows/share-links.ts';
import { listQuery, Uuid } from '../../shared/schemas/common.ts';
import { ShareLink } from '../../shared/schemas/reports/share-link.ts';

export const operation = defineOperation({
  id: 'listShareLinks',
  method: 'GET',
  path: '/reports/{report_id}/share-links',
  summary: 'List the share links of a report',
  description:
    'Newest first, without their URLs, with the offers of the report to addresses that have not answered. A link is listed for 400 days after its end.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ report_id: Uuid }),
  query: listQuery({}),
  success: 200,
  response: z.array(ShareLink),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  shareLinks.list(caller, params.report_id, query),
);
