import type { Caller } from '../../base/caller.ts';
import type { ByPerson, Recorded } from './entities/recorded.ts';
import type { Range } from './keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from './listing.ts';
import { queryRows, type RowQuery, withoutKeys } from './rows.ts';

/** An entry of a history as clients see it. */
export const shownEntry = <Entry extends ByPerson>(entry: Recorded<Entry>): Entry =>
  // The two differ in this field alone, which the compiler does not follow through a type parameter.
  ({ acted_via_key_id: null, ...entry }) as ByPerson as Entry;

/** All entries of a history, or those that `where` selects. */
type HistoryRows<Entry extends object> = Range<Entry> & Pick<RowQuery<Entry>, 'where'>;

/**
 * The history of a resource, oldest first.
 * @param name of the list, for its cursors
 * @param expectResource throws when the resource does not exist
 * @throws ApiError 422 for a cursor of another list; what `expectResource` throws
 */
export const listHistory = async <Entry extends ByPerson>(
  caller: Caller,
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
    (row) => {
      const { updated_at: _, ...entry } = withoutKeys(row);
      return shownEntry<Entry>(entry as unknown as Recorded<Entry>);
    },
  );
};
