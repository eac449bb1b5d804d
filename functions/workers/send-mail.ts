import type { QuestionTask } from '../../shared/db/addresses/addresses.ts';
import type { DigestTask } from '../../shared/db/notifications/mailboxes.ts';
import type { MailTask } from '../../shared/db/notifications/notify.ts';
import { actorOf } from '../../shared/db/table/outbox/outbox.ts';
import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { collectNotice, sendDigest } from '../../shared/mail/notices.ts';
import { sendQuestion } from '../../shared/mail/question.ts';

export const worker = defineWorker({
  id: 'sendMail',
  summary: 'Collects notifications for each recipient, and sends them by email',
  source: { queue: 'mail' },
  grants: [
    'table:GetItem',
    'table:BatchGetItem',
    'table:PutItem',
    'table:UpdateItem',
    'table:DeleteItem',
    'link:PutItem',
    'bucket:GetObject',
    'mail:SendEmail',
  ],
  timeout: 60,
  batchSize: 1,
});

type Task = MailTask | DigestTask | QuestionTask;

export const handler = createQueueWorker(worker, (task) => {
  const data = task.data as unknown as Task;
  const caller = actorOf(task);
  switch (data.what) {
    case 'notice':
      return collectNotice(caller, data);
    case 'digest':
      return sendDigest(caller, data);
    case 'question':
      return sendQuestion(caller, task.id, data);
  }
});
