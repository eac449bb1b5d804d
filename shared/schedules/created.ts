import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../base/caller.ts';
import { visitedPlace } from '../domain/schedules/assets.ts';
import { occurrenceOn, startAt } from '../domain/schedules/plan.ts';
import { editWrites, type InspectionEdit, notices, takeStep } from '../inspections/edit.ts';
import { inspectionRecords } from '../inspections/rows/inspection-records.ts';
import type { Participant } from '../schemas/inspections/inspection.ts';
import type { CreatedInspections, CreatedPolicy } from '../schemas/schedules/schedule.ts';
import { changePart, NOTHING, type Work } from '../table/change.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import type { StoredSchedule } from '../table/entities/schedules.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { getRow, queryRows, withoutKeys, withRows } from '../table/rows.ts';
import type { CreatedTask } from '../table/tasks.ts';
import type { Write } from '../table/writes.ts';
import { inspectorsOf, isSameSet, reassigned } from './following.ts';
import { holdingOf } from './holiday-calendars.ts';
import { type Place, type Prerequisites, readPrerequisites, timesFrom } from './occurrence.ts';
import { scheduleRecords } from './records.ts';

/*
 * What becomes of the inspections that a schedule has created and nobody has started, when it is changed or deleted. Each
 * shows whether it still has to change, so a change of many may be interrupted anywhere. The task of the schedule's own
 * transaction completes it.
 */

/** Inspections that change before the deadline is checked again. */
const MAX_BATCH = 25;

/** Inspections that are looked at together to be counted. */
const COUNTED_AT_ONCE = 100;

/** The task for the inspections that a schedule has created before a change of it; none where they stay. */
export const createdTask = (
  work: Work,
  { id }: Pick<StoredSchedule, 'id'>,
  policy: CreatedPolicy,
  reason: CreatedTask['reason'],
): CreatedTask | undefined =>
  policy === 'keep' ? undefined : { created_by_schedule: id, policy, reason, until: work.now };

/** The write of a task; none without one. */
export const enqueued = (work: Work, task: CreatedTask | undefined): Write[] =>
  task ? [enqueue(work, 'cleanup', task)] : [];

/**
 * The inspections of a schedule that nobody has started, in the order of their creation.
 * @param after the id of the one before the first
 * @param count how many are read together
 */
const unstarted = async function* (
  caller: Caller,
  scheduleId: string,
  { after = '', count }: { after?: string | undefined; count?: number } = {},
): AsyncGenerator<StoredInspection> {
  const range = keys.parts(caller, 'SCHEDULE', scheduleId, 'UNSTARTED');
  const found = queryRows(caller, { ...range, after: `${range.prefix}${after}`, pageSize: count });
  const keysOf = ({ sk }: { sk: string }) =>
    [inspectionRecords.key(caller, sk.slice(range.prefix.length))] as const;
  for await (const [, [row]] of withRows(caller, found, keysOf, count)) {
    if (row?.status === 'scheduled') yield withoutKeys(row);
  }
};

/** What the schedule gives to new inspections of an occurrence; undefined when it creates none. */
type Given = Prerequisites | undefined;

/** Reads what the schedule would give to these inspections if it created them now. */
const givenTo = async (
  caller: Caller,
  schedule: StoredSchedule,
  inspections: readonly StoredInspection[],
): Promise<Map<string, Given>> => {
  const given = new Map<string, Given>();
  for (const [date, some] of Map.groupBy(inspections, ({ occurrence_date }) => occurrence_date!)) {
    const due = { occurrence_date: date, starts_at: '', by: 'rule' } as const;
    const places = some.map(visitedPlace);
    const readiness = await readPrerequisites(caller, schedule, due, places);
    given.set(date, readiness.isArchived ? undefined : readiness.prerequisites);
  }
  return given;
};

/** The participants when others are assigned. The approver takes no other part. */
const participantsFor = (
  inspection: StoredInspection,
  place: Place,
  approver_id: string | null,
): Participant[] => {
  const assignees = place.assignees.filter(({ user_id }) => user_id !== approver_id);
  const ids = assignees.map(({ user_id }) => user_id);
  const participants = isSameSet(inspectorsOf(inspection), ids)
    ? inspection.participants
    : reassigned(inspection, ids, new Map(assignees.map(({ user_id, name }) => [user_id, name])));
  return participants.filter(({ user_id, role }) => user_id !== approver_id || role === 'approver');
};

/**
 * The fields of an inspection as the schedule gives them to a new one of the same occurrence; undefined when it creates
 * none there. An inspection of a date that the rule does not have any more keeps its start.
 */
const fieldsFor = (
  schedule: StoredSchedule,
  inspection: StoredInspection,
  given: Given,
  heldOn: (date: string) => string | null,
): Partial<StoredInspection> | undefined => {
  const place = given?.places.get(visitedPlace(inspection));
  if (!given || !place) return undefined;
  const date = inspection.occurrence_date!;
  const { new_at = null } =
    schedule.overrides.find((each) => each.action === 'move' && each.occurrence_date === date) ?? {};
  const isOccurrence = new_at !== null || occurrenceOn(schedule, date) !== undefined;
  const starts_at = isOccurrence
    ? startAt(schedule, (new_at === null && heldOn(date)) || date, new_at, place.timezone)
    : inspection.scheduled_for!;
  return {
    name: schedule.title,
    approver_id: given.approver_id,
    participants: participantsFor(inspection, place, given.approver_id),
    ...timesFrom(schedule, starts_at, place.timezone),
  };
};

const isChange = (inspection: StoredInspection, fields: Partial<StoredInspection> | undefined): boolean =>
  fields !== undefined && !isDeepStrictEqual({ ...inspection, ...fields }, inspection);

/** How each of some inspections is updated. */
const updatesOf = async (
  caller: Caller,
  schedule: StoredSchedule,
  inspections: readonly StoredInspection[],
): Promise<(inspection: StoredInspection) => Partial<StoredInspection> | undefined> => {
  const given = await givenTo(caller, schedule, inspections);
  const heldOn = await holdingOf(caller, schedule);
  return (inspection) => fieldsFor(schedule, inspection, given.get(inspection.occurrence_date!), heldOn);
};

/**
 * What a change of a schedule would do to the inspections that it has created and nobody has started. One call for each
 * thousand of them, and with `update` some for each hundred.
 * @param schedule as the change leaves it
 */
export const countCreated = async (
  caller: Caller,
  schedule: StoredSchedule,
  policy: CreatedPolicy,
): Promise<CreatedInspections> => {
  const counts: CreatedInspections = { kept: 0, updated: 0, archived: 0 };
  let batch: StoredInspection[] = [];
  const countBatch = async () => {
    const fieldsOf = await updatesOf(caller, schedule, batch);
    for (const each of batch) counts[isChange(each, fieldsOf(each)) ? 'updated' : 'kept'] += 1;
    batch = [];
  };
  for await (const inspection of unstarted(caller, schedule.id)) {
    if (policy === 'keep') counts.kept += 1;
    else if (policy === 'archive') counts.archived += 1;
    else if (batch.push(inspection) === COUNTED_AT_ONCE) await countBatch();
  }
  if (batch.length > 0) await countBatch();
  return counts;
};

/** Changes one inspection, unless somebody has started it since. */
const changeOne = (
  caller: Caller,
  id: string,
  { policy, reason }: CreatedTask,
  fieldsOf: (inspection: StoredInspection) => Partial<StoredInspection> | undefined,
): Promise<void> =>
  changePart<undefined>(caller, async (work) => {
    const row = await getRow(work, inspectionRecords.key(work, id));
    if (row?.status !== 'scheduled') return NOTHING;
    const before = withoutKeys(row);
    const edit: InspectionEdit =
      policy === 'archive'
        ? takeStep(work, 'archive', before, { archive_reason: reason })
        : { fields: fieldsOf(before) ?? {} };
    if (!isChange(before, edit.fields)) return NOTHING;
    const { after, writes } = editWrites(work, before, edit);
    return {
      writes: [...writes, ...(policy === 'update' ? await notices(work, before, after) : [])],
      reply: undefined,
    };
  });

/**
 * Does a part of a task: changes some inspections that a schedule has created.
 * @returns the task for the others; undefined when there are none
 */
export const changeCreated = async (caller: Caller, task: CreatedTask): Promise<CreatedTask | undefined> => {
  const { created_by_schedule, policy, until, after } = task;
  const schedule = await scheduleRecords.find(caller, created_by_schedule);
  // The schedule was deleted since, and the others stay as they are.
  if (policy === 'update' && !schedule) return undefined;
  const some: StoredInspection[] = [];
  let isMore = false;
  for await (const inspection of unstarted(caller, created_by_schedule, { after, count: MAX_BATCH + 1 })) {
    isMore = some.length === MAX_BATCH;
    if (isMore) break;
    if (inspection.created_at <= until) some.push(inspection);
  }
  const fieldsOf =
    policy === 'update' ? await updatesOf(caller, withoutKeys(schedule!), some) : () => undefined;
  for (const { id } of some) await changeOne(caller, id, task, fieldsOf);
  return isMore ? { ...task, after: some.at(-1)!.id } : undefined;
};
