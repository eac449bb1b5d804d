import { deleteClientContents } from '../../shared/db/client-contents.ts';
import { actorOf } from '../../shared/db/outbox.ts';
import { createQueueWorker } from '../../shared/http/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker.ts';

export const worker = defineWorker({
  id: 'deleteClientAccountContents',
  summary: 'Deletes the locations and inspections of a deleted client account',
  source: { queue: 'cleanup' },
  grants: ['table:GetItem', 'table:Query', 'table:PutItem', 'table:UpdateItem', 'table:DeleteItem'],
  timeout: 60,
  batchSize: 1,
});

/** Milliseconds after which the rest is a task of its own, well before the time-out. */
const PATIENCE = 30_000;

export const handler = createQueueWorker(worker, (task) =>
  deleteClientContents(actorOf(task), String(task.data['client_account_id']), Date.now() + PATIENCE),
);
