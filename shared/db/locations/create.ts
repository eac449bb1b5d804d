import type { Caller } from '../../base/caller.ts';
import type { Location, NewLocation } from '../../schemas/location.ts';
import { change } from '../table/change.ts';
import { newResource } from '../table/collection.ts';
import type { StoredLocation } from '../table/entities.ts';
import { reference, resolve } from '../table/references.ts';
import * as resource from '../table/resource.ts';
import { lineageBelow } from './hierarchy.ts';
import { KIND, locationEvent, locationRecords, toLocation } from './record.ts';

/**
 * @throws ApiError 400 for a client account or parent that does not exist, or a parent of another client account; 409
 * for an external_ref in use, or too many levels
 */
export const create = (caller: Caller, fields: NewLocation): Promise<Location> =>
  change(caller, async (work) => {
    const [, parent] = await resolve(work, [
      reference(work, 'client_account_id', 'CLIENT', fields.client_account_id),
      reference(work, 'parent_id', KIND, fields.parent_id),
    ]);
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
