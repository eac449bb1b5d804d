import { v7 as uuidv7 } from 'uuid';
import { keptFrom } from '../../base/time.ts';
import type { Trigger, Triggers } from '../../domain/notifications/events.ts';
import { mailItemOf, recordOf, withItem } from '../../domain/notifications/mail-items.ts';
import { type Audience, type Notice, noticesOf } from '../../domain/notifications/notices.ts';
import type { Work } from '../table/change.ts';
import type { StoredNotification } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import type { NoticeTask } from '../table/tasks.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** How long a notification is kept, in seconds: 90 days. */
const KEPT_SECONDS = 90 * 86_400;

/** A member who has switched the kind off gets a row as well, which is listed once the kind is on again. */
const notificationWrites = (work: Work, { user_ids, emails: _emails, ...message }: Notice): Write[] => {
  const id = uuidv7();
  const at = work.now;
  const notification: StoredNotification = { id, created_at: at, updated_at: at, ...message, read_at: null };
  const ttl = keptFrom(at, KEPT_SECONDS);
  return user_ids.map((userId) =>
    write.create({ ...notification, ttl, ...keys.unreadNotification(work, userId, id) }),
  );
};

/** Notices of one event of one record to the same people and addresses: they are one mail. */
const mailOf = ({ event, about, user_ids, emails }: Notice): string =>
  JSON.stringify([event, recordOf(about).id, user_ids, emails]);

/** The rows of notices: one for each member and notice, and a task for each mail. */
export const noticeWrites = (work: Work, notices: readonly Notice[]): Write[] => {
  const tasks = Map.groupBy(notices, mailOf)
    .values()
    .map(([first, ...others]): NoticeTask => {
      const at = work.now;
      const { kind, user_ids, emails } = first!;
      const item = others.reduce(
        (whole, notice) => withItem([whole], mailItemOf(notice, at)).items[0]!,
        mailItemOf(first!, at),
      );
      return { what: 'notice', mail_id: uuidv7(), kind, user_ids, emails: [...emails], item };
    });
  return [
    ...notices.flatMap((notice) => notificationWrites(work, notice)),
    ...tasks.map((task) => enqueue(work, 'mail', task)),
  ];
};

/**
 * The rows that notify members of what has happened. Write them in the transaction of the change itself, so that
 * nobody hears of a change that was not made.
 * @param facts of each record that the trigger happened to; what they mean together is one mail
 * @param audience what the family's setting for this trigger names; none when left out
 */
export const notifyOfAll = <On extends Trigger>(
  work: Work,
  trigger: On,
  facts: readonly Triggers[On][],
  audience?: Audience,
): Write[] =>
  noticeWrites(
    work,
    facts.flatMap((each) => noticesOf(trigger, each, work.user_id || null, audience)),
  );

/** The same for one record. */
export const notify = <On extends Trigger>(
  work: Work,
  trigger: On,
  facts: Triggers[On],
  audience?: Audience,
): Write[] => notifyOfAll(work, trigger, [facts], audience);
