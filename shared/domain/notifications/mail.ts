import type { Member } from '../../schemas/member.ts';
import type { NotificationEvent } from '../../schemas/notification.ts';
import type { Subject } from './events.ts';

/** Someone who gets a mail. */
export interface MailRecipient {
  /** Null for an address that is no member's. */
  user_id: string | null;
  address: string;
}

/** The sender's name in a mail: an organization chooses its own name, so the service names itself as well. */
export const senderName = (organization: string): string => `${organization} via Inspection Service`;

/** Whether mails reach a member: only active people with an address read them, API keys do not. */
export const canReceiveMail = ({ status, role, email }: Pick<Member, 'status' | 'role' | 'email'>): boolean =>
  status === 'active' && role !== 'api' && email !== '';

/**
 * Everyone who gets a mail, each address once whatever its case. A member's own address wins over the same address
 * in a family's settings.
 */
export const mailRecipients = (
  members: readonly Pick<Member, 'user_id' | 'email'>[],
  emails: readonly string[],
): MailRecipient[] => {
  const recipients = new Map<string, MailRecipient>();
  for (const { user_id, email: address } of members)
    recipients.set(address.toLowerCase(), { user_id, address });
  for (const address of emails) {
    const folded = address.toLowerCase();
    if (!recipients.has(folded)) recipients.set(folded, { user_id: null, address });
  }
  return [...recipients.values()];
};

/** A record of a mail: its number and its name. */
interface Named {
  id: string;
  number: number;
  name: string;
}

/** A finding or corrective action of a mail. */
export type MailEntry = Named;

/** The record that a notice is about: an inspection, an issue, a schedule, a source, a connection, a webhook or the organization. */
export interface About {
  inspection?: Named;
  issue?: Named;
  /** The others have no number. */
  schedule?: Omit<Named, 'number'>;
  source?: Omit<Named, 'number'>;
  connection?: Omit<Named, 'number'>;
  webhook?: Omit<Named, 'number'>;
  organization?: Omit<Named, 'number'>;
  /** Findings or actions of the inspection. Empty for an event of the record itself. */
  entries: MailEntry[];
}

/** The record that a notice is about. */
export const recordOf = ({
  inspection,
  issue,
  schedule,
  source,
  connection,
  webhook,
  organization,
}: About): Omit<Named, 'number'> & Partial<Named> =>
  (issue ?? schedule ?? source ?? connection ?? webhook ?? organization ?? inspection)!;

/**
 * What a mail says about one event of a record: a few findings and actions of the inspection, and how many there are.
 */
export interface MailItem extends About {
  event: NotificationEvent;
  /** When it happened last, ISO 8601 in UTC. */
  at: string;
  /** Who caused it; null when only time has passed. */
  actor_id: string | null;
  /** The comment or reason of the event; empty when it has none. */
  note: string;
  /** Number of findings or actions, those beyond the entries included. */
  count: number;
}

/** Findings or actions that an item names. */
const MAX_ENTRIES = 10;

/** Items of one mail. */
const MAX_ITEMS = 30;

const entryOf = ({ finding, action }: Subject): MailEntry[] => {
  if (action) return [{ id: action.id, number: action.number, name: action.title }];
  return finding ? [{ id: finding.id, number: finding.number, name: finding.label }] : [];
};

/** The records of a subject, without the fields that only rules read. */
export const aboutOf = (subject: Subject): About => {
  const { inspection, issue, schedule, source, connection, webhook, organization } = subject;
  const entries = entryOf(subject);
  if (issue) return { issue: { id: issue.id, number: issue.number, name: issue.title }, entries };
  if (schedule) return { schedule: { id: schedule.id, name: schedule.title }, entries };
  if (source) return { source: { id: source.id, name: source.name }, entries };
  if (connection) return { connection: { id: connection.id, name: connection.title }, entries };
  if (webhook) return { webhook: { id: webhook.id, name: webhook.title }, entries };
  if (organization) return { organization: { id: organization.id, name: organization.name }, entries };
  const { id, number, name } = inspection!;
  return { inspection: { id, number, name }, entries };
};

/** A notice as a mail says it. */
export const mailItemOf = (
  { event, actor_id, note, about }: Pick<MailItem, 'event' | 'actor_id' | 'note'> & { about: About },
  at: string,
): MailItem => ({ event, at, actor_id, note, ...about, count: about.entries.length });

const merged = (earlier: MailItem, later: MailItem): MailItem => ({
  ...later,
  entries: [...earlier.entries, ...later.entries].slice(0, MAX_ENTRIES),
  count: earlier.count + later.count,
});

/** Whether an item tells of corrective actions: its entries. */
export const isOfActions = ({ event }: Pick<MailItem, 'event'>): boolean =>
  event.startsWith('corrective_action_');

/** An item without the actions that a later one tells of; undefined when nothing of it is left. */
const without = (item: MailItem, later: MailItem): MailItem | undefined => {
  if (!isOfActions(item) || !isOfActions(later)) return item;
  const entries = item.entries.filter(({ id }) => !later.entries.some((entry) => entry.id === id));
  const count = item.count - (item.entries.length - entries.length);
  return count > 0 ? { ...item, entries, count } : undefined;
};

/**
 * The items of a mail with a further one. The same event of the same record stays one item, and an action is named once,
 * with what happened to it last.
 * @returns `left_out`: 1 when the mail is full, so that the item is only counted
 */
export const withItem = (
  items: readonly MailItem[],
  item: MailItem,
): { items: MailItem[]; left_out: number } => {
  const isSame = (known: MailItem) => known.event === item.event && recordOf(known).id === recordOf(item).id;
  const next = items.flatMap((known) => {
    const left = without(known, item);
    if (isSame(known)) return [left ? merged(left, item) : item];
    return left ? [left] : [];
  });
  if (items.some(isSame)) return { items: next, left_out: 0 };
  return next.length < MAX_ITEMS ? { items: [...next, item], left_out: 0 } : { items: next, left_out: 1 };
};
