import { AsyncLocalStorage } from 'node:async_hooks';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../base/caller.ts';
import { keptFrom } from '../base/time.ts';
import type { AudienceName, Trigger, Triggers } from '../domain/notifications/events.ts';
import { mailItemOf, recordOf, withItem } from '../domain/notifications/mail.ts';
import { type Audience, NO_AUDIENCE, type Notice, noticesOf } from '../domain/notifications/notices.ts';
import type { Family } from '../schemas/templates/family.ts';
import type { Work } from '../table/change.ts';
import type { StoredNotification } from '../table/entities/machinery.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { getRow } from '../table/rows.ts';
import type { NoticeTask } from '../table/tasks.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

export type { Audience } from '../domain/notifications/notices.ts';

/** The template family, whose settings name the audiences. */
export const audienceKey = (caller: Caller, familyId: string) => keys.one(caller, 'FAMILY', familyId);

/** An audience from the family's row; nobody when the family was deleted. */
export const audienceIn = (family: Pick<Family, 'settings'> | undefined, name: AudienceName): Audience =>
  family?.settings.notifications[name] ?? NO_AUDIENCE;

/** The same, but reads the family: one call, or none without an audience's name. */
export const audienceOf = async (
  caller: Caller,
  familyId: string,
  name: AudienceName | undefined,
): Promise<Audience> =>
  name === undefined ? NO_AUDIENCE : audienceIn(await getRow(caller, audienceKey(caller, familyId)), name);

/** How long a notification is kept, in seconds: 90 days. */
const NOTIFICATION_SECONDS = 90 * 86_400;

/** A member who has switched the kind off gets a row as well, which is listed once the kind is on again. */
const notificationWrites = (work: Work, { user_ids, emails: _emails, ...message }: Notice): Write[] => {
  const id = uuidv7();
  const at = work.now;
  const notification: StoredNotification = { id, created_at: at, updated_at: at, ...message, read_at: null };
  const ttl = keptFrom(at, NOTIFICATION_SECONDS);
  return user_ids.map((userId) =>
    write.create({ ...notification, ttl, ...keys.unreadNotification(work, userId, id) }),
  );
};

/** What becomes of what would be mailed. */
type Holding = (work: Work, task: NoticeTask) => Write;

const held = new AsyncLocalStorage<Holding>();

/**
 * Holds back what the changes of an operation would mail. Members get their notifications as always.
 * @param hold the write that is made instead of the task of each mail
 */
export const holdingNotices = <Result>(hold: Holding, operation: () => Promise<Result>): Promise<Result> =>
  held.run(hold, operation);

/** Notices about one event of one resource, to the same people and addresses, are one mail. */
const mailOf = ({ event, about, user_ids, emails }: Notice): string =>
  JSON.stringify([event, recordOf(about).id, user_ids, emails]);

/**
 * The rows of notices: one for each member and notice, and a task for each mail.
 * @param mayBeMailed whether a member may get a mail as well
 */
export const noticeWrites = (
  work: Work,
  notices: readonly Notice[],
  mayBeMailed: (userId: string) => boolean = () => true,
): Write[] => {
  const mailed = notices
    .map((notice) => ({ ...notice, user_ids: notice.user_ids.filter(mayBeMailed) }))
    .filter(({ user_ids, emails }) => user_ids.length + emails.length > 0);
  const tasks = Map.groupBy(mailed, mailOf)
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
  const mail = held.getStore() ?? ((of, task) => enqueue(of, 'mail', task));
  return [
    ...notices.flatMap((notice) => notificationWrites(work, notice)),
    ...tasks.map((task) => mail(work, task)),
  ];
};

/**
 * The rows that notify members of what has happened. Write them in the transaction of the change itself, so that
 * nobody is notified of a change that was not made.
 * @param facts of each resource that the trigger concerns; together they are one mail
 * @param audience the one that the family's setting names for this trigger; none when left out
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

/** The same for one resource. */
export const notify = <On extends Trigger>(
  work: Work,
  trigger: On,
  facts: Triggers[On],
  audience?: Audience,
): Write[] => notifyOfAll(work, trigger, [facts], audience);
