import type { Caller } from '../base/caller.ts';
import { type AfterPlan, firstVisit, nextVisit, visitStart, type Visits } from '../domain/schedules/after.ts';
import { isByPlace } from '../domain/schedules/plan.ts';
import { locationRecords } from '../places/locations/records.ts';
import { changePart, NOTHING, type Work } from '../table/change.ts';
import { hasValues } from '../table/conditions.ts';
import type { StoredSchedule, StoredVisit, VisitedPlace } from '../table/entities/schedules.ts';
import { type Key, keys } from '../table/keys.ts';
import { dueAt } from '../table/outbox/due.ts';
import { getRow, getRows, queryRows, withoutKeys } from '../table/rows.ts';
import type { VisitedTask } from '../table/tasks.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { holdingOf } from './holiday-calendars.ts';
import { assetsAmong } from './occurrence.ts';
import { scheduleRecords } from './records.ts';

/*
 * The places of a schedule that counts from the last visit (`after`). Each has a row with its next visit, by which the
 * generator finds it. The row follows the visits of the place: a task of each change of one brings it up to date.
 *
 *   enrolled ------> waits for its date ------> visited: no next date until the visit has ended
 *                      ^                           |
 *                      +---- the visit has ended --+
 */

/** A schedule that counts from the last visit. */
export type AfterSchedule = StoredSchedule & Pick<AfterPlan, 'after'>;

export const isAfter = (schedule: StoredSchedule): schedule is AfterSchedule => Boolean(schedule.after);

export const placeKey = (
  caller: Pick<Caller, 'org_id'>,
  { id }: Pick<StoredSchedule, 'id'>,
  locationId: string,
): Key<VisitedPlace> => keys.visitedPlace(caller, id, locationId);

/** Rows of a place that are read at once. The last visits come first, so that few are needed. */
const VISITS_AT_ONCE = 10;

/** The visits of a place. One call, unless many did not count. */
const visitsOf = async (
  caller: Caller,
  { id, after }: AfterSchedule,
  locationId: string,
): Promise<Visits> => {
  const visits: Visits = { counted_at: null, ended_at: null, is_open: false };
  const found = queryRows<StoredVisit>(caller, {
    ...keys.visit.range(caller, id, locationId),
    newestFirst: true,
    pageSize: VISITS_AT_ONCE,
  });
  for await (const { ended_at, outcome } of found) {
    if (ended_at === null) return { ...visits, is_open: true };
    visits.ended_at ??= ended_at;
    if (outcome === 'passed' || (outcome === 'failed' && after.of === 'completion')) {
      return { ...visits, counted_at: ended_at };
    }
  }
  return visits;
};

/** A place as it is enrolled, before its next visit is known. */
export const newPlace = (schedule: AfterSchedule, location_id: string): VisitedPlace => ({
  org_id: schedule.org_id,
  schedule_id: schedule.id,
  location_id,
  first_on: null,
  last_on: null,
  next_on: null,
  next_at: null,
  due_at: null,
  revision: 0,
  turn: 0,
});

/** The write of a place that nobody else has changed. */
export const placeWrite = (work: Work, place: VisitedPlace): Write => {
  const { schedule_id, location_id, due_at, turn } = place;
  const row = {
    ...place,
    turn: turn + 1,
    ...(due_at !== null && dueAt('PLACE', location_id, due_at)),
    ...placeKey(work, { id: schedule_id }, location_id),
  };
  return turn === 0 ? write.create<object>(row) : write.replace<object>(row, hasValues({ turn }));
};

const DAY_MS = 86_400_000;

/** Places with the next visit of each, as their visits are now. A call for each, and one for each hundred locations. */
export const planned = async (
  caller: Caller,
  schedule: AfterSchedule,
  places: readonly VisitedPlace[],
  now: string,
): Promise<VisitedPlace[]> => {
  const ids = places.map(({ location_id }) => location_id);
  const assets = await assetsAmong(caller, schedule, ids);
  const locations = await getRows(
    caller,
    ids.map((id) => {
      const locationId = assets ? assets.get(id)?.location_id : id;
      return locationId ? locationRecords.key(caller, locationId) : undefined;
    }),
  );
  const heldOn = await holdingOf(caller, schedule);
  const { recurrence, create_ahead_days, after_revision: revision = 1 } = schedule;
  const nextOf = async (place: VisitedPlace, position: number): Promise<VisitedPlace> => {
    const zone = (isByPlace(schedule) && locations[position]?.timezone) || recurrence.timezone;
    const isSamePlan = place.revision === revision;
    const first_on = (isSamePlan && place.first_on) || firstVisit(schedule, zone, now);
    const isNew = place.turn === 0 && schedule.generated_count === 0;
    const visits = isNew
      ? { counted_at: null, ended_at: null, is_open: false }
      : await visitsOf(caller, schedule, place.location_id);
    const next = nextVisit(schedule, zone, { first_on, last_on: place.last_on }, visits);
    if (!next) return { ...place, first_on, revision, next_on: null, next_at: null, due_at: null };
    const next_at = visitStart(schedule, heldOn(next.date) ?? next.date, zone);
    const created = new Date(Date.parse(next_at) - create_ahead_days * DAY_MS).toISOString();
    const due_at = next.not_before !== null && next.not_before > created ? next.not_before : created;
    return { ...place, first_on, revision, next_on: next.date, next_at, due_at };
  };
  return Promise.all(places.map(nextOf));
};

/** The places of a schedule, as they are stored. One call for each megabyte. */
export const enrolledPlaces = (caller: Caller, { id }: Pick<StoredSchedule, 'id'>) =>
  queryRows<VisitedPlace>(caller, keys.visitedPlace.range(caller, id));

/** Brings a place up to date after a change of one of its visits. */
export const followVisit = (
  caller: Caller,
  { visited_by_schedule, visited_id }: VisitedTask,
): Promise<void> =>
  changePart<undefined>(caller, async (work) => {
    const [schedule, row] = [
      await scheduleRecords.find(work, visited_by_schedule),
      await getRow(work, keys.visitedPlace(work, visited_by_schedule, visited_id)),
    ];
    if (!schedule || !row || !isAfter(schedule)) return NOTHING;
    const [place] = await planned(work, schedule, [withoutKeys(row)], work.now);
    return { writes: [placeWrite(work, place!)], reply: undefined };
  });
