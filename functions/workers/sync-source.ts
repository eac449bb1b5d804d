import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { enqueueDetach } from '../../shared/integrations/rows/runs.ts';
import { detachRows } from '../../shared/integrations/rows/synced-rows.ts';
import { continueSync, giveUpSync } from '../../shared/integrations/sync.ts';
import { actorOf } from '../../shared/table/outbox/outbox.ts';

export const worker = defineWorker({
  id: 'syncSource',
  summary: 'Syncs sources, and makes local what deleted ones have brought',
  source: { queue: 'sync' },
  memory: 1_024,
  timeout: 300,
  batchSize: 1,
});

/** How long one turn begins pages, in milliseconds, well before the time-out. A new task does the rest. */
const MAX_RUN_MS = 200_000;

export const handler = createQueueWorker(
  worker,
  async ({ data: task, ...row }) => {
    const caller = actorOf(row);
    const deadline = Date.now() + MAX_RUN_MS;
    if (task.what === 'sync') {
      await continueSync(caller, task.source_id, task.run_id, deadline, task.handed_on);
    } else if (!(await detachRows(caller, { id: task.source_id, target_ref: task.target_ref }, deadline))) {
      await enqueueDetach(caller, task);
    }
  },
  async ({ data: task, ...row }, cause) => {
    if (task.what === 'sync') await giveUpSync(actorOf(row), task.source_id, task.run_id, cause);
  },
);
