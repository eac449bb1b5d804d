import type { DueRows } from './entities.ts';
import { duePartition, shardOf, shards } from './keys.ts';
import { getSystemRows, querySystemKeys, type Row } from './rows.ts';

/**
 * The attributes by which a worker finds a row when its time has come.
 * @param id of the row's subject; it decides the shard
 * @param at ISO 8601 in UTC
 */
export const dueAt = (what: keyof DueRows, id: string, at: string) => ({
  by_due: duePartition(what, shardOf(id)),
  by_due_at: at,
});

/** The rows of all organizations that are due at a time. The index may lag by a moment. */
export const dueRows = async <K extends keyof DueRows>(what: K, by: Date): Promise<Row<DueRows[K]>[]> => {
  const upTo = { attribute: 'by_due_at', value: by.toISOString() };
  const partitions = await Promise.all(
    shards().map((shard) => Array.fromAsync(querySystemKeys('by_due', duePartition(what, shard), upTo))),
  );
  const rows = await getSystemRows(partitions.flat());
  return rows.filter((row) => row !== undefined);
};
