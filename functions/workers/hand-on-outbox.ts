import { handOn } from '../../shared/events/hand-on.ts';
import { createStreamWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker, HAND_ON_GRANTS } from '../../shared/http/worker/worker.ts';

export const worker = defineWorker({
  id: 'handOnOutbox',
  summary: 'Sends the events and tasks of each change to their queues',
  source: { stream: 'outbox' },
  grants: HAND_ON_GRANTS,
});

export const handler = createStreamWorker(worker, handOn);
