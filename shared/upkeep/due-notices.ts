import { serviceOf } from '../base/caller.ts';
import { fold } from '../base/text.ts';
import { escalationAt, mayBeMailed, roleOf, toldBy, type ToldLevel } from '../domain/escalation.ts';
import { audienceNeeded, type Notice, noticesOf } from '../domain/notifications/notices.ts';
import { endingCertificate } from '../inspections/certificates/reminders.ts';
import { reminderOf } from '../inspections/corrective-actions/contact-reminders.ts';
import { actionChange } from '../inspections/corrective-actions/edit.ts';
import { actionKey, actionRecords, toAction } from '../inspections/rows/corrective-action-records.ts';
import { inspectionRecords, startOf, toInspection } from '../inspections/rows/inspection-records.ts';
import { issueRecords } from '../inspections/rows/issue-records.ts';
import { categoryRecords } from '../issues/categories.ts';
import { audienceOf, noticeWrites, notify } from '../notices/notify.ts';
import * as members from '../organizations/members/members.ts';
import { activeByRole, type PeopleByRole } from '../organizations/members/people-of-places.ts';
import { locationRecords } from '../places/locations/records.ts';
import { peopleOfRegion } from '../places/regions/regions.ts';
import type { Escalation } from '../schemas/corrective-action.ts';
import { present } from '../schemas/projection.ts';
import { MissedOccurrence } from '../schemas/schedules/missed-occurrence.ts';
import { change, type Work } from '../table/change.ts';
import { hasValues } from '../table/conditions.ts';
import type { Deadline, StoredAction, StoredInspection } from '../table/entities/inspections.ts';
import type { IssueDeadline } from '../table/entities/issues.ts';
import type { DueRows } from '../table/entities/kinds.ts';
import type { DeadLetter } from '../table/entities/machinery.ts';
import type { Unstarted } from '../table/entities/schedules.ts';
import type { Key } from '../table/keys.ts';
import { countFailure, reasonOf } from '../table/outbox/dead-letters.ts';
import { dueAt, dueRowsInTurns } from '../table/outbox/due.ts';
import { aboutOf, emit } from '../table/outbox/outbox.ts';
import { Sweep } from '../table/outbox/sweep.ts';
import { asRead } from '../table/resource.ts';
import { isOutage } from '../table/retry.ts';
import { getRow, getRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { familyRecords } from '../templates/family-records.ts';

/**
 * The deadline of an inspection, a corrective action, or an issue, the time by which an inspection of a schedule is to be
 * started, or the end of a certificate.
 */
type AnyDeadline = DueRows['DEADLINE'];

/** The deadlines whose notifications must be sent by now, page by page. Organizations take turns. */
export const dueDeadlines = (now: Date): AsyncGenerator<Row<AnyDeadline>[]> =>
  dueRowsInTurns('DEADLINE', now);

/** The id of the resource that has the deadline. */
const subjectOf = (deadline: AnyDeadline): string => {
  if ('certificate_id' in deadline) return deadline.certificate_id;
  if ('missed_after' in deadline) return deadline.inspection_id;
  return 'issue_id' in deadline
    ? deadline.issue_id
    : (deadline.corrective_action_id ?? deadline.inspection_id);
};

/** Remembers in an inspection, as it was read, what an event has told of it. */
const remembered = (
  work: Work,
  { id, version }: StoredInspection,
  set: Pick<StoredInspection, 'overdue_for' | 'missed_for'>,
): Write => write.update(inspectionRecords.key(work, id), { set }, hasValues({ version }));

/**
 * The event and the notifications of an overdue inspection. Its row stays, because overdue inspections are counted by
 * these rows.
 */
const overdueInspection = async (
  work: Work,
  row: Deadline & Key<AnyDeadline>,
  now: string,
): Promise<Write[]> => {
  const { by_due: _due, by_due_at: _at, ...deadline } = row;
  const { version, due_at } = deadline;
  const inspection = await inspectionRecords.find(work, deadline.inspection_id);
  const done = write.replace({ ...deadline, version: version + 1 }, version);
  if (!inspection) return [done];
  const facts = { inspection };
  const needed = audienceNeeded('inspectionOverdue', facts);
  const audience = await audienceOf(work, inspection.template_family_id, needed);
  return [
    done,
    remembered(work, inspection, { overdue_for: due_at }),
    emit(work, 'inspection.overdue', toInspection(withoutKeys(inspection), now)),
    ...notify(work, 'inspectionOverdue', facts, audience),
  ];
};

/** The event of an inspection that was not started in time. Its row stays until somebody starts it. */
const missedOccurrence = async (work: Work, row: Unstarted & Key<AnyDeadline>): Promise<Write[]> => {
  const { by_due: _due, by_due_at: _at, attempts: _attempts, ...kept } = row;
  const { version, inspection_id, schedule_id, missed_after } = kept;
  const inspection = await inspectionRecords.find(work, inspection_id);
  if (!inspection) return [write.remove({ pk: row.pk, sk: row.sk }, version)];
  return [
    write.replace({ ...kept, version: version + 1 }, version),
    remembered(work, inspection, { missed_for: missed_after! }),
    emit(
      work,
      'schedule.occurrence_missed',
      present(MissedOccurrence, inspection, {
        schedule_id,
        inspection_id,
        missed_after: missed_after!,
        starts_at: startOf(inspection),
      }),
      { about: aboutOf(inspection) },
    ),
  ];
};

/** The levels of an action's escalation: its own, or those of its template family. */
const levelsOf = async (
  work: Work,
  { escalation }: StoredAction,
  { template_family_id }: StoredInspection,
): Promise<Escalation> => {
  if (escalation) return escalation;
  const family = await familyRecords.find(work, template_family_id);
  return family?.settings.escalation ?? [];
};

/** The active members who look after the location of an inspection, and after its region, by their roles. */
interface Caretakers {
  place: PeopleByRole;
  region: PeopleByRole;
}

/** Two calls for people of the location, and two for those of its region; none without a location. */
const caretakersOf = async (
  work: Work,
  { location_id }: StoredInspection,
  levels: Escalation,
): Promise<Caretakers> => {
  const areas = new Set(levels.map(({ to }) => roleOf(to)?.area));
  const location =
    location_id === null || !(areas.has('place') || areas.has('region'))
      ? undefined
      : await locationRecords.find(work, location_id);
  const region = areas.has('region') && location?.region_id;
  return {
    place: await activeByRole(work, areas.has('place') ? [location?.people ?? []] : []),
    region: await activeByRole(work, region ? await peopleOfRegion(work, region) : []),
  };
};

/** Whom the levels tell whose time has come. One call where these are admins, and those of `caretakersOf`. */
const escalated = async (
  work: Work,
  { reached, later }: Pick<ReturnType<typeof escalationAt>, 'reached' | 'later'>,
  { assignee_id }: StoredAction,
  inspection: StoredInspection,
): Promise<ToldLevel[]> => {
  const hasRole = reached.some(({ to }) => roleOf(to) !== undefined);
  const people = await caretakersOf(work, inspection, hasRole ? [...reached, ...later] : []);
  const admins = hasRole || reached.some(({ to }) => to === 'admins') ? await members.adminsOf(work) : [];
  return toldBy(reached, later, (to) => {
    const named = roleOf(to);
    if (named) return [...(people[named.area].get(fold(named.role)) ?? [])];
    if (to === 'admins') return admins;
    if (to !== 'assignee') return [to];
    return assignee_id === null ? [] : [assignee_id];
  });
};

/** What is to be told of an action's deadline. */
interface Reached {
  isDue: boolean;
  /** Whether it was told that the action is due. */
  isTold: boolean;
  /** The levels of its escalation whose time has come. */
  levels: readonly ToldLevel[];
}

/** The notices of an action's deadline. Whoever is told that it is due is told by no level of that moment as well. */
const actionNotices = (
  inspection: StoredInspection,
  action: StoredAction,
  { isDue, isTold, levels }: Reached,
): Notice[] => {
  const due = isTold ? [] : noticesOf('actionDeadline', { inspection, action, isDue }, null);
  const told = new Set<string | null>(due.flatMap(({ user_ids }) => user_ids));
  const user_ids = levels.flatMap((each) => each.user_ids.filter((id) => !told.has(id)));
  return [...due, ...noticesOf('actionEscalated', { inspection, action, user_ids }, null)];
};

/**
 * The writes of an action's notices and of its event. The action remembers who is mailed, and of which due date the event
 * has told. Levels that are reached are in its history and increase its version: what was escalated is not deleted as if
 * nobody knew of it.
 */
const reminderWrites = (
  work: Work,
  inspection: StoredInspection,
  action: StoredAction,
  notices: readonly Notice[],
  levels: readonly ToldLevel[],
  isNewlyOverdue: boolean,
  now: string,
): Write[] => {
  const known = action.reminded ?? {};
  const isMailed = (userId: string) => mayBeMailed(known, userId, now);
  const mailed = notices.flatMap(({ user_ids }) => user_ids.filter(isMailed));
  const set = {
    reminded: { ...known, ...Object.fromEntries(mailed.map((userId) => [userId, now])) },
    ...(isNewlyOverdue && { overdue_for: action.due_at! }),
  };
  const entries = levels.map(({ level: { to, after }, instead }) => ({
    kind: 'escalated' as const,
    to,
    note:
      instead === undefined
        ? after
        : `${after}: nobody has this role ${roleOf(to)?.area === 'region' ? 'in the region' : 'at the location'}, told ${instead} instead`,
  }));
  const { updated, writes } =
    levels.length > 0
      ? actionChange(work, inspection, action, { ...action, ...set }, entries)
      : {
          updated: action,
          writes: [write.update(actionKey(work, action), { set }, asRead(actionRecords, action))],
        };
  return [
    ...writes,
    ...(isNewlyOverdue ? [emit(work, 'corrective_action.overdue', toAction(updated, inspection, now))] : []),
    ...noticeWrites(work, notices, isMailed),
  ];
};

/**
 * The notifications of an action that is due, or will be soon, and of its escalation. The row waits for the next of
 * them, and stays after the last one, because overdue actions are counted by these rows.
 */
const dueAction = async (work: Work, row: Deadline & Key<AnyDeadline>, now: string): Promise<Write[]> => {
  const { attempts: _attempts, by_due: _due, by_due_at: _at, ...again } = row;
  const { inspection_id, corrective_action_id: id, due_at, told_until, version } = row;
  const [found, inspected] = await getRows(work, [
    actionKey(work, { inspection_id, id: id! }),
    inspectionRecords.key(work, inspection_id),
  ]);
  if (!found || !inspected) return [write.remove({ pk: row.pk, sk: row.sk }, version)];
  const [action, inspection] = [withoutKeys(found), withoutKeys(inspected)];
  const isDue = due_at <= now;
  const isEscalated = isDue && inspection.status !== 'archived';
  const all = isEscalated ? await levelsOf(work, action, inspection) : [];
  const { next, ...due } = escalationAt(all, due_at, told_until, now);
  const levels = await escalated(work, due, action, inspection);
  const at = isDue ? next : due_at;
  const waiting = {
    ...again,
    ...(isDue && { told_until: now }),
    ...(at && dueAt('DEADLINE', id!, at)),
    version: version + 1,
  };
  const done = write.replace(waiting, version);
  const isTold = told_until !== undefined;
  const notices = actionNotices(inspection, action, { isDue, isTold, levels });
  const ends = [done, ...(await reminderOf(work, action))];
  // An action that goes back to work after its due date has a new row, which says that it was told of.
  const isNewlyOverdue = isDue && (!isTold || action.overdue_for !== due_at);
  if (notices.length + levels.length === 0 && !isNewlyOverdue) return ends;
  return [...ends, ...reminderWrites(work, inspection, action, notices, levels, isNewlyOverdue, now)];
};

/** The notifications of an overdue issue. Its row stays, because overdue issues are listed by these rows. */
const overdueIssue = async (work: Work, row: IssueDeadline & Key<AnyDeadline>): Promise<Write[]> => {
  const { by_due: _due, by_due_at: _at, ...deadline } = row;
  const { version } = deadline;
  const done = write.replace({ ...deadline, version: version + 1 }, version);
  const issue = await issueRecords.find(work, deadline.issue_id);
  if (!issue) return [done];
  const category = issue.category_id ? await categoryRecords.find(work, issue.category_id) : undefined;
  const default_assignee_id = category?.default_assignee_id ?? null;
  return [done, ...notify(work, 'issueOverdue', { issue, default_assignee_id })];
};

/** The notifications and the event of a deadline, and the write that marks it as notified. */
const deadlineWrites = (work: Work, row: Row<AnyDeadline>, now: string): Promise<Write[]> => {
  if ('certificate_id' in row) return endingCertificate(work, row, now);
  if ('issue_id' in row) return overdueIssue(work, row);
  if ('missed_after' in row) return missedOccurrence(work, row);
  return row.corrective_action_id ? dueAction(work, row, now) : overdueInspection(work, row, now);
};

/**
 * Sends the notifications and the event of one deadline, and marks the deadline in the same transaction. They are sent
 * once, even when several workers find the same deadline.
 */
export const notifyOfDeadline = async ({ pk, sk, org_id }: Row<AnyDeadline>, now: Date): Promise<void> => {
  const caller = serviceOf(org_id);
  await change(caller, async (work) => {
    const row = await getRow<AnyDeadline>(work, { pk, sk });
    const isPending = row?.by_due_at !== undefined && row.by_due_at <= now.toISOString();
    if (!isPending) return { writes: [], reply: undefined };
    return { writes: await deadlineWrites(work, row, now.toISOString()), reply: undefined };
  });
};

/** A deadline's notifications that have failed too often. */
type Failed = Pick<DeadLetter, 'id' | 'org_id' | 'what' | 'reason'>;

/**
 * Counts that the notifications of a deadline failed for a reason that lasts. They are tried again later. After the
 * last attempt they go to the dead letters, and the deadline itself stays.
 */
const countFailedNotice = async (deadline: Row<AnyDeadline>, error: unknown): Promise<Failed | undefined> => {
  const { pk, sk, org_id } = deadline;
  const id = subjectOf(deadline);
  const what = 'deadline';
  const reason = reasonOf(error);
  const isDead = await countFailure(serviceOf(org_id), 'DEADLINE', { pk, sk }, reason, {
    id,
    what,
    end: ({ by_due: _due, by_due_at, attempts, ...kept }) =>
      write.replace<object>(kept, hasValues({ attempts, by_due_at })),
  });
  return isDead ? { id, org_id, what, reason } : undefined;
};

/**
 * Sends the notifications of all deadlines that are due. No organization waits for another.
 * @param time how long to begin new work, in milliseconds
 * @returns what went to the dead letters, and why organizations have to wait for the next sweep
 */
export const notifyOfDeadlines = async (
  now: Date,
  time: number,
): Promise<{ failed: Failed[]; causes: unknown[] }> => {
  const failed: Failed[] = [];
  const sweep = new Sweep<Row<AnyDeadline>>(
    time,
    () => 'deadline',
    async (deadlines) => {
      for (const deadline of deadlines) {
        try {
          await notifyOfDeadline(deadline, now);
        } catch (error) {
          if (isOutage(error)) throw error;
          const dead = await countFailedNotice(deadline, error);
          if (dead) failed.push(dead);
        }
      }
    },
  );
  for await (const deadlines of dueDeadlines(now)) {
    await sweep.serve(deadlines);
    if (sweep.isOver) break;
  }
  return { failed, causes: sweep.delays.map(({ error }) => error) };
};
