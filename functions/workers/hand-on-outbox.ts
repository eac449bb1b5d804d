import { createStreamWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { handOn } from '../../shared/outside/hand-on.ts';

export const worker = defineWorker({
  id: 'handOnOutbox',
  summary: 'Sends the events and tasks of each change to their queues',
  source: { stream: 'outbox' },
});

export const handler = createStreamWorker(worker, handOn);
