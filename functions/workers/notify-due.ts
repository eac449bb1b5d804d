import { dueDeadlines, notifyOfDeadline } from '../../shared/db/upkeep/due-notices.ts';
import { createScheduledWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';

export const worker = defineWorker({
  id: 'notifyDue',
  summary: 'Notifies members of overdue inspections, and of corrective actions that are due now or soon',
  source: { every: '5 minutes' },
  grants: ['table:Query', 'table:GetItem', 'table:BatchGetItem', 'table:PutItem', 'table:DeleteItem'],
  timeout: 240,
});

/** How long one run may take, in milliseconds, well before the time-out. The next run does the rest. */
const MAX_RUN_MS = 180_000;

export const handler = createScheduledWorker(worker, async () => {
  const now = new Date();
  const failures: unknown[] = [];
  for (const deadline of await dueDeadlines(now)) {
    if (Date.now() > now.getTime() + MAX_RUN_MS) break;
    // A deadline that fails does not stop the others.
    await notifyOfDeadline(deadline, now).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} deadlines were not notified`);
});
