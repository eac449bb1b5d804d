import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { applyFeedback, feedbackTask } from '../../shared/mail/feedback.ts';
import { actorOf } from '../../shared/table/outbox/outbox.ts';

export const worker = defineWorker({
  id: 'noteMailFeedback',
  summary: 'Notes deliveries, bounces and complaints of mails',
  source: { queue: 'feedback' },
});

export const handler = createQueueWorker(
  worker,
  (task) => applyFeedback(actorOf(task), task),
  undefined,
  feedbackTask,
);
