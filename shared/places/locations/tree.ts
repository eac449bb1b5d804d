import type { Caller } from '../../base/caller.ts';
import { above, type Tree, treeOf } from '../../domain/tree.ts';
import type { ListedLocation } from '../../schemas/location.ts';
import type { StoredLocation } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { getRows, queryRows } from '../../table/rows.ts';
import { locationRecords } from './records.ts';

/*
 * Where a location stands is its `parent_id` alone, so a location moves with all that is below it in one write. Its
 * `lineage` was right when it was placed there: it only says which rows are worth reading.
 */

/** A location as it stands among others. */
type Placed = Pick<StoredLocation, 'id' | 'name' | 'parent_id'> & Partial<Pick<StoredLocation, 'lineage'>>;

/** The names and parents of locations. */
export type LocationTree = Tree<Pick<ListedLocation, 'id' | 'name' | 'parent_id'>>;

/** The locations of a client account, or all of them. One call for each megabyte of them, some 1,500. */
export const readTree = async (
  caller: Caller,
  clientId: string | null | undefined,
): Promise<LocationTree> => {
  const partition = keys.locationsByName(caller, clientId);
  const only = ['id', 'name', 'parent_id'] as const;
  return treeOf(await Array.fromAsync(queryRows(caller, { partition, only })));
};

/**
 * The locations above each of these, as they are now, nearest first, by the ids of the locations. One call for 100
 * locations in most cases, and a second one for rows without a lineage.
 */
export const locationsAboveAll = async <Given extends Placed>(
  caller: Caller,
  locations: readonly Given[],
): Promise<Map<string, (Given | StoredLocation)[]>> => {
  const known = new Map<string, Given | StoredLocation>(locations.map((each) => [each.id, each]));
  const asked = new Set(known.keys());
  const unknownAbove = () =>
    [...known.values()]
      .flatMap(({ lineage = [], parent_id }) => [...lineage, parent_id])
      .filter((id): id is string => id !== null && !asked.has(id));
  // A lineage names all above at once. It lags behind after a move, so what it leads to is looked at as well.
  for (let ids = new Set(unknownAbove()); ids.size > 0; ids = new Set(unknownAbove())) {
    const rows = await getRows(
      caller,
      Array.from(ids, (id) => locationRecords.key(caller, id)),
    );
    for (const id of ids) asked.add(id);
    for (const row of rows) if (row) known.set(row.id, row);
  }
  return new Map(locations.map((location) => [location.id, above(known, location)]));
};

/** The locations above one, as they are now, nearest first. One call in most cases. */
export const locationsAbove = async (caller: Caller, location: StoredLocation): Promise<StoredLocation[]> =>
  (await locationsAboveAll(caller, [location])).get(location.id)!;

/**
 * The names that lead to each of these locations, from the outermost one to its own, as they are now, by the ids of the
 * locations. One call for 100 locations in most cases.
 */
export const pathsOf = async (
  caller: Caller,
  locations: readonly StoredLocation[],
): Promise<Map<string, string[]>> => {
  const found = await locationsAboveAll(caller, locations);
  return new Map(
    locations.map((location) => [
      location.id,
      [location, ...found.get(location.id)!].map(({ name }) => name).toReversed(),
    ]),
  );
};

/** The names that lead to a location, from the outermost one to its own, as they are now. One call in most cases. */
export const pathOf = async (caller: Caller, location: StoredLocation): Promise<string[]> =>
  (await pathsOf(caller, [location])).get(location.id)!;
