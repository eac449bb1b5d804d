import { actorOf } from '../../shared/db/table/outbox/outbox.ts';
import { deleteRemains } from '../../shared/db/upkeep/remains.ts';
import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';

export const worker = defineWorker({
  id: 'deleteRemains',
  summary: 'Deletes the data of deleted client accounts and template families',
  source: { queue: 'cleanup' },
  grants: ['table:GetItem', 'table:Query', 'table:PutItem', 'table:UpdateItem', 'table:DeleteItem'],
  timeout: 60,
  batchSize: 1,
});

/** How long one task may run, in milliseconds, well before the time-out. A new task deletes the rest. */
const MAX_RUN_MS = 30_000;

export const handler = createQueueWorker(worker, (task) =>
  deleteRemains(actorOf(task), task.data, Date.now() + MAX_RUN_MS),
);
