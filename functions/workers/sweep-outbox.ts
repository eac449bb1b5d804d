import { createScheduledWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { sweep } from '../../shared/outside/hand-on.ts';

export const worker = defineWorker({
  id: 'sweepOutbox',
  summary: 'Sends the events and tasks that the stream has left, after an outage or a refusal',
  source: { every: '1 minutes' },
  timeout: 55,
});

/** How long the stream gets before this worker takes over, in milliseconds: longer than it normally takes. */
const STREAM_TIME_MS = 60_000;

/** How long one run may begin work, in milliseconds. The next run does the rest. */
const MAX_RUN_MS = 40_000;

export const handler = createScheduledWorker(worker, () =>
  sweep(new Date(Date.now() - STREAM_TIME_MS), MAX_RUN_MS),
);
