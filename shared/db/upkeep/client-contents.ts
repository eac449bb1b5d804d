import type { Caller } from '../../base/caller.ts';
import * as inspections from '../inspections/deletion.ts';
import { deleteIssue } from '../issues/deletion.ts';
import * as locations from '../locations/locations.ts';
import { keys } from '../table/keys.ts';
import { queryRows } from '../table/rows.ts';
import { usageOf } from '../table/usage.ts';

/** Resources of one kind that are deleted before the deadline is checked again. */
const MAX_BATCH = 25;

/** Deletes some of a client account's inspections. The reply is the number that the index lists; it may lag. */
const deleteSomeInspections = async (caller: Caller, id: string): Promise<number> => {
  const found: string[] = [];
  const rows = queryRows(caller, {
    partition: keys.inspectionsWith(caller, 'CLIENT', id),
    index: 'by_client',
    pageSize: MAX_BATCH,
  });
  for await (const { sk } of rows) if (found.push(sk) === MAX_BATCH) break;
  for (const inspectionId of found) await inspections.deleteWhole(caller, inspectionId);
  return found.length;
};

/** Deletes some of a client account's issues. The reply is the number that the index lists; it may lag. */
const deleteSomeIssues = async (caller: Caller, id: string): Promise<number> => {
  const found: string[] = [];
  const rows = queryRows(caller, {
    partition: keys.issuesWith(caller, 'CLIENT', id),
    index: 'by_client',
    pageSize: MAX_BATCH,
  });
  for await (const { sk } of rows) if (found.push(sk) === MAX_BATCH) break;
  for (const issueId of found) await deleteIssue(caller, issueId);
  return found.length;
};

/**
 * Deletes some of what belonged to a deleted client account. The reply is whether there may be more.
 * @throws Error when the account's usage still counts inspections, issues or locations that the lists do not show yet
 */
export const deleteSomeOfClient = async (caller: Caller, id: string): Promise<boolean> => {
  const found =
    (await deleteSomeIssues(caller, id)) +
    (await deleteSomeInspections(caller, id)) +
    (await locations.deleteOfClient(caller, id, MAX_BATCH));
  if (found > 0) return true;
  const left = await usageOf(caller, 'CLIENT', id);
  if (left.inspections + left.issues + left.locations === 0) return false;
  throw new Error(`client account ${id} still counts ${JSON.stringify(left)}`);
};
