import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import { describe } from '../../domain/recurrence/index.ts';
import { passOver, replan } from '../../domain/schedules/plan.ts';
import type { Schedule, ScheduleChanges } from '../../schemas/schedules/schedule.ts';
import { expectVersion } from '../table/collection.ts';
import type { StoredSchedule } from '../table/entities.ts';
import { initiableVersion } from '../templates/families/record.ts';
import { editSchedule, scheduleRecords, toSchedule, withOutlook } from './record.ts';
import { checkRecurrence, checkSetup } from './setup.ts';

/** A change of these changes which occurrences there are, or where. */
const PLANNED_BY = ['recurrence', 'starts_on', 'ends_on', 'location_ids'] as const;

/**
 * The schedule after a request: paused, resumed, or with other occurrences ahead. What it missed while it was paused or
 * had ended is not made up for.
 * @throws ApiError 409 for a status that a schedule without anything ahead cannot have
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

/**
 * Changes a schedule. Inspections that it has created stay as they are.
 * @throws ApiError 404; 422 for a rule that cannot be read or never occurs; 400 for a resource that does not exist; 409
 *   for another version, a family that is not published, an external_ref in use, or a status that is not possible
 */
export const update = (
  caller: Caller,
  id: string,
  { status, ...changes }: ScheduleChanges,
  expectedVersion?: number,
): Promise<Schedule> =>
  editSchedule(caller, id, async (current, work) => {
    const merged = merge(current, changes);
    const family = await checkSetup(caller, merged, current);
    expectVersion(scheduleRecords.noun, current, expectedVersion);
    const isOtherRule = !isDeepStrictEqual(merged.recurrence, current.recurrence);
    if (isOtherRule) checkRecurrence(merged);
    if (merged.template_family_id !== current.template_family_id) initiableVersion(family!);
    const described = isOtherRule ? { ...merged, description: describe(merged.recurrence) } : merged;
    return {
      next: replanned(current, described, status, work.now),
      reply: (schedule) => toSchedule(schedule, family),
    };
  });
