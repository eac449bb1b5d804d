import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { isAble } from '../../../domain/members.ts';
import { addDuration } from '../../../domain/recurrence/index.ts';
import { occurrenceOn } from '../../../domain/schedules/plan.ts';
import type { Participant } from '../../../schemas/inspections/inspection.ts';
import {
  inspectionChange,
  inspectionEvent,
  inspectionRecords,
} from '../../inspection-core/inspection-record.ts';
import { notices } from '../../inspections/edit.ts';
import { takeStep } from '../../inspections/steps.ts';
import * as members from '../../members/members.ts';
import { takeWhatFits, type Work } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import type { StoredInspection, StoredOverride, StoredSchedule } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { getRows, queryRows, withoutKeys } from '../../table/rows.ts';
import { combineCounts, type Write } from '../../table/writes.ts';

/*
 * What inspections that exist already do when their occurrence gets an override, or loses it. Which of them still have
 * to change shows in the inspections themselves, so a change of many can be interrupted anywhere and completed later.
 */

/** The inspections of an occurrence that exist: none that was deleted. Two calls for each hundred. */
export const inspectionsOf = async (
  caller: Caller,
  { id }: StoredSchedule,
  date: string,
): Promise<StoredInspection[]> => {
  const created = await Array.fromAsync(queryRows(caller, keys.occurrence.range(caller, id, date)));
  const rows = await getRows(
    caller,
    created.map(({ inspection_id }) => inspectionRecords.key(caller, inspection_id)),
  );
  return rows.flatMap((row) => (row ? [withoutKeys(row)] : []));
};

/** @throws ApiError 409 when an inspection was started; those that somebody has archived are left alone */
export const expectNoneBegun = (inspections: readonly StoredInspection[]): void => {
  const begun = inspections.find(({ status }) => status !== 'archived' && status !== 'scheduled');
  if (begun) throw errors.occurrenceBegun(begun.number, begun.status);
};

/**
 * An override changes inspections only while they are scheduled.
 * @throws ApiError 409 when one was started, or when all were archived and would have to move or change hands
 */
export const expectScheduled = (
  inspections: readonly StoredInspection[],
  { action }: Pick<StoredOverride, 'action'>,
): void => {
  expectNoneBegun(inspections);
  const [first] = inspections;
  const isLeftOut = action === 'skip' || action === 'cancel';
  if (first && !isLeftOut && inspections.every(({ status }) => status === 'archived')) {
    throw errors.occurrenceBegun(first.number, first.status);
  }
};

/** The time of an inspection: when it starts, when it is due, and when it is missed. */
export const timesFrom = (
  { window, recurrence }: Pick<StoredSchedule, 'window' | 'recurrence'>,
  starts_at: string,
): Pick<StoredInspection, 'scheduled_for' | 'due_at' | 'missed_after'> => ({
  scheduled_for: starts_at,
  due_at: addDuration(starts_at, window.due_after, recurrence.timezone),
  missed_after: window.miss_after && addDuration(starts_at, window.miss_after, recurrence.timezone),
});

/** An assignee as a participant of a new inspection. */
export const assignedParticipant = (user_id: string, name: string): Participant => ({
  user_id,
  name,
  role: 'inspector',
  section_ids: [],
  status: 'assigned',
  submitted_at: null,
  reopened_at: null,
});

/** The assignees of an inspection: its inspectors. Others take part for another reason, and stay. */
const inspectorsOf = ({ participants }: StoredInspection): string[] =>
  participants.flatMap(({ user_id, role }) => (role === 'inspector' ? [user_id] : []));

const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id) => other.includes(id));

/** What an inspection should become. */
type Target =
  | { step: 'archive' | 'restore' }
  | { starts_at?: string | undefined; assignee_ids?: readonly string[] | undefined };

/** What the inspections of an occurrence should become, by its override or, once that is deleted, by the rule. */
const targetOf = (schedule: StoredSchedule, override: StoredOverride): Target => {
  const { action, new_at, assignee_ids, occurrence_date, following } = override;
  const isBack = following === 'rule';
  if (action === 'skip' || action === 'cancel') return { step: isBack ? 'restore' : 'archive' };
  return {
    starts_at:
      new_at === null ? undefined : isBack ? occurrenceOn(schedule, occurrence_date)?.starts_at : new_at,
    assignee_ids: assignee_ids === null ? undefined : isBack ? schedule.assignee_ids : assignee_ids,
  };
};

/** Whether an inspection still has to follow. One that was started, or archived by somebody, never does. */
const hasToFollow = (
  inspection: StoredInspection,
  target: Target,
  { created_at }: StoredOverride,
): boolean => {
  const { status, archived_from, archived_at, scheduled_for } = inspection;
  if ('step' in target && target.step === 'restore') {
    return status === 'archived' && archived_from === 'scheduled' && archived_at! >= created_at;
  }
  if (status !== 'scheduled') return false;
  if ('step' in target) return true;
  const { starts_at, assignee_ids } = target;
  return (
    (starts_at !== undefined && starts_at !== scheduled_for) ||
    (assignee_ids !== undefined && !isSameSet(inspectorsOf(inspection), assignee_ids))
  );
};

/** The participants after other assignees have taken over. */
const reassigned = (
  { participants }: StoredInspection,
  assignee_ids: readonly string[],
  nameOf: ReadonlyMap<string, string>,
): Participant[] => {
  const others = participants.filter(
    ({ role, user_id }) => role !== 'inspector' && !assignee_ids.includes(user_id),
  );
  const assigned = assignee_ids.map(
    (id) =>
      participants.find(({ user_id, role }) => user_id === id && role === 'inspector') ??
      assignedParticipant(id, nameOf.get(id)!),
  );
  return [...assigned, ...others];
};

/** The names of these members. Those who cannot carry out inspections any more have none, and are not assigned. */
const namesOf = async (caller: Caller, userIds: readonly string[]): Promise<Map<string, string>> => {
  const rows = await getRows(
    caller,
    userIds.map((id) => members.key(caller, id)),
  );
  return new Map(rows.flatMap((row) => (row && isAble('inspect', row) ? [[row.user_id, row.name]] : [])));
};

/** The writes by which one inspection becomes what it should. */
const editOf = async (
  work: Work,
  schedule: StoredSchedule,
  before: StoredInspection,
  target: Target,
  nameOf: ReadonlyMap<string, string>,
): Promise<Write[]> => {
  if ('step' in target) {
    const { fields, event } = takeStep(work, target.step, before);
    const after = nextVersion(work, before, fields);
    return [...inspectionChange(work, before, after), inspectionEvent(work, after, event)];
  }
  const { starts_at, assignee_ids } = target;
  const after = nextVersion(work, before, {
    ...(starts_at !== undefined && timesFrom(schedule, starts_at)),
    ...(assignee_ids !== undefined && { participants: reassigned(before, assignee_ids, nameOf) }),
  });
  return [
    ...inspectionChange(work, before, after),
    inspectionEvent(work, after),
    ...(await notices(work, before, after)),
  ];
};

/** Writes of one transaction that are left for the schedule, its event, uses, and the request's reply. */
const RESERVED_WRITES = 12;
const MAX_WRITES = 100 - RESERVED_WRITES;

/**
 * The writes by which inspections of an occurrence follow its override, or the rule again: as many as fit into one
 * transaction, and whether these are all.
 */
export const followingWrites = async (
  work: Work,
  schedule: StoredSchedule,
  override: StoredOverride,
  inspections: readonly StoredInspection[],
): Promise<{ writes: Write[]; isAll: boolean }> => {
  if (inspections.length === 0) return { writes: [], isAll: true };
  const wanted = targetOf(schedule, override);
  const nameOf = await namesOf(work, ('assignee_ids' in wanted && wanted.assignee_ids) || []);
  const target =
    'assignee_ids' in wanted
      ? { ...wanted, assignee_ids: wanted.assignee_ids && [...nameOf.keys()] }
      : wanted;
  const pending = inspections.filter((inspection) => hasToFollow(inspection, target, override));
  const edits = await Promise.all(
    pending.map((inspection) => editOf(work, schedule, inspection, target, nameOf)),
  );
  let writes: Write[] = [];
  const { isAll } = takeWhatFits(
    edits,
    (edit) => combineCounts([...writes, ...edit]).length <= MAX_WRITES,
    (edit) => {
      writes = combineCounts([...writes, ...edit]);
    },
  );
  return { writes, isAll };
};
