import { actorOf } from '../../shared/db/table/outbox.ts';
import { deleteRemains } from '../../shared/db/upkeep/remains.ts';
import { createQueueWorker } from '../../shared/http/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker.ts';

export const worker = defineWorker({
  id: 'deleteRemains',
  summary: 'Deletes what is left of deleted client accounts and template families',
  source: { queue: 'cleanup' },
  grants: ['table:GetItem', 'table:Query', 'table:PutItem', 'table:UpdateItem', 'table:DeleteItem'],
  timeout: 60,
  batchSize: 1,
});

/** Milliseconds after which the rest is a task of its own, well before the time-out. */
const PATIENCE = 30_000;

export const handler = createQueueWorker(worker, (task) =>
  deleteRemains(actorOf(task), task.data, Date.now() + PATIENCE),
);
