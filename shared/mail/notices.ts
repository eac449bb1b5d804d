import type { Caller } from '../base/caller.ts';
import { sha256 } from '../base/encoding.ts';
import { optionalEnvironment, publicUrl } from '../base/environment.ts';
import { fill, pluralText } from '../base/i18n/plural.ts';
import { NOTIFICATION_TEXTS } from '../base/i18n/texts/notifications.ts';
import { mailWindow } from '../base/mail-window.ts';
import { foldedAddress } from '../base/text.ts';
import { concerns } from '../domain/inspections/workflow.ts';
import { capitalized, type MailReader, readerOf } from '../domain/mail/reader.ts';
import {
  canReceiveMail,
  isOfActions,
  type MailItem,
  type MailRecipient,
  mailRecipients,
  recordOf,
} from '../domain/notifications/mail.ts';
import { shortName } from '../domain/notifications/text.ts';
import {
  collect,
  type DeliveredMail,
  deliverOnce,
  type MailInHand,
  membersToMail,
  takeBatch,
  withItems,
} from '../notices/mails.ts';
import {
  question,
  standingOf,
  standingsOf,
  takesMailByHand,
  takesStandingMail,
} from '../organizations/addresses/addresses.ts';
import * as members from '../organizations/members/members.ts';
import * as organizations from '../organizations/organizations.ts';
import { change } from '../table/change.ts';
import type { StoredAction, StoredInspection } from '../table/entities/inspections.ts';
import type { MailBatch, OutboxTask } from '../table/entities/machinery.ts';
import type { StoredMember, StoredOrganization } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { getRows, readRows } from '../table/rows.ts';
import type { DigestTask, HeldNoticesTask, NoticeTask } from '../table/tasks.ts';
import { heldNotices } from '../upkeep/bulk-changes/telling.ts';
import type { Address } from './compose.ts';
import { sendLetter } from './letter.ts';
import { sendOutside } from './outside.ts';
import { type Block, knownFacts, type MailPage } from './page.ts';
import { senderAddress } from './send.ts';

/** Who reads a mail; null for somebody who is no member. */
type Member = Pick<StoredMember, 'user_id' | 'role'> | null;

/** Where an inspection or issue is, and when it is due. */
export interface SubjectFacts {
  client: string | null;
  location: string | null;
  due_at: string | null;
}

/** The facts around the events of a mail, as they are when the mail is sent. */
interface Surroundings {
  /** By the id of the inspection or issue. One that was deleted has none. */
  placeOf: ReadonlyMap<string, SubjectFacts>;
  /** Inspections by their ids. One that was deleted is missing. */
  inspectionOf: ReadonlyMap<string, StoredInspection>;
  /** Corrective actions by their ids. */
  actionOf: ReadonlyMap<string, Pick<StoredAction, 'due_at' | 'assignee_id'>>;
  /** Names of members, by their user ids. */
  nameOf: ReadonlyMap<string, string>;
}

const unique = <Value>(values: readonly (Value | null)[]): Value[] => [
  ...new Set(values.filter((value) => value !== null)),
];

/** Reads what a mail's items refer to, in two calls of the table for every 100 rows. */
const surroundingsOf = async (caller: Caller, items: readonly MailItem[]): Promise<Surroundings> => {
  const inspectionIds = unique(items.map(({ inspection }) => inspection?.id ?? null));
  const issueIds = unique(items.map(({ issue }) => issue?.id ?? null));
  const actorIds = unique(items.map(({ actor_id }) => actor_id));
  const actions = items.flatMap(({ event, inspection, entries }) =>
    inspection && isOfActions({ event })
      ? entries.map(({ id }) => keys.child(caller, inspection.id, 'ACTION', id))
      : [],
  );
  const inspectionKeys = inspectionIds.map((id) => keys.one(caller, 'INSPECTION', id));
  const issueKeys = issueIds.map((id) => keys.one(caller, 'ISSUE', id));
  const actorKeys = actorIds.map((id) => keys.one(caller, 'MEMBER', id));
  const rowsOf = await readRows(caller, [...inspectionKeys, ...issueKeys, ...actorKeys, ...actions]);
  const inspections = rowsOf(inspectionKeys).filter((row) => row !== undefined);
  const records = [...inspections, ...rowsOf(issueKeys)].filter((row) => row !== undefined);
  const clientIds = unique(records.map(({ client_account_id }) => client_account_id));
  const locationIds = unique(records.map(({ location_id }) => location_id));
  const [clients, locations] = await Promise.all([
    getRows(
      caller,
      clientIds.map((id) => keys.one(caller, 'CLIENT', id)),
    ),
    getRows(
      caller,
      locationIds.map((id) => keys.one(caller, 'LOCATION', id)),
    ),
  ]);
  const names = new Map([...clients, ...locations].flatMap((row) => (row ? [[row.id, row.name]] : [])));
  return {
    placeOf: new Map(
      records.map(({ id, client_account_id, location_id, due_at }) => [
        id,
        {
          client: names.get(client_account_id ?? '') ?? null,
          location: names.get(location_id ?? '') ?? null,
          due_at,
        },
      ]),
    ),
    inspectionOf: new Map(inspections.map((row) => [row.id, row])),
    actionOf: new Map(rowsOf(actions).flatMap((row) => (row ? [[row.id, row]] : []))),
    nameOf: new Map(rowsOf(actorKeys).flatMap((row) => (row ? [[row.user_id, row.name]] : []))),
  };
};

/** Inspections and issues that a subject names. */
const MAX_NAMES = 3;

/** The page where people open an inspection; null if the deployment names none. */
const inspectionUrl = (id: string): string | null =>
  optionalEnvironment('INSPECTION_URL')?.replaceAll('{inspection_id}', id) ?? null;

/** The page of the app for what its reader may see of the inspections; null for others. */
const inspectionPage = (id: string, { inspectionOf }: Surroundings, member: Member): string | null => {
  const inspection = inspectionOf.get(id);
  if (!inspection || !member) return null;
  const maySee = member.role === 'admin' || concerns(member.user_id, inspection);
  return maySee ? publicUrl('admin', 'inspections', id) : null;
};

/** The page of a finding or an action in the app; null for somebody who may not open it. */
const entryUrl = (
  { event }: MailItem,
  id: string,
  { actionOf }: Surroundings,
  member: Member,
): string | null => {
  const isAdmin = member?.role === 'admin';
  if (!isOfActions({ event })) return isAdmin ? publicUrl('admin', 'findings', id) : null;
  const action = actionOf.get(id);
  const maySee = isAdmin || (member !== null && action?.assignee_id === member.user_id);
  return action && maySee ? publicUrl('admin', 'corrective-actions', id) : null;
};

/**
 * The page where a reader opens what an item is about: of an inspection that of the deployment, if it names one, else
 * that of the app; null for what they may not open.
 */
const urlOf = (item: MailItem, surroundings: Surroundings, member: Member): string | null => {
  const { inspection, issue, schedule, webhook, source, connection, organization } = item;
  if (inspection) return inspectionUrl(inspection.id) ?? inspectionPage(inspection.id, surroundings, member);
  const isAdmin = member?.role === 'admin';
  if (issue)
    return isAdmin && surroundings.placeOf.has(issue.id) ? publicUrl('admin', 'issues', issue.id) : null;
  if (schedule) return isAdmin ? publicUrl('admin', 'schedules', schedule.id) : null;
  if (webhook) return publicUrl('admin', 'webhooks');
  if (source ?? connection) return publicUrl('admin', 'integrations');
  return organization ? publicUrl('admin', 'organization') : null;
};

/** What happened, in a few words. */
const statusOf = (item: MailItem, { texts, language }: MailReader): string => {
  const { status } = NOTIFICATION_TEXTS[language].events[item.event];
  if (typeof status !== 'string') return pluralText(language, status, item.count);
  return item.count > 1 ? `${status} (${pluralText(language, texts.actions, item.count)})` : status;
};

/** The subject of one item, such as “Kitchen 4: 6 findings”. A single action has a name of its own. */
const subjectOf = (item: MailItem, reader: MailReader): string => {
  const [entry] = item.entries;
  const name = isOfActions(item) && item.count === 1 && entry ? entry.name : recordOf(item).name;
  return fill(reader.texts.subject, { name: shortName(name), what: statusOf(item, reader) });
};

/** The subject of a mail: that of its only item, or the number of updates and the names. */
export const digestSubject = (items: readonly MailItem[], left_out: number, reader: MailReader): string => {
  const [first] = items;
  if (first && items.length + left_out === 1) return subjectOf(first, reader);
  const { texts, language } = reader;
  const what = pluralText(language, texts.updates, items.length + left_out);
  const names = [
    ...new Map(items.map((item) => [recordOf(item).id, shortName(recordOf(item).name)])).values(),
  ];
  const named = new Intl.ListFormat(language, { type: 'unit', style: 'short' }).format(
    names.slice(0, MAX_NAMES),
  );
  return fill(texts.subject, { name: names.length > MAX_NAMES ? `${named}…` : named, what });
};

/** An entry's number, name and page, and for an action when it is due. */
const entryOf = (
  item: MailItem,
  { id, number, name }: MailItem['entries'][number],
  surroundings: Surroundings,
  { texts, dateTime }: MailReader,
  member: Member,
): Block['entries'][number] => {
  const due = surroundings.actionOf.get(id)?.due_at;
  return {
    name: `${number} · ${shortName(name)}`,
    detail: due ? `${texts.labels.due}: ${dateTime(due)}` : null,
    url: entryUrl(item, id, surroundings, member),
  };
};

const blockOf = (item: MailItem, surroundings: Surroundings, reader: MailReader, member: Member): Block => {
  const { texts, language, dateTime } = reader;
  const { inspection, entries, count, note, actor_id } = item;
  const record = recordOf(item);
  const place = surroundings.placeOf.get(record.id);
  const actor = actor_id === null ? undefined : surroundings.nameOf.get(actor_id);
  const number = record.number === undefined ? undefined : String(record.number);
  const facts: (readonly [string, string | null | undefined])[] = [
    [inspection ? texts.labels.inspection : texts.labels.issue, number],
    [texts.labels.client, place?.client],
    [texts.labels.location, place?.location],
    [texts.labels.due, place?.due_at && dateTime(place.due_at)],
    [texts.labels.by, actor],
  ];
  return {
    title: shortName(record.name),
    url: urlOf(item, surroundings, member),
    status: capitalized(statusOf(item, reader), language),
    facts: knownFacts(facts),
    entries: entries.map((entry) => entryOf(item, entry, surroundings, reader, member)),
    more: count > entries.length ? pluralText(language, texts.more, count - entries.length) : null,
    note: note === '' ? null : { label: texts.labels.comment, text: note },
  };
};

/** What a mail says about events: its subject, a block for each item, and its one link. */
const digest = (
  items: readonly MailItem[],
  left_out: number,
  surroundings: Surroundings,
  reader: MailReader,
  member: Member,
) => {
  const blocks = items.map((item) => blockOf(item, surroundings, reader, member));
  const urls = new Set(blocks.map(({ url }) => url));
  const [url] = urls;
  const isOfOne = urls.size === 1 && url !== null && items[0]?.inspection !== undefined;
  return {
    subject: digestSubject(items, left_out, reader),
    // Everything has its link in its title, but for a single inspection, which the link of the mail opens.
    blocks: isOfOne ? blocks.map((block) => ({ ...block, url: null })) : blocks,
    action: isOfOne ? { label: reader.texts.openInspection, url: url! } : null,
    hints: left_out > 0 ? [pluralText(reader.language, reader.texts.more, left_out)] : [],
  };
};

/**
 * Puts a notice into the mailbox of each recipient, once however often the task is delivered. Addresses that bounced
 * for good, complained or have stopped the mails get none. An address of somebody who is no member gets none before
 * they have agreed; after the first notice they are asked. A deployment without an address to send from collects
 * nothing.
 * @throws AggregateError when some mailboxes could not be written; the next attempt does only these
 */
export const collectNotice = async (caller: Caller, task: NoticeTask): Promise<void> => {
  if (senderAddress() === undefined) return;
  const recipients = mailRecipients(await membersToMail(caller, task.user_ids, task.kind), task.emails);
  const added = { items: [task.item], left_out: 0 };
  await collectFor(
    caller,
    task.mail_id,
    recipients.map((recipient) => ({ ...recipient, ...added })),
  );
};

/** What a recipient is told. */
type Told = MailRecipient & Pick<MailBatch, 'items' | 'left_out'>;

/** Puts what each recipient is told into their mailbox. @throws as `collectNotice` */
const collectFor = async (caller: Caller, mailId: string, recipients: readonly Told[]): Promise<void> => {
  const standings = await standingsOf(
    caller,
    recipients.map(({ address }) => address),
  );
  const failures: unknown[] = [];
  for (const [position, { user_id, address, items, left_out }] of recipients.entries()) {
    const standing = standings[position]!;
    if (user_id === null && standing.canBeAsked) {
      await change(caller, (work) => ({ writes: [question(work, address)], reply: undefined }));
    }
    if (!(user_id === null ? takesStandingMail : takesMailByHand)(standing)) continue;
    const mailbox =
      user_id === null
        ? { recipient: sha256(foldedAddress(address)), address }
        : { recipient: user_id, address: null };
    await collect(caller, mailbox, mailId, { items, left_out }, mailWindow()).catch((error: unknown) =>
      failures.push(error),
    );
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} mails were not collected`);
};

/** The members who take mails, by the kinds of the notices. A call for each hundred of them. */
const membersByKind = async (caller: Caller, notices: readonly NoticeTask[]) => {
  const byKind = new Map<NoticeTask['kind'], ReadonlyMap<string, StoredMember>>();
  for (const [kind, of] of Map.groupBy(notices, (notice) => notice.kind)) {
    const ids = new Set(of.flatMap(({ user_ids }) => user_ids));
    const found = await membersToMail(caller, [...ids], kind);
    byKind.set(kind, new Map(found.map((member) => [member.user_id, member])));
  }
  return byKind;
};

/**
 * Puts what a bulk change has held back in one round into the mailboxes: all that a recipient is told at once, so that
 * it is one mail. It may be repeated.
 * @throws as `collectNotice`
 */
export const collectHeldNotices = async (caller: Caller, task: HeldNoticesTask): Promise<void> => {
  if (senderAddress() === undefined) return;
  const notices = await heldNotices(caller, task);
  const byKind = await membersByKind(caller, notices);
  const told = new Map<string, Told>();
  for (const { kind, user_ids, emails, item } of notices) {
    const found = user_ids.flatMap((id) => byKind.get(kind)!.get(id) ?? []);
    for (const recipient of mailRecipients(found, emails)) {
      const name = recipient.user_id ?? foldedAddress(recipient.address);
      const known = told.get(name) ?? { ...recipient, items: [], left_out: 0 };
      told.set(name, { ...known, ...withItems(known, [item]) });
    }
  }
  await collectFor(caller, task.mail_id, [...told.values()]);
};

/** Who gets a mail, how they read, and what the mail says about why. */
interface Recipient {
  to: Address;
  member: Member;
  reader: MailReader;
  reasons: MailPage['reasons'];
}

const toMember = async (
  caller: Caller,
  organization: StoredOrganization,
  userId: string,
): Promise<Recipient | undefined> => {
  const member = await members.find(caller, userId);
  if (!member || !canReceiveMail(member)) return undefined;
  if (!takesMailByHand(await standingOf(caller, member.email))) return undefined;
  const reader = readerOf(organization, member);
  return {
    to: { name: member.name, address: member.email },
    member,
    reader,
    reasons: [
      fill(reader.texts.memberReason, { organization: organization.name }),
      { label: reader.texts.memberStop, url: publicUrl('admin', 'profile') },
    ],
  };
};

const toAddress = async (
  caller: Caller,
  organization: StoredOrganization,
  address: string,
): Promise<Recipient | undefined> => {
  if (!takesStandingMail(await standingOf(caller, address))) return undefined;
  const reader = readerOf(organization);
  return {
    to: { name: '', address },
    member: null,
    reader,
    reasons: [fill(reader.texts.addressReason, { organization: organization.name })],
  };
};

const sendBatch = async (
  caller: Caller,
  userId: string,
  { address, items, left_out }: MailBatch,
  place: MailInHand['place'],
): Promise<DeliveredMail> => {
  const organization = await organizations.get(caller);
  const recipient =
    address === null
      ? await toMember(caller, organization, userId)
      : await toAddress(caller, organization, address);
  // A member who has left meanwhile gets nothing.
  if (!recipient || senderAddress() === undefined)
    return { state: 'refused', detail: 'there is nobody to send it to, or from' };
  const wait = await place(organization, recipient.member ? 'to_members' : 'to_others');
  if (wait) return wait;
  const { reader, to, reasons, member } = recipient;
  const letter = {
    language: reader.language,
    paragraphs: [],
    ...digest(items, left_out, await surroundingsOf(caller, items), reader, member),
    reasons,
  };
  if (!member) return sendOutside(caller, organization, to, letter, {});
  return sendLetter(caller, organization, to, letter, null);
};

/**
 * Sends all notices of a mailbox as one mail, once however often the task is delivered.
 * @throws Error when the mail could not be sent; the next attempt sends it
 */
export const sendDigest = async (
  caller: Caller,
  row: OutboxTask<'mail'>,
  task: DigestTask,
): Promise<void> => {
  const { batch_id: mailId, recipient } = task;
  await deliverOnce(
    caller,
    { mailId, recipient, task: row },
    ({ batch, place }) => sendBatch(caller, recipient, batch!, place),
    () => takeBatch(caller, task),
  );
};
