import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { Language } from '../base/i18n/languages.ts';
import { NOTIFICATION_TEXTS } from '../base/i18n/texts/notifications.ts';
import { EVENTS } from '../domain/notifications/events.ts';
import { titleOf } from '../domain/notifications/text.ts';
import * as preferences from '../organizations/me/preferences.ts';
import * as profiles from '../organizations/me/profiles.ts';
import {
  Notification,
  type NotificationChanges,
  type NotificationPage,
  type NotificationQuery,
} from '../schemas/notification.ts';
import { present } from '../schemas/projection.ts';
import { change, type Work } from '../table/change.ts';
import { exists } from '../table/conditions.ts';
import type { StoredNotification } from '../table/entities/machinery.ts';
import { keys } from '../table/keys.ts';
import { pageOf, readCursor } from '../table/listing.ts';
import { countRows, getRow, queryRows, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

const KIND = 'NOTIFICATION';

/** A notification with its title in the reader's language. */
const toNotification = (stored: StoredNotification, language: Language): Notification =>
  present(Notification, stored, {
    title:
      stored.event in EVENTS
        ? titleOf(stored.event, stored.about, NOTIFICATION_TEXTS[language])
        : stored.title,
    is_read: stored.read_at !== null,
  });

const keysOf = (isRead: boolean) => (isRead ? keys.readNotification : keys.unreadNotification);

const keyOf = (caller: Caller, isRead: boolean, id: string) => keysOf(isRead)(caller, caller.user_id, id);

const partitionOf = (caller: Caller, isRead: boolean) => keysOf(isRead).partition(caller, caller.user_id);

/** Moves a notification of the caller from the unread ones to the read ones, or back. */
const moveTo = (
  work: Work,
  row: Row<StoredNotification>,
  isRead: boolean,
): { next: Row<StoredNotification>; writes: Write[] } => {
  const { now } = work;
  const key = keyOf(work, isRead, row.id);
  const next = { ...row, read_at: isRead ? now : null, updated_at: now, ...key };
  return { next, writes: [write.remove({ pk: row.pk, sk: row.sk }, exists), write.put(next)] };
};

type Rows = AsyncGenerator<Row<StoredNotification>>;

/**
 * Merges the unread and the read notifications, newest first. A notification that is marked meanwhile may come from
 * both, and is listed once.
 */
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

/** Notifications marked in one transaction, which holds 100 rows; each takes two. */
const MAX_MARKED_PER_CHANGE = 45;

/** Notifications that one request marks as read. */
export const MAX_MARKED_PER_REQUEST = 450;

/** A page of the caller's notifications, newest first. @throws ApiError 422 for another list's cursor */
export const list = async (caller: Caller, query: NotificationQuery): Promise<NotificationPage> => {
  const { limit, unread, kind } = query;
  const after = readCursor(caller, KIND, query);
  const [wanted, language] = await Promise.all([
    kind ?? preferences.wantedKinds(caller),
    profiles.language(caller),
  ]);
  const where = { kind: wanted };
  const shown = (row: StoredNotification) => toNotification(row, language);
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
    pageOf(caller, KIND, query, rows, (row) => row.sk, shown),
    countRows(caller, { partition: partitionOf(caller, false), where }),
  ]);
  return { items: page, unread_count, next_cursor: next };
};

/** Marks one of the caller's notifications as read, or as unread again. @throws ApiError 404 */
export const update = async (
  caller: Caller,
  id: string,
  { is_read }: NotificationChanges,
): Promise<Notification> => {
  const language = await profiles.language(caller);
  return change(caller, async (work) => {
    const find = (isRead: boolean) => getRow(work, keyOf(work, isRead, id));
    // Another request may move it between two reads.
    const row = (await find(false)) ?? (await find(true)) ?? (await find(false));
    if (!row) throw errors.notFound('notification');
    const current = toNotification(row, language);
    if (is_read === undefined || is_read === current.is_read) return { writes: [], reply: current };
    const { next, writes } = moveTo(work, row, is_read);
    return { writes, reply: toNotification(next, language) };
  });
};

/** Marks the caller's oldest unread notifications as read, up to the limit. @returns how many it has marked */
export const readAll = async (caller: Caller): Promise<number> => {
  let read = 0;
  let before: number;
  do {
    before = read;
    ({ read } = await change(caller, async (work) => {
      const writes: Write[] = [];
      let marked = 0;
      const unread = queryRows(work, {
        partition: partitionOf(work, false),
        pageSize: MAX_MARKED_PER_CHANGE,
      });
      for await (const row of unread) {
        writes.push(...moveTo(work, row, true).writes);
        marked += 1;
        if (marked === MAX_MARKED_PER_CHANGE) break;
      }
      return { writes, reply: { read: before + marked } };
    }));
  } while (read - before === MAX_MARKED_PER_CHANGE && read < MAX_MARKED_PER_REQUEST);
  return read;
};
