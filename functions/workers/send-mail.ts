import type { DigestTask } from '../../shared/db/notifications/mailboxes.ts';
import type { MailTask } from '../../shared/db/notifications/notify.ts';
import { actorOf } from '../../shared/db/table/outbox/outbox.ts';
import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { collectNotice, sendDigest } from '../../shared/mail/notices.ts';

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
    'bucket:GetObject',
    'mail:SendEmail',
  ],
  timeout: 60,
  batchSize: 1,
});

type Task = MailTask | DigestTask;

export const handler = createQueueWorker(worker, (task) => {
  const data = task.data as unknown as Task;
  const caller = actorOf(task);
  return data.what === 'notice' ? collectNotice(caller, data) : sendDigest(caller, data);
});
