import { createQueueWorker } from '../../shared/http/worker/worker-handler.ts';
import { defineWorker } from '../../shared/http/worker/worker.ts';
import { sendAccessMail } from '../../shared/mail/access.ts';
import { sendClientDigest } from '../../shared/mail/client-digest.ts';
import { sendContactLink } from '../../shared/mail/contact-link.ts';
import { sendContactReminder } from '../../shared/mail/contact-reminder.ts';
import { sendInvitation } from '../../shared/mail/invitation.ts';
import { collectHeldNotices, collectNotice, sendDigest } from '../../shared/mail/notices.ts';
import { giveUpPromises } from '../../shared/mail/promises.ts';
import { sendQuestion } from '../../shared/mail/question.ts';
import { giveUpReportMails, sendReportMails } from '../../shared/mail/reports.ts';
import { sendSignatureLink } from '../../shared/mail/signature-link.ts';
import { actorOf } from '../../shared/table/outbox/outbox.ts';

export const worker = defineWorker({
  id: 'sendMail',
  summary: 'Collects notifications for each recipient, and sends them, reports and links by email',
  source: { queue: 'mail' },
  memory: 1_024,
  timeout: 60,
  batchSize: 1,
  // For the pictures of a report as DOCX or HTML.
  native: ['sharp'],
});

export const handler = createQueueWorker(
  worker,
  (row) => {
    const { data: task } = row;
    const caller = actorOf(row);
    switch (task.what) {
      case 'notice':
        return collectNotice(caller, task);
      case 'held_notices':
        return collectHeldNotices(caller, task);
      case 'digest':
        return sendDigest(caller, row, task);
      case 'question':
        return sendQuestion(caller, row, task);
      case 'invitation':
        return sendInvitation(caller, row, task);
      case 'access':
        return sendAccessMail(caller, row, task);
      case 'contact_link':
        return sendContactLink(caller, row, task);
      case 'signature_link':
        return sendSignatureLink(caller, row, task);
      case 'contact_reminder':
        return sendContactReminder(caller, row, task);
      case 'client_digest':
        return sendClientDigest(caller, row, task);
      case 'report':
        return sendReportMails(caller, row, task);
    }
  },
  async ({ data: task, ...row }) => {
    const caller = actorOf(row);
    if (task.what === 'report') await giveUpReportMails(caller, task);
    if (
      task.what === 'contact_link' ||
      task.what === 'signature_link' ||
      task.what === 'invitation' ||
      task.what === 'client_digest'
    )
      await giveUpPromises(caller, task);
  },
);
