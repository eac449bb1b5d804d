import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as bulkExports from '../../shared/reports/rows/bulk-exports.ts';
import { listQuery } from '../../shared/schemas/common.ts';
import { BulkExportSummary } from '../../shared/schemas/reports/report-export.ts';

export const operation = defineOperation({
  id: 'listBulkReportExports',
  method: 'GET',
  path: '/report-exports',
  summary: 'List bulk report exports',
  description: 'Newest first, without their items and URLs. An export is listed for 60 days.',
  access: 'read',
  people: ['admin'],
  query: listQuery({}),
  success: 200,
  response: z.array(BulkExportSummary),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => bulkExports.list(caller, query));
