import type { Caller } from '../base/caller.ts';
import type { Kind, Resources } from './entities/kinds.ts';
import { keys } from './keys.ts';
import type { ListQuery } from './listing.ts';
import { MAX_BATCH_KEYS, queryRows, type Row, type RowQuery, withRows } from './rows.ts';
import { findReserved } from './unique.ts';

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

/** The id of the row with an external_ref, if there is one. @param what as its reservation names it */
export const idByExternalRef = async function* (
  caller: Caller,
  what: string,
  externalRef: string,
): AsyncGenerator<string> {
  const id = await findReserved(caller, what, externalRef);
  if (id !== undefined) yield id;
};

/** Ids newest first, from rows in another order. So all of these rows are read. */
export const newestIds = async function* <Resource>(
  rows: AsyncIterable<Resource>,
  idOf: (row: Resource) => string,
): AsyncGenerator<string> {
  const ids = await Array.fromAsync(rows, idOf);
  yield* ids.toSorted().toReversed();
};

/** The ids of the rows in a list or an index whose sort keys are ids, behind a prefix if there is one. */
export type IdsOf = (
  partition: RowQuery['partition'],
  index?: RowQuery['index'],
  prefix?: string,
) => AsyncGenerator<string>;

/**
 * The rows that a filtered list may hold, newest first.
 * @param filters of the list; `limit` bounds what is read, where no further filter can drop a row
 * @param after the id that the page before ended with
 * @param candidates ids that include all rows of the list; undefined when the whole list has to be read
 */
export const candidateRows = async function* <K extends Kind>(
  caller: Caller,
  kind: K,
  filters: ListQuery,
  after: string | undefined,
  candidates: (idsOf: IdsOf) => AsyncGenerator<string> | undefined,
): AsyncGenerator<Row<Resources[K]>> {
  const count = countFilters(filters);
  const pageSize = filters.limit === undefined ? undefined : filters.limit + 1;
  const idsOf: IdsOf = async function* (partition, index, prefix) {
    const rows = queryRows(caller, {
      partition,
      index,
      prefix,
      after: after && `${prefix ?? ''}${after}`,
      newestFirst: true,
      pageSize: count === 1 ? pageSize : undefined,
    });
    for await (const { sk } of rows) yield sk.slice(prefix?.length);
  };
  const ids = candidates(idsOf);
  if (!ids) {
    const partition = keys.all(caller, kind);
    const size = count === 0 ? pageSize : undefined;
    yield* queryRows(caller, { partition, after, newestFirst: true, pageSize: size });
    return;
  }
  for await (const row of rowsOfIds(caller, kind, ids, pageSize)) {
    if (after === undefined || row.sk < after) yield row;
  }
};

/** The rows of these ids, in their order, as many at a time as one call can read. @param count number of rows that may be enough */
const rowsOfIds = async function* <K extends Kind>(
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
