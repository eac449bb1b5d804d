import type { MailTask } from '../../shared/db/notifications/notify.ts';
import { actorOf } from '../../shared/db/table/outbox/outbox.ts';
import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { mailNotice } from '../../shared/mail/notices.ts';

export const worker = defineWorker({
  id: 'sendMail',
  summary: 'Sends notifications by email',
  source: { queue: 'mail' },
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:PutItem', 'table:UpdateItem', 'mail:SendEmail'],
  timeout: 60,
  batchSize: 1,
});

export const handler = createQueueWorker(worker, (task) =>
  mailNotice(actorOf(task), task.data as unknown as MailTask),
);
