import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { within as idsWithin } from '../../domain/tree.ts';
import { FormerLocation, refusalOf, standingFor } from '../../table/former-locations.ts';
import { keys } from '../../table/keys.ts';
import { idsWithAny } from '../../table/labels.ts';
import { getRow, getRows } from '../../table/rows.ts';
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
  const outer = await standingFor(caller, await getRow(caller, keys.one(caller, 'LOCATION', id)));
  if (!outer) return new Set();
  return new Set(idsWithin(await readTree(caller, outer.client_account_id), outer.id).keys());
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

/** The part of a request that filters what is listed, and what is done with all that a filter finds. */
interface Filtering {
  query?: unknown;
  body?: unknown;
}

/** Filters by a location whose rows are read by nothing else. */
const BY_ID = ['location_id'];
const STORED = [...BY_ID, 'within', 'parent_id'];

const idsIn = (filters: unknown, names: readonly string[]): string[] =>
  typeof filters === 'object' && filters !== null
    ? names
        .flatMap((name) => (filters as Record<string, unknown>)[name])
        .filter((id) => typeof id === 'string')
    : [];

/**
 * A request whose filters name the locations that stand for those which they name. One call where there is a filter by
 * location, and one for each merge; otherwise it is returned at once.
 */
export const atStanding = <Given extends Filtering>(caller: Caller, given: Given): Given | Promise<Given> => {
  const { filter, action } = (given.body ?? {}) as { filter?: unknown; action?: unknown };
  const ids = [...idsIn(given.query, BY_ID), ...idsIn(filter, STORED), ...idsIn(action, BY_ID)];
  const follow = async () => {
    const rows = await getRows(
      caller,
      ids.map((id) => keys.one(caller, 'LOCATION', id)),
    );
    const refusal = await refusalOf(caller, rows, errors.referenceNotFound('location_id'));
    return refusal instanceof FormerLocation ? refusal.followedIn(given) : given;
  };
  return ids.length === 0 ? given : follow();
};
