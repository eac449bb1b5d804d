import type { Caller } from '../../base/caller.ts';
import { fold } from '../../base/text.ts';
import type { Location, LocationQuery } from '../../schemas/location.ts';
import { keys } from '../table/keys.ts';
import type { Listing } from '../table/listing.ts';
import * as pageEnds from '../table/page-ends.ts';
import type { PageStart } from '../table/page-ends.ts';
import { queryRows, type Row } from '../table/rows.ts';
import { findReserved } from '../table/unique.ts';
import { EXTERNAL_REF, KIND, locationRecords, toLocation } from './record.ts';

type LocationRow = Row<Location>;

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Location> =>
  toLocation(await locationRecords.get(caller, id));

/** Whether a location has what the query asks for. */
const filterOf = ({ q, client_account_id, source, status, updated_since }: LocationQuery) => {
  const part = q && fold(q);
  const since = updated_since && Date.parse(updated_since);
  return (location: Location): boolean =>
    (!part || fold(location.name).includes(part)) &&
    (!client_account_id || location.client_account_id === client_account_id) &&
    (!source || location.source === source) &&
    (!status || location.status === status) &&
    (!since || Date.parse(location.updated_at) >= since);
};

/** The rows that match, without the first `skip` of them. */
const matchingRows = async function* (
  rows: AsyncIterable<LocationRow>,
  query: LocationQuery,
  skip: number,
): AsyncGenerator<LocationRow> {
  const matches = filterOf(query);
  let skipped = 0;
  for await (const row of rows) {
    if (!matches(row)) continue;
    if (skipped === skip) yield row;
    else skipped += 1;
  }
};

const toLocations = async function* (rows: AsyncIterable<LocationRow>): AsyncGenerator<Location> {
  for await (const row of rows) yield toLocation(row);
};

/** The first `limit` rows, or all if there are fewer. */
export const firstRows = async (rows: AsyncIterable<LocationRow>, limit: number): Promise<LocationRow[]> => {
  const page: LocationRow[] = [];
  for await (const row of rows) if (page.push(row) === limit) break;
  return page;
};

/** The one location that has an external_ref, as a list. */
const listByRef = async (
  caller: Caller,
  externalRef: string,
  query: LocationQuery,
): Promise<Listing<Location>> => {
  const id = await findReserved(caller, EXTERNAL_REF, externalRef);
  const row = id ? await locationRecords.find(caller, id) : undefined;
  const found = row ? [toLocation(row)] : [];
  return { page: found.filter(filterOf(query)).slice(query.offset) };
};

/**
 * Locations in the order of their names: after `offset`, all or `limit` of them. Strongly consistent. A page that
 * starts where an earlier one ended reads only its own rows; any other page reads and skips those before it.
 */
export const list = async (caller: Caller, query: LocationQuery): Promise<Listing<Location>> => {
  const { limit, offset, q, client_account_id, source, status, external_ref, updated_since } = query;
  if (external_ref) return listByRef(caller, external_ref, query);
  const partition = keys.locationsByName(caller, client_account_id);
  const name = JSON.stringify([q, client_account_id, source, status]);
  const needsPageEnds = (limit !== undefined || offset > 0) && !updated_since;
  const start: PageStart = needsPageEnds ? await pageEnds.find(caller, KIND, name, offset) : { skip: offset };
  const pageSize = start.skip === 0 ? limit : undefined;
  const rows = matchingRows(
    queryRows(caller, { partition, after: start.after, pageSize }),
    query,
    start.skip,
  );
  if (limit === undefined) return { rows: toLocations(rows) };
  const page = await firstRows(rows, limit);
  if (page.length === limit && start.epoch !== undefined) {
    const end = { after: page.at(-1)!.sk, epoch: start.epoch };
    await pageEnds.remember(caller, name, offset + limit, end);
  }
  return { page: page.map(toLocation) };
};
