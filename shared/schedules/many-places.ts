import type { Caller } from '../base/caller.ts';
import { sha256 } from '../base/encoding.ts';
import { hasLabels, wanted } from '../domain/labels.ts';
import { treeOf, within as idsWithin } from '../domain/tree.ts';
import { assetRecords, isInUse } from '../places/assets/records.ts';
import { isActive, locationRecords } from '../places/locations/records.ts';
import { regionsWithin } from '../places/regions/regions.ts';
import type { Asset } from '../schemas/assets/asset.ts';
import type { ListedLocation } from '../schemas/location.ts';
import { type GivenPlaces, MAX_PLACES, type SchedulePlaces } from '../schemas/schedules/schedule.ts';
import type { StoredLocation } from '../table/entities/organization.ts';
import type { PlacesPart, StoredPlaces, StoredSchedule } from '../table/entities/schedules.ts';
import { type Key, keys } from '../table/keys.ts';
import { getRow, getRows, queryRows, withRows } from '../table/rows.ts';
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

/** Stores other places of a schedule that has listed some. */
export const placesReplacement = (org: Org, id: string, locationIds: readonly string[]): Write[] => {
  const stored = placesWrites(org, id, locationIds);
  const emptied = partKeys(org, id, MAX_PLACES).slice(stored.length);
  return [...stored, ...emptied.map((key) => write.drop(key))];
};

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

/** Whether a location is in the region of a filter, and has one of its tags. One call for the regions, or none. */
const areaOf = async (
  caller: Caller,
  { region_id, tags }: StoredPlaces,
): Promise<(location: Pick<ListedLocation, 'region_id' | 'tags'>) => boolean> => {
  const regions = region_id && new Set(await regionsWithin(caller, region_id));
  return (location) =>
    (!regions || (typeof location.region_id === 'string' && regions.has(location.region_id))) &&
    (!tags || hasLabels(location, wanted({ tag: tags })));
};

/**
 * The assets of a kind that are directly at these locations, in the order of the locations. One call for each thousand
 * of the kind, and one for each hundred.
 */
const assetsAt = async (
  caller: Caller,
  kindId: string,
  locationIds: readonly string[],
): Promise<string[]> => {
  const partition = keys.assetsWith(caller, 'KIND', kindId);
  const found = queryRows(caller, { partition, index: 'by_family' });
  const byLocation = new Map<string, string[]>(locationIds.map((id) => [id, []]));
  const keysOf = ({ sk }: { sk: string }) => [assetRecords.key(caller, sk)] as const;
  for await (const [, [row]] of withRows(caller, found, keysOf)) {
    if (row?.kind_id === kindId && isInUse(row)) byLocation.get(row.location_id ?? '')?.push(row.id);
  }
  return [...byLocation.values()].flat();
};

/**
 * The active locations that a filter finds, in the order of their names. Reads the organization's locations, or those of
 * the client account: one call for each megabyte.
 */
const matchingLocations = async (caller: Caller, filter: StoredPlaces): Promise<string[]> => {
  const { within } = filter;
  const top = within === null ? undefined : await locationRecords.find(caller, within);
  if (within !== null && !top) return [];
  const clientId = filter.client_account_id ?? top?.client_account_id;
  const partition = keys.locationsByName(caller, clientId);
  const only = ['id', 'name', 'parent_id', 'status', 'client_account_id', 'region_id', 'tags'] as const;
  const found = await Array.fromAsync(queryRows(caller, { partition, only }));
  const below = within === null ? undefined : idsWithin(treeOf(found), within);
  const isMeant = await areaOf(caller, filter);
  return found
    .filter((location) => isActive(location) && (!below || below.has(location.id)) && isMeant(location))
    .map(({ id }) => id);
};

/** The places that a filter finds: such locations, or the assets of its kind there. */
const matchingPlaces = async (caller: Caller, filter: StoredPlaces): Promise<string[]> => {
  const found = await matchingLocations(caller, filter);
  return filter.asset_kind_id ? assetsAt(caller, filter.asset_kind_id, found) : found;
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
): Promise<{ placeIds: string[]; schedule: S }> => {
  const { is_cut: _, ...places } = schedule.places!;
  const found = await matchingPlaces(caller, places);
  const isCut = found.length > most;
  return {
    placeIds: found.slice(0, most),
    schedule: { ...schedule, places: { ...places, ...(isCut && { is_cut: true as const }) } },
  };
};

/** A location with those above it; undefined for one that does not exist. */
export type Standing = { location: StoredLocation; above: readonly StoredLocation[] } | undefined;

/** Whether an asset of a kind, or one of these, is inspected at a location. One call for each hundred assets there. */
const hasAssetAt = async (
  caller: Caller,
  locationId: string,
  isMeant: (asset: Asset) => boolean,
): Promise<boolean> => {
  const partition = keys.assetsWith(caller, 'LOCATION', locationId);
  const found = queryRows(caller, { partition, index: 'by_location' });
  const keysOf = ({ sk }: { sk: string }) => [assetRecords.key(caller, sk)] as const;
  for await (const [, [row]] of withRows(caller, found, keysOf)) {
    if (row?.location_id === locationId && isInUse(row) && isMeant(row)) return true;
  }
  return false;
};

/** Whether a schedule has inspections of an asset. Some calls for the locations above it, where a filter finds assets. */
export const inspects = async (
  caller: Caller,
  schedule: StoredSchedule,
  asset: Asset,
  standing: Standing,
): Promise<boolean> => {
  const { asset_ids, places } = schedule;
  if (!places?.asset_kind_id) return asset_ids.includes(asset.id);
  return asset.kind_id === places.asset_kind_id && isInUse(asset) && isFound(caller, places, standing);
};

/** Whether a filter finds a location. One call for its regions, or none. */
const isFound = async (caller: Caller, places: StoredPlaces, standing: Standing): Promise<boolean> => {
  if (!standing || !isActive(standing.location)) return false;
  const { client_account_id, within } = places;
  const isOfClient = client_account_id === null || client_account_id === standing.location.client_account_id;
  return (
    isOfClient &&
    (within === null || [standing.location, ...standing.above].some(({ id }) => id === within)) &&
    (await areaOf(caller, places))(standing.location)
  );
};

/** Whether a schedule has inspections at a location. A list of thousands takes a call, and so do assets. */
export const includes = async (
  caller: Caller,
  schedule: StoredSchedule,
  locationId: string,
  standing: Standing,
): Promise<boolean> => {
  const { location_ids, asset_ids, places } = schedule;
  if (asset_ids.length > 0) return hasAssetAt(caller, locationId, ({ id }) => asset_ids.includes(id));
  if (!places) return location_ids.includes(locationId);
  if (places.list) return (await listedPlaces(caller, schedule))!.includes(locationId);
  const { asset_kind_id: kindId } = places;
  const isThere = await isFound(caller, places, standing);
  return isThere && (!kindId || hasAssetAt(caller, locationId, ({ kind_id }) => kind_id === kindId));
};

/** Places as they are stored in the row of their schedule. */
export const storedPlaces = (given: GivenPlaces): StoredPlaces => {
  const {
    location_ids,
    client_account_id = null,
    within = null,
    region_id,
    tags = [],
    asset_kind_id,
  } = given;
  const list = location_ids && {
    location_count: location_ids.length,
    digest: sha256(location_ids.join()),
  };
  return {
    client_account_id,
    within,
    ...(region_id && { region_id }),
    ...(tags.length > 0 && { tags }),
    ...(asset_kind_id && { asset_kind_id }),
    list: list ?? null,
  };
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
        region_id: places.region_id ?? null,
        tags: places.tags ?? [],
        asset_kind_id: places.asset_kind_id ?? null,
      }
    : null;
