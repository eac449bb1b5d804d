import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { badRequest, conflict, notFound } from '../../base/errors.ts';
import { fold, withinBytes } from '../../base/fold.ts';
import { merge } from '../../base/merge.ts';
import type { Location, LocationChanges, LocationQuery, NewLocation } from '../../schemas/location.ts';
import { change } from '../table/change.ts';
import { collection, expectVersion, newResource, nextVersion } from '../table/collection.ts';
import { hasValues } from '../table/conditions.ts';
import { type Key, keys, shardOf } from '../table/keys.ts';
import type { Listing } from '../table/listing.ts';
import * as pageEnds from '../table/page-ends.ts';
import type { PageStart } from '../table/page-ends.ts';
import { reference, resolve } from '../table/references.ts';
import { getRows, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import { findReserved, moveReservation } from '../table/unique.ts';
import { close, type Used, use } from '../table/usage.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

const KIND = 'LOCATION';
const EXTERNAL_REF = 'external_ref of locations';

/** As stored: with the ids of the locations above it when it was put there, nearest first. */
export type StoredLocation = Location & { lineage: string[] };

const stored = collection<StoredLocation>(KIND, 'location');

const toLocation = (stored: StoredLocation): Location => {
  const { lineage: _, ...location } = stored;
  return location;
};

/** A chain of ancestors is checked in the transaction that lengthens it, which holds 100 rows. */
const DEEPEST = 50;

/** DynamoDB's limit for a sort key in bytes, less the separator and the id. */
const NAME_BYTES = 1_024 - 1 - 36;

/** Names in order, equal ones by id. The separator sorts before all that a name may hold. */
const sortKey = ({ name, id }: Location): string => `${withinBytes(fold(name), NAME_BYTES)}\u0001${id}`;

/** Where the copies of a location stand that lists read: among all, and among its client account's. */
const copiesOf = (caller: Caller, location: Location): Key[] => [
  { pk: keys.locationsByName(caller), sk: sortKey(location) },
  ...(location.client_account_id
    ? [{ pk: keys.locationsByName(caller, location.client_account_id), sk: sortKey(location) }]
    : []),
];

/** What decides where a location stands in its lists, and in which of them. */
const LISTED_BY = ['name', 'status', 'source'] as const;

/**
 * Every row that a location's change from one state to the next touches: itself, its copies, the lists' epoch,
 * the uses of its client account and parent, and its external_ref.
 */
export const moves = (
  caller: Caller,
  from: StoredLocation | undefined,
  to: StoredLocation | undefined,
): Write[] => {
  const { id, client_account_id } = (to ?? from)!;
  const key = stored.key(caller, id);
  const left = from ? copiesOf(caller, from) : [];
  const taken = to ? copiesOf(caller, to) : [];
  const isListedAnew = !from || !to || LISTED_BY.some((field) => from[field] !== to[field]);
  const isMoved = from?.parent_id !== to?.parent_id;
  return [
    ...(to
      ? [from ? write.replace({ ...to, ...key }, from.version) : write.create({ ...to, ...key })]
      : [write.remove(key, from!.version)]),
    ...left.filter(({ sk }) => sk !== taken[0]?.sk).map(write.drop),
    ...taken.map((place) => write.put({ ...toLocation(to!), ...place })),
    ...(isListedAnew ? [write.update(keys.counter(caller, KIND, shardOf(id)), { add: { changes: 1 } })] : []),
    ...(client_account_id && !(from && to)
      ? [use(caller, 'CLIENT', client_account_id, id, { locations: to ? 1 : -1 }, 'client_account_id')]
      : []),
    ...(isMoved && from?.parent_id
      ? [use(caller, KIND, from.parent_id, id, { locations: -1 }, 'parent_id')]
      : []),
    ...(isMoved && to?.parent_id ? [use(caller, KIND, to.parent_id, id, { locations: 1 }, 'parent_id')] : []),
    ...moveReservation(caller, EXTERNAL_REF, from?.external_ref, to?.external_ref, id),
  ];
};

/** @param by whose uses stand in the way of the deletion */
const deletion = (caller: Caller, location: StoredLocation, by: readonly (keyof Used)[]): Write[] => [
  ...moves(caller, location, undefined),
  ...close(caller, KIND, location.id, by, 'location is used by inspections or has locations below it'),
];

const belowOf = (parent: StoredLocation | undefined, client: string | null): string[] => {
  if (!parent) return [];
  if (parent.client_account_id !== client) throw badRequest('parent_id belongs to another client account');
  const lineage = [parent.id, ...parent.lineage];
  if (lineage.length > DEEPEST) throw conflict(`locations stand at most ${DEEPEST} below each other`);
  return lineage;
};

/**
 * The locations above one that is to stand below `parent`, nearest first, as they are now. Their recorded
 * lineages let most chains be read at once, however long; where one has moved since, the rest is read again.
 * @throws ApiError 409 when the location would stand below itself
 */
const chainAbove = async (caller: Caller, id: string, parent: StoredLocation): Promise<StoredLocation[]> => {
  const known = new Map([[parent.id, parent]]);
  const chain: StoredLocation[] = [];
  for (let next: string | null = parent.id; next;) {
    if (next === id) throw conflict('a location cannot stand below itself');
    if (chain.length === DEEPEST) throw conflict(`locations stand at most ${DEEPEST} below each other`);
    if (!known.has(next)) {
      const ids = [next, ...chain.at(-1)!.lineage];
      const rows = await getRows<StoredLocation>(
        caller,
        ids.map((each) => stored.key(caller, each)),
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

/** Nothing in a chain may move before the change that relies on it: two moves at once could close a circle. */
const staysBelow = (caller: Caller, { id, parent_id }: StoredLocation): Write =>
  write.check(stored.key(caller, id), undefined, hasValues({ parent_id }));

const filterOf = ({ q, client_account_id, source, status, updated_since }: LocationQuery) => {
  const part = q && fold(q);
  const since = updated_since && Date.parse(updated_since);
  return (location: Location): boolean =>
    (!part || fold(location.name).includes(part)) &&
    (!client_account_id || location.client_account_id === client_account_id) &&
    (!source || location.source === source) &&
    (!status || location.status === status) &&
    (!since || Date.parse(location.updated_at) >= since);
};

type LocationRow = Row<Location>;

/** The rows that match, but for so many at the start. */
const matching = async function* (
  rows: AsyncIterable<LocationRow>,
  query: LocationQuery,
  skip: number,
): AsyncGenerator<LocationRow> {
  const isWanted = filterOf(query);
  let skipped = 0;
  for await (const row of rows) {
    if (!isWanted(row)) continue;
    if (skipped === skip) yield row;
    else skipped += 1;
  }
};

const shown = async function* (rows: AsyncIterable<LocationRow>): AsyncGenerator<Location> {
  for await (const row of rows) yield withoutKeys<Location>(row);
};

const firstOf = async (rows: AsyncIterable<LocationRow>, limit: number): Promise<LocationRow[]> => {
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
  const row = id ? await stored.find(caller, id) : undefined;
  const found = row ? [toLocation(withoutKeys<StoredLocation>(row))] : [];
  return { page: found.filter(filterOf(query)).slice(query.offset) };
};

/** @throws ApiError 400 for a client account or parent that does not exist; 409 for a taken external_ref */
export const create = (caller: Caller, fields: NewLocation): Promise<Location> =>
  change(caller, async () => {
    const named = await resolve(caller, [
      ...reference(caller, 'client_account_id', 'CLIENT', fields.client_account_id),
      ...reference(caller, 'parent_id', KIND, fields.parent_id),
    ]);
    const location: StoredLocation = newResource({
      ...fields,
      source: 'local' as const,
      source_id: null,
      external_id: null,
      synced_at: null,
      lineage: belowOf(named.get('parent_id') as StoredLocation | undefined, fields.client_account_id),
    });
    return { writes: moves(caller, undefined, location), reply: toLocation(location) };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Location> =>
  toLocation(withoutKeys(await stored.get(caller, id)));

/**
 * In the order of their names: those after `offset`, `limit` of them or all. Strongly consistent, and the same
 * as if it had counted from the start; a page that goes on where one before has ended reads no more than it
 * gives.
 */
export const list = async (caller: Caller, query: LocationQuery): Promise<Listing<Location>> => {
  const { limit, offset, q, client_account_id, source, status, external_ref, updated_since } = query;
  if (external_ref) return listByRef(caller, external_ref, query);
  const partition = keys.locationsByName(caller, client_account_id);
  const list = JSON.stringify([q, client_account_id, source, status]);
  const needsEnds = (limit !== undefined || offset > 0) && !updated_since;
  const start: PageStart = needsEnds ? await pageEnds.find(caller, KIND, list, offset) : { skip: offset };
  const pageSize = start.skip === 0 ? limit : undefined;
  const rows = matching(queryRows(caller, { partition, after: start.after, pageSize }), query, start.skip);
  if (limit === undefined) return { rows: shown(rows) };
  const page = await firstOf(rows, limit);
  if (page.length === limit && start.epoch !== undefined) {
    const end = { after: page.at(-1)!.sk, epoch: start.epoch };
    await pageEnds.remember(caller, list, offset + limit, end);
  }
  return { page: page.map((row) => withoutKeys<Location>(row)) };
};

/**
 * @throws ApiError 404; 400 for a parent that does not exist; 409 for another version, a synced location, a
 * taken external_ref, or a parent that stands below it
 */
export const update = (
  caller: Caller,
  id: string,
  changes: LocationChanges,
  expectedVersion?: number,
): Promise<Location> =>
  change(caller, async () => {
    const [row, parent] = await getRows<StoredLocation>(
      caller,
      [id, changes.parent_id ?? id].map((each) => stored.key(caller, each)),
    );
    if (!row) throw notFound(stored.noun);
    if (!parent) throw badRequest('parent_id does not exist');
    expectVersion(stored.noun, row, expectedVersion);
    const current = withoutKeys<StoredLocation>(row);
    const next = merge(current, changes);
    if (isDeepStrictEqual(next, current)) return { writes: [], reply: toLocation(current) };
    refuseSynced(current);
    const updated = nextVersion(current, next);
    const writes: Write[] = [];
    if (next.parent_id !== current.parent_id) {
      const above = next.parent_id === null ? undefined : parent;
      updated.lineage = belowOf(above, current.client_account_id);
      const chain = above ? await chainAbove(caller, id, above) : [];
      writes.push(...chain.map((each) => staysBelow(caller, each)));
    }
    return { writes: [...moves(caller, current, updated), ...writes], reply: toLocation(updated) };
  });

/** @throws ApiError 404; 409 for a synced one, and while inspections use it or locations stand below it */
export const remove = (caller: Caller, id: string): Promise<null> =>
  change(caller, async () => {
    const location = withoutKeys<StoredLocation>(await stored.get(caller, id));
    refuseSynced(location);
    return { writes: deletion(caller, location, ['inspections', 'locations']), reply: null };
  });

/**
 * Deletes up to so many of a client account's locations, whoever uses them: the account is being deleted with
 * all it has.
 * @returns how many there were
 */
export const deleteOfClient = async (caller: Caller, clientId: string, most: number): Promise<number> => {
  const copies = queryRows<Location>(caller, {
    partition: keys.locationsByName(caller, clientId),
    pageSize: most,
  });
  const found = await firstOf(copies, most);
  for (const { id } of found) {
    await change(caller, async () => {
      const row = await stored.find(caller, id);
      return { writes: row ? deletion(caller, withoutKeys<StoredLocation>(row), []) : [], reply: null };
    });
  }
  return found.length;
};

/** @throws ApiError 409 */
const refuseSynced = ({ source }: Location): void => {
  if (source === 'synced')
    throw conflict('location is synced from another system, where it has to be changed');
};
