import { leftBehind } from '../../shared/db/table/outbox.ts';
import { handOn } from '../../shared/events/hand-on.ts';
import { createScheduledWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker, HAND_ON_GRANTS } from '../../shared/http/worker/worker.ts';

export const worker = defineWorker({
  id: 'sweepOutbox',
  summary: 'Sends the events and tasks that the stream missed during an outage',
  source: { every: '5 minutes' },
  grants: ['table:Query', ...HAND_ON_GRANTS],
  timeout: 240,
});

/** How long the stream gets before this worker takes over, in milliseconds: longer than it normally takes. */
const STREAM_TIME_MS = 2 * 60_000;

export const handler = createScheduledWorker(worker, async () => {
  await handOn(await leftBehind(new Date(Date.now() - STREAM_TIME_MS)));
});
