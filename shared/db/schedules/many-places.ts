import type { Caller } from '../../base/caller.ts';
import { sha256 } from '../../base/encoding.ts';
import { type GivenPlaces, MAX_PLACES, type SchedulePlaces } from '../../schemas/schedules/schedule.ts';
import { isActive, locationRecords } from '../locations/record.ts';
import type { StoredLocation } from '../table/entities/organization.ts';
import type { PlacesPart, StoredPlaces, StoredSchedule } from '../table/entities/schedules.ts';
import { type Key, keys } from '../table/keys.ts';
import { getRow, getRows, queryRows } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/*
 * The places of a schedule with `places`: thousands, so that their ids stand in rows of their own. Those of a list are
 * there from the request on; those that a filter finds, from when it is evaluated for an occurrence until the next one.
 */

/** Places in one row: 38 KB. */
const PART_SIZE = 1_000;

/** Places of a schedule with `places` that it lists as missing, at most. */
export const MAX_MISSING = 100;

type Org = Pick<Caller, 'org_id'>;

const partKeys = (org: Org, id: string, count: number): Key<PlacesPart>[] =>
  Array.from({ length: Math.ceil(count / PART_SIZE) }, (_, part) => keys.schedulePlaces(org, id, part));

/** Stores the places of a schedule. */
export const placesWrites = (org: Org, id: string, locationIds: readonly string[]): Write[] =>
  partKeys(org, id, locationIds.length).map((key, part) =>
    write.put<PlacesPart>({
      ...key,
      location_ids: locationIds.slice(part * PART_SIZE, (part + 1) * PART_SIZE),
    }),
  );

/** Deletes the places of a schedule. */
export const placesDeletion = (org: Org, { id, places }: StoredSchedule): Write[] =>
  places ? partKeys(org, id, MAX_PLACES).map((key) => write.drop(key)) : [];

/** Some places of a schedule, from a position on: at least one, unless the position is behind the last one. */
export const placesFrom = async (caller: Caller, id: string, position: number): Promise<string[]> => {
  const key = keys.schedulePlaces(caller, id, Math.floor(position / PART_SIZE));
  const row = await getRow(caller, key);
  return row?.location_ids.slice(position % PART_SIZE) ?? [];
};

/** The ids of the listed places of a schedule; null for another schedule. One call. */
export const listedPlaces = async (caller: Caller, schedule: StoredSchedule): Promise<string[] | null> => {
  const { list } = schedule.places ?? {};
  if (!list) return null;
  const rows = await getRows(caller, partKeys(caller, schedule.id, list.location_count));
  return rows.flatMap((row) => row?.location_ids ?? []);
};

/**
 * The active locations that a filter finds, in the order of their names. Reads the organization's locations, or those of
 * the client account: one call for each megabyte.
 */
const matchingPlaces = async (caller: Caller, filter: StoredPlaces): Promise<string[]> => {
  const { within } = filter;
  const top = within === null ? undefined : await locationRecords.find(caller, within);
  if (within !== null && !top) return [];
  const clientId = filter.client_account_id ?? top?.client_account_id;
  const partition = keys.locationsByName(caller, clientId);
  const only = ['id', 'parent_id', 'status', 'client_account_id'] as const;
  const found = await Array.fromAsync(queryRows(caller, { partition, only }));
  const parents = new Map(found.map(({ id, parent_id }) => [id, parent_id]));
  const isBelow = new Map<string, boolean>(within === null ? [] : [[within, true]]);
  const isWithin = (id: string): boolean => {
    const known = isBelow.get(id);
    if (known !== undefined) return known;
    const parent = parents.get(id) ?? null;
    const is = parent !== null && isWithin(parent);
    isBelow.set(id, is);
    return is;
  };
  return found
    .filter((location) => isActive(location) && (within === null || isWithin(location.id)))
    .map(({ id }) => id);
};

/** The places of a schedule as they are now, `MAX_PLACES` at most; null for a schedule without `places`. */
export const presentPlaces = async (caller: Caller, schedule: StoredSchedule): Promise<string[] | null> =>
  schedule.places && !schedule.places.list
    ? (await matchingPlaces(caller, schedule.places)).slice(0, MAX_PLACES)
    : listedPlaces(caller, schedule);

/**
 * The places that a filter finds now, and the schedule that knows whether there are more than it can have.
 * @param schedule whose `places` are a filter
 * @param most it can have
 */
export const foundPlaces = async <S extends StoredSchedule>(
  caller: Caller,
  schedule: S,
  most = MAX_PLACES,
): Promise<{ locationIds: string[]; schedule: S }> => {
  const { is_cut: _, ...places } = schedule.places!;
  const found = await matchingPlaces(caller, places);
  const isCut = found.length > most;
  return {
    locationIds: found.slice(0, most),
    schedule: { ...schedule, places: { ...places, ...(isCut && { is_cut: true as const }) } },
  };
};

/** A location with those above it; undefined for one that does not exist. */
export type Standing = { location: StoredLocation; above: readonly StoredLocation[] } | undefined;

/** Whether a schedule has inspections at a location. A list of thousands takes a call. */
export const includes = async (
  caller: Caller,
  schedule: StoredSchedule,
  locationId: string,
  standing: Standing,
): Promise<boolean> => {
  const { location_ids, places } = schedule;
  if (!places) return location_ids.includes(locationId);
  if (places.list) return (await listedPlaces(caller, schedule))!.includes(locationId);
  if (!standing || !isActive(standing.location)) return false;
  const { client_account_id, within } = places;
  const isOfClient = client_account_id === null || client_account_id === standing.location.client_account_id;
  return (
    isOfClient && (within === null || [standing.location, ...standing.above].some(({ id }) => id === within))
  );
};

/** Places as they are stored in the row of their schedule. */
export const storedPlaces = (given: GivenPlaces): StoredPlaces => {
  const { location_ids, client_account_id = null, within = null } = given;
  const list = location_ids && {
    location_count: location_ids.length,
    digest: sha256(location_ids.join()),
  };
  return { client_account_id, within, list: list ?? null };
};

/** Places as they are sent to clients. @param location_ids of listed places, where they are shown */
export const toPlaces = (
  places: StoredPlaces | null | undefined,
  location_ids: string[] | null = null,
): SchedulePlaces | null =>
  places
    ? {
        location_ids,
        locations_count: places.list && places.list.location_count,
        client_account_id: places.client_account_id,
        within: places.within,
      }
    : null;
