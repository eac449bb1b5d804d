import type { Caller } from '../../base/caller.ts';
import * as inspections from '../inspections/inspections.ts';
import * as locations from '../locations/locations.ts';
import { keys } from '../table/keys.ts';
import { queryRows } from '../table/rows.ts';
import { usageOf } from '../table/usage.ts';

/** Deleted between two looks at the clock. */
const CHUNK = 25;

/** Some of a client account's inspections go; the number found, which an index may still show for a moment. */
const deleteSomeInspections = async (caller: Caller, id: string): Promise<number> => {
  const found: string[] = [];
  const indexed = queryRows(caller, {
    partition: keys.inspectionsWith(caller, 'CLIENT', id),
    index: 'by_client',
    pageSize: CHUNK,
  });
  for await (const { sk } of indexed) if (found.push(sk) === CHUNK) break;
  for (const inspectionId of found) await inspections.deleteWhole(caller, inspectionId);
  return found.length;
};

/**
 * Deletes some of what belonged to a deleted client account; whether there may be more. The counts of its uses
 * have the last word.
 * @throws Error while these tell of inspections that the index does not show yet
 */
export const deleteSomeOfClient = async (caller: Caller, id: string): Promise<boolean> => {
  const found =
    (await deleteSomeInspections(caller, id)) + (await locations.deleteOfClient(caller, id, CHUNK));
  if (found > 0) return true;
  const left = await usageOf(caller, 'CLIENT', id);
  if (left.inspections === 0 && left.locations === 0) return false;
  throw new Error(`client account ${id} still counts ${JSON.stringify(left)}`);
};
