import { notifyOfDeadlines } from '../../shared/db/upkeep/due-notices.ts';
import { logDeadLetter } from '../../shared/http/log.ts';
import { createScheduledWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';

export const worker = defineWorker({
  id: 'notifyDue',
  summary:
    'Notifies members of overdue inspections and issues, and of corrective actions that are due now or soon',
  source: { every: '5 minutes' },
  timeout: 240,
});

/** How long one run may begin work, in milliseconds, well before the time-out. The next run does the rest. */
const MAX_RUN_MS = 180_000;

export const handler = createScheduledWorker(worker, async () => {
  const { failed, causes } = await notifyOfDeadlines(new Date(), MAX_RUN_MS);
  for (const letter of failed) logDeadLetter(letter);
  if (causes.length > 0) throw new AggregateError(causes, `${causes.length} organizations wait`);
});
