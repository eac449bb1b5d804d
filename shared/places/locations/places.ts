import type { Caller } from '../../base/caller.ts';
import { within as idsWithin } from '../../domain/tree.ts';
import { keys } from '../../table/keys.ts';
import { idsWithAny } from '../../table/labels.ts';
import { getRow } from '../../table/rows.ts';
import { regionsWithin } from '../regions/regions.ts';
import { regionLabel } from './records.ts';
import { readTree } from './tree.ts';

/** Locations of a filter whose rows are looked up one location after the other, rather than among all. */
export const MAX_MERGED = 50;

/** Filters of lists by place. All given ones must hold. */
export interface PlaceFilters {
  location_id?: readonly string[] | undefined;
  /** A location: it and all below it. */
  within?: string | undefined;
  /** A region: locations in it and in those below it. */
  region_id?: string | undefined;
}

const withinPlace = async (caller: Caller, id: string): Promise<Set<string>> => {
  const outer = await getRow(caller, keys.one(caller, 'LOCATION', id));
  if (!outer) return new Set();
  return new Set(idsWithin(await readTree(caller, outer.client_account_id), id).keys());
};

const inRegion = async (caller: Caller, id: string): Promise<Set<string>> => {
  const labels = (await regionsWithin(caller, id)).map(regionLabel);
  return (await idsWithAny(caller, labels, (label) => keys.locationWith.range(caller, label)))!;
};

/**
 * The locations that filters name; undefined without such a filter. What is there need not have their client account:
 * what was completed before a location changed hands keeps the former one.
 * Calls: for `within`, one and a call for 1,500 locations of the client; for a region, one for each region in it.
 */
export const placesOf = async (
  caller: Caller,
  { location_id, within, region_id }: PlaceFilters,
): Promise<ReadonlySet<string> | undefined> => {
  const [inside, region] = await Promise.all([
    within === undefined ? undefined : withinPlace(caller, within),
    region_id === undefined ? undefined : inRegion(caller, region_id),
  ]);
  const sets = [location_id && new Set(location_id), inside, region].filter((set) => set !== undefined);
  const [first, ...others] = sets;
  return first && others.reduce<ReadonlySet<string>>((ids, set) => ids.intersection(set), first);
};
