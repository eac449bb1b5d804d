import type { Caller } from '../../../base/caller.ts';
import { sourceRecords } from '../../integrations/record.ts';
import { resourceKey } from '../../integrations/rows.ts';
import { hasValues } from '../../table/conditions.ts';
import type { StoredSource, SyncedItem } from '../../table/entities.ts';
import { type Key, keys } from '../../table/keys.ts';
import { getRows, queryRows, type Row } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { idOf } from './differences.ts';
import { isAsRead, type RowCheck } from './row-checks.ts';

const activeRows = async (caller: Caller, sourceId: string): Promise<number> => {
  let total = 0;
  const range = { ...keys.parts(caller, 'SOURCE', sourceId, 'ROW'), only: ['is_active' as const] };
  for await (const { is_active } of queryRows(caller, range)) total += Number(is_active);
  return total;
};

/**
 * Checks that a source counts all its active rows. It counts them at the end of a whole sync: later it may have fewer,
 * as a client account can be deleted with its locations, but more only while a sync runs or after one that was broken off.
 */
export const checkSource = async (caller: Caller, id: string): Promise<RowCheck[]> => {
  const stateKey = keys.sourceState(caller, id);
  const [source, state] = await getRows(caller, [sourceRecords.key(caller, id), stateKey]);
  if (!source || !state || state.run_id !== null || state.last_run?.status !== 'succeeded') return [];
  const { rows_count, version } = state;
  const found = await activeRows(caller, id);
  if (found <= rows_count) return [];
  return [
    {
      key: sourceRecords.key(caller, id),
      condition: isAsRead(caller, source),
      isVersioned: true,
      differences: [
        {
          what: 'synced rows of a source',
          id: idOf(stateKey),
          stored: { rows_count },
          found: { rows_count: found },
          writes: [
            write.update(
              stateKey,
              { set: { rows_count: found }, add: { version: 1 } },
              hasValues({ version }),
            ),
          ],
        },
      ],
    },
  ];
};

/** Where the resource of a synced row is; undefined for a source whose rows have no resources of their own. */
export const resourceOfRow = (
  caller: Caller,
  { target_ref }: Pick<StoredSource, 'target_ref'>,
): ((row: Row) => Key) | undefined =>
  resourceKey(caller, target_ref, '') &&
  ((row) => resourceKey(caller, target_ref, (row as Row & SyncedItem).resource_id)!);
