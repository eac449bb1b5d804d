import type { Caller } from '../base/caller.ts';
import { assignedParticipant } from '../domain/inspections/workflow.ts';
import { isAble, mayKeysDecide } from '../domain/members.ts';
import { addDuration } from '../domain/recurrence/index.ts';
import { inspectsAssets } from '../domain/schedules/assets.ts';
import { type DueOccurrence, isByPlace, isPassed, startAt } from '../domain/schedules/plan.ts';
import { type Found, isStopping } from '../domain/schedules/problems.ts';
import { creationEvents, fieldsOfFamily, numberedInspection } from '../inspections/create.ts';
import { notices } from '../inspections/edit.ts';
import { inspectionCreation } from '../inspections/rows/inspection-records.ts';
import * as members from '../organizations/members/members.ts';
import { assetRecords, isInUse } from '../places/assets/records.ts';
import { isActive, locationRecords } from '../places/locations/records.ts';
import type { Asset } from '../schemas/assets/asset.ts';
import type { FieldFor } from '../schemas/inspections/fields.ts';
import type { Work } from '../table/change.ts';
import { noneOf } from '../table/conditions.ts';
import type { StoredFamily, StoredInspection } from '../table/entities/inspections.ts';
import type { StoredLocation, StoredMember } from '../table/entities/organization.ts';
import type { CreatedOccurrence, StoredSchedule } from '../table/entities/schedules.ts';
import { Overtaken } from '../table/job.ts';
import { type Key, keys, nameOfKey } from '../table/keys.ts';
import { getRows, readRows } from '../table/rows.ts';
import { nextNumbers } from '../table/single-write.ts';
import * as write from '../table/writes.ts';
import { combineCounts, type Write } from '../table/writes.ts';
import { familyRecords, statusOf } from '../templates/family-records.ts';

/*
 * How the inspections of an occurrence are created. An occurrence has one inspection at each place of its schedule, which
 * are locations or assets, or a single one when the schedule has none.
 */

/**
 * The id of the location at which an occurrence has an inspection, or of the asset of which it has one; null for the only
 * inspection of a schedule without either.
 */
export type PlaceId = string | null;

/** Where an inspection is created, and who gets it. */
export interface Place {
  location_id: string | null;
  /** Null where the location is inspected. */
  asset_id: string | null;
  client_account_id: string | null;
  /** Null for the time zone of the schedule. */
  timezone: string | null;
  /** Those who can carry out inspections. */
  assignees: readonly StoredMember[];
}

/** The resources from which the inspections of an occurrence are made. */
export interface Prerequisites {
  family: StoredFamily;
  /** The places that get inspections, by their ids. */
  places: ReadonlyMap<PlaceId, Place>;
  /** The places that have their inspection already. */
  created: ReadonlySet<PlaceId>;
  /** Null as well when the approver of the schedule has left. */
  approver_id: string | null;
}

/** What was found of the resources that a schedule names. */
export interface Ready {
  isArchived: false;
  problems: Found[];
  /** The ids of the locations that were looked at. */
  looked: readonly string[];
  /** The names of the locations and members that exist, by their ids. */
  names: ReadonlyMap<string, string>;
  /** Whether the inspections need an approval, and nobody who is named for it is left. */
  isUnapproved: boolean;
  /** Undefined when nothing can be created. */
  prerequisites: Prerequisites | undefined;
}

/** Whether the template family is archived, and otherwise what was found. */
type Readiness = { isArchived: true } | Ready;

const missingLocation = (resource_id: string, location: StoredLocation | undefined): Found[] => {
  if (!location) return [{ kind: 'location_deleted', resource_id }];
  return isActive(location) ? [] : [{ kind: 'location_inactive', resource_id }];
};

/** The user ids that an override assigns to an occurrence; undefined where it does not. */
const reassignedTo = ({ overrides }: StoredSchedule, due: DueOccurrence | undefined): string[] | undefined =>
  overrides.find(({ occurrence_date }) => occurrence_date === due?.occurrence_date)?.assignee_ids ??
  undefined;

/** The people of a location to whom a schedule assigns its inspections there. The approver takes no other part. */
export const peopleAt = (
  { assignees, approver_id }: Pick<StoredSchedule, 'assignees' | 'approver_id'>,
  { people }: Pick<StoredLocation, 'people'>,
): string[] =>
  assignees === 'by_place'
    ? [...new Set(people.map(({ user_id }) => user_id))].filter((id) => id !== approver_id)
    : [];

/**
 * The locations that a schedule names itself, or where the assets are that it names, and whose absence it lists; those
 * that a filter finds may come and go.
 */
const missingOf = (
  { places }: StoredSchedule,
  ids: readonly string[],
  rows: readonly (StoredLocation | undefined)[],
): Found[] =>
  places && !places.list ? [] : ids.flatMap((id, position) => missingLocation(id, rows[position]));

/** Whether a member can approve inspections of a family. */
const approvesFor = (family: StoredFamily | undefined): ((member: StoredMember | undefined) => boolean) => {
  const isForKeys =
    family !== undefined &&
    mayKeysDecide({ requires_approval: family.requires_approval, approval: family.settings.approval });
  return (member) => isAble('approve', member, isForKeys);
};

/** Whether inspections of a family need an approval, and none of the approvers whom it names can give it. */
const lacksApprovers = async (caller: Caller, family: StoredFamily | undefined): Promise<boolean> => {
  if (!family?.requires_approval) return false;
  const { approver_ids } = family.settings.approval;
  const rows = await getRows(
    caller,
    approver_ids.map((id) => members.key(caller, id)),
  );
  return !rows.some(approvesFor(family));
};

/**
 * The assets among the places of a schedule, without those that are not inspected; undefined for a schedule of
 * locations. One call for each hundred, or none.
 */
export const assetsAmong = async (
  caller: Caller,
  schedule: StoredSchedule,
  places: readonly PlaceId[],
): Promise<Map<string, Asset> | undefined> => {
  if (!inspectsAssets(schedule)) return undefined;
  const rows = await getRows(
    caller,
    places.flatMap((id) => (id === null ? [] : [assetRecords.key(caller, id)])),
  );
  return new Map(rows.flatMap((row) => (row && isInUse(row) ? [[row.id, row]] : [])));
};

/** The ids of the locations at which places are, each once. @param assets as `assetsAmong` reads them */
export const locationsOf = (
  places: readonly PlaceId[],
  assets: ReadonlyMap<string, Asset> | undefined,
): string[] =>
  assets
    ? [...new Set([...assets.values()].flatMap(({ location_id }) => location_id ?? []))]
    : places.filter((each) => each !== null);

/**
 * Reads everything that the inspections of an occurrence need. One call for each hundred rows, and one more for the
 * people of locations, and for assets.
 * @param due the occurrence; undefined to find what is missing for the schedule
 * @param places those of the schedule, or some of them
 */
export const readPrerequisites = async (
  caller: Caller,
  schedule: StoredSchedule,
  due: DueOccurrence | undefined,
  places: readonly PlaceId[],
): Promise<Readiness> => {
  const { id, template_family_id, client_account_id, approver_id } = schedule;
  const familyKey = familyRecords.key(caller, template_family_id);
  const clientIds = [client_account_id, schedule.places?.client_account_id].filter(
    (each) => typeof each === 'string',
  );
  const clientKeys = clientIds.map((each) => keys.one(caller, 'CLIENT', each));
  const approverKeys = approver_id === null ? [] : [members.key(caller, approver_id)];
  const reassigned = reassignedTo(schedule, due);
  const assigneeIds = reassigned ?? schedule.assignee_ids;
  const memberIds = [...new Set([...schedule.assignee_ids, ...assigneeIds])];
  const memberKeys = memberIds.map((userId) => members.key(caller, userId));
  const assets = await assetsAmong(caller, schedule, places);
  const locationIds = locationsOf(places, assets);
  const locationKeys = locationIds.map((each) => locationRecords.key(caller, each));
  const topIds = schedule.places?.within ? [schedule.places.within] : [];
  const topKeys = topIds.map((each) => locationRecords.key(caller, each));
  const createdKeys: Key<CreatedOccurrence>[] = due
    ? places.map((place) => keys.occurrence(caller, id, due.occurrence_date, place))
    : [];
  const rowsOf = await readRows(caller, [
    familyKey,
    ...clientKeys,
    ...approverKeys,
    ...memberKeys,
    ...topKeys,
    ...locationKeys,
    ...createdKeys,
  ]);
  const [family] = rowsOf([familyKey]);
  if (family && family.archived_at !== null) return { isArchived: true };
  const clients = rowsOf(clientKeys);
  const [approver] = rowsOf(approverKeys);
  const mayApprove = approvesFor(family);
  const hasApproverLeft = approver_id !== null && !mayApprove(approver);
  const isUnapproved = hasApproverLeft && (await lacksApprovers(caller, family));
  const memberRows = rowsOf(memberKeys);
  const locations = rowsOf(locationKeys);
  const tops = rowsOf(topKeys);
  const problems: Found[] = [
    ...(family && statusOf(family) === 'published'
      ? []
      : [{ kind: 'template_not_initiable', resource_id: template_family_id } satisfies Found]),
    ...clientIds.flatMap((resource_id, position): Found[] =>
      clients[position] ? [] : [{ kind: 'client_account_gone', resource_id }],
    ),
    ...(hasApproverLeft ? [{ kind: 'approver_left', resource_id: approver_id } satisfies Found] : []),
    ...topIds.flatMap((resource_id, position): Found[] =>
      tops[position] ? [] : [{ kind: 'location_deleted', resource_id }],
    ),
    ...(schedule.places?.is_cut ? [{ kind: 'too_many_places', resource_id: id } satisfies Found] : []),
    ...missingOf(schedule, locationIds, locations),
    ...memberIds.flatMap((resource_id, position): Found[] =>
      isAble('inspect', memberRows[position]) ? [] : [{ kind: 'assignee_left', resource_id }],
    ),
  ];
  const names = new Map([
    ...[approver, ...memberRows].flatMap((row): [string, string][] => (row ? [[row.user_id, row.name]] : [])),
    ...locations.flatMap((row): [string, string][] => (row ? [[row.id, row.name]] : [])),
  ]);
  const found = { isArchived: false as const, problems, looked: locationIds, names, isUnapproved };
  if (problems.some(isStopping)) return { ...found, prerequisites: undefined };
  const created = rowsOf(createdKeys);
  // A location that a filter has found may belong to another client account by the schedule's own.
  const active = locations.flatMap((location) =>
    location && isActive(location) && !isOtherClient(location, client_account_id) ? [location] : [],
  );
  const able = memberRows.flatMap((row) =>
    row && isAble('inspect', row) && assigneeIds.includes(row.user_id) ? [row] : [],
  );
  const ablePeople = await readAble(
    caller,
    reassigned ? [] : active.flatMap((each) => peopleAt(schedule, each)),
  );
  const nowhere = { location_id: null, asset_id: null, client_account_id, timezone: null, assignees: able };
  const placeOf = (location: StoredLocation): Place => {
    const own = peopleAt(schedule, location).flatMap((each) => ablePeople.get(each) ?? []);
    return {
      location_id: location.id,
      asset_id: null,
      client_account_id: client_account_id ?? location.client_account_id,
      timezone: location.timezone,
      assignees: own.length > 0 && !reassigned ? own : able,
    };
  };
  const byLocation = new Map(active.map((location) => [location.id, placeOf(location)]));
  const placeOfAsset = ({ id: asset_id, location_id }: Asset): [string, Place][] => {
    const place = location_id === null ? nowhere : byLocation.get(location_id);
    return place ? [[asset_id, { ...place, asset_id }]] : [];
  };
  const placesFound = (): Iterable<[PlaceId, Place]> => {
    if (places.includes(null)) return [[null, nowhere]];
    return assets ? assets.values().flatMap(placeOfAsset) : byLocation;
  };
  return {
    ...found,
    prerequisites: {
      family: family!,
      places: new Map(placesFound()),
      created: new Set(places.filter((_, position) => created[position])),
      approver_id: hasApproverLeft ? null : approver_id,
    },
  };
};

const isOtherClient = ({ client_account_id }: StoredLocation, wanted: string | null): boolean =>
  client_account_id !== null && wanted !== null && client_account_id !== wanted;

/** Those of these members who can carry out inspections, by their ids. One call for each hundred. */
export const readAble = async (
  caller: Caller,
  userIds: readonly string[],
): Promise<Map<string, StoredMember>> => {
  const rows = await getRows(
    caller,
    [...new Set(userIds)].map((each) => members.key(caller, each)),
  );
  return new Map(rows.flatMap((row) => (row && isAble('inspect', row) ? [[row.user_id, row]] : [])));
};

/**
 * The times of an inspection: when it starts, when it is due, and when it is missed.
 * @param zone of its place; null for that of the schedule
 */
export const timesFrom = (
  schedule: Pick<StoredSchedule, 'window' | 'recurrence' | 'timezone'>,
  starts_at: string,
  zone: string | null,
): Pick<StoredInspection, 'scheduled_for' | 'due_at' | 'missed_after'> => {
  const { window, recurrence } = schedule;
  const own = (isByPlace(schedule) && zone) || recurrence.timezone;
  return {
    scheduled_for: starts_at,
    due_at: addDuration(starts_at, window.due_after, own),
    missed_after: window.miss_after && addDuration(starts_at, window.miss_after, own),
  };
};

/** When the inspection of an occurrence starts at a place. */
const startOf = (
  schedule: StoredSchedule,
  { occurrence_date, held_on = occurrence_date, starts_at, by }: DueOccurrence,
  { timezone }: Place,
): string => {
  if (!isByPlace(schedule) && held_on === occurrence_date) return starts_at;
  const move = schedule.overrides.find((each) => by === 'move' && each.occurrence_date === occurrence_date);
  return startAt(schedule, held_on, move?.new_at ?? null, timezone);
};

/** The places of an occurrence that still have to get their inspections. */
export const openPlaces = (
  schedule: StoredSchedule,
  due: DueOccurrence,
  { places, created }: Prerequisites,
): PlaceId[] =>
  [...places].flatMap(([id, place]) =>
    created.has(id) || isPassed(schedule, due, startOf(schedule, due, place)) ? [] : [id],
  );

/** Writes of one transaction that are left for the schedule and its event. */
const RESERVED_WRITES = 4;
const MAX_WRITES = 100 - RESERVED_WRITES;

/** The inspection of an occurrence at a place. */
const inspectionAt = (
  work: Work,
  schedule: StoredSchedule,
  due: DueOccurrence,
  placeId: PlaceId,
  { family, places, approver_id }: Prerequisites,
  number: number,
): StoredInspection => {
  const place = places.get(placeId)!;
  return numberedInspection(work, number, {
    ...fieldsOfFamily(family),
    ...({
      ...timesFrom(schedule, startOf(schedule, due, place), place.timezone),
      name: schedule.title,
      client_account_id: place.client_account_id,
      location_id: place.location_id,
      asset_id: place.asset_id,
      schedule_id: schedule.id,
      occurrence_date: due.occurrence_date,
      participants: place.assignees.map(({ user_id, name }) => assignedParticipant(user_id, name)),
      approver_id,
      created_by: schedule.created_by,
    } satisfies Pick<StoredInspection, FieldFor<'schedule'>>),
    source: 'schedule',
    ...(schedule.after && { visited_by_schedule: schedule.id }),
    ...(place.asset_id !== null && { visits_asset: true as const }),
  });
};

/** Checks that a location was neither deleted nor made inactive since it was read. */
const activeLocation = (work: Work, id: string): Write =>
  write.check(
    locationRecords.key(work, id),
    () => new Overtaken('a location of the schedule is not active any more'),
    noneOf('status', ['inactive']),
  );

/**
 * The rows of one inspection. Its occurrence row is created only once, so an occurrence has at most one inspection at a
 * place, however many generators work on it.
 */
const writesOf = async (work: Work, inspection: StoredInspection, placeId: PlaceId): Promise<Write[]> => {
  const { id, schedule_id, occurrence_date, location_id } = inspection;
  return [
    write.create(
      { ...keys.occurrence(work, schedule_id!, occurrence_date!, placeId), inspection_id: id },
      () => new Overtaken('the occurrence has its inspection already'),
    ),
    ...(location_id === null ? [] : [activeLocation(work, location_id)]),
    ...inspectionCreation(work, inspection),
    ...creationEvents(work, inspection),
    ...(await notices(work, undefined, inspection)),
  ];
};

/** Writes of which each row is checked once: several assets may be at one location. */
const checkedOnce = (writes: readonly Write[]): Write[] => {
  const checked = new Set<string>();
  return writes.filter(({ key, item }) => {
    if (!item.ConditionCheck) return true;
    const isFirst = !checked.has(nameOfKey(key));
    checked.add(nameOfKey(key));
    return isFirst;
  });
};

/**
 * Creates inspections of an occurrence at the first of these places, as many as fit into one transaction.
 * @param placeIds not empty; none has its inspection yet
 * @param ownWrites what the caller writes for each place in the same transaction
 * @returns the writes, and how many places they are for
 */
export const nextChunk = async (
  work: Work,
  schedule: StoredSchedule,
  due: DueOccurrence,
  placeIds: readonly PlaceId[],
  prerequisites: Prerequisites,
  ownWrites = 0,
): Promise<{ writes: Write[]; count: number }> => {
  const newWrites = (placeId: PlaceId, number: number) =>
    writesOf(work, inspectionAt(work, schedule, due, placeId, prerequisites, number), placeId);
  // Inspections of an occurrence need equally many rows if they have equally many assignees and a location or none, except
  // that one more may count the use of a client account.
  const lengths = new Map<string, number>();
  const lengthAt = async (placeId: PlaceId): Promise<number> => {
    const { assignees, location_id } = prerequisites.places.get(placeId)!;
    const name = `${assignees.length} ${location_id === null}`;
    const length = lengths.get(name) ?? (await newWrites(placeId, 0)).length;
    lengths.set(name, length);
    return length + 1 + ownWrites;
  };
  let [count, total] = [0, 0];
  for (const placeId of placeIds) {
    total += await lengthAt(placeId);
    if (count > 0 && total > MAX_WRITES) break;
    count += 1;
  }
  const first = await nextNumbers(work, keys.sequence(work, 'INSPECTION'), count);
  const each = await Promise.all(
    placeIds.slice(0, count).map((placeId, position) => newWrites(placeId, first + position)),
  );
  return { writes: checkedOnce(combineCounts(each.flat())), count };
};
