import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as bulkExports from '../../shared/reports/rows/bulk-exports.ts';
import { BulkExport, NewBulkExport } from '../../shared/schemas/reports/report-export.ts';
import { refusedBeyond } from '../../shared/schemas/slots.ts';

export const operation = defineOperation({
  id: 'createBulkReportExport',
  method: 'POST',
  path: '/report-exports',
  summary: 'Export the reports of many inspections',
  description:
    'Starts a bulk export of the inspections that the request names or filters, as one archive or one merged file. ' +
    'It reads, and changes nothing: no report is created, and nobody is told. An inspection whose newest report still ' +
    'shows its present state in the layout is exported with that report; the others as they are at that moment. A ' +
    'filter leaves out inspections in which nobody has answered anything, unless `include_unanswered` is true. One ' +
    'that fails does not stop the others: its item says why, also when it is deleted meanwhile. ' +
    '`GET /report-exports/{export_id}` follows the progress, and then returns a URL of the file. A CSV has in its ' +
    'first columns the number, name, client, location, id, status, result, score and completion of the inspection; ' +
    '`POST /reports/{report_id}/exports` says which columns answers have. `409` when the filter finds no inspection or ' +
    'too many, and when the organization has reached its maximum of exported bytes. ' +
    refusedBeyond('BULK_EXPORT'),
  access: 'write',
  body: NewBulkExport,
  success: 202,
  location: '/report-exports/{export_id}',
  response: BulkExport,
  example: {
    body: {
      filter: { status: ['completed'], completed_after: '2026-03-01T00:00:00.000Z' },
      format: 'pdf',
      bundle: 'merged',
    },
  },
});

export const handler = createHandler(operation, ({ body, caller }) => bulkExports.create(caller, body));
