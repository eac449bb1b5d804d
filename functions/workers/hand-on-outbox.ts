import { handOn } from '../../shared/events/hand-on.ts';
import { createStreamWorker } from '../../shared/http/worker-handler.ts';
import { defineWorker, HAND_ON_GRANTS } from '../../shared/http/worker.ts';

export const worker = defineWorker({
  id: 'handOnOutbox',
  summary: 'Hands events and tasks on as soon as their change is there',
  source: { stream: 'outbox' },
  grants: HAND_ON_GRANTS,
});

export const handler = createStreamWorker(worker, handOn);
