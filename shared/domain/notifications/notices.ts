import en from '../../base/i18n/en/notifications.json' with { type: 'json' };
import type { Notification, NotificationEvent } from '../../schemas/notification.ts';
import type { FamilySettings } from '../../schemas/templates/family.ts';
import {
  type AudienceName,
  type EventRule,
  EVENTS,
  type Subject,
  type Trigger,
  type Triggers,
} from './events.ts';
import { type About, aboutOf } from './mail.ts';
import { noteText, titleOf } from './text.ts';

/** The people and addresses that a setting of a template family names: at most 25 of each. */
export type Audience = FamilySettings['notifications'][AudienceName];

export const NO_AUDIENCE: Audience = { user_ids: [], emails: [] };

/** A message about one event, and everyone who gets it. */
export interface Notice extends Pick<
  Notification,
  | 'kind'
  | 'event'
  | 'title'
  | 'note'
  | 'inspection_id'
  | 'issue_id'
  | 'finding_id'
  | 'corrective_action_id'
  | 'schedule_id'
  | 'source_id'
  | 'connection_id'
  | 'webhook_id'
  | 'actor_id'
> {
  about: About;
  /** Members; each gets a notification, and a mail if they want it. */
  user_ids: string[];
  /** Addresses of people who need not be members; they get a mail. */
  emails: readonly string[];
}

/** The recipients of a notice, and the comment of the event. */
interface Delivery {
  /** May contain nulls, duplicates and the actor. They are left out. */
  user_ids: readonly (string | null)[];
  emails?: readonly string[];
  note?: string | null;
}

/**
 * The notice of one event.
 * @param actorId the user whose change it was; null when only time has passed
 * @returns an empty list when nobody is left to notify
 */
export const composeNotice = (
  event: NotificationEvent,
  subject: Subject,
  { user_ids, emails = [], note = null }: Delivery,
  actorId: string | null,
): Notice[] => {
  const recipients = [...new Set(user_ids)].flatMap((id) => (id === null || id === actorId ? [] : [id]));
  if (recipients.length + emails.length === 0) return [];
  const about = aboutOf(subject);
  return [
    {
      kind: EVENTS[event].kind,
      event,
      title: titleOf(event, about, en),
      note: noteText(note),
      inspection_id: subject.inspection?.id ?? null,
      issue_id: subject.issue?.id ?? null,
      finding_id: subject.finding?.id ?? null,
      corrective_action_id: subject.action?.id ?? null,
      schedule_id: subject.schedule?.id ?? null,
      source_id: subject.source?.id ?? null,
      connection_id: subject.connection?.id ?? null,
      webhook_id: subject.webhook?.id ?? null,
      actor_id: actorId,
      about,
      user_ids: recipients,
      emails,
    },
  ];
};

const isTriggeredBy = <On extends Trigger>(rule: EventRule<Trigger>, trigger: On): rule is EventRule<On> =>
  rule.trigger === trigger;

/** The events that a trigger means, with their rules, in the order of the table. */
const eventsOf = <On extends Trigger>(
  trigger: On,
  facts: Triggers[On],
): { event: NotificationEvent; rule: EventRule<On> }[] =>
  (Object.keys(EVENTS) as NotificationEvent[]).flatMap((event) => {
    const rule = EVENTS[event];
    return isTriggeredBy(rule, trigger) && (rule.happened?.(facts) ?? true) ? [{ event, rule }] : [];
  });

/** The family setting that has to be read before the notices can be made; undefined when none is needed. */
export const audienceNeeded = <On extends Trigger>(
  trigger: On,
  facts: Triggers[On],
): AudienceName | undefined => eventsOf(trigger, facts).find(({ rule }) => rule.audience)?.rule.audience;

/**
 * All notices that a trigger leads to, in the order of the table of events.
 * @param actorId the user whose change it was, who is never notified of it; null when only time has passed
 * @param audience what the setting named by `audienceNeeded` holds
 */
export const noticesOf = <On extends Trigger>(
  trigger: On,
  facts: Triggers[On],
  actorId: string | null,
  audience: Audience = NO_AUDIENCE,
): Notice[] =>
  eventsOf(trigger, facts).flatMap(({ event, rule }) => {
    const { user_ids, emails } = rule.audience ? audience : NO_AUDIENCE;
    return composeNotice(
      event,
      facts,
      { user_ids: [...rule.recipients(facts), ...user_ids], emails, note: rule.note?.(facts) ?? null },
      actorId,
    );
  });
