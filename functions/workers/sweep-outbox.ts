import { leftBehind } from '../../shared/db/table/outbox.ts';
import { handOn } from '../../shared/events/hand-on.ts';
import { createScheduledWorker } from '../../shared/http/worker-handler.ts';
import { defineWorker, HAND_ON_GRANTS } from '../../shared/http/worker.ts';

export const worker = defineWorker({
  id: 'sweepOutbox',
  summary: 'Hands on what the stream has not, after an outage of it',
  source: { every: '5 minutes' },
  grants: ['table:Query', ...HAND_ON_GRANTS],
  timeout: 240,
});

/** Longer than the stream takes when all is well. */
const PATIENCE_MS = 2 * 60_000;

export const handler = createScheduledWorker(worker, async () => {
  await handOn(await leftBehind(new Date(Date.now() - PATIENCE_MS)));
});
