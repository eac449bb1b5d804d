import type { Caller } from '../../base/caller.ts';
import { change } from '../table/change.ts';
import { expectVersion } from '../table/collection.ts';
import type { StoredLocation, Used } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { queryRows, withoutKeys } from '../table/rows.ts';
import { close } from '../table/usage.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { firstRows } from './lists.ts';
import { dependentWrites, expectLocal, KIND, locationEvent, locationRecords } from './record.ts';

/** @param uses those that prevent the deletion */
const deletion = (caller: Caller, location: StoredLocation, uses: readonly (keyof Used)[]): Write[] => [
  write.remove(locationRecords.key(caller, location.id), location.version),
  ...dependentWrites(caller, location, undefined),
  locationEvent(caller, 'deleted', location),
  ...close(
    caller,
    KIND,
    location.id,
    uses,
    'The location is used by inspections or issues, or has locations below it',
  ),
];

/** @throws ApiError 404; 409 for another version, a synced location, or while inspections, issues or locations use it */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async () => {
    const location = withoutKeys(await locationRecords.get(caller, id));
    expectVersion(locationRecords.noun, location, expectedVersion);
    expectLocal(location);
    return { writes: deletion(caller, location, ['inspections', 'issues', 'locations']), reply: null };
  });

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
    await change(caller, async () => {
      const row = await locationRecords.find(caller, id);
      return { writes: row ? deletion(caller, withoutKeys(row), []) : [], reply: null };
    });
  }
  return found.length;
};
