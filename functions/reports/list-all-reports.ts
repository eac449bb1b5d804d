import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as reports from '../../shared/reports/rows/lists.ts';
import { allReportsQuery, ListedReport } from '../../shared/schemas/reports/report.ts';

export const operation = defineOperation({
  id: 'listAllReports',
  method: 'GET',
  path: '/reports',
  summary: 'List reports',
  description:
    'The reports of all inspections, newest first, each with the client account, location and template family of its inspection. A report is listed when it matches all filters. Filters by inspection and by the time of creation are fast, because they have an index. With any other filter the list always comes in pages of at most `limit` (200) reports. A page then searches the next 300 reports, so it may have few reports or none although more pages follow. The last page is the one without a `Link` header.',
  access: 'read',
  people: ['admin'],
  query: allReportsQuery,
  success: 200,
  response: z.array(ListedReport),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => reports.listAll(caller, query));
