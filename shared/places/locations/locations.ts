import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { within, MAX_LEVELS } from '../../domain/tree.ts';
import { checkPeople } from '../../organizations/members/people-of-places.ts';
import type { Location, LocationChanges, NewLocation } from '../../schemas/location.ts';
import { change, type Work } from '../../table/change.ts';
import { expectSyncedFieldsKept, expectVersion, newResource, nextVersion } from '../../table/collection.ts';
import { hasValues } from '../../table/conditions.ts';
import type { Used } from '../../table/entities/machinery.ts';
import type { StoredLocation } from '../../table/entities/organization.ts';
import { refusalOf, standingFor } from '../../table/former-locations.ts';
import { keys } from '../../table/keys.ts';
import { mergeLabelled } from '../../table/labels.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { reference, resolve } from '../../table/references.ts';
import * as resource from '../../table/resource.ts';
import { getRows, queryRows, withoutKeys } from '../../table/rows.ts';
import { close, usageOf } from '../../table/usage.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { firstRows } from './lists.ts';
import {
  expectLocal,
  expectStanding,
  expectUnmerged,
  KIND,
  locationEvent,
  locationRecords,
  schedulesNaming,
  statusTasks,
  toLocation,
} from './records.ts';
import { locationsAbove, readTree } from './tree.ts';

/** A location as it is sent to clients. One call in most cases, none at the top. */
export const shown = async (caller: Caller, location: StoredLocation): Promise<Location> =>
  toLocation(location, (await locationsAbove(caller, location)).toReversed());

/**
 * The locations above one that is placed below `parent`, nearest first.
 * @param levels below the location
 * @throws ApiError 400 when the parent belongs to another client account; 409 when the location would be below itself,
 *   or for too many levels
 */
export const chainBelow = async (
  caller: Caller,
  { id, client_account_id }: Pick<StoredLocation, 'id' | 'client_account_id'>,
  parent: StoredLocation | undefined,
  levels: number,
): Promise<StoredLocation[]> => {
  if (!parent) return [];
  if (parent.client_account_id !== client_account_id) throw errors.otherClientAccount('parent_id');
  const chain = [parent, ...(await locationsAbove(caller, parent))];
  if (chain.some((above) => above.id === id)) throw errors.locationCycle();
  if (chain.length + 1 + levels > MAX_LEVELS) throw errors.locationTooDeep(MAX_LEVELS);
  return chain;
};

/** How many levels are below a location. Reads the locations of its client account if there are any. */
export const levelsBelow = async (
  caller: Caller,
  { id, client_account_id }: Pick<StoredLocation, 'id' | 'client_account_id'>,
): Promise<number> => {
  if ((await usageOf(caller, KIND, id)).locations === 0) return 0;
  return Math.max(...within(await readTree(caller, client_account_id), id).values());
};

/**
 * Checks that none of these locations moves at the same time, or goes to another client account. Without these checks,
 * two moves could form a circle, and a location could stand in one of another client account.
 * @param chain the locations above one, nearest first
 */
export const checksOf = (work: Work, chain: readonly StoredLocation[]): Write[] =>
  chain.map(({ id, parent_id, client_account_id }) =>
    write.check(locationRecords.key(work, id), undefined, hasValues({ parent_id, client_account_id })),
  );

/**
 * @throws ApiError 400 for a client account, parent, region or person that does not exist, or a parent of another
 * client account; 409 for an external_ref in use, or too many levels
 */
export const create = (caller: Caller, fields: NewLocation): Promise<Location> =>
  change(caller, async (work) => {
    const [, parent] = await resolve(work, [
      reference(work, 'client_account_id', 'CLIENT', fields.client_account_id),
      reference(work, 'parent_id', KIND, fields.parent_id),
      reference(work, 'region_id', 'REGION', fields.region_id),
    ]);
    await checkPeople(work, fields.people);
    const created = newResource(work, {
      ...fields,
      source: 'local' as const,
      source_id: null,
      external_id: null,
      synced_at: null,
    });
    const chain = await chainBelow(work, created, parent, 0);
    const location: StoredLocation = { ...created, lineage: chain.map(({ id }) => id) };
    return {
      writes: [
        ...resource.create(locationRecords, work, location),
        locationEvent(work, 'created', location),
        ...checksOf(work, chain.slice(0, 1)),
      ],
      reply: toLocation(location, chain.toReversed()),
    };
  });

/**
 * @throws ApiError 404; 400 for a parent, region or person that does not exist, or a parent of another client account;
 *   409 for another version, a field that is synced, an external_ref in use, a parent that is below it, or too many
 *   levels
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
    await expectStanding(work, row);
    if (!parent || parent.merged_into)
      throw await refusalOf(work, [parent], errors.referenceNotFound('parent_id'));
    if (changes.region_id && changes.region_id !== row.region_id)
      await resolve(work, [reference(work, 'region_id', 'REGION', changes.region_id)]);
    expectVersion(locationRecords.noun, row, expectedVersion);
    const current = withoutKeys(row);
    const next = mergeLabelled(current, changes);
    if (isDeepStrictEqual(next, current)) return { writes: [], reply: await shown(work, current) };
    expectSyncedFieldsKept(locationRecords.noun, current, next);
    // Someone who has left meanwhile must not keep others from changing the rest.
    if (!isDeepStrictEqual(next.people, current.people)) await checkPeople(work, next.people);
    const isMoved = next.parent_id !== current.parent_id;
    const newParent = isMoved && next.parent_id !== null ? parent : undefined;
    const chain = isMoved
      ? await chainBelow(work, current, newParent, newParent ? await levelsBelow(work, current) : 0)
      : await locationsAbove(work, current);
    const updated = nextVersion(work, current, {
      ...next,
      ...(isMoved && { lineage: chain.map((above) => above.id) }),
    });
    return {
      writes: [
        ...resource.replace(locationRecords, work, current, updated),
        locationEvent(work, 'updated', updated),
        ...statusTasks(work, current, updated),
        ...(isMoved ? checksOf(work, chain) : []),
      ],
      reply: toLocation(updated, chain.toReversed()),
    };
  });

/** A location, or the one that it was merged into. @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Location> => {
  const location = await standingFor(caller, await locationRecords.get(caller, id));
  if (!location) throw errors.notFound(locationRecords.noun);
  return shown(caller, location);
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
    'The location is used by inspections, issues or assets, or has locations below it',
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
    expectUnmerged(location);
    expectLocal(location);
    if (!fromSchedules) {
      const named = await Array.fromAsync(schedulesNaming(work, id));
      const schedules = named.map((schedule) => `“${schedule.title}” (${schedule.id})`);
      if (schedules.length > 0) throw errors.locationScheduled(schedules);
    }
    const task = { location_id: id, from_schedules: 'remove' as const };
    return {
      writes: [
        ...deletion(work, location, ['assets', 'inspections', 'issues', 'locations']),
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
 * Deletes locations of a client account that is being deleted, even when inspections or issues use them.
 * @param limit number of locations at most
 * @param leave takes the assets away from a location
 * @returns the number of locations that were found
 */
export const deleteOfClient = async (
  caller: Caller,
  clientId: string,
  limit: number,
  leave: (locationId: string) => Promise<void>,
): Promise<number> => {
  const copies = queryRows(caller, {
    partition: keys.locationsByName(caller, clientId),
    pageSize: limit,
  });
  const found = await firstRows(copies, limit);
  for (const { id } of found) {
    await leave(id);
    await change(caller, async (work) => {
      const row = await locationRecords.find(work, id);
      if (!row) return { writes: [], reply: null };
      const tasks = await listingTasks(work, id);
      return { writes: [...deletion(work, withoutKeys(row), ['assets']), ...tasks], reply: null };
    });
  }
  return found.length;
};
