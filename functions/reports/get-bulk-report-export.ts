import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { bulkExportUrl } from '../../shared/reports/files.ts';
import * as bulkExports from '../../shared/reports/rows/bulk-exports.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { BulkExport } from '../../shared/schemas/reports/report-export.ts';

export const operation = defineOperation({
  id: 'getBulkReportExport',
  method: 'GET',
  path: '/report-exports/{export_id}',
  summary: 'Get a bulk report export',
  description: 'While the export runs, `done` and `failed` grow, and each item shows how far its report is.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ export_id: Uuid }),
  success: 200,
  response: BulkExport,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  bulkExports.get(caller, params.export_id, (file) => bulkExportUrl(caller, file)),
);
