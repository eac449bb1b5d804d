import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { merge } from '../base/fields.ts';
import { describe } from '../domain/recurrence/index.ts';
import { describeAfter } from '../domain/schedules/after.ts';
import { initialProgress, passOver, replan } from '../domain/schedules/plan.ts';
import { withFound, withoutPlaces, withoutSolved, withTimes } from '../domain/schedules/problems.ts';
import type {
  ChangedSchedule,
  CreatedInspections,
  CreatedPolicy,
  GivenPlaces,
  NewSchedule,
  Schedule,
  ScheduleChanges,
} from '../schemas/schedules/schedule.ts';
import { change } from '../table/change.ts';
import { expectVersion, newResource } from '../table/collection.ts';
import type { StoredSchedule } from '../table/entities/schedules.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import * as resource from '../table/resource.ts';
import { follow } from '../table/resource.ts';
import { getRow, queryRows, withoutKeys } from '../table/rows.ts';
import type { CreatedTask } from '../table/tasks.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { familyRecords, initiableVersion } from '../templates/family-records.ts';
import {
  checkAssets,
  checkPlaces,
  checkRecurrence,
  checkReferences,
  expectCalendar,
  expectOneForm,
  expectSameCycle,
} from './checks.ts';
import { changeCreated, countCreated, createdTask, enqueued } from './created.ts';
import { listedPlaces, placesDeletion, placesWrites, storedPlaces } from './many-places.ts';
import {
  clientChange,
  rowOf,
  scheduleEvent,
  scheduleJob,
  scheduleRecords,
  toSchedule,
  withOutlook,
} from './records.ts';

/** A schedule in words. */
const inWords = ({ recurrence, after }: Pick<StoredSchedule, 'recurrence' | 'after'>): string =>
  after ? describeAfter(after, { recurrence }) : describe(recurrence);

/** The 422 of a schedule without any occurrence ahead. */
const neverOccurs = (recurrence: Schedule['recurrence']) =>
  errors.validationFailed([
    {
      loc: ['body', 'recurrence', 'rrule'],
      type: 'value_error',
      msg: 'Value error, the rule does not occur any more within starts_on and ends_on',
      input: recurrence.rrule,
    },
  ]);

/**
 * Creates a schedule. It creates inspections for occurrences that start from now on.
 * @throws ApiError 422 for a rule that cannot be read or has no occurrence ahead; 400 as `checkReferences`; 409 for a
 *   family that is not published, or an external_ref that is in use
 */
export const create = (caller: Caller, { places, ...request }: NewSchedule): Promise<Schedule> =>
  change(caller, async (work) => {
    checkRecurrence({ ...request, places });
    expectOneForm({ ...request, places });
    expectCalendar({ ...request, places });
    const { family, inactive } = await checkReferences(work, request);
    const inactivePlaces = [
      ...(await checkPlaces(work, places, request)),
      ...(await checkAssets(work, request)),
    ];
    initiableVersion(family);
    const fields: StoredSchedule = newResource(work, {
      ...request,
      places: places && storedPlaces(places),
      org_id: caller.org_id,
      description: inWords(request),
      status: 'active' as const,
      next_occurrence_at: null,
      last_generated_at: null,
      generated_count: 0,
      overrides: [],
      created_by: caller.user_id,
      // Who asks for it sees them in the reply, and is not told as well.
      problems: withTimes([...inactive, ...inactivePlaces], [], work.now),
      ...initialProgress(request, work.now),
      restored: [],
      turn: 0,
      ...(request.after && { enrol_at: work.now, after_revision: 1 }),
    });
    const schedule = withOutlook(fields, work.now);
    if (schedule.status === 'ended') throw neverOccurs(request.recurrence);
    return {
      writes: [
        write.create<object>(rowOf(work, schedule)),
        ...follow(scheduleRecords, work, undefined, schedule),
        ...placesWrites(work, schedule.id, places?.location_ids ?? []),
        scheduleEvent(work, 'schedule.created', schedule),
      ],
      reply: toSchedule(schedule, family, places?.location_ids),
    };
  });

/** The fields that decide which occurrences there are, and where. */
const PLANNED_BY = [
  'recurrence',
  'starts_on',
  'ends_on',
  'location_ids',
  'asset_ids',
  'places',
  'timezone',
  'calendar_id',
  'on_holiday',
  'after',
] as const;

/** The fields that move the next visits of a schedule with `after`, beside these. */
const VISITED_BY = [...PLANNED_BY, 'window', 'create_ahead_days', 'status'] as const;

/** A schedule with `after` looks at its places again when a change moves their next visits. */
export const enrolledAgain = (current: StoredSchedule, next: StoredSchedule, now: string): StoredSchedule =>
  !next.after || VISITED_BY.every((field) => isDeepStrictEqual(next[field], current[field]))
    ? next
    : { ...next, enrol_at: now, after_revision: (current.after_revision ?? 1) + 1 };

/**
 * The schedule after a request: paused, resumed, or with other occurrences ahead. It does not make up for occurrences
 * that it missed while it was paused or had ended.
 * @throws ApiError 409 for a status that a schedule without any occurrence ahead cannot have
 */
const replanned = (
  current: StoredSchedule,
  merged: StoredSchedule,
  wanted: ScheduleChanges['status'],
  now: string,
): StoredSchedule => {
  const isSamePlan = PLANNED_BY.every((field) => isDeepStrictEqual(merged[field], current[field]));
  const next = isSamePlan ? merged : replan(merged, now);
  if (current.status === 'active') return { ...next, status: wanted ?? 'active' };
  if (current.status === 'paused') {
    return wanted === 'active' ? passOver({ ...next, status: 'active' }, now) : next;
  }
  if (wanted === undefined && isSamePlan) return next;
  const revived: StoredSchedule = passOver({ ...next, status: 'active' }, now);
  const isOver = withOutlook(revived, now).status === 'ended';
  if (wanted !== undefined && isOver) throw errors.scheduleEnded();
  return isOver ? next : { ...revived, status: wanted ?? 'active' };
};

/** @param places those of a request; undefined where it leaves them out */
const withPlaces = (schedule: StoredSchedule, places: GivenPlaces | null | undefined): StoredSchedule =>
  places === undefined || (places === null && !schedule.places)
    ? schedule
    : { ...schedule, places: places && storedPlaces(places) };

/** What a request says about the inspections that a schedule has created. */
interface CreatedQuery {
  created: CreatedPolicy;
  /** Whether it only asks what would change. */
  dry_run: boolean;
}

/** Goes on with inspections that were created, in the request itself. A worker does the rest, and what this does not reach. */
const beginTask = async (caller: Caller, task: CreatedTask | undefined): Promise<void> => {
  if (task) await changeCreated(caller, task);
};

/**
 * Changes a schedule, and the inspections that it has created as the request says. A request that changes nothing
 * writes nothing.
 * @throws ApiError 404; 422 for a rule that cannot be read or never occurs; 400 as `checkReferences`; 409 for another
 *   version, a family that is not published, an external_ref in use, or a status that is not possible
 */
export const update = async (
  caller: Caller,
  id: string,
  { status, places, ...changes }: ScheduleChanges,
  { created, dry_run }: CreatedQuery,
  expectedVersion?: number,
): Promise<ChangedSchedule> => {
  let task: CreatedTask | undefined;
  const reply = await change<ChangedSchedule>(caller, async (work) => {
    const current = withoutKeys(await scheduleRecords.get(work, id));
    const merged = withPlaces(merge(current, changes), places);
    expectOneForm(merged);
    expectCalendar(merged);
    const { family, inactive } = await checkReferences(work, merged, current);
    const isOther = (name: 'places' | 'asset_ids' | 'client_account_id') =>
      !isDeepStrictEqual(merged[name], current[name]);
    const isOtherPlaces = isOther('places');
    const inactivePlaces = [
      ...(isOtherPlaces ? await checkPlaces(work, places ?? null, merged) : []),
      ...(isOther('asset_ids') || isOther('client_account_id') ? await checkAssets(work, merged) : []),
    ];
    expectVersion(scheduleRecords.noun, current, expectedVersion);
    const isOtherRule = !isDeepStrictEqual(merged.recurrence, current.recurrence);
    expectSameCycle(current, merged);
    if (isOtherRule || merged.after) checkRecurrence(merged);
    if (merged.template_family_id !== current.template_family_id) initiableVersion(family);
    const described = { ...merged, description: inWords(merged) };
    const still = isOtherPlaces || isOther('asset_ids') ? withoutPlaces(described) : described;
    const named = withFound(withoutSolved(still), [...inactive, ...inactivePlaces], work.now);
    const planned = enrolledAgain(current, replanned(current, named, status, work.now), work.now);
    const locationIds = places?.location_ids ?? (await listedPlaces(work, planned));
    if (dry_run) {
      const shown = toSchedule(current, family, await listedPlaces(work, current));
      const created_inspections = await countCreated(work, planned, created);
      return { writes: [], reply: { ...shown, created_inspections } };
    }
    task = createdTask(work, current, created, 'schedule_changed');
    if (isDeepStrictEqual(planned, current))
      return { writes: enqueued(work, task), reply: toSchedule(current, family, locationIds) };
    const { next, writes } = clientChange(work, current, planned);
    const placed = isOtherPlaces ? placesWrites(work, id, places?.location_ids ?? []) : [];
    return {
      writes: [...writes, ...placed, ...enqueued(work, task)],
      reply: toSchedule(next, family, locationIds),
    };
  });
  await beginTask(caller, task);
  return reply;
};

/**
 * Deletes a schedule. The inspections that it has created stay as they are, or are archived. A worker deletes the rows
 * that record which inspections it has created.
 * @returns what it would change, if that is all the request asks
 * @throws ApiError 404; 409 for another version
 */
export const remove = async (
  caller: Caller,
  id: string,
  { created, dry_run }: CreatedQuery,
  expectedVersion?: number,
): Promise<CreatedInspections | undefined> => {
  let task: CreatedTask | undefined;
  const counts = await change<CreatedInspections | undefined>(caller, async (work) => {
    const schedule = withoutKeys(await scheduleRecords.get(work, id));
    expectVersion(scheduleRecords.noun, schedule, expectedVersion);
    if (dry_run) return { writes: [], reply: await countCreated(work, schedule, created) };
    task = createdTask(work, schedule, created, 'schedule_deleted');
    return {
      writes: [
        ...resource.remove(scheduleRecords, work, schedule, scheduleJob.isKnown(schedule)),
        ...placesDeletion(work, schedule),
        scheduleEvent(work, 'schedule.deleted', schedule),
        enqueue(work, 'cleanup', { schedule_id: id }),
        ...enqueued(work, task),
      ],
      reply: undefined,
    };
  });
  await beginTask(caller, task);
  return counts;
};

/** Rows that one transaction deletes. */
const MAX_DELETED = 100;

/**
 * Deletes some rows of a deleted schedule: those of its created occurrences, and of its places.
 * @returns whether there may be more
 */
export const deleteSomeOfSchedule = (caller: Caller, id: string): Promise<boolean> =>
  change(caller, async () => {
    const writes: Write[] = [];
    for (const part of ['OCCURRENCE', 'VISITED'] as const) {
      const rows = queryRows(caller, { ...keys.parts(caller, 'SCHEDULE', id, part), pageSize: MAX_DELETED });
      for await (const row of rows) {
        if (writes.length === MAX_DELETED) break;
        writes.push(write.drop(write.keyOf(row)));
      }
    }
    return { writes, reply: writes.length === MAX_DELETED };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Schedule> => {
  const schedule = await scheduleRecords.get(caller, id);
  const family = await getRow(caller, familyRecords.key(caller, schedule.template_family_id));
  return toSchedule(schedule, family, await listedPlaces(caller, schedule));
};
