import { type Due, duePartition, shardOf, shards } from './keys.ts';
import { getSystemRows, querySystemKeys, type Row } from './rows.ts';

/**
 * The attributes by which a worker finds a row when its time has come.
 * @param id of what it is about, which spreads the rows
 * @param at ISO 8601 in UTC
 */
export const dueAt = (what: Due, id: string, at: string) => ({
  by_due: duePartition(what, shardOf(id)),
  by_due_at: at,
});

/** The rows of all organizations whose time has come by then. The index may lag by a moment. */
export const dueRows = async <Resource>(what: Due, by: Date): Promise<Row<Resource>[]> => {
  const upTo = { attribute: 'by_due_at', value: by.toISOString() };
  const partitions = await Promise.all(
    shards().map((shard) => Array.fromAsync(querySystemKeys('by_due', duePartition(what, shard), upTo))),
  );
  const rows = await getSystemRows<Resource>(partitions.flat());
  return rows.filter((row) => row !== undefined);
};
