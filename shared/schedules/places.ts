import type { Caller } from '../base/caller.ts';
import { replan } from '../domain/schedules/plan.ts';
import {
  type Found,
  isSame,
  withFound,
  withoutResource,
  withoutSolved,
} from '../domain/schedules/problems.ts';
import { editWrites, type InspectionEdit, takeStep } from '../inspections/edit.ts';
import { inspectionRecords } from '../inspections/rows/inspection-records.ts';
import { schedulesOfAsset } from '../places/assets/records.ts';
import { isActive, isNamedIn, locationRecords, schedulesNaming } from '../places/locations/records.ts';
import { changePart, NOTHING, type Work, workOf } from '../table/change.ts';
import { hasValues } from '../table/conditions.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import type { StoredLocation } from '../table/entities/organization.ts';
import type { StoredSchedule } from '../table/entities/schedules.ts';
import { keys } from '../table/keys.ts';
import { getRow, getRows, queryRows, type Row, withoutKeys, withRows } from '../table/rows.ts';
import type { LocationTask } from '../table/tasks.ts';
import * as write from '../table/writes.ts';
import { storedPlaces } from './many-places.ts';
import { clientChange, scheduleRecords } from './records.ts';
import { enrolledAgain } from './schedules.ts';
import { newProblems } from './telling.ts';

/*
 * How schedules, and what they have created, follow a location that was deleted, or whose status has changed. Each
 * schedule and each inspection shows whether it follows already, so the work can be interrupted anywhere and repeated.
 */

/** Schedules or inspections that follow a location before the deadline is checked again. */
const MAX_BATCH = 25;

/** The first of these, `MAX_BATCH` at most, and whether there are more. */
const someOf = async <Item>(items: AsyncIterable<Item>): Promise<{ some: Item[]; isMore: boolean }> => {
  const some: Item[] = [];
  for await (const item of items) {
    if (some.length === MAX_BATCH) return { some, isMore: true };
    some.push(item);
  }
  return { some, isMore: false };
};

/** The step by which an inspection follows its location; undefined when it follows already, or belongs to no schedule. */
const stepOf = (
  inspection: StoredInspection,
  location: StoredLocation,
  now: string,
): 'archive' | 'restore' | undefined => {
  const { schedule_id, status, archive_reason, scheduled_for } = inspection;
  if (schedule_id === null) return undefined;
  if (!isActive(location)) return status === 'scheduled' ? 'archive' : undefined;
  const isAhead = scheduled_for !== null && scheduled_for > now;
  return status === 'archived' && archive_reason === 'location_inactive' && isAhead ? 'restore' : undefined;
};

/** Whether the schedule of an archived inspection still wants it as it is. */
const isWanted = (
  schedule: StoredSchedule | undefined,
  { location_id, occurrence_date, archived_at }: StoredInspection,
): boolean =>
  schedule !== undefined &&
  (schedule.places ? true : schedule.location_ids.includes(location_id!)) &&
  !schedule.overrides.some(
    (override) => override.occurrence_date === occurrence_date && override.created_at > archived_at!,
  );

const editOf = async (
  work: Work,
  before: StoredInspection,
  step: 'archive' | 'restore',
): Promise<InspectionEdit> => {
  if (step === 'archive') return takeStep(work, step, before, { archive_reason: 'location_inactive' });
  const schedule = await scheduleRecords.find(work, before.schedule_id!);
  // One that is not wanted any more stays archived, and does not follow its location.
  return isWanted(schedule, before) ? takeStep(work, step, before) : { fields: { archive_reason: null } };
};

/** Archives or restores one inspection, as its location is by then. */
const moveInspection = (caller: Caller, inspectionId: string, locationId: string): Promise<void> =>
  changePart<undefined>(caller, async (work) => {
    const locationKey = locationRecords.key(work, locationId);
    const [row, location] = await getRows(work, [inspectionRecords.key(work, inspectionId), locationKey]);
    const step = row && location && stepOf(row, location, work.now);
    if (!step) return NOTHING;
    const before = withoutKeys(row);
    return {
      writes: [
        ...editWrites(work, before, await editOf(work, before, step)).writes,
        write.check(locationKey, undefined, hasValues({ status: location.status })),
      ],
      reply: undefined,
    };
  });

/** The inspections of schedules at a location that do not follow it yet. */
const inspectionsBehind = async function* (
  caller: Caller,
  location: StoredLocation,
): AsyncGenerator<StoredInspection> {
  const { now } = workOf(caller);
  const found = queryRows(caller, {
    partition: keys.inspectionsWith(caller, 'LOCATION', location.id),
    index: 'by_location',
  });
  const keysOf = ({ sk }: { sk: string }) => [inspectionRecords.key(caller, sk)] as const;
  for await (const [, [row]] of withRows(caller, found, keysOf)) {
    if (row && stepOf(row, location, now)) yield row;
  }
};

/** What is missing at a location; undefined when it is there. */
const missingAt = (id: string, location: StoredLocation | undefined): Found | undefined => {
  if (!location) return { kind: 'location_deleted', resource_id: id };
  return isActive(location) ? undefined : { kind: 'location_inactive', resource_id: id };
};

/** Whether a schedule lists what is missing at a location, and nothing else of it. */
const isListed = ({ problems }: StoredSchedule, id: string, missing: Found | undefined): boolean => {
  const own = problems.filter(({ resource_id }) => resource_id === id);
  return missing ? own.length === 1 && isSame(own[0]!, missing) : own.length === 0;
};

/** Changes a schedule, if it is still there and the change makes a difference. */
const changeSchedule = (
  caller: Caller,
  id: string,
  changed: (
    current: StoredSchedule,
    work: Work,
  ) => Promise<{ next: StoredSchedule; writes?: write.Write[] } | undefined>,
): Promise<void> =>
  changePart<undefined>(caller, async (work) => {
    const row = await getRow(work, scheduleRecords.key(work, id));
    const current = row && withoutKeys(row);
    const decided = current && (await changed(current, work));
    if (!decided) return NOTHING;
    const { next, writes = [] } = decided;
    return { writes: [...clientChange(work, current, next).writes, ...writes], reply: undefined };
  });

/**
 * Lists in a schedule what is missing at a location, and tells of it; or no longer lists a location that is there
 * again. That one gets the occurrences ahead which were passed over without it.
 */
const listIn = (caller: Caller, scheduleId: string, locationId: string): Promise<void> =>
  changeSchedule(caller, scheduleId, async (current, work) => {
    const location = await locationRecords.find(work, locationId);
    const missing = missingAt(locationId, location);
    if (!isNamedIn(current, locationId) || isListed(current, locationId, missing)) return undefined;
    const without = withoutResource(current, locationId);
    if (!missing) return { next: replan(without, work.now) };
    const next = withFound(without, [missing], work.now);
    const names = new Map(location ? [[locationId, location.name]] : []);
    return { next, writes: await newProblems(work, current, next, names) };
  });

/** Takes a deleted location out of a schedule. One without another location is paused: it would inspect no place. */
const takeOutOf = (caller: Caller, scheduleId: string, locationId: string): Promise<void> =>
  changeSchedule(caller, scheduleId, async (current) => {
    if (!isNamedIn(current, locationId)) return undefined;
    const location_ids = current.location_ids.filter((id) => id !== locationId);
    // A filter whose location was deleted finds nothing, instead of everything.
    const places =
      current.places?.within === locationId ? storedPlaces({ location_ids: [] }) : current.places;
    const isLast = location_ids.length === 0 && current.status === 'active';
    const status = isLast ? 'paused' : current.status;
    return { next: withoutSolved({ ...current, location_ids, ...(places && { places }), status }) };
  });

/** Takes a decommissioned asset out of a schedule. One without another asset is paused: it would inspect nothing. */
const takeAssetOutOf = (caller: Caller, scheduleId: string, assetId: string): Promise<void> =>
  changeSchedule(caller, scheduleId, async (current, work) => {
    if (!current.asset_ids.includes(assetId)) return undefined;
    const asset_ids = current.asset_ids.filter((id) => id !== assetId);
    const status = asset_ids.length === 0 && current.status === 'active' ? 'paused' : current.status;
    return { next: enrolledAgain(current, withoutSolved({ ...current, asset_ids, status }), work.now) };
  });

/** Takes a decommissioned asset out of the schedules that name it. @returns their ids */
export const endSchedules = async (caller: Caller, assetId: string): Promise<string[]> => {
  const ids = await Array.fromAsync(schedulesOfAsset(caller, assetId), ({ id }) => id);
  for (const id of ids) await takeAssetOutOf(caller, id, assetId);
  return ids;
};

/** Takes a deleted location out of some of the schedules that name it. @returns whether there may be more */
export const takeOut = async (caller: Caller, locationId: string): Promise<boolean> => {
  const { some, isMore } = await someOf(schedulesNaming(caller, locationId));
  for (const { id } of some) await takeOutOf(caller, id, locationId);
  return isMore;
};

const listsOther = async function* (
  caller: Caller,
  locationId: string,
  location: StoredLocation | undefined,
): AsyncGenerator<Row<StoredSchedule>> {
  const missing = missingAt(locationId, location);
  for await (const row of schedulesNaming(caller, locationId)) {
    if (!isListed(row, locationId, missing)) yield row;
  }
};

/**
 * Lets some schedules, and inspections that they have created, follow a location as it is by now.
 * @returns whether there may be more
 */
export const followLocation = async (
  caller: Caller,
  { location_id, from_schedules }: LocationTask,
): Promise<boolean> => {
  const location = await locationRecords.find(caller, location_id);
  if (!location && from_schedules) return takeOut(caller, location_id);
  const schedules = await someOf(listsOther(caller, location_id, location));
  for (const { id } of schedules.some) await listIn(caller, id, location_id);
  if (!location) return schedules.isMore;
  const inspections = await someOf(inspectionsBehind(caller, location));
  for (const { id } of inspections.some) await moveInspection(caller, id, location_id);
  return schedules.isMore || inspections.isMore;
};
