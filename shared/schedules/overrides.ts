import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { addDays, localDate } from '../domain/recurrence/index.ts';
import { occurrenceOn } from '../domain/schedules/plan.ts';
import { inspectionRecords } from '../inspections/rows/inspection-records.ts';
import type { NewScheduleOverride, ScheduleOverride } from '../schemas/schedules/schedule.ts';
import { change, changePart, type Work } from '../table/change.ts';
import { expectVersion, newResource } from '../table/collection.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import type { StoredOverride, StoredSchedule } from '../table/entities/schedules.ts';
import { resolve } from '../table/references.ts';
import { getRows, withoutKeys } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { assigneeReferences, checkAssignees } from './checks.ts';
import { expectNoneBegun, expectScheduled, followingWrites, inspectionsOf } from './following.ts';
import { clientChange, scheduleJob, scheduleRecords, toOverride, withOutlook } from './records.ts';

/** Overrides of one schedule. All of them stand in its row. */
const MAX_OVERRIDES = 150;

/** How long an override is kept after its occurrence, in days. */
const KEPT_DAYS = 400;

/** One transaction of a change of an override. `isLast`: it completes the change. */
interface OverridePart {
  writes: Write[];
  isLast: boolean;
  /** Inspections that follow after it. */
  followed: readonly StoredInspection[];
}

/** Inspections that are looked at together. */
const MAX_INSPECTIONS = 100;

/** Reads the inspections of an occurrence: all of them first, and then some of those that may not follow yet. */
class OccurrenceReader {
  readonly #caller: Caller;
  #left: string[] | undefined;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** @param isBegun whether a part of the change is made, and all inspections were checked */
  async read(schedule: StoredSchedule, date: string, isBegun: boolean): Promise<StoredInspection[]> {
    if (!this.#left || !isBegun) {
      const all = await inspectionsOf(this.#caller, schedule, date);
      this.#left = all.map(({ id }) => id);
      return all;
    }
    const ids = this.#left.slice(0, MAX_INSPECTIONS);
    const rows = await getRows(
      this.#caller,
      ids.map((id) => inspectionRecords.key(this.#caller, id)),
    );
    const some = rows.flatMap((row) => (row ? [withoutKeys(row)] : []));
    // Some may have been deleted since.
    this.#left = [...some.map(({ id }) => id), ...this.#left.slice(MAX_INSPECTIONS)];
    return some;
  }

  /** Whether there may be others beside these. */
  hasMore(some: readonly StoredInspection[]): boolean {
    return this.#left!.length > some.length;
  }

  /** These follow. */
  drop(some: readonly StoredInspection[]): void {
    const ids = new Set(some.map(({ id }) => id));
    this.#left = this.#left!.filter((id) => !ids.has(id));
  }
}

/** The schedule with another override of a date; undefined for none. */
const withOverride = (
  schedule: StoredSchedule,
  date: string,
  override: StoredOverride | undefined,
): StoredSchedule => ({
  ...schedule,
  overrides: [
    ...schedule.overrides.filter(({ occurrence_date }) => occurrence_date !== date),
    ...(override ? [override] : []),
  ].toSorted((a, b) => (a.occurrence_date < b.occurrence_date ? -1 : 1)),
});

/** The schedule without overrides that nobody needs any more. */
const withoutOld = ({ now }: Work, schedule: StoredSchedule): StoredSchedule => {
  const today = localDate(now, schedule.recurrence.timezone);
  const oldest = addDays(today, -KEPT_DAYS);
  return {
    ...schedule,
    overrides: schedule.overrides.filter(({ occurrence_date }) => occurrence_date >= oldest),
  };
};

/** The schedule once all inspections follow: it has the override, or the rule applies to the occurrence again. */
const completed = (schedule: StoredSchedule, override: StoredOverride): StoredSchedule => {
  const { following, ...standing } = override;
  const { occurrence_date: date, action, is_settled } = override;
  if (following !== 'rule') return withOverride(schedule, date, standing);
  const { starts_at } = occurrenceOn(schedule, date) ?? {};
  const isPassed = starts_at !== undefined && starts_at <= schedule.handled_until;
  // The override made the generator pass over the occurrence, and the generator would not come back to it.
  const isOpen = action !== 'reassign' && !is_settled && isPassed;
  return {
    ...withOverride(schedule, date, undefined),
    restored: isOpen ? [...new Set([...schedule.restored, date])] : schedule.restored,
  };
};

/** A change of an override, decided on what is stored. */
interface OverrideChange<Reply> {
  schedule: StoredSchedule;
  /** Its `following` says what the inspections follow: the override, or the rule again. */
  override: StoredOverride;
  /** The inspections of its occurrence. */
  inspections: readonly StoredInspection[];
  reply: Reply;
}

/** Stores the schedule unchanged, so that nobody else changes it at the same moment. */
const holdSchedule = (work: Work, current: StoredSchedule): Write[] =>
  scheduleJob.save(work, current, withOutlook(current, work.now)).writes;

/**
 * The next transaction of a change. The first one stores the override in the schedule. While its `following` stands
 * there, the generator completes a change that was interrupted.
 */
const nextPart = async (
  work: Work,
  current: StoredSchedule,
  { schedule, override, inspections }: OverrideChange<unknown>,
  reader: OccurrenceReader,
): Promise<OverridePart> => {
  const some = inspections.slice(0, MAX_INSPECTIONS);
  const { writes, isAll } = await followingWrites(work, schedule, override, some);
  const followed = isAll ? some : [];
  if (isAll && !reader.hasMore(some)) {
    const done = clientChange(work, current, completed(schedule, override));
    return { writes: [...done.writes, ...writes], isLast: true, followed };
  }
  const isStored = current.overrides.some(
    ({ id, following }) => id === override.id && following === override.following,
  );
  if (isStored && writes.length === 0) return { writes, isLast: false, followed };
  const stored = isStored
    ? holdSchedule(work, current)
    : clientChange(work, current, withOverride(schedule, override.occurrence_date, override)).writes;
  return { writes: [...stored, ...writes], isLast: false, followed };
};

/**
 * Changes an override. It takes one transaction when all inspections of the occurrence fit into it, and several
 * otherwise; the last one stores the reply to the client's request. The same request again completes a change that was
 * interrupted, and so does the generator.
 *
 *                create                     all inspections follow
 *   no override ---------> following the override -----------> override
 *        ^                                                         |
 *        |  all inspections follow              remove             |
 *        +------------------------- following the rule <-----------+
 *
 * @param decide gives undefined when there is nothing left to do; `isBegun`: this request has made a part of the change;
 *   `read` gives the inspections of the occurrence, and after the first part some of those that are left
 */
const changeOverride = async <Reply>(
  caller: Caller,
  id: string,
  decide: (
    current: StoredSchedule,
    work: Work,
    isBegun: boolean,
    read: (schedule: StoredSchedule, date: string) => Promise<StoredInspection[]>,
  ) => Promise<OverrideChange<Reply> | undefined>,
): Promise<Reply | undefined> => {
  let isBegun = false;
  const reader = new OccurrenceReader(caller);
  const next = async (work: Work): Promise<OverridePart & { reply: Reply | undefined }> => {
    const current = withoutKeys(await scheduleRecords.get(work, id));
    const decided = await decide(current, work, isBegun, (schedule, date) =>
      reader.read(schedule, date, isBegun),
    );
    if (!decided) return { writes: [], isLast: true, followed: [], reply: undefined };
    return { ...(await nextPart(work, current, decided, reader)), reply: decided.reply };
  };
  for (;;) {
    const progress = { isLast: false };
    const reply = await change(caller, async (work) => {
      const part = await next(work);
      progress.isLast = part.isLast;
      return { writes: part.isLast ? part.writes : [], reply: part.reply };
    });
    if (progress.isLast) return reply;
    const followed = await changePart(caller, async (work) => {
      const part = await next(work);
      return { writes: part.isLast ? [] : part.writes, reply: part.isLast ? [] : part.followed };
    });
    reader.drop(followed);
    isBegun = true;
  }
};

/** Whether a request asks for an override that an earlier try of it may have begun to add. */
const isSameRequest = (override: StoredOverride, request: NewScheduleOverride): boolean =>
  override.following === 'override' && isDeepStrictEqual({ ...override, ...request }, override);

/** The 422 of a date on which the rule does not occur. */
const notAnOccurrence = (date: string) =>
  errors.validationFailed([
    {
      loc: ['body', 'occurrence_date'],
      type: 'value_error',
      msg: 'Value error, the rule does not occur on this date',
      input: date,
    },
  ]);

/**
 * The override that a request asks for, and the inspections of its occurrence.
 * @throws ApiError 409 for a second override of the date, too many overrides, or an inspection that is no longer
 *   scheduled; 422 when the rule does not occur on the date
 */
const newOverride = async (
  work: Work,
  schedule: StoredSchedule,
  request: NewScheduleOverride,
  read: (of: StoredSchedule, date: string) => Promise<StoredInspection[]>,
): Promise<{ override: StoredOverride; inspections: StoredInspection[] }> => {
  const { occurrence_date, action } = request;
  const standing = schedule.overrides.find((each) => each.occurrence_date === occurrence_date);
  if (standing) throw errors.overrideExists(occurrence_date, standing.action);
  if (schedule.overrides.length >= MAX_OVERRIDES) throw errors.tooManyOverrides(MAX_OVERRIDES);
  const occurrence = occurrenceOn(schedule, occurrence_date);
  if (!occurrence) throw notAnOccurrence(occurrence_date);
  const inspections = await read(schedule, occurrence_date);
  expectScheduled(inspections, request);
  const { version: _, ...override } = newResource(work, { ...request, created_by: work.user_id });
  const isPassed = occurrence.starts_at <= schedule.handled_until;
  const is_settled = isPassed && (action !== 'move' || inspections.length > 0);
  return { override: { ...override, is_settled, following: 'override' }, inspections };
};

/**
 * Creates an override. Inspections of its occurrence that exist already follow it.
 * @throws ApiError 404; 400 for a member who does not exist or cannot carry out inspections; 409 for another version;
 *   as `newOverride`
 */
export const create = async (
  caller: Caller,
  scheduleId: string,
  request: NewScheduleOverride,
  expectedVersion?: number,
): Promise<ScheduleOverride> => {
  let ownId: string | undefined;
  const override = await changeOverride(caller, scheduleId, async (current, work, _, read) => {
    const standing = current.overrides.find((each) => each.occurrence_date === request.occurrence_date);
    if (standing && (standing.id === ownId || isSameRequest(standing, request))) {
      ownId = standing.id;
      const inspections = await read(current, request.occurrence_date);
      return { schedule: current, override: standing, inspections, reply: toOverride(standing) };
    }
    const assigned = await resolve(caller, assigneeReferences(caller, request.assignee_ids ?? []));
    checkAssignees(assigned, current.approver_id);
    expectVersion(scheduleRecords.noun, current, expectedVersion);
    const schedule = withoutOld(work, current);
    const decided = await newOverride(work, schedule, request, read);
    ownId = decided.override.id;
    // The override decides about an occurrence that was restored and has not been created since.
    const restored = schedule.restored.filter((date) => date !== request.occurrence_date);
    return { schedule: { ...schedule, restored }, ...decided, reply: toOverride(decided.override) };
  });
  return override!;
};

/**
 * Deletes an override: the rule applies to the occurrence again. Inspections that followed the override go back, and
 * inspections that it left out are created.
 * @throws ApiError 404; 409 for another version, or when a moved or reassigned inspection was started
 */
export const remove = async (
  caller: Caller,
  scheduleId: string,
  overrideId: string,
  expectedVersion?: number,
): Promise<null> => {
  await changeOverride(caller, scheduleId, async (current, _, isBegun, read) => {
    const standing = current.overrides.find(({ id }) => id === overrideId);
    if (!standing && isBegun) return undefined;
    if (!standing) throw errors.notFound('override');
    const inspections = await read(current, standing.occurrence_date);
    if (standing.following !== 'rule') {
      expectVersion(scheduleRecords.noun, current, expectedVersion);
      if (standing.action === 'move' || standing.action === 'reassign') expectNoneBegun(inspections);
    }
    return { schedule: current, override: { ...standing, following: 'rule' }, inspections, reply: null };
  });
  return null;
};

/** Completes a change of an override that was interrupted. */
export const completeInterrupted = async (caller: Caller, scheduleId: string): Promise<void> => {
  await changeOverride(caller, scheduleId, async (current, _work, _isBegun, read) => {
    const override = current.overrides.find(({ following }) => following !== undefined);
    if (!override) return undefined;
    const inspections = await read(current, override.occurrence_date);
    return { schedule: current, override, inspections, reply: null };
  });
};
