import type * as z from 'zod';
import type { Caller } from '../../base/caller.ts';
import { type Presented, projectionOf } from '../../schemas/projection.ts';
import type { ByPerson, Recorded } from './entities/recorded.ts';
import type { Range } from './keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from './listing.ts';
import { queryRows, type RowQuery } from './rows.ts';

/** An entry of a history as clients see it. */
export const shownEntry = <Entry extends ByPerson>(
  schema: z.ZodType<Entry>,
  entry: Recorded<Entry>,
): Presented<Entry> =>
  // The two differ in this field alone, which the compiler does not follow through a type parameter.
  projectionOf(schema)({ acted_via_key_id: null, ...entry }) as Presented<Entry>;

/** All entries of a history, or those that `where` selects. */
type HistoryRows<Entry extends object> = Range<Entry> & Pick<RowQuery<Entry>, 'where'>;

/**
 * The history of a resource, oldest first.
 * @param schema of an entry
 * @param name of the list, for its cursors
 * @param expectResource throws when the resource does not exist
 * @throws ApiError 422 for a cursor of another list; what `expectResource` throws
 */
export const listHistory = async <Entry extends ByPerson>(
  caller: Caller,
  schema: z.ZodType<Entry>,
  name: string,
  entries: HistoryRows<Recorded<Entry> & { updated_at: string }>,
  query: ListQuery,
  expectResource: () => Promise<unknown>,
): Promise<Listing<Entry>> => {
  const after = readCursor(caller, name, query);
  await expectResource();
  const rows = queryRows(caller, { ...entries, after, updatedSince: query.updated_since });
  return listing(
    caller,
    name,
    query,
    rows,
    ({ sk }) => sk,
    (row) => shownEntry(schema, row),
  );
};
