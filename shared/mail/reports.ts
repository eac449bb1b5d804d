import { buffer } from 'node:stream/consumers';
import type { Caller } from '../base/caller.ts';
import { currentRequest } from '../base/request.ts';
import { confirmedReplyTo, standingsOf, takesMailByHand } from '../db/addresses/addresses.ts';
import { type DeliveredMail, deliverOnce, type MailInHand } from '../db/notifications/mails.ts';
import * as organizations from '../db/organization/organizations.ts';
import * as emails from '../db/reports/emails.ts';
import { createShareLink } from '../db/reports/share-links.ts';
import type { StoredInspection, StoredReport, StoredReportEmail } from '../db/table/entities/inspections.ts';
import type { OutboxTask } from '../db/table/entities/machinery.ts';
import type { StoredOrganization } from '../db/table/entities/organization.ts';
import { keys } from '../db/table/keys.ts';
import { getRow } from '../db/table/rows.ts';
import type { ReportMailTask } from '../db/table/tasks.ts';
import { type MailReader, percentage, readerOf } from '../domain/mail/reader.ts';
import { inspectionFileName } from '../domain/report/file-name.ts';
import { fill } from '../i18n/plural.ts';
import { makeFile } from '../reports/export.ts';
import { MEDIA_TYPES } from '../reports/files.ts';
import type { EmailFormat } from '../schemas/reports/report-email.ts';
import { type Attachment, compose, LOGO_ID, type Message } from './compose.ts';
import type { MailPage } from './page.ts';
import { logoOf, MAX_RECIPIENTS_PER_CALL, senderOf, sendMail } from './send.ts';

/**
 * A report's file in a format, as an attachment with the number and the name of the inspection.
 * @throws Error when a file that a ready report has is missing, which a later attempt may find
 */
const attachedReport = async (
  caller: Caller,
  { id }: Pick<StoredReport, 'id'>,
  format: EmailFormat,
  inspection: Pick<StoredInspection, 'number' | 'name'>,
): Promise<Attachment> => ({
  filename: inspectionFileName(inspection, format),
  contentType: MEDIA_TYPES[format],
  content: await buffer(await makeFile(caller, format, id)),
});

/** How long the link of a mail works. */
const LINK_DAYS = 30;

/**
 * Makes the link of one mail to its report, which can be revoked by itself. Each attempt to send the mail makes a new
 * link; nobody has the link of an attempt that failed.
 * @returns its URL, and when it ends, ISO 8601 in UTC
 */
export const reportLink = (
  caller: Caller,
  report: Pick<StoredReport, 'id' | 'inspection_id'>,
): Promise<{ url: string; until: string }> =>
  createShareLink(caller, report, { expires_in_days: LINK_DAYS }, ({ expires_at }, url) => ({
    url,
    until: expires_at,
  }));

/**
 * Bytes of a file that is attached; a larger one gets a link. Many mail servers refuse mails of about twice that size.
 */
const MAX_ATTACHMENT_BYTES = 10_000_000;

/** A mail that can never be sent. */
class Unsendable extends Error {
  override name = 'Unsendable';
}

interface ReportMail {
  organization: StoredOrganization;
  report: StoredReport;
  email: StoredReportEmail;
}

/** A draft gives no verdict. */
const factsOf = (
  { number, score }: Pick<StoredInspection, 'number' | 'score'>,
  { is_draft }: Pick<StoredReport, 'is_draft'>,
  place: { client: string | undefined; location: string | undefined },
  { texts, language }: MailReader,
): (readonly [string, string])[] => {
  const { percentage: percent = null, result = null } = (!is_draft && score) || {};
  const facts = [
    [texts.labels.inspection, String(number)],
    [texts.labels.client, place.client],
    [texts.labels.location, place.location],
    [texts.labels.result, result && texts.results[result]],
    [texts.labels.score, percentage(percent, language)],
  ] as const;
  return facts.flatMap(([label, value]) => (value ? [[label, value] as const] : []));
};

/** @throws Unsendable when there is no address to send from, or the inspection was deleted */
const letterOf = async (caller: Caller, { organization, report, email }: ReportMail): Promise<Message> => {
  const from = senderOf(organization);
  if (!from) throw new Unsendable('This deployment sends no mail.');
  const inspection = await getRow(caller, keys.one(caller, 'INSPECTION', email.inspection_id));
  if (!inspection) throw new Unsendable('The inspection was deleted.');
  const { client_account_id, location_id } = inspection;
  const [client, location, logo, file] = await Promise.all([
    client_account_id === null ? undefined : getRow(caller, keys.one(caller, 'CLIENT', client_account_id)),
    location_id === null ? undefined : getRow(caller, keys.one(caller, 'LOCATION', location_id)),
    logoOf(caller, organization),
    attachedReport(caller, report, email.format, inspection),
  ]);
  const isAttached = file.content.length <= MAX_ATTACHMENT_BYTES;
  const link = isAttached && !email.include_link ? null : await reportLink(caller, report);
  const reader = readerOf({ ...organization, locale: report.language ?? organization.locale });
  const { texts } = reader;
  const page: MailPage = {
    language: reader.language,
    subject: email.subject,
    organization: organization.name,
    logo: logo ? LOGO_ID : null,
    paragraphs: email.body.trim() === '' ? [] : [email.body.trim()],
    blocks: [
      {
        title: inspection.name,
        url: null,
        status: null,
        facts: factsOf(inspection, report, { client: client?.name, location: location?.name }, reader),
        entries: [],
        more: null,
        note: null,
      },
    ],
    action: link && { label: texts.report.open, url: link.url },
    hints: [
      ...(link ? [fill(texts.report.linkEnds, { date: reader.date(link.until) })] : []),
      ...(report.is_draft ? [texts.report.draft] : []),
    ],
    reasons: [fill(texts.report.reason, { organization: organization.name })],
    stop: null,
  };
  const addressed = (addresses: readonly string[]) => addresses.map((address) => ({ name: '', address }));
  return compose({
    from,
    to: addressed(email.to),
    cc: addressed(email.cc),
    replyTo: await confirmedReplyTo(caller, { reply_to_email: email.reply_to }),
    page,
    logo,
    attachments: isAttached ? [file] : [],
    requestId: currentRequest()?.requestId,
  });
};

/** Recipients of a mail by their positions: from `start` to before `end`. */
interface RecipientRange {
  start: number;
  end: number;
}

const partsOf = (recipients: number): RecipientRange[] =>
  Array.from({ length: Math.ceil(recipients / MAX_RECIPIENTS_PER_CALL) }, (_, position) => ({
    start: position * MAX_RECIPIENTS_PER_CALL,
    end: Math.min(recipients, (position + 1) * MAX_RECIPIENTS_PER_CALL),
  }));

/** A mail, composed when it is first needed. */
type Compose = () => Promise<Message>;

const NOBODY: DeliveredMail = { state: 'refused', detail: 'The address takes no mail.' };

/** Sends a mail to those of these addresses that still take mails. */
const sendTo = async (
  caller: Caller,
  { organization, email }: ReportMail,
  letter: Compose,
  addresses: readonly string[],
  place: MailInHand['place'],
): Promise<DeliveredMail> => {
  if (email.send_after !== undefined) await emails.noteWaiting(caller, email, null);
  const standings = await standingsOf(caller, addresses);
  const taking = addresses.filter((_, position) => takesMailByHand(standings[position]!));
  // Each of several is tried by itself after this, which tells which ones take no mails.
  if (taking.length < addresses.length) return NOBODY;
  const wait = await place(organization, 'report_recipients', addresses.length);
  if (wait) return wait;
  const tags = { org_id: caller.org_id, report_id: email.report_id, email_id: email.id };
  return sendMail(await letter(), addresses, tags);
};

/**
 * Sends a mail to some of its recipients, once. The mail service refuses a call as a whole, although only one address
 * may be at fault. Then each half is tried by itself, until only the addresses at fault are refused.
 */
const sendPart = async (
  caller: Caller,
  row: OutboxTask<'mail'>,
  contents: ReportMail,
  letter: Compose,
  { start, end }: RecipientRange,
): Promise<void> => {
  const { email } = contents;
  const addresses = email.recipients.slice(start, end).map(({ address }) => address);
  const identity = { mailId: email.id, recipient: `${start}-${end}`, task: row };
  const outcome = await deliverOnce(caller, identity, ({ place }) =>
    sendTo(caller, contents, letter, addresses, place),
  );
  if (outcome?.send_after !== undefined) return emails.noteWaiting(caller, email, outcome.send_after);
  if (outcome?.state === 'refused' && addresses.length > 1) {
    const middle = Math.ceil((start + end) / 2);
    await sendPart(caller, row, contents, letter, { start, end: middle });
    await sendPart(caller, row, contents, letter, { start: middle, end });
    return;
  }
  const isSent = outcome?.state === 'sent';
  await emails.noteOutcome(caller, email, {
    addresses,
    status: isSent ? 'sent' : 'failed',
    detail: isSent ? null : (outcome?.detail ?? null),
    at: new Date().toISOString(),
  });
};

const fail = (caller: Caller, email: StoredReportEmail, reason: string): Promise<void> =>
  emails.noteOutcome(
    caller,
    email,
    {
      addresses: email.recipients.flatMap(({ address, status }) => (status === 'queued' ? [address] : [])),
      status: 'failed',
      detail: reason,
      at: new Date().toISOString(),
    },
    reason,
  );

const sendEmail = async (caller: Caller, row: OutboxTask<'mail'>, contents: ReportMail): Promise<void> => {
  let message: Promise<Message> | undefined;
  const letter = () => (message ??= letterOf(caller, contents));
  try {
    for (const part of partsOf(contents.email.recipients.length))
      await sendPart(caller, row, contents, letter, part);
  } catch (error) {
    if (!(error instanceof Unsendable)) throw error;
    await fail(caller, contents.email, error.message);
  }
};

/**
 * Sends the mails of a report that wait for it, each once however often the task is delivered. The mails of a report
 * that could not be rendered fail.
 * @throws AggregateError when some could not be sent; the next attempt sends only these
 */
export const sendReportMails = async (
  caller: Caller,
  row: OutboxTask<'mail'>,
  task: ReportMailTask,
): Promise<void> => {
  const waiting = await emails.waitingEmails(caller, task.report_id, task.email_id);
  const report = waiting.length > 0 ? await emails.reportOf(caller, task) : undefined;
  if (!report) return;
  if (report.status === 'failed') {
    for (const email of waiting) await fail(caller, email, 'The report could not be rendered.');
    return;
  }
  // When the rendering ends, the worker gets another task.
  if (report.status !== 'ready') return;
  const organization = await organizations.get(caller);
  const failures: unknown[] = [];
  for (const email of waiting) {
    await sendEmail(caller, row, { organization, report, email }).catch((error: unknown) =>
      failures.push(error),
    );
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} mails were not sent`);
};

/** Ends the mails of a task after its last attempt, but those that wait for their day. It may be repeated. */
export const giveUpReportMails = async (caller: Caller, task: ReportMailTask): Promise<void> => {
  const now = new Date().toISOString();
  for (const email of await emails.waitingEmails(caller, task.report_id, task.email_id)) {
    if (email.send_after === undefined || email.send_after <= now)
      await fail(caller, email, 'The mail could not be sent. Send it again.');
  }
};
