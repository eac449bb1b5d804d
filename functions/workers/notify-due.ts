import { dueDeadlines, tellOf } from '../../shared/db/upkeep/due-notices.ts';
import { createScheduledWorker } from '../../shared/http/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker.ts';

export const worker = defineWorker({
  id: 'notifyDue',
  summary: 'Tells of overdue inspections, and of corrective actions that are due or soon will be',
  source: { every: '5 minutes' },
  grants: ['table:Query', 'table:GetItem', 'table:BatchGetItem', 'table:PutItem', 'table:DeleteItem'],
  timeout: 240,
});

/** Milliseconds after which the rest is left to the next turn, well before the time-out. */
const PATIENCE = 180_000;

export const handler = createScheduledWorker(worker, async () => {
  const now = new Date();
  const failures: unknown[] = [];
  for (const deadline of await dueDeadlines(now)) {
    if (Date.now() > now.getTime() + PATIENCE) break;
    // One that cannot be told of keeps nobody else waiting.
    await tellOf(deadline, now).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} could not be told of`);
});
