import type { Caller } from '../../base/caller.ts';
import { LocationTransfer } from '../../schemas/location-transfer.ts';
import { present } from '../../schemas/projection.ts';
import { collection } from '../../table/collection.ts';
import type { StoredTransfer } from '../../table/entities/organization.ts';
import { job } from '../../table/job.ts';
import { dueAt } from '../../table/outbox/due.ts';

/** What is unique: the transfer of an organization that runs. Two could pull one location to two client accounts. */
export const RUNNING = 'running transfer of a location';

/** The value that the running transfer has reserved. */
export const THE_ONE = 'the one';

export const transferRecords = collection('TRANSFER', 'transfer', {
  unique: { [RUNNING]: ({ status }) => (status === 'running' ? THE_ONE : undefined) },
});

/** The row of a transfer. A worker finds it once it is due. */
export const rowOf = (caller: Caller, transfer: StoredTransfer) => ({
  ...transfer,
  ...(transfer.status === 'scheduled' && dueAt('TRANSFER', transfer.id, transfer.effective_at)),
  ...transferRecords.key(caller, transfer.id),
});

/**
 * Its worker has no lease: each change of something that belongs to the location shows whether it was made, so two
 * workers only do the same one after the other.
 */
export const transferJob = job<StoredTransfer>({
  key: (caller, { id }) => transferRecords.key(caller, id),
  row: rowOf,
  hasEnded: ({ ended_at }) => ended_at !== null,
  guard: ['version'],
  moved: ({ version }) => ({ version: version + 1 }),
});

/** A transfer as it is sent to clients. */
export const toTransfer = (stored: StoredTransfer): LocationTransfer => present(LocationTransfer, stored);
