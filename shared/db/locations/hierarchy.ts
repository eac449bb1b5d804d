import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { hasValues } from '../table/conditions.ts';
import type { StoredLocation } from '../table/entities.ts';
import { getRows } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { locationRecords } from './record.ts';

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
 * The locations above one that is moved below `parent`, as they are now, nearest first. Stored lineages allow most
 * chains to be read at once. Where a location has moved since, the rest of the chain is read again.
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
