import type { Caller } from '../../base/caller.ts';
import type { Kind, Resources } from './entities.ts';
import { keys } from './keys.ts';
import { MAX_BATCH_KEYS, type Row, withRows } from './rows.ts';

/*
 * Filtered lists. The ids come from the most selective list or index for the filters; an index may lag, so the rows are
 * read strongly consistent, and all filters are applied to them.
 */

/** Merges ids from several sources, each in descending order. Every id comes once. */
export const mergedIds = async function* (sources: AsyncGenerator<string>[]): AsyncGenerator<string> {
  const heads = await Promise.all(sources.map((source) => source.next()));
  let last: string | undefined;
  for (;;) {
    const open = heads.flatMap((head, position) => (head.done ? [] : [{ id: head.value, position }]));
    if (open.length === 0) return;
    const newest = open.reduce((a, b) => (a.id > b.id ? a : b));
    if (newest.id !== last) yield newest.id;
    last = newest.id;
    heads[newest.position] = await sources[newest.position]!.next();
  }
};

/** The rows of these ids, in their order, as many at a time as one call can read. @param count number of rows that may be enough */
export const rowsOfIds = async function* <K extends Kind>(
  caller: Caller,
  kind: K,
  ids: AsyncIterable<string>,
  count = MAX_BATCH_KEYS,
): AsyncGenerator<Row<Resources[K]>> {
  const rows = withRows(caller, ids, (id) => [keys.one(caller, kind, id)], count);
  for await (const [, [row]] of rows) if (row) yield row;
};

/** Number of filters of a list's query. */
export const countFilters = (query: object): number =>
  Object.entries(query).filter(
    ([name, value]) => value !== undefined && name !== 'limit' && name !== 'cursor',
  ).length;
