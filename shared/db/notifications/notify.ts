import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import type { Trigger, Triggers } from '../../domain/notifications/events.ts';
import { type Audience, type Notice, noticesOf } from '../../domain/notifications/notices.ts';
import type { StoredNotification } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** How long a notification is kept, in seconds: 90 days. */
const KEPT_SECONDS = 90 * 86_400;

/** The task of the mail worker: the text of a notice, and everyone who may get it as a mail. */
export interface MailTask extends Pick<Notice, 'kind' | 'title' | 'note' | 'user_ids'> {
  notification_id: string;
  emails: string[];
}

/**
 * The rows of a notice: one for each member, and one task for all mails. A member who has switched the kind off
 * gets a row as well, which is listed once the kind is on again.
 */
export const noticeWrites = (caller: Caller, { user_ids, emails, ...message }: Notice): Write[] => {
  const id = uuidv7();
  const now = new Date();
  const at = now.toISOString();
  const notification: StoredNotification = { id, created_at: at, updated_at: at, ...message, read_at: null };
  const ttl = Math.floor(now.getTime() / 1_000) + KEPT_SECONDS;
  const { kind, title, note } = message;
  const mail: MailTask = { notification_id: id, kind, title, note, user_ids, emails: [...emails] };
  return [
    ...user_ids.map((userId) =>
      write.create({ ...notification, ttl, ...keys.notification(caller, userId, false, id) }),
    ),
    enqueue(caller, 'mail', { ...mail }),
  ];
};

/**
 * The rows that notify members of what has happened. Write them in the transaction of the change itself, so that
 * nobody hears of a change that was not made.
 * @param audience what the family's setting for this trigger names; none when left out
 */
export const notify = <On extends Trigger>(
  caller: Caller,
  trigger: On,
  facts: Triggers[On],
  audience?: Audience,
): Write[] =>
  noticesOf(trigger, facts, caller.user_id || null, audience).flatMap((notice) =>
    noticeWrites(caller, notice),
  );
