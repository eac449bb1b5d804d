import type { Caller } from '../base/caller.ts';
import { logPausedMails } from '../base/log.ts';
import { verdictOf } from '../domain/mail/feedback.ts';
import { afterVerdict } from '../domain/mail/progress.ts';
import { subjectsOf } from '../notices/mails.ts';
import { pauseIfHarmful } from '../notices/paused-mails.ts';
import { releaseHeld } from '../notices/waiting-mails.ts';
import { suppress, type SuppressionReason } from '../organizations/addresses/addresses.ts';
import { noteOutcomes } from '../reports/rows/emails.ts';
import { FeedbackEvent } from '../schemas/mail.ts';
import type { OutboxTask } from '../table/entities/machinery.ts';
import { notePromise } from './promises.ts';

/**
 * The task of an event of the mail service. The event names the organization by the tags that the mail was sent with.
 * @throws ZodError for another message
 */
export const feedbackTask = (body: string): OutboxTask<'feedback'> => {
  const { id, time, detail } = FeedbackEvent.parse(JSON.parse(body));
  const [org_id = ''] = detail.mail.tags['org_id'] ?? [];
  return {
    id,
    org_id,
    outbox: 'feedback',
    occurred_at: time,
    actor_id: '',
    data: detail,
    by_due: '',
    by_due_at: '',
  };
};

/** Sends addresses no more mails, and nobody outside when too many of the organization's mails went wrong. */
const suppressAll = async (
  caller: Caller,
  addresses: readonly string[],
  reason: SuppressionReason,
): Promise<void> => {
  for (const address of addresses) {
    await suppress(caller, address, reason);
    // What waits for the address is given up.
    await releaseHeld(caller, address);
  }
  const paused = await pauseIfHarmful(caller);
  if (paused) logPausedMails({ org_id: caller.org_id, reason: paused });
};

/**
 * Notes whether a mail was delivered. Addresses that bounced for good or complained get no more mails. It may be
 * repeated. A mail that the service has not sent for an organization is ignored.
 */
export const applyFeedback = async (
  caller: Caller,
  { data: feedback, occurred_at }: OutboxTask<'feedback'>,
): Promise<void> => {
  const verdict = verdictOf(feedback);
  if (!verdict || caller.org_id === '') return;
  const { addresses, status, detail, suppression } = verdict;
  if (suppression) await suppressAll(caller, addresses, suppression);
  const [mail_id] = feedback.mail.tags['mail_id'] ?? [];
  const [recipient] = feedback.mail.tags['recipient'] ?? [];
  if (mail_id && recipient) {
    for (const subject of await subjectsOf(caller, mail_id, recipient)) {
      await notePromise(caller, subject, (known) => afterVerdict(known, verdict));
    }
  }
  const [report_id] = feedback.mail.tags['report_id'] ?? [];
  const [id] = feedback.mail.tags['email_id'] ?? [];
  if (!report_id || !id) return;
  const at = new Date(occurred_at).toISOString();
  await noteOutcomes(caller, { report_id, id }, [{ addresses, status, detail, at }]);
};
