import type { Caller } from '../../base/caller.ts';
import { SourceRow, type SourceRowQuery } from '../../schemas/integrations/source.ts';
import { present } from '../../schemas/projection.ts';
import type { SyncedItem } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { queryRows } from '../table/rows.ts';
import { readSource } from './record.ts';

const toSourceRow = (item: SyncedItem): SourceRow =>
  present(SourceRow, item, {
    // An option has no resource of its own.
    resource_id: item.option ? null : item.resource_id,
    option: item.option ?? null,
  });

/** The rows that have come from a source, in the order of their keys. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  sourceId: string,
  query: SourceRowQuery,
): Promise<Listing<SourceRow>> => {
  await readSource(caller, sourceId, false);
  const { is_active } = query;
  const name = `ROW ${sourceId}`;
  const rows = queryRows(caller, {
    ...keys.parts(caller, 'SOURCE', sourceId, 'ROW'),
    after: readCursor(caller, name, query),
    updatedSince: query.updated_since,
    where: { is_active: is_active === undefined ? undefined : [is_active] },
  });
  return listing(caller, name, query, rows, ({ sk }) => sk, toSourceRow);
};
