import type { Caller } from '../domain/caller.ts';
import { change } from './change.ts';
import { inspections } from './inspections.ts';
import { keys } from './keys.ts';
import { locations } from './locations.ts';
import { enqueue } from './outbox.ts';
import { queryRows } from './rows.ts';
import { usageOf } from './usage.ts';

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
 * Deletes what belonged to a deleted client account, until the counts of its uses say that nothing is left. It
 * may be interrupted and repeated; what is not done by `deadline` is left to a task of its own.
 * @param deadline epoch milliseconds
 * @throws Error while the counts tell of inspections that the index does not show yet
 */
export const deleteClientContents = async (caller: Caller, id: string, deadline: number): Promise<void> => {
  let found;
  do {
    found = (await deleteSomeInspections(caller, id)) + (await locations.deleteOfClient(caller, id, CHUNK));
  } while (found > 0 && Date.now() < deadline);
  const left = await usageOf(caller, 'CLIENT', id);
  if (left.inspections === 0 && left.locations === 0) return;
  if (found === 0) throw new Error(`client account ${id} still counts ${JSON.stringify(left)}`);
  await change(caller, () => ({
    writes: [enqueue(caller, 'cleanup', { client_account_id: id })],
    reply: undefined,
  }));
};
