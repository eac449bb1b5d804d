import type { Caller } from '../base/caller.ts';
import { inspectsAssets } from '../domain/schedules/assets.ts';
import { wordFilter } from '../domain/words.ts';
import { assetRecords } from '../places/assets/records.ts';
import { locationRecords } from '../places/locations/records.ts';
import { locationsAbove } from '../places/locations/tree.ts';
import type { Schedule, ScheduleQuery } from '../schemas/schedules/schedule.ts';
import type { StoredFamily } from '../table/entities/inspections.ts';
import type { StoredSchedule } from '../table/entities/schedules.ts';
import { type Key, keys } from '../table/keys.ts';
import { kept, type Listing, listing, readCursor } from '../table/listing.ts';
import {
  countRows,
  getRows,
  MAX_BATCH_KEYS,
  queryRows,
  type Row,
  withoutKeys,
  withRows,
} from '../table/rows.ts';
import { findReserved } from '../table/unique.ts';
import { positionBy, rowsByWord } from '../table/words.ts';
import { familyRecords } from '../templates/family-records.ts';
import { includes, inspects } from './many-places.ts';
import { EXTERNAL_REF, KIND, scheduleRecords, toSchedule } from './records.ts';

type Families = Map<string, Pick<StoredFamily, 'archived_at'> | undefined>;

/** Reads the schedules' families that are not known yet. */
const readFamilies = async (
  caller: Caller,
  schedules: readonly StoredSchedule[],
  known: Families,
): Promise<void> => {
  const ids = [...new Set(schedules.map(({ template_family_id }) => template_family_id))].filter(
    (id) => !known.has(id),
  );
  const rows = await getRows(
    caller,
    ids.map((id) => familyRecords.key(caller, id)),
  );
  for (const [position, id] of ids.entries()) {
    const row = rows[position];
    known.set(id, row && { archived_at: row.archived_at });
  }
};

/**
 * Schedules as they are sent to clients. Each family is read once, in batches.
 * @param count how many schedules the caller takes at most
 */
export const withFamilies = async function* (
  caller: Caller,
  rows: AsyncIterable<Row<StoredSchedule>>,
  count = Infinity,
): AsyncGenerator<{ stored: StoredSchedule; schedule: Schedule }> {
  const families: Families = new Map();
  let batch: StoredSchedule[] = [];
  const ofBatch = async function* () {
    await readFamilies(caller, batch, families);
    for (const stored of batch) {
      yield { stored, schedule: toSchedule(stored, families.get(stored.template_family_id)) };
    }
    batch = [];
  };
  for await (const row of rows) {
    batch.push(withoutKeys(row));
    if (batch.length >= Math.min(count, MAX_BATCH_KEYS)) yield* ofBatch();
  }
  if (batch.length > 0) yield* ofBatch();
};

/** The filters of a list that the query of the rows does not apply, but that of locations. */
const filterOf = ({ status, assignee_id, has_problems, q }: ScheduleQuery) => {
  const statuses = status && new Set(status);
  const hasWords = wordFilter(q);
  return (schedule: Schedule): boolean =>
    (!statuses || statuses.has(schedule.status)) &&
    (has_problems === undefined || schedule.problems.length > 0 === has_problems) &&
    (assignee_id === undefined || schedule.assignee_ids.includes(assignee_id)) &&
    hasWords(schedule);
};

/** Whether a schedule has a location. Some calls for the location, and one for each schedule with listed `places`. */
const atLocation = async (
  caller: Caller,
  id: string | undefined,
): Promise<(schedule: StoredSchedule) => Promise<boolean>> => {
  if (id === undefined) return () => Promise.resolve(true);
  const location = await locationRecords.find(caller, id);
  const standing = location && { location, above: await locationsAbove(caller, location) };
  return (schedule) => includes(caller, schedule, id, standing);
};

/** Whether a schedule has an asset. Some calls for its location, and for each schedule with a filter of regions. */
const ofAsset = async (
  caller: Caller,
  id: string | undefined,
): Promise<(schedule: StoredSchedule) => Promise<boolean>> => {
  if (id === undefined) return () => Promise.resolve(true);
  const asset = await assetRecords.find(caller, id);
  if (!asset) return () => Promise.resolve(false);
  const location =
    asset.location_id === null ? undefined : await locationRecords.find(caller, asset.location_id);
  const standing = location && { location, above: await locationsAbove(caller, location) };
  return async (schedule) => inspectsAssets(schedule) && inspects(caller, schedule, asset, standing);
};

const filtered = async function* (
  schedules: AsyncIterable<{ stored: StoredSchedule; schedule: Schedule }>,
  isWanted: (schedule: Schedule) => boolean,
  isThere: (schedule: StoredSchedule) => Promise<boolean>,
): AsyncGenerator<Schedule> {
  for await (const { stored, schedule } of schedules) {
    if (isWanted(schedule) && (await isThere(stored))) yield schedule;
  }
};

/** The rows that a query finds, before the other filters. @param after of the schedule before the first one */
const rowsOf = async function* (
  caller: Caller,
  { template_family_id: family, client_account_id: client, external_ref, updated_since }: ScheduleQuery,
  after: string | undefined,
): AsyncGenerator<Row<StoredSchedule>> {
  const id = external_ref && ((await findReserved(caller, EXTERNAL_REF, external_ref)) ?? 'none');
  yield* queryRows(caller, {
    partition: keys.all(caller, KIND),
    ...(id ? { prefix: id } : { after }),
    updatedSince: updated_since,
    where: {
      template_family_id: family === undefined ? undefined : [family],
      client_account_id: client === undefined ? undefined : [client],
    },
  });
};

/** The same, of rows that another list has found. */
const isOfRows =
  ({
    template_family_id: family,
    client_account_id: client,
    external_ref,
    updated_since = '',
  }: ScheduleQuery) =>
  (row: StoredSchedule): boolean =>
    (family === undefined || row.template_family_id === family) &&
    (client === undefined || row.client_account_id === client) &&
    (external_ref === undefined || row.external_ref === external_ref) &&
    row.updated_at >= updated_since;

/** The schedules for which something is missing: two calls for each hundred of these. */
const incompleteRowsOf = async function* (
  caller: Caller,
  { limit }: ScheduleQuery,
  after: string | undefined,
): AsyncGenerator<Row<StoredSchedule>> {
  const count = limit && limit + 1;
  const found = queryRows(caller, {
    partition: keys.incompleteSchedule.partition(caller),
    after,
    pageSize: count,
  });
  const keysOf = ({ sk }: Key): [Key<StoredSchedule>] => [scheduleRecords.key(caller, sk)];
  for await (const [, [row]] of withRows(caller, found, keysOf, count)) if (row) yield row;
};

/** In creation order, or in the order of the words that were found. @throws ApiError 422 for a cursor of another list */
export const list = async (caller: Caller, query: ScheduleQuery): Promise<Listing<Schedule>> => {
  const { has_problems, external_ref, limit } = query;
  const after = readCursor(caller, KIND, query);
  const q = has_problems || external_ref ? undefined : query.q;
  const candidates = () => {
    if (q === undefined) return incompleteRowsOf(caller, query, after);
    return rowsByWord(caller, KIND, q, after, limit);
  };
  const rows =
    has_problems || q !== undefined ? kept(candidates(), isOfRows(query)) : rowsOf(caller, query, after);
  const schedules = withFamilies(caller, rows, limit && limit + 1);
  const isAt = await atLocation(caller, query.location_id);
  const isOf = await ofAsset(caller, query.asset_id);
  return listing(
    caller,
    KIND,
    query,
    filtered(schedules, filterOf(query), async (schedule) => (await isAt(schedule)) && isOf(schedule)),
    positionBy(q),
    (schedule) => schedule,
  );
};

/**
 * The schedules that have `problems`: their number, and the first ones in creation order.
 * @param most where counting ends
 */
export const incomplete = async (
  caller: Caller,
  { most, limit }: { most: number; limit: number },
): Promise<{ count: number; first: Schedule[] }> => {
  const [count, listed] = await Promise.all([
    countRows(caller, { partition: keys.incompleteSchedule.partition(caller) }, most),
    list(caller, { has_problems: true, limit }),
  ]);
  return { count, first: 'page' in listed ? listed.page : [] };
};
