import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import { fold } from '../../base/text.ts';
import type {
  ListedLocation,
  Location,
  LocationChanges,
  LocationPerson,
  LocationQuery,
  NewLocation,
} from '../../schemas/location.ts';
import { expectActive } from '../members/members.ts';
import { change, type Work } from '../table/change.ts';
import { expectSyncedFieldsKept, expectVersion, newResource, nextVersion } from '../table/collection.ts';
import { hasValues } from '../table/conditions.ts';
import type { Used } from '../table/entities/machinery.ts';
import type { StoredLocation, StoredMember } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import type { Listing } from '../table/listing.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import * as pageEnds from '../table/page-ends.ts';
import type { PageStart } from '../table/page-ends.ts';
import { type Reference, reference, resolve } from '../table/references.ts';
import * as resource from '../table/resource.ts';
import { getRows, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import { findReserved } from '../table/unique.ts';
import { close } from '../table/usage.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import {
  expectLocal,
  EXTERNAL_REF,
  KIND,
  locationEvent,
  locationRecords,
  schedulesNaming,
  statusTasks,
  toLocation,
} from './record.ts';

/** Locations above one another. One transaction checks all of them when a location is moved. */
const MAX_DEPTH = 50;

/**
 * The `lineage` of a location below this parent.
 * @throws ApiError 400 when the parent belongs to another client account; 409 for too many levels
 */
export const lineageBelow = (parent: StoredLocation | undefined, clientId: string | null): string[] => {
  if (!parent) return [];
  if (parent.client_account_id !== clientId) throw errors.otherClientAccount('parent_id');
  const lineage = [parent.id, ...parent.lineage];
  if (lineage.length > MAX_DEPTH) throw errors.locationTooDeep(MAX_DEPTH);
  return lineage;
};

/**
 * The locations above one that moves below `parent`, as they are now, nearest first. With the stored lineages, most
 * chains are read in one call. When a location has moved since, the rest of the chain is read again.
 * @throws ApiError 409 when the location would be below itself, or for too many levels
 */
const chainAbove = async (caller: Caller, id: string, parent: StoredLocation): Promise<StoredLocation[]> => {
  const known = new Map([[parent.id, parent]]);
  const chain: StoredLocation[] = [];
  for (let next: string | null = parent.id; next;) {
    if (next === id) throw errors.locationCycle();
    if (chain.length === MAX_DEPTH) throw errors.locationTooDeep(MAX_DEPTH);
    if (!known.has(next)) {
      const ids = [next, ...chain.at(-1)!.lineage];
      const rows = await getRows(
        caller,
        ids.map((each) => locationRecords.key(caller, each)),
      );
      for (const row of rows) if (row) known.set(row.id, row);
    }
    const above = known.get(next);
    if (!above) break;
    chain.push(above);
    next = above.parent_id;
  }
  return chain;
};

/**
 * The locations above each of these, as they are now, nearest first, by the ids of the locations. One call for 100
 * locations in most cases.
 */
const locationsAboveAll = async (
  caller: Caller,
  locations: readonly StoredLocation[],
): Promise<Map<string, StoredLocation[]>> => {
  const known = new Map<string, StoredLocation | undefined>(locations.map((each) => [each.id, each]));
  const unknownAbove = () =>
    [...known.values()]
      .flatMap((each) => (each ? [...each.lineage, each.parent_id] : []))
      .filter((id): id is string => id !== null && !known.has(id));
  // A lineage names all above at once. It lags behind while a subtree moves, so what it leads to is looked at as well.
  for (let ids = new Set(unknownAbove()); ids.size > 0; ids = new Set(unknownAbove())) {
    const wanted = [...ids];
    const rows = await getRows(
      caller,
      wanted.map((id) => locationRecords.key(caller, id)),
    );
    for (const [position, id] of wanted.entries()) known.set(id, rows[position]);
  }
  const above = ({ parent_id }: StoredLocation): StoredLocation[] => {
    const chain: StoredLocation[] = [];
    for (let id = parent_id; id !== null && chain.length < MAX_DEPTH;) {
      const next = known.get(id);
      if (!next) break;
      chain.push(next);
      id = next.parent_id;
    }
    return chain;
  };
  return new Map(locations.map((location) => [location.id, above(location)]));
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
  const above = await locationsAboveAll(caller, locations);
  return new Map(
    locations.map(({ id, name }) => [
      id,
      [
        ...above
          .get(id)!
          .map((each) => each.name)
          .toReversed(),
        name,
      ],
    ]),
  );
};

/** The names that lead to a location, from the outermost one to its own, as they are now. One call in most cases. */
export const pathOf = async (caller: Caller, location: StoredLocation): Promise<string[]> =>
  (await pathsOf(caller, [location])).get(location.id)!;

/**
 * Checks that no location above the new parent has moved when this one is moved below it. Without these checks, two
 * moves at the same time could form a circle.
 * @throws ApiError 409 when the location would be below itself, or for too many levels
 */
export const checkChain = async (caller: Caller, id: string, parent: StoredLocation): Promise<Write[]> => {
  const chain = await chainAbove(caller, id, parent);
  return chain.map((above) =>
    write.check(locationRecords.key(caller, above.id), undefined, hasValues({ parent_id: above.parent_id })),
  );
};

const peopleReferences = (caller: Caller, people: readonly LocationPerson[]): Reference<StoredMember>[] =>
  people.map(({ user_id }, position) => reference(caller, `people.${position}.user_id`, 'MEMBER', user_id));

/** @throws ApiError 400 naming the first of these people who is not an active member */
const checkPeople = async (caller: Caller, people: readonly LocationPerson[]): Promise<void> => {
  const references = peopleReferences(caller, people);
  const found = await resolve(caller, references);
  for (const [position, member] of found.entries()) expectActive(references[position]!.field, member);
};

/**
 * @throws ApiError 400 for a client account, parent or person that does not exist, or a parent of another client
 * account; 409 for an external_ref in use, or too many levels
 */
export const create = (caller: Caller, fields: NewLocation): Promise<Location> =>
  change(caller, async (work) => {
    const [, parent] = await resolve(work, [
      reference(work, 'client_account_id', 'CLIENT', fields.client_account_id),
      reference(work, 'parent_id', KIND, fields.parent_id),
    ]);
    await checkPeople(work, fields.people);
    const location: StoredLocation = newResource(work, {
      ...fields,
      source: 'local' as const,
      source_id: null,
      external_id: null,
      synced_at: null,
      lineage: lineageBelow(parent, fields.client_account_id),
    });
    return {
      writes: [...resource.create(locationRecords, work, location), locationEvent(work, 'created', location)],
      reply: toLocation(location),
    };
  });

/**
 * @throws ApiError 404; 400 for a parent or person that does not exist, or a parent of another client account; 409 for
 * another version, a field that is synced, an external_ref in use, a parent that is below it, or too many levels
 */
export const update = (
  caller: Caller,
  id: string,
  changes: LocationChanges,
  expectedVersion?: number,
): Promise<Location> =>
  change(caller, async (work) => {
    const [row, parent] = await getRows(work, [
      locationRecords.key(work, id),
      locationRecords.key(work, changes.parent_id ?? id),
    ]);
    if (!row) throw errors.notFound(locationRecords.noun);
    if (!parent) throw errors.referenceNotFound('parent_id');
    expectVersion(locationRecords.noun, row, expectedVersion);
    const current = withoutKeys(row);
    const next = merge(current, changes);
    if (isDeepStrictEqual(next, current)) return { writes: [], reply: toLocation(current) };
    expectSyncedFieldsKept(locationRecords.noun, current, next);
    // Someone who has left meanwhile must not keep others from changing the rest.
    if (!isDeepStrictEqual(next.people, current.people)) await checkPeople(work, next.people ?? []);
    const updated = nextVersion(work, current, next);
    const isMoved = next.parent_id !== current.parent_id;
    const newParent = isMoved && next.parent_id !== null ? parent : undefined;
    if (isMoved) updated.lineage = lineageBelow(newParent, current.client_account_id);
    return {
      writes: [
        ...resource.replace(locationRecords, work, current, updated),
        locationEvent(work, 'updated', updated),
        ...statusTasks(work, current, updated),
        ...(newParent ? await checkChain(work, id, newParent) : []),
      ],
      reply: toLocation(updated),
    };
  });

type LocationRow = Row<ListedLocation>;

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Location> =>
  toLocation(await locationRecords.get(caller, id));

/** The filters of a list. */
const filterOf = ({ q, client_account_id, source, status, updated_since }: LocationQuery) => {
  const part = q && fold(q);
  const since = updated_since && Date.parse(updated_since);
  return (location: ListedLocation): boolean =>
    (!part || fold(location.name).includes(part)) &&
    (!client_account_id || location.client_account_id === client_account_id) &&
    (!source || location.source === source) &&
    (!status || location.status === status) &&
    (!since || Date.parse(location.updated_at) >= since);
};

/** The rows that match, without the first `skip` of them. */
const matchingRows = async function* (
  rows: AsyncIterable<LocationRow>,
  query: LocationQuery,
  skip: number,
): AsyncGenerator<LocationRow> {
  const matches = filterOf(query);
  let skipped = 0;
  for await (const row of rows) {
    if (!matches(row)) continue;
    if (skipped === skip) yield row;
    else skipped += 1;
  }
};

const toLocations = async function* (rows: AsyncIterable<LocationRow>): AsyncGenerator<Location> {
  for await (const row of rows) yield toLocation(row);
};

/** The first `limit` rows, or all if there are fewer. */
export const firstRows = async (rows: AsyncIterable<LocationRow>, limit: number): Promise<LocationRow[]> => {
  const page: LocationRow[] = [];
  for await (const row of rows) if (page.push(row) === limit) break;
  return page;
};

/** The one location that has an external_ref, as a list. */
const listByRef = async (
  caller: Caller,
  externalRef: string,
  query: LocationQuery,
): Promise<Listing<Location>> => {
  const id = await findReserved(caller, EXTERNAL_REF, externalRef);
  const row = id ? await locationRecords.find(caller, id) : undefined;
  const found = row ? [toLocation(row)] : [];
  return { page: found.filter(filterOf(query)).slice(query.offset) };
};

/**
 * Locations in the order of their names: after `offset`, all or `limit` of them. Strongly consistent. A page that
 * starts where an earlier one ended reads only its own rows; any other page reads and skips those before it.
 */
export const list = async (caller: Caller, query: LocationQuery): Promise<Listing<Location>> => {
  const { limit, offset, q, client_account_id, source, status, external_ref, updated_since } = query;
  if (external_ref) return listByRef(caller, external_ref, query);
  const partition = keys.locationsByName(caller, client_account_id);
  const name = JSON.stringify([q, client_account_id, source, status]);
  const needsPageEnds = (limit !== undefined || offset > 0) && !updated_since;
  const start: PageStart = needsPageEnds ? await pageEnds.find(caller, KIND, name, offset) : { skip: offset };
  const pageSize = start.skip === 0 ? limit : undefined;
  const rows = matchingRows(
    queryRows(caller, { partition, after: start.after, pageSize }),
    query,
    start.skip,
  );
  if (limit === undefined) return { rows: toLocations(rows) };
  const page = await firstRows(rows, limit);
  if (page.length === limit && start.epoch !== undefined) {
    const end = { after: page.at(-1)!.sk, epoch: start.epoch };
    await pageEnds.remember(caller, name, offset + limit, end);
  }
  return { page: page.map(toLocation) };
};

/** @param uses those that prevent the deletion */
const deletion = (work: Work, location: StoredLocation, uses: readonly (keyof Used)[]): Write[] => [
  ...resource.remove(locationRecords, work, location),
  // A later sync creates it again, if its client account exists then.
  ...(location.source_id && location.external_id
    ? [write.drop(keys.syncedItem(work, location.source_id, location.external_id))]
    : []),
  locationEvent(work, 'deleted', location),
  ...close(
    work,
    KIND,
    location.id,
    uses,
    'The location is used by inspections or issues, or has locations below it',
  ),
];

/**
 * Deletes a location. A schedule that begins to name it at the same moment lists it as deleted.
 * @param fromSchedules whether a worker takes it out of the schedules that name it
 * @throws ApiError 404; 409 for another version, a synced location, or while inspections, issues, locations or
 *   schedules use it
 */
export const remove = (
  caller: Caller,
  id: string,
  expectedVersion?: number,
  fromSchedules?: 'remove',
): Promise<null> =>
  change(caller, async (work) => {
    const location = withoutKeys(await locationRecords.get(work, id));
    expectVersion(locationRecords.noun, location, expectedVersion);
    expectLocal(location);
    if (!fromSchedules) {
      const named = await Array.fromAsync(schedulesNaming(work, id));
      const schedules = named.map((schedule) => `“${schedule.title}” (${schedule.id})`);
      if (schedules.length > 0) throw errors.locationScheduled(schedules);
    }
    const task = { location_id: id, from_schedules: 'remove' as const };
    return {
      writes: [
        ...deletion(work, location, ['inspections', 'issues', 'locations']),
        ...(fromSchedules ? [enqueue(work, 'cleanup', task)] : []),
      ],
      reply: null,
    };
  });

/** Lets schedules that name a deleted location list it. */
const listingTasks = async (work: Work, id: string): Promise<Write[]> => {
  for await (const _ of schedulesNaming(work, id)) return [enqueue(work, 'cleanup', { location_id: id })];
  return [];
};

/**
 * Deletes locations of a client account that is being deleted, even when they are used.
 * @param limit number of locations at most
 * @returns the number of locations that were found
 */
export const deleteOfClient = async (caller: Caller, clientId: string, limit: number): Promise<number> => {
  const copies = queryRows(caller, {
    partition: keys.locationsByName(caller, clientId),
    pageSize: limit,
  });
  const found = await firstRows(copies, limit);
  for (const { id } of found) {
    await change(caller, async (work) => {
      const row = await locationRecords.find(work, id);
      if (!row) return { writes: [], reply: null };
      const tasks = await listingTasks(work, id);
      return { writes: [...deletion(work, withoutKeys(row), []), ...tasks], reply: null };
    });
  }
  return found.length;
};
