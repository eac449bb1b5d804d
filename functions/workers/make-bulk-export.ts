import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { continueBulkExport, giveUpBulkExport } from '../../shared/reports/bulk-export.ts';
import { DRAWS_REPORTS } from '../../shared/reports/pdf/runtime.ts';
import { actorOf } from '../../shared/table/outbox/outbox.ts';

export const worker = defineWorker({
  id: 'makeBulkExport',
  summary: 'Makes the files of bulk exports',
  source: { queue: 'bulk' },
  memory: 2_048,
  heavy: true,
  timeout: 300,
  batchSize: 1,
  ...DRAWS_REPORTS,
});

/** How long a turn begins reports, in milliseconds. The rest of the time-out is for the last report, or for the file. */
const TURN_MS = 120_000;

export const handler = createQueueWorker(
  worker,
  ({ data: { bulk_export_id, handed_on }, ...row }) =>
    continueBulkExport(actorOf(row), bulk_export_id, Date.now() + TURN_MS, handed_on),
  ({ data: { bulk_export_id }, ...row }, cause) => giveUpBulkExport(actorOf(row), bulk_export_id, cause),
);
