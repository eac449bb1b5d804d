import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { deleteReportFiles } from '../../shared/reports/files.ts';
import { actorOf } from '../../shared/table/outbox/outbox.ts';
import { giveUpBulkChange } from '../../shared/upkeep/bulk-changes/continue.ts';
import { deleteRemains } from '../../shared/upkeep/remains.ts';

export const worker = defineWorker({
  id: 'deleteRemains',
  summary:
    'Completes changes of many rows: plans and carries out bulk changes, deletes what belonged to something deleted, resolves findings after a re-inspection, and lets schedules follow their locations and visits, and inspections their schedules',
  source: { queue: 'cleanup' },
  timeout: 60,
  batchSize: 1,
});

/** How long one task may run, in milliseconds, well before the time-out. A new task deletes the rest. */
const MAX_RUN_MS = 30_000;

export const handler = createQueueWorker(
  worker,
  async ({ data: task, ...row }) => {
    if ('report_ids' in task) await deleteReportFiles(actorOf(row), task.report_ids);
    else await deleteRemains(actorOf(row), task, Date.now() + MAX_RUN_MS);
  },
  async ({ data: task, ...row }, cause) => {
    if ('bulk_change_id' in task) await giveUpBulkChange(actorOf(row), task, cause);
  },
);
