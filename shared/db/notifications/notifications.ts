import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { notFound } from '../../base/errors.ts';
import { kindOf, noteOf, type Subject, titleOf } from '../../domain/notifications.ts';
import type { Member } from '../../schemas/member.ts';
import type {
  Notification,
  NotificationChanges,
  NotificationEvent,
  NotificationPage,
  NotificationQuery,
} from '../../schemas/notification.ts';
import type { NotificationKind } from '../../schemas/preferences.ts';
import * as preferences from '../me/preferences.ts';
import * as members from '../members/members.ts';
import { change } from '../table/change.ts';
import { exists } from '../table/conditions.ts';
import { keys } from '../table/keys.ts';
import { pageOf, readCursor } from '../table/listing.ts';
import { enqueue } from '../table/outbox.ts';
import { countRows, getRow, getRows, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

const KIND = 'NOTIFICATION';

/** As stored: whether it is read is where it stands, so that the unread ones can be counted. */
type StoredNotification = Omit<Notification, 'is_read'>;

/** Seconds that a notification is kept: 90 days. */
const KEPT = 90 * 86_400;

/** Who is told of something, and of what. */
export interface Notice extends Subject {
  event: NotificationEvent;
  /** Members; null ones, repeated ones and whoever causes it are left out. */
  user_ids: readonly (string | null)[];
  /** Further addresses, which are only mailed to. */
  emails?: readonly string[];
  /** What was said with it: a comment, a reason. */
  note?: string | null;
}

/** What the mail of a notice needs: all that is told, and whom. */
export interface MailTask extends Pick<StoredNotification, 'kind' | 'title' | 'note'> {
  notification_id: string;
  user_ids: string[];
  emails: string[];
}

/**
 * Tells members of something in the transaction of what it tells of: a row for each of them, and a task for the
 * mails. As many rows as members, and one more; none where nobody is left to be told. Who has switched the kind
 * off gets a row as well, which is not listed while it is off.
 */
export const notify = (
  caller: Caller,
  { event, user_ids, emails = [], note = null, ...subject }: Notice,
): Write[] => {
  const told = [...new Set(user_ids)].flatMap((id) => (id === null || id === caller.user_id ? [] : [id]));
  if (told.length + emails.length === 0) return [];
  const id = uuidv7();
  const now = new Date().toISOString();
  const notification: StoredNotification = {
    id,
    created_at: now,
    updated_at: now,
    kind: kindOf(event),
    event,
    title: titleOf(event, subject),
    note: noteOf(note),
    inspection_id: subject.inspection.id,
    finding_id: subject.finding?.id ?? null,
    corrective_action_id: subject.action?.id ?? null,
    actor_id: caller.user_id || null,
    read_at: null,
  };
  const { kind, title, note: said } = notification;
  const ttl = Math.floor(Date.now() / 1_000) + KEPT;
  const mail: MailTask = {
    notification_id: id,
    kind,
    title,
    note: said,
    user_ids: told,
    emails: [...emails],
  };
  return [
    ...told.map((userId) =>
      write.create({ ...notification, ttl, ...keys.notification(caller, userId, false, id) }),
    ),
    enqueue(caller, 'mail', { ...mail }),
  ];
};

/** Those of these members who are mailed of a kind: active people who have an address and want to be told. */
export const mailable = async (
  caller: Caller,
  userIds: readonly string[],
  kind: NotificationKind,
): Promise<Member[]> => {
  const found = await getRows<object>(
    caller,
    userIds.flatMap((id) => [members.key(caller, id), preferences.key(caller, id)]),
  );
  return userIds.flatMap((_, position) => {
    const [row, chosen] = found.slice(2 * position);
    const member = row as Row<Member> | undefined;
    const isReached = member?.status === 'active' && member.role !== 'api' && member.email !== '';
    return isReached && preferences.wants(chosen, kind) ? [member] : [];
  });
};

const toNotification = (row: Row<StoredNotification>): Notification => {
  const notification = withoutKeys(row);
  return { ...notification, is_read: notification.read_at !== null };
};

const keyOf = (caller: Caller, isRead: boolean, id: string) =>
  keys.notification(caller, caller.user_id, isRead, id);

const partitionOf = (caller: Caller, isRead: boolean): string => keyOf(caller, isRead, '').pk;

/** A notification of the caller's, from among the unread ones to the read ones or back. */
const moved = (
  caller: Caller,
  row: Row<StoredNotification>,
  isRead: boolean,
): { next: Row<StoredNotification>; writes: Write[] } => {
  const now = new Date().toISOString();
  const key = keyOf(caller, isRead, row.id);
  const next = { ...row, read_at: isRead ? now : null, updated_at: now, ...key };
  return { next, writes: [write.remove({ pk: row.pk, sk: row.sk }, exists), write.put(next)] };
};

type Rows = AsyncGenerator<Row<StoredNotification>>;

/** Both as one, newest first. What is marked while they are read may stand in both, and is given once. */
const merged = async function* (unread: Rows, read: Rows): Rows {
  let [first, second] = [await unread.next(), await read.next()];
  while (!first.done || !second.done) {
    if (second.done || (!first.done && first.value.sk > second.value.sk)) {
      yield first.value;
      first = await unread.next();
    } else {
      yield second.value;
      if (!first.done && first.value.sk === second.value.sk) first = await unread.next();
      second = await read.next();
    }
  }
};

/** How many a request marks: in chunks, each of two rows of a transaction's hundred for each. */
const MARKED = { chunk: 45, most: 450 } as const;

/** A page of the caller's, newest first. @throws ApiError 422 for another list's cursor */
export const list = async (caller: Caller, query: NotificationQuery): Promise<NotificationPage> => {
  const { limit, unread, kind } = query;
  const after = readCursor(caller, KIND, query);
  const where = { kind: kind ?? (await preferences.wantedKinds(caller)) };
  if (where.kind.length === 0) return { items: [], unread_count: 0, next_cursor: null };
  const rowsOf = (isRead: boolean): Rows =>
    queryRows(caller, {
      partition: partitionOf(caller, isRead),
      newestFirst: true,
      after,
      where,
      pageSize: limit + 1,
    });
  const rows = unread === undefined ? merged(rowsOf(false), rowsOf(true)) : rowsOf(!unread);
  const [{ page, next = null }, unread_count] = await Promise.all([
    pageOf(caller, KIND, query, rows, (row) => row.sk, toNotification),
    countRows(caller, { partition: partitionOf(caller, false), where }),
  ]);
  return { items: page, unread_count, next_cursor: next };
};

/** Marks one of the caller's as read, or as unread again. @throws ApiError 404 */
export const update = (caller: Caller, id: string, { is_read }: NotificationChanges): Promise<Notification> =>
  change(caller, async () => {
    const find = (isRead: boolean) => getRow<StoredNotification>(caller, keyOf(caller, isRead, id));
    // It may have been moved between two looks.
    const row = (await find(false)) ?? (await find(true)) ?? (await find(false));
    if (!row) throw notFound('notification');
    const current = toNotification(row);
    if (is_read === undefined || is_read === current.is_read) return { writes: [], reply: current };
    const { next, writes } = moved(caller, row, is_read);
    return { writes, reply: toNotification(next) };
  });

/** Marks the caller's unread ones as read, the oldest first, at most 450; tells how many they were. */
export const readAll = async (caller: Caller): Promise<number> => {
  let read = 0;
  let before: number;
  do {
    before = read;
    ({ read } = await change(caller, async () => {
      const writes: Write[] = [];
      let some = 0;
      const unread = queryRows<StoredNotification>(caller, {
        partition: partitionOf(caller, false),
        pageSize: MARKED.chunk,
      });
      for await (const row of unread) {
        writes.push(...moved(caller, row, true).writes);
        some += 1;
        if (some === MARKED.chunk) break;
      }
      return { writes, reply: { read: before + some } };
    }));
  } while (read - before === MARKED.chunk && read < MARKED.most);
  return read;
};
