import { buffer } from 'node:stream/consumers';
import type { Caller } from '../base/caller.ts';
import { sha256 } from '../base/encoding.ts';
import { fill } from '../base/i18n/plural.ts';
import { MAIL_TEXTS } from '../base/i18n/texts/mail.ts';
import { currentRequest } from '../base/request.ts';
import { foldedAddress } from '../base/text.ts';
import { timeAfter } from '../base/time.ts';
import type { RecipientOutcome } from '../domain/mail/feedback.ts';
import { waitOf } from '../domain/mail/progress.ts';
import { type MailReader, percentage, readerOf } from '../domain/mail/reader.ts';
import { inspectionFileName } from '../domain/report/file-name.ts';
import { type DeliveredMail, deliverOnce } from '../notices/mails.ts';
import { releaseHeld } from '../notices/waiting-mails.ts';
import {
  confirmedReplyTo,
  question,
  type Standing,
  standingOf,
  standingsOf,
  takesMailByHand,
  takesStandingMail,
} from '../organizations/addresses/addresses.ts';
import * as organizations from '../organizations/organizations.ts';
import { makeFile, renderedReport } from '../reports/export.ts';
import { MEDIA_TYPES } from '../reports/files.ts';
import * as emails from '../reports/rows/emails.ts';
import { reportLink, wasEnded } from '../reports/rows/share-links.ts';
import { HELD_DAYS } from '../schemas/mail.ts';
import type { EmailFormat } from '../schemas/reports/report-email.ts';
import { change } from '../table/change.ts';
import type { StoredInspection, StoredReport, StoredReportEmail } from '../table/entities/inspections.ts';
import type { OutboxTask } from '../table/entities/machinery.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { getRow } from '../table/rows.ts';
import type { ReportMailTask } from '../table/tasks.ts';
import { type Address, type Attachment, compose, LOGO_ID } from './compose.ts';
import { type Block, knownFacts, type MailPage, newBlock } from './page.ts';
import { logoOf, MAX_RECIPIENTS_PER_CALL, senderAddress, senderOf, sendMail, stopUrl } from './send.ts';

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
  content: await buffer(await makeFile(caller, format, renderedReport(caller, id))),
});

/**
 * Bytes of a file that is attached; a larger one gets a link. Many mail servers refuse mails of about twice that size.
 */
const MAX_ATTACHMENT_BYTES = 10_000_000;

const DAY_MS = 86_400_000;

/** A mail that can never be sent. */
class Unsendable extends Error {
  override name = 'Unsendable';
}

const NO_SENDER = 'This deployment sends no mail.';

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
): Block['facts'] => {
  const { percentage: percent = null, result = null } = (!is_draft && score) || {};
  const facts = [
    [texts.labels.inspection, String(number)],
    [texts.labels.client, place.client],
    [texts.labels.location, place.location],
    [texts.labels.result, result && texts.results[result]],
    [texts.labels.score, percentage(percent, language)],
  ] as const;
  return knownFacts(facts);
};

/** A mail as all its recipients get it. */
interface Letter {
  from: Address;
  logo: Uint8Array | undefined;
  page: MailPage;
  replyTo: string | null;
  attachments: Attachment[];
}

/** @throws Unsendable when there is no address to send from, or the inspection was deleted */
const letterOf = async (caller: Caller, { organization, report, email }: ReportMail): Promise<Letter> => {
  const from = senderOf(organization);
  if (!from) throw new Unsendable(NO_SENDER);
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
      newBlock({
        title: inspection.name,
        facts: factsOf(inspection, report, { client: client?.name, location: location?.name }, reader),
      }),
    ],
    action: link && { label: texts.report.open, url: link.url },
    hints: [
      ...(link ? [fill(texts.report.linkEnds, { date: reader.date(link.until) })] : []),
      ...(report.is_draft ? [texts.report.draft] : []),
    ],
    reasons: [fill(texts.report.reason, { organization: organization.name })],
    stop: null,
  };
  return {
    from,
    logo,
    page,
    replyTo: await confirmedReplyTo(caller, { reply_to_email: email.reply_to }),
    attachments: isAttached ? [file] : [],
  };
};

/** One sending of a mail to those who have not got it yet. */
interface Sending extends ReportMail {
  row: OutboxTask<'mail'>;
  /** The recipients whom the organization knows, as the sender has addressed them. They see each other. */
  known: { to: string[]; cc: string[] };
  /** The mail, made when it is first needed. */
  letter: () => Promise<Letter>;
  /** What has become of it so far. It is noted in one change: a mail has up to a hundred recipients. */
  outcomes: RecipientOutcome[];
}

/**
 * Hands the mail over, as the sender has addressed it.
 * @param addresses who get it: members, or one other address, which can stop the organization's mails
 */
const handOver = async (
  caller: Caller,
  { email, known: { to, cc }, letter }: Sending,
  addresses: readonly string[],
  areMembers: boolean,
): Promise<DeliveredMail> => {
  const { page, ...rest } = await letter();
  const addressed = (each: readonly string[]) => each.map((address) => ({ name: '', address }));
  const message = await compose({
    ...rest,
    to: addressed(to.length > 0 ? to : cc),
    cc: addressed(to.length > 0 ? cc : []),
    page: areMembers
      ? page
      : {
          ...page,
          stop: { label: MAIL_TEXTS[page.language].stop, url: await stopUrl(caller, addresses[0]!) },
        },
    requestId: currentRequest()?.requestId,
  });
  return sendMail(message, addresses, {
    org_id: caller.org_id,
    report_id: email.report_id,
    email_id: email.id,
  });
};

const NOT_TAKEN: DeliveredMail = { state: 'refused', detail: 'The address takes no mail.' };
const EXPIRED: DeliveredMail = {
  state: 'refused',
  detail: `Nobody at the address has confirmed within ${HELD_DAYS} days that the organization may write to it.`,
};

const ENDED: DeliveredMail = { state: 'refused', detail: 'The offer of this report was ended.' };

/**
 * What becomes of the mail for an address that nobody has answered for: it waits for the answer, and the address gets an
 * offer in the service's own words, unless it has just got one.
 */
const hold = async (
  caller: Caller,
  { report }: Sending,
  address: string,
  { canBeOffered }: Standing,
  held_until: string | undefined,
): Promise<DeliveredMail> => {
  const now = new Date().toISOString();
  if (held_until !== undefined && held_until <= now) return EXPIRED;
  if (canBeOffered) {
    const offered = { inspection_id: report.inspection_id, report_id: report.id };
    await change(caller, (work) => ({
      writes: [question(work, address, { report: offered })],
      reply: undefined,
    }));
  }
  const send_after = held_until ?? timeAfter(now, HELD_DAYS * DAY_MS);
  return { state: 'over_limit', reason: 'unconfirmed', send_after, held_for: address };
};

const outcomeFor = (
  addresses: readonly string[],
  { state, detail, send_after, reason = 'limit' }: DeliveredMail,
): RecipientOutcome => {
  const at = new Date().toISOString();
  return send_after === undefined
    ? { addresses, at, status: state === 'sent' ? 'sent' : 'failed', detail: detail ?? null }
    : { addresses, at, status: 'queued', detail: null, waiting: waitOf({ send_after, reason }) };
};

/** Sends a mail to one recipient, once. The address stands in the mail alone unless the organization knows it. */
const sendToOne = async (caller: Caller, sending: Sending, address: string): Promise<void> => {
  const { email, row } = sending;
  const identity = { mailId: email.id, recipient: sha256(foldedAddress(address)), task: row };
  const outcome = await deliverOnce(caller, identity, async ({ place, held_until }) => {
    const standing = await standingOf(caller, address);
    if (!takesMailByHand(standing)) return NOT_TAKEN;
    const mayHaveWaited = held_until !== undefined || !takesStandingMail(standing);
    if (mayHaveWaited && (await wasEnded(caller, email.report_id, address, email.created_at))) return ENDED;
    const organization = await organizations.get(caller);
    if (!takesStandingMail(standing) && !organization.mails_paused)
      return hold(caller, sending, address, standing, held_until);
    const areMembers = standing.isMember;
    const wait = await place(organization, 'report_recipients', { areMembers });
    if (wait) return wait;
    const isNamed = [...sending.known.to, ...sending.known.cc].includes(address);
    const known = isNamed ? sending.known : { to: [address], cc: [] };
    return handOver(caller, { ...sending, known }, [address], areMembers);
  });
  if (!outcome) return;
  sending.outcomes.push(outcomeFor([address], outcome));
  // An answer that came before the mail waited has found nothing to let go.
  if (outcome.reason === 'unconfirmed' && !isHeld(await standingOf(caller, address)))
    await releaseHeld(caller, address);
};

/** Whether an address has to answer before it gets mails. */
const isHeld = (standing: Standing): boolean => takesMailByHand(standing) && !takesStandingMail(standing);

/** The recipient under which the mail to members is known. */
const MEMBERS = 'members';

/**
 * Sends a mail to several members at once, once. The mail service refuses a call as a whole, although only one address
 * may be at fault: then nobody has got it.
 * @returns those who have it, or will
 */
const sendToMembers = async (
  caller: Caller,
  sending: Sending,
  addresses: readonly string[],
): Promise<readonly string[]> => {
  const { email, row } = sending;
  const identity = { mailId: email.id, recipient: MEMBERS, task: row };
  const outcome = await deliverOnce(caller, identity, async ({ place }) => {
    const areMembers = { count: addresses.length, areMembers: true };
    const wait = await place(await organizations.get(caller), 'report_recipients', areMembers);
    return { ...(wait ?? (await handOver(caller, sending, addresses, true))), addresses };
  });
  if (!outcome || outcome.state === 'refused') return [];
  const reached = outcome.addresses ?? [];
  sending.outcomes.push(outcomeFor(reached, outcome));
  return reached;
};

const fail = (caller: Caller, email: StoredReportEmail, reason: string): Promise<void> =>
  emails.noteOutcomes(
    caller,
    email,
    [
      {
        addresses: email.recipients.flatMap(({ address, status }) => (status === 'queued' ? [address] : [])),
        status: 'failed',
        detail: reason,
        at: new Date().toISOString(),
      },
    ],
    reason,
  );

/**
 * Sends a mail to each recipient who has not got it yet. Members and addresses that have confirmed stand together in To
 * and Cc, as the sender has written them. Nobody else sees or is seen, and gets what the sender has written only after
 * an answer.
 */
const sendEmail = async (caller: Caller, row: OutboxTask<'mail'>, contents: ReportMail): Promise<void> => {
  const { email } = contents;
  const all = email.recipients.map(({ address }) => address);
  const standings = await standingsOf(caller, all);
  const standingIn = new Map(all.map((address, position) => [foldedAddress(address), standings[position]!]));
  const isOf = (keep: (standing: Standing) => boolean) => (address: string) =>
    keep(standingIn.get(foldedAddress(address))!);
  let letter: Promise<Letter> | undefined;
  const sending: Sending = {
    ...contents,
    row,
    known: { to: email.to.filter(isOf(takesStandingMail)), cc: email.cc.filter(isOf(takesStandingMail)) },
    letter: () => (letter ??= letterOf(caller, contents)),
    outcomes: [],
  };
  const queued = email.recipients.flatMap(({ address, status }) => (status === 'queued' ? [address] : []));
  const members = queued
    .filter(isOf((standing) => standing.isMember && takesStandingMail(standing)))
    .slice(0, MAX_RECIPIENTS_PER_CALL);
  try {
    // An address is not asked for what could never be sent.
    if (senderAddress() === undefined) throw new Unsendable(NO_SENDER);
    const reached = new Set(members.length > 1 ? await sendToMembers(caller, sending, members) : []);
    for (const address of queued) if (!reached.has(address)) await sendToOne(caller, sending, address);
  } catch (error) {
    if (!(error instanceof Unsendable)) throw error;
    await fail(caller, email, error.message);
  } finally {
    await emails.noteOutcomes(caller, email, sending.outcomes);
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

/** Ends the mails of a task after its last attempt, but not for those whose mail waits. It may be repeated. */
export const giveUpReportMails = async (caller: Caller, task: ReportMailTask): Promise<void> => {
  for (const email of await emails.waitingEmails(caller, task.report_id, task.email_id)) {
    const recipients = email.recipients.filter(({ waiting }) => !waiting);
    await fail(caller, { ...email, recipients }, 'The mail could not be sent. Send it again.');
  }
};
