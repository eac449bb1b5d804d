import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { foldedAddress } from '../../base/text.ts';
import { emailStatus, type RecipientOutcome, withOutcome } from '../../domain/mail/feedback.ts';
import { placeholderValues, readerOf } from '../../domain/mail/reader.ts';
import { shortName } from '../../domain/notifications/text.ts';
import { inspectionRecords } from '../../inspections/rows/inspection-records.ts';
import { standingsOf, takesMailByHand } from '../../organizations/addresses/addresses.ts';
import { present } from '../../schemas/projection.ts';
import { fillPlaceholders } from '../../schemas/reports/placeholders.ts';
import {
  type EmailFormat,
  type NewReportEmail,
  QueuedReportEmail,
  ReportEmail,
  ReportSendDefaults,
  type ReportSending,
} from '../../schemas/reports/report-email.ts';
import { change, type Work } from '../../table/change.ts';
import { hasValues, oneOf } from '../../table/conditions.ts';
import type { StoredInspection, StoredReport, StoredReportEmail } from '../../table/entities/inspections.ts';
import { type Key, keys } from '../../table/keys.ts';
import { type Listing, type ListQuery, listRows } from '../../table/listing.ts';
import { getRow, getRows, queryRows, withoutKeys } from '../../table/rows.ts';
import { leaveSlot, takeSlot } from '../../table/slots.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { freshReport, mailTask, newReport, readParent, readReport, reportKey } from './reports.ts';

/** The mail of an inspection's report: its defaults, and how placeholders are filled. */
export interface EmailDefaults extends ReportSendDefaults {
  /** Fills the placeholders of a text of the request. */
  fill: (text: string) => string;
}

/**
 * The defaults of a mail, from the client's contact, the family's settings and the layout. Calls: the rows that the
 * inspection names, and the family's default layout if there is one and the request names none.
 * @param layoutId of the family's layouts; null for its default
 * @throws ApiError 400 naming `layout_id`
 */
export const emailDefaults = async (
  caller: Caller,
  inspection: StoredInspection,
  layoutId: string | null,
): Promise<EmailDefaults> => {
  const { client_account_id, location_id, template_id, template_family_id: familyId } = inspection;
  const [organization, template, family, client, location, named] = await getRows(caller, [
    keys.organization(caller),
    keys.one(caller, 'TEMPLATE', template_id),
    keys.one(caller, 'FAMILY', familyId),
    client_account_id === null ? undefined : keys.one(caller, 'CLIENT', client_account_id),
    location_id === null ? undefined : keys.one(caller, 'LOCATION', location_id),
    layoutId === null ? undefined : keys.layout(caller, familyId, layoutId),
  ]);
  if (layoutId !== null && !named) throw errors.referenceNotFound('layout_id');
  const defaultId = family?.settings.default_layout_id ?? null;
  const layout =
    named ??
    (defaultId === null ? undefined : await getRow(caller, keys.layout(caller, familyId, defaultId)));
  const { name, locale, timezone, time_format, reply_to_email } = organization!;
  const reader = readerOf({ locale: layout?.language ?? locale, timezone, time_format });
  const values = placeholderValues(
    {
      inspection,
      client: client?.name ?? null,
      location: location?.name ?? null,
      // While an inspection exists, its template is not deleted.
      template: template!.name,
      organization: name,
    },
    reader,
  );
  const fill = (text: string): string => fillPlaceholders(text, values);
  const { report } = reader.texts;
  const to = client?.contact.email ? [client.contact.email] : [];
  const isNew = (address: string) => !to.some((known) => foldedAddress(known) === foldedAddress(address));
  return {
    to,
    cc: (family?.settings.notifications.on_completed.emails ?? []).filter(isNew),
    reply_to: reply_to_email,
    subject: fill(layout?.email_template.subject ?? report.subject),
    body: fill(layout?.email_template.body ?? report.body),
    layout_id: layout?.id ?? null,
    format: 'pdf',
    fill,
  };
};

const NOUN = 'report email';

/** A mail with everything decided. */
interface Letter {
  to: string[];
  cc: string[];
  reply_to: string | null;
  subject: string;
  body: string;
  format: EmailFormat;
  include_link: boolean;
}

const recipientsOf = ({ to, cc }: Pick<Letter, 'to' | 'cc'>): string[] =>
  [
    ...new Map([...to, ...cc].toReversed().map((address) => [foldedAddress(address), address])).values(),
  ].toReversed();

/** @throws ApiError 409 naming the addresses that take no mail */
const expectTaken = async (caller: Caller, addresses: readonly string[]): Promise<void> => {
  const standings = await standingsOf(caller, addresses);
  const refusing = addresses.filter((_, position) => !takesMailByHand(standings[position]!));
  if (refusing.length > 0) throw errors.addressSuppressed(refusing);
};

/**
 * A new mail of a report, with its rows. The worker sends it by its task, or when the report is rendered.
 * @throws ApiError 429 when as many wait as the organization may have
 */
const newEmail = async (
  work: Work,
  { id: report_id, inspection_id }: Pick<StoredReport, 'id' | 'inspection_id'>,
  letter: Letter,
): Promise<{ email: StoredReportEmail; writes: Write[] }> => {
  const { now } = work;
  const addresses = recipientsOf(letter);
  const id = uuidv7();
  const key = keys.reportEmail(work, report_id, id);
  const { slot, writes } = await takeSlot(work, 'MAIL', key);
  const email: StoredReportEmail = {
    id,
    report_id,
    inspection_id,
    ...letter,
    recipients: addresses.map((address) => ({
      address,
      status: 'queued',
      detail: null,
      at: now,
      waiting: null,
    })),
    error: null,
    requested_by: work.user_id,
    created_at: now,
    updated_at: now,
    sent_at: null,
    version: 1,
    slot,
  };
  return { email, writes: [write.create({ ...key, ...email }), ...writes] };
};

const queued = (stored: StoredReportEmail): QueuedReportEmail =>
  present(QueuedReportEmail, stored, {
    status: emailStatus(stored.recipients),
    recipients: [...stored.recipients],
  });

/**
 * The writes that make a worker send a new mail of a report: with a task, or at the end of the rendering. If the report
 * is deleted at the same moment, no mail is stored.
 * @throws ApiError 409
 */
const sendingOf = (
  work: Work,
  report: StoredReport,
  { id: email_id }: Pick<StoredReportEmail, 'id'>,
): Write[] => {
  const { id: report_id, inspection_id, status } = report;
  if (status === 'failed') throw errors.reportFailed();
  const key = reportKey(work, report);
  if (status === 'ready') {
    return [
      write.update(key, { add: { parts_revision: 1 } }, hasValues({ status })),
      mailTask(work, { inspection_id, report_id, email_id }),
    ];
  }
  const isRunning = oneOf('status', ['queued', 'rendering']);
  return [write.update(key, { add: { emails_waiting: 1, parts_revision: 1 } }, isRunning)];
};

const letterOf = (
  request: Pick<NewReportEmail, 'to' | 'cc' | 'reply_to' | 'subject' | 'body' | 'format' | 'include_link'>,
  { fill, ...defaults }: EmailDefaults,
): Letter => {
  const { to, reply_to, subject, body, format, include_link } = request;
  const first = new Set(to.map((address) => foldedAddress(address)));
  return {
    to,
    cc: request.cc.filter((address) => !first.has(foldedAddress(address))),
    reply_to: reply_to ?? defaults.reply_to,
    subject: shortName(subject === undefined ? defaults.subject : fill(subject)),
    body: body === undefined ? defaults.body : fill(body),
    format,
    include_link,
  };
};

/**
 * Requests a mail of a report. It is sent at once, or when the report is rendered.
 * @throws ApiError 404; 409 for a failed report, or a recipient who takes no mail; 429
 */
export const create = (
  caller: Caller,
  reportId: string,
  request: NewReportEmail,
): Promise<QueuedReportEmail> =>
  change(caller, async (work) => {
    const { report, inspection } = await readReport(work, reportId);
    const letter = letterOf(request, await emailDefaults(work, inspection, report.layout_id));
    if (report.status === 'failed') throw errors.reportFailed();
    await expectTaken(work, recipientsOf(letter));
    const { email, writes } = await newEmail(work, report, letter);
    return { writes: [...writes, ...sendingOf(work, report, email)], reply: queued(email) };
  });

/** The mail that `send` sends when a request says nothing else. @throws ApiError 404; 400 naming `layout_id` */
export const sendDefaults = async (
  caller: Caller,
  inspectionId: string,
  layoutId: string | null,
): Promise<ReportSendDefaults> => {
  const inspection = await inspectionRecords.get(caller, inspectionId);
  return present(ReportSendDefaults, await emailDefaults(caller, inspection, layoutId));
};

const noRecipient = () =>
  errors.validationFailed([
    {
      loc: ['body', 'to'],
      type: 'value_error',
      msg: 'Value error, to is needed, because the client account has no contact with an email address',
    },
  ]);

/**
 * Requests a mail of an inspection's current report; a new report is rendered if there is none or it is stale. One
 * transaction stores both, and the end of the rendering sends the mail.
 * @throws ApiError 404; 400 for the layout; 409 and 422 for the recipients; 429
 */
export const send = (
  caller: Caller,
  inspectionId: string,
  request: ReportSending,
): Promise<QueuedReportEmail> =>
  change(caller, async (work) => {
    const parent = await readParent(work, inspectionId);
    const defaults = await emailDefaults(work, parent.inspection, request.layout_id ?? null);
    const { to = defaults.to, cc = defaults.cc, format = defaults.format, include_link = true } = request;
    const letter = letterOf({ ...request, to, cc, format, include_link, reply_to: null }, defaults);
    if (letter.to.length === 0) throw noRecipient();
    await expectTaken(work, recipientsOf(letter));
    const current = await freshReport(work, parent, { layout_id: request.layout_id });
    if (current) {
      const { email, writes } = await newEmail(work, current, letter);
      return { writes: [...writes, ...sendingOf(work, current, email)], reply: queued(email) };
    }
    const { report, writes: reportWrites } = await newReport(
      work,
      parent,
      { layout_id: request.layout_id ?? null, language: null },
      { emails_waiting: 1 },
    );
    const { email, writes } = await newEmail(work, report, letter);
    return { writes: [...reportWrites, ...writes], reply: queued(email) };
  });

/** Whether a mail must still be sent to some of its recipients. */
const isWaiting = ({ recipients }: Pick<StoredReportEmail, 'recipients'>): boolean =>
  recipients.some(({ status }) => status === 'queued');

/** Whether the workers have still to try it. What waits for its day or for an answer keeps nobody busy. */
const isUnderWay = ({ recipients }: Pick<StoredReportEmail, 'recipients'>): boolean =>
  recipients.some(({ status, waiting }) => status === 'queued' && !waiting);

const toEmail = (stored: StoredReportEmail): ReportEmail => {
  const status = emailStatus(stored.recipients);
  const recipients = [...stored.recipients];
  const [waiting] = recipients.flatMap((each) => each.waiting ?? []);
  return present(ReportEmail, stored, {
    status,
    recipients,
    mail: waiting
      ? { state: 'waiting', ...waiting, detail: null }
      : { state: status, reason: null, send_after: null, expires_at: null, detail: stored.error },
  });
};

/** The mails of a report, newest first. @throws ApiError 404 for the report */
export const list = (caller: Caller, reportId: string, query: ListQuery): Promise<Listing<ReportEmail>> =>
  listRows(
    caller,
    `${NOUN} ${reportId}`,
    query,
    { ...keys.parts(caller, 'REPORT', reportId, 'EMAIL'), newestFirst: true },
    toEmail,
    async () => {
      if (!(await getRow(caller, keys.reference(caller, 'REPORT', reportId))))
        throw errors.notFound('report');
    },
  );

/** The mails of a report that must be sent, or the one with this id. */
export const waitingEmails = async (
  caller: Caller,
  reportId: string,
  emailId: string | undefined,
): Promise<StoredReportEmail[]> => {
  if (emailId !== undefined) {
    const row = await getRow(caller, keys.reportEmail(caller, reportId, emailId));
    return row && isWaiting(row) ? [withoutKeys(row)] : [];
  }
  const waiting: StoredReportEmail[] = [];
  // Sent mails are not kept in memory: a report may have thousands.
  for await (const row of queryRows(caller, keys.parts(caller, 'REPORT', reportId, 'EMAIL'))) {
    if (isWaiting(row)) waiting.push(withoutKeys(row));
  }
  return waiting;
};

/** The report that a mail brings; undefined when it was deleted. */
export const reportOf = async (
  caller: Caller,
  report: { inspection_id: string; report_id: string },
): Promise<StoredReport | undefined> => {
  const row = await getRow(caller, reportKey(caller, { ...report, id: report.report_id }));
  return row && withoutKeys(row);
};

/**
 * Notes the outcomes of a mail for some of its recipients, in one change. A repeated or late outcome changes nothing.
 * @param error why nothing was sent
 */
export const noteOutcomes = (
  caller: Caller,
  { report_id, id }: Pick<StoredReportEmail, 'report_id' | 'id'>,
  outcomes: readonly RecipientOutcome[],
  error: string | null = null,
): Promise<void> =>
  change(caller, async (work) => {
    const key: Key<StoredReportEmail> = keys.reportEmail(caller, report_id, id);
    const row = await getRow(caller, key);
    if (!row) return { writes: [], reply: undefined };
    const recipients = outcomes.reduce(withOutcome, row.recipients);
    if (recipients === row.recipients) return { writes: [], reply: undefined };
    const sent = outcomes.find(({ status }) => status === 'sent');
    const next = {
      ...row,
      recipients,
      error: error ?? row.error,
      sent_at: row.sent_at ?? sent?.at ?? null,
      updated_at: work.now,
      version: row.version + 1,
    };
    if (isUnderWay(next)) return { writes: [write.replace(next, row.version)], reply: undefined };
    return {
      writes: [write.replace({ ...next, slot: null }, row.version), ...leaveSlot(work, 'MAIL', row)],
      reply: undefined,
    };
  });
