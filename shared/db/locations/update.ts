import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import type { Location, LocationChanges } from '../../schemas/location.ts';
import { change } from '../table/change.ts';
import { expectVersion, nextVersion } from '../table/collection.ts';
import * as resource from '../table/resource.ts';
import { getRows, withoutKeys } from '../table/rows.ts';
import { expectSyncedFieldsKept } from '../table/synced.ts';
import { checkChain, lineageBelow } from './hierarchy.ts';
import { locationEvent, locationRecords, toLocation } from './record.ts';

/**
 * @throws ApiError 404; 400 for a parent that does not exist or belongs to another client account; 409 for another
 * version, a field that is synced, an external_ref in use, a parent that is below it, or too many levels
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
    const updated = nextVersion(work, current, next);
    const isMoved = next.parent_id !== current.parent_id;
    const newParent = isMoved && next.parent_id !== null ? parent : undefined;
    if (isMoved) updated.lineage = lineageBelow(newParent, current.client_account_id);
    return {
      writes: [
        ...resource.replace(locationRecords, work, current, updated),
        locationEvent(work, 'updated', updated),
        ...(newParent ? await checkChain(work, id, newParent) : []),
      ],
      reply: toLocation(updated),
    };
  });
