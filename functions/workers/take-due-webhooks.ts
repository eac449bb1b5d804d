import { createScheduledWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { takeDueWebhooks } from '../../shared/webhooks/turns.ts';

export const worker = defineWorker({
  id: 'takeDueWebhooks',
  summary: 'Has events sent to endpoints whose next attempt is due',
  source: { every: '1 minutes' },
  timeout: 55,
});

/** How long one run may begin work, in milliseconds. The next run does the rest. */
const MAX_RUN_MS = 40_000;

export const handler = createScheduledWorker(worker, async () => {
  const causes = await takeDueWebhooks(new Date(), MAX_RUN_MS);
  if (causes.length > 0) throw new AggregateError(causes, `${causes.length} organizations wait`);
});
