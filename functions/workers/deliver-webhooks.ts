import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { actorOf } from '../../shared/table/outbox/outbox.ts';
import { deliverTo } from '../../shared/webhooks/deliver.ts';
import { cancelPending } from '../../shared/webhooks/disable.ts';
import { fanOut } from '../../shared/webhooks/fan-out.ts';

export const worker = defineWorker({
  id: 'deliverWebhooks',
  summary: 'Sends events to the endpoints of customers',
  source: { queue: 'webhooks' },
  timeout: 60,
});

/** How long one task begins work, in milliseconds. What is sent last takes 10 seconds at most. A new task does the rest. */
const MAX_RUN_MS = 25_000;

export const handler = createQueueWorker(worker, async ({ data: task, ...row }) => {
  const caller = actorOf(row);
  const deadline = Date.now() + MAX_RUN_MS;
  switch (task.what) {
    case 'fan_out':
      return fanOut(caller, task);
    case 'deliver':
      return deliverTo(caller, task.webhook_id, task.turn, deadline);
    case 'cancel':
      return cancelPending(caller, task.webhook_id, task.before, deadline);
  }
});
