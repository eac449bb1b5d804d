import type { Caller } from '../../base/caller.ts';
import { change, type Work } from '../table/change.ts';
import { expectVersion } from '../table/collection.ts';
import type { StoredLocation, Used } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import * as resource from '../table/resource.ts';
import { queryRows, withoutKeys } from '../table/rows.ts';
import { close } from '../table/usage.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { firstRows } from './lists.ts';
import { expectLocal, KIND, locationEvent, locationRecords } from './record.ts';

/** @param uses those that prevent the deletion */
const deletion = (work: Work, location: StoredLocation, uses: readonly (keyof Used)[]): Write[] => [
  ...resource.remove(locationRecords, work, location),
  // A later sync brings it back, if its client account exists by then.
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

/** @throws ApiError 404; 409 for another version, a synced location, or while inspections, issues or locations use it */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const location = withoutKeys(await locationRecords.get(work, id));
    expectVersion(locationRecords.noun, location, expectedVersion);
    expectLocal(location);
    return { writes: deletion(work, location, ['inspections', 'issues', 'locations']), reply: null };
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
    await change(caller, async (work) => {
      const row = await locationRecords.find(work, id);
      return { writes: row ? deletion(work, withoutKeys(row), []) : [], reply: null };
    });
  }
  return found.length;
};
