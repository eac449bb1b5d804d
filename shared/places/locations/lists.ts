import type { Caller } from '../../base/caller.ts';
import { fold } from '../../base/text.ts';
import { hasLabels, wanted } from '../../domain/labels.ts';
import { above, within as idsWithin } from '../../domain/tree.ts';
import type { ListedLocation, Location, LocationQuery } from '../../schemas/location.ts';
import { standingFor } from '../../table/former-locations.ts';
import { keys } from '../../table/keys.ts';
import { idsWithAny } from '../../table/labels.ts';
import type { Listing } from '../../table/listing.ts';
import * as pageEnds from '../../table/page-ends.ts';
import type { PageStart } from '../../table/page-ends.ts';
import { getRows, queryRows } from '../../table/rows.ts';
import { findReserved } from '../../table/unique.ts';
import { regionsWithin } from '../regions/regions.ts';
import { EXTERNAL_REF, KIND, locationRecords, positionByName, regionLabel, toLocation } from './records.ts';
import { locationsAboveAll, type LocationTree, readTree } from './tree.ts';

/*
 * Locations in the order of their names. Copies in this order are read until a page is full; the few that have a rare
 * tag, text or region are found by these instead.
 */

/** Locations that are read by their ids at most, rather than searched for in the order of names. */
const MAX_FEW = 500;

/** Regions whose locations are looked up one region after the other. */
const MAX_REGIONS = 10;

type Matches = (location: ListedLocation) => boolean;

const NOTHING: Listing<Location> = { page: [] };

/** What a query asks for. */
interface Search {
  clientId: string | null | undefined;
  /** For each group of labels, a location has one of them. */
  labels: string[][];
  matches: Matches;
  /** The locations of the client account, where they were read already. */
  tree?: LocationTree;
}

/** Whether a location matches what stands in its own row. */
const matchesOwn = (query: LocationQuery, labels: readonly string[][]): Matches => {
  const { q, client_account_id, parent_id, source, status, kind, updated_since } = query;
  const part = q && fold(q);
  const since = updated_since && Date.parse(updated_since);
  return (location) =>
    (!part ||
      [location.name, location.address, location.external_ref].some(
        (text) => text && fold(text).includes(part),
      )) &&
    (!client_account_id || location.client_account_id === client_account_id) &&
    (!parent_id || location.parent_id === parent_id) &&
    (!source || [source].flat().includes(location.source)) &&
    (!status || [status].flat().includes(location.status)) &&
    (!kind || location.kind === kind) &&
    (!since || Date.parse(location.updated_at) >= since) &&
    hasLabels(location, labels);
};

/** @returns undefined when a place or region that the query names does not exist, so that nothing is found */
const searchOf = async (caller: Caller, query: LocationQuery): Promise<Search | undefined> => {
  const { region_id, parent_id, within } = query;
  const labels = wanted(query);
  const rows = await getRows(
    caller,
    [within, parent_id].map((id) => (id ? locationRecords.key(caller, id) : undefined)),
  );
  const [outer, parent] = await Promise.all(rows.map((row) => standingFor(caller, row)));
  if ((within && !outer) || (parent_id && !parent)) return undefined;
  const own = matchesOwn({ ...query, parent_id: parent?.id }, labels);
  const clientId = query.client_account_id ?? outer?.client_account_id ?? parent?.client_account_id;
  const tree = within ? await readTree(caller, clientId) : undefined;
  const below = tree && idsWithin(tree, outer!.id);
  const regions = region_id ? await regionsWithin(caller, region_id) : undefined;
  if (regions?.length === 0) return undefined;
  const isIn = regions && new Set<string | null | undefined>(regions);
  return {
    clientId,
    labels: regions && regions.length <= MAX_REGIONS ? [...labels, regions.map(regionLabel)] : labels,
    matches: (location) =>
      own(location) && (!below || below.has(location.id)) && (!isIn || isIn.has(location.region_id)),
    ...(tree && { tree }),
  };
};

/** The locations of a group of labels that few have, in the order of names; undefined where all groups have many. */
const fewRows = async (
  caller: Caller,
  labels: readonly (readonly string[])[],
): Promise<ListedLocation[] | undefined> => {
  const rangeOf = (label: string) => keys.locationWith.range(caller, label);
  for (const group of labels) {
    const ids = await idsWithAny(caller, group, rangeOf, MAX_FEW);
    if (!ids) continue;
    const rows = await getRows(
      caller,
      Array.from(ids, (id) => locationRecords.key(caller, id)),
    );
    const found = rows.filter((row) => row !== undefined);
    const position = new Map(found.map((row) => [row.id, Buffer.from(positionByName(row))]));
    return found.toSorted((a, b) => Buffer.compare(position.get(a.id)!, position.get(b.id)!));
  }
  return undefined;
};

/** The rows that match, without the first `skip` of them. */
const matchingRows = async function* <Found extends ListedLocation>(
  rows: AsyncIterable<Found> | Iterable<Found>,
  matches: Matches,
  skip: number,
): AsyncGenerator<Found> {
  let skipped = 0;
  for await (const row of rows) {
    if (!matches(row)) continue;
    if (skipped === skip) yield row;
    else skipped += 1;
  }
};

/** The first `limit` rows, or all if there are fewer. */
export const firstRows = async <Found>(rows: AsyncIterable<Found>, limit: number): Promise<Found[]> => {
  const page: Found[] = [];
  for await (const row of rows) if (page.push(row) === limit) break;
  return page;
};

/** Locations as they are sent to clients. @param tree the locations of their client account, where it was read */
export const shownAll = async (
  caller: Caller,
  rows: readonly ListedLocation[],
  tree?: LocationTree,
): Promise<Location[]> => {
  const found = tree ? undefined : await locationsAboveAll(caller, rows);
  return rows.map((row) => toLocation(row, (tree ? above(tree, row) : found!.get(row.id)!).toReversed()));
};

/** All rows. Where one stands in another one, the names of all are read once. */
const shownEach = async function* (
  caller: Caller,
  rows: AsyncIterable<ListedLocation>,
  { clientId, tree: known }: Search,
): AsyncGenerator<Location> {
  let tree = known;
  for await (const row of rows) {
    if (row.parent_id !== null) tree ??= await readTree(caller, clientId);
    yield toLocation(row, tree ? above(tree, row).toReversed() : []);
  }
};

/** The one location that has an external_ref, as a list. */
const listByRef = async (
  caller: Caller,
  externalRef: string,
  { matches, tree }: Search,
  offset: number,
): Promise<Listing<Location>> => {
  const id = await findReserved(caller, EXTERNAL_REF, externalRef);
  const row = id ? await standingFor(caller, await locationRecords.find(caller, id)) : undefined;
  const found = row ? [row].filter(matches).slice(offset) : [];
  return { page: await shownAll(caller, found, tree) };
};

/** The locations of a client account, or all, in the order of their names, and where the page starts among them. */
const listByName = async (
  caller: Caller,
  query: LocationQuery,
  { clientId, matches }: Search,
): Promise<ListedLocation[]> => {
  const { limit = Infinity, offset, external_ref: _, ...filters } = query;
  const partition = keys.locationsByName(caller, clientId);
  const name = JSON.stringify(Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const start: PageStart = !query.updated_since
    ? await pageEnds.find(caller, KIND, name, offset)
    : { skip: offset };
  const pageSize = start.skip === 0 ? limit : undefined;
  const rows = queryRows(caller, { partition, after: start.after, pageSize });
  const page = await firstRows(matchingRows(rows, matches, start.skip), limit);
  if (page.length === limit && start.epoch !== undefined) {
    const end = { after: page.at(-1)!.sk, epoch: start.epoch };
    await pageEnds.remember(caller, name, offset + limit, end);
  }
  return page;
};

/**
 * Locations in the order of their names: after `offset`, all or `limit` of them. Strongly consistent. A page that
 * starts where an earlier one ended reads only its own rows; any other page reads and skips those before it.
 */
export const list = async (caller: Caller, query: LocationQuery): Promise<Listing<Location>> => {
  const { limit, offset, external_ref } = query;
  const search = await searchOf(caller, query);
  if (!search) return NOTHING;
  if (external_ref) return listByRef(caller, external_ref, search, offset);
  const few = await fewRows(caller, search.labels);
  if (few) {
    const rows = matchingRows(few, search.matches, offset);
    return { page: await shownAll(caller, await firstRows(rows, limit ?? MAX_FEW), search.tree) };
  }
  if (limit !== undefined) {
    return { page: await shownAll(caller, await listByName(caller, query, search), search.tree) };
  }
  const partition = keys.locationsByName(caller, search.clientId);
  const rows = matchingRows(queryRows(caller, { partition }), search.matches, offset);
  return { rows: shownEach(caller, rows, search) };
};
