import type { Caller } from '../base/caller.ts';
import { fill, localeOf, pluralText } from '../base/i18n/plural.ts';
import { REPORT_TEXTS } from '../base/i18n/texts/report.ts';
import { type MailReader, percentage, readerOf } from '../domain/mail/reader.ts';
import { shortName } from '../domain/notifications/text.ts';
import {
  type DeliveredMail,
  deliverOnce,
  type MailIdentity,
  type MailInHand,
  noteOf,
} from '../notices/mails.ts';
import { question, standingOf, takesStandingMail } from '../organizations/addresses/addresses.ts';
import * as organizations from '../organizations/organizations.ts';
import { clientAccountRecords } from '../places/client-accounts/client-accounts.ts';
import { type ClientWeek, readClientWeek } from '../reports/rows/client-week.ts';
import { reportLink } from '../reports/rows/share-links.ts';
import { change } from '../table/change.ts';
import type { OutboxTask } from '../table/entities/machinery.ts';
import type { ClientDigestTask } from '../table/tasks.ts';
import { NO_SENDER } from './letter.ts';
import { sendOutside } from './outside.ts';
import { type Block, knownFacts, newBlock } from './page.ts';
import { notePromise } from './promises.ts';
import { senderAddress } from './send.ts';

const refused = (detail: string): DeliveredMail => ({ state: 'refused', detail });

const NOTHING = refused('there is nothing to tell');

/** The recipient under which the mail of a client account is known. */
const RECIPIENT = 'client';

/** Open findings of one inspection that are named. */
const MAX_FINDINGS = 10;

const placeText = (place: readonly string[]): string => place.join(' › ');

/** What the mail says, without its links: how much there is, each inspection, and what is open. */
const contentOf = (
  { inspections, inspectionsCount, actions, actionsCount, overdueCount }: ClientWeek,
  client: string,
  urlOf: ReadonlyMap<string, string>,
  { texts, language, date }: MailReader,
): Block[] => {
  const { clientDigest, labels } = texts;
  const report = REPORT_TEXTS[language];
  const count = (n: number) => new Intl.NumberFormat(localeOf(language)).format(n);
  const more = (all: number, shown: number) =>
    all > shown ? pluralText(language, texts.more, all - shown) : null;
  const sum = newBlock({
    title: client,
    facts: knownFacts([
      [clientDigest.inspected, count(inspectionsCount)],
      [clientDigest.open, count(actionsCount)],
      [report.overdue, overdueCount > 0 ? count(overdueCount) : null],
    ]),
    more: more(inspectionsCount, inspections.length),
  });
  const inspected = inspections.map(({ inspection, place, openFindings }) => {
    const { id, name, number, completed_at, score, findings_count } = inspection;
    const findings = { n: count(findings_count), open: count(openFindings.length) };
    const entries = openFindings.slice(0, MAX_FINDINGS);
    return newBlock({
      title: shortName(name),
      url: urlOf.get(id) ?? null,
      status: score?.result ? texts.results[score.result] : null,
      facts: knownFacts([
        [labels.inspection, String(number)],
        [labels.location, placeText(place)],
        [report.completed, date(completed_at!)],
        [labels.score, percentage(score?.percentage, language)],
        [report.findings, openFindings.length > 0 ? fill(clientDigest.findings, findings) : findings.n],
      ]),
      entries: entries.map(({ label, severity }) => ({
        name: shortName(label),
        detail: report.severities[severity],
      })),
      more: more(openFindings.length, entries.length),
    });
  });
  const open = newBlock({
    title: clientDigest.open,
    entries: actions.map(({ action: { number, title, due_at }, place, isOverdue }) => {
      const due = due_at && `${isOverdue ? report.overdue : labels.due}: ${date(due_at)}`;
      return {
        name: `${number} · ${shortName(title)}`,
        detail: [placeText(place), due].filter(Boolean).join(' · ') || null,
      };
    }),
    more: more(actionsCount, actions.length),
  });
  return [sum, ...inspected, ...(actionsCount > 0 ? [open] : [])];
};

/** Makes the links to the finished reports. @returns the URLs by the ids of the inspections, and when they end */
const linksTo = async (
  caller: Caller,
  { inspections }: ClientWeek,
): Promise<{ urlOf: Map<string, string>; until: string | undefined }> => {
  const urlOf = new Map<string, string>();
  let until: string | undefined;
  for (const { inspection, report } of inspections) {
    if (!report) continue;
    const link = await reportLink(caller, report);
    urlOf.set(inspection.id, link.url);
    until ??= link.until;
  }
  return { urlOf, until };
};

const send = async (
  caller: Caller,
  { client_account_id, from, to }: ClientDigestTask,
  { mailId, recipient }: Pick<MailIdentity, 'mailId' | 'recipient'>,
  place: MailInHand['place'],
): Promise<DeliveredMail> => {
  const account = await clientAccountRecords.find(caller, client_account_id);
  const digest = account?.is_active ? account.digest : null;
  if (!account || !digest) return refused('the client account has no digest any more');
  const { email, name, locale } = digest;
  const organization = await organizations.get(caller);
  if (senderAddress() === undefined) return NO_SENDER;
  const standing = await standingOf(caller, email);
  const about = { kind: 'client_digest', client_account_id } as const;
  if (standing.canBeAsked)
    await change(caller, (work) => ({ writes: [question(work, email, { about })], reply: null }));
  if (!takesStandingMail(standing)) return refused('the address has not agreed to get mails');
  const week = await readClientWeek(caller, client_account_id, { from, to }, new Date().toISOString());
  if (week.inspectionsCount + week.actionsCount === 0) return NOTHING;
  const wait = await place(organization, standing.isMember ? 'to_members' : 'to_others');
  if (wait) return wait;
  const reader = readerOf(organization, { locale });
  const { clientDigest } = reader.texts;
  const names = {
    organization: organization.name,
    client: account.name,
    from: reader.date(from),
    to: reader.date(to),
  };
  const { urlOf, until } = await linksTo(caller, week);
  const letter = {
    language: reader.language,
    subject: fill(clientDigest.subject, { ...names, client: shortName(account.name) }),
    paragraphs: [fill(clientDigest.text, names)],
    blocks: contentOf(week, account.name, urlOf, reader),
    action: null,
    hints: until ? [fill(clientDigest.linksEnd, { date: reader.date(until) })] : [],
    reasons: [fill(clientDigest.reason, names)],
  };
  const tags = { mail_id: mailId, recipient };
  return sendOutside(caller, organization, { name: name ?? '', address: email }, letter, tags);
};

/**
 * Tells the contact of a client account of a period, once however often the task is delivered. An address that has not
 * agreed gets nothing and is asked, and there is no mail about nothing.
 * @param row names the mail
 * @throws Error when the mail could not be sent; the next attempt sends it
 */
export const sendClientDigest = async (
  caller: Caller,
  row: OutboxTask<'mail'>,
  task: ClientDigestTask,
): Promise<void> => {
  const identity = { mailId: row.id, recipient: RECIPIENT, task: row };
  const outcome = await deliverOnce(
    caller,
    identity,
    ({ place }) => send(caller, task, identity, place),
    async () => ({ about: [task], writes: [] }),
  );
  if (outcome && outcome.detail !== NOTHING.detail)
    await notePromise(caller, task, (known, now) => noteOf(outcome, known, now));
};
