import * as bulkExports from '../../shared/db/reports/bulk-exports.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { BulkExport, NewBulkExport } from '../../shared/schemas/reports/report-export.ts';

export const operation = defineOperation({
  id: 'createBulkReportExport',
  method: 'POST',
  path: '/report-exports',
  summary: 'Export the reports of many inspections',
  description:
    'Starts a bulk export of the inspections that the request names or filters, as one archive or one merged file. An ' +
    'inspection whose newest report still shows its present state in the layout is exported with that report; for the ' +
    'others, new reports are rendered. A report that fails does not stop the others: its item says why. ' +
    '`GET /report-exports/{export_id}` follows the progress, and then returns a URL of the file.',
  access: 'write',
  body: NewBulkExport,
  success: 202,
  response: BulkExport,
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:Query', 'table:PutItem'],
  calls: 6,
});

export const handler = createHandler(operation, ({ body, caller }) => bulkExports.create(caller, body));
