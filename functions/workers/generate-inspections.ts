import { createScheduledWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { generateAll } from '../../shared/schedules/generator.ts';

export const worker = defineWorker({
  id: 'generateInspections',
  summary: 'Creates the inspections of schedules that are due',
  source: { every: '5 minutes' },
  timeout: 240,
});

/** How long one run may begin work, in milliseconds, well before the time-out. The next run does the rest. */
const MAX_RUN_MS = 180_000;

export const handler = createScheduledWorker(worker, async () => {
  const causes = await generateAll(new Date(), MAX_RUN_MS);
  if (causes.length > 0) throw new AggregateError(causes, `${causes.length} schedules or organizations wait`);
});
