import type { Caller } from '../../../base/caller.ts';
import { hasValues } from '../../table/conditions.ts';
import { keys } from '../../table/keys.ts';
import { getRow, queryRows } from '../../table/rows.ts';
import { keyOf } from '../../table/writes.ts';
import { differingValues } from './differences.ts';
import type { RowCheck } from './row-checks.ts';

/** Checks that a bulk export counts its items. One call for each thousand of them. */
export const checkBulkExport = async (caller: Caller, id: string): Promise<RowCheck[]> => {
  const row = await getRow(caller, keys.one(caller, 'BULK_EXPORT', id));
  if (!row) return [];
  const counted = { done: 0, failed: 0 };
  for await (const { status } of queryRows(caller, keys.parts(caller, 'BULK_EXPORT', id, 'ITEM'))) {
    counted.done += Number(status === 'ready');
    counted.failed += Number(status === 'failed');
  }
  const wrong = differingValues(row, counted);
  const { turn, done, failed } = row;
  return [
    {
      key: keyOf(row),
      condition: hasValues({ turn, done, failed }),
      isVersioned: false,
      differences: wrong ? [{ what: 'bulk export', id, ...wrong, set: wrong.found }] : [],
    },
  ];
};
