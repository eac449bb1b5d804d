import { handOn } from '../../shared/events/hand-on.ts';
import { createStreamWorker } from '../../shared/http/worker-handler.ts';
import { defineWorker, QUEUE_GRANTS } from '../../shared/http/worker.ts';

export const worker = defineWorker({
  id: 'handOnOutbox',
  summary: 'Hands events and tasks on as soon as their change is there',
  source: { stream: 'outbox' },
  grants: [
    'table:GetItem',
    'table:BatchGetItem',
    'table:PutItem',
    'table:UpdateItem',
    'table:DeleteItem',
    ...QUEUE_GRANTS,
  ],
});

export const handler = createStreamWorker(worker, handOn);
