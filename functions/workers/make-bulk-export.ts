import type { BulkTask } from '../../shared/db/reports/bulk-exports.ts';
import type { OutboxTask } from '../../shared/db/table/entities.ts';
import { actorOf } from '../../shared/db/table/outbox/outbox.ts';
import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { continueBulkExport, giveUpBulkExport } from '../../shared/reports/bulk/bulk-export.ts';
import { DRAWS_REPORTS } from '../../shared/reports/pdf/runtime.ts';

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

const taskOf = ({ data }: OutboxTask) => data as unknown as BulkTask;

export const handler = createQueueWorker(
  worker,
  (task) => {
    const { bulk_export_id, handed_on } = taskOf(task);
    return continueBulkExport(actorOf(task), bulk_export_id, Date.now() + TURN_MS, handed_on);
  },
  (task, cause) => giveUpBulkExport(actorOf(task), taskOf(task).bulk_export_id, cause),
);
