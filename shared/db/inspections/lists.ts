import type { Caller } from '../../base/caller.ts';
import { fold } from '../../base/fold.ts';
import {
  type Inspection,
  type InspectionFilters,
  InspectionStatus,
  type InspectionSummary,
} from '../../schemas/inspections/inspection.ts';
import { EXTERNAL_REF, toInspection, type StoredInspection } from '../inspection-core/record.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { countRows, getRows, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import { findReserved } from '../table/unique.ts';

const KIND = 'INSPECTION';

type Query = InspectionFilters & ListQuery;

/** Whether an inspection passes every filter that is given. */
const passes = (filters: Query): ((inspection: Inspection) => boolean) => {
  const { client_account_id, location_id, template_family_id, schedule_id, external_ref, overdue } = filters;
  const { due_after, due_before, completed_after, completed_before } = filters;
  const same = Object.entries({
    client_account_id,
    location_id,
    template_family_id,
    schedule_id,
    external_ref,
    is_overdue: overdue,
  }).filter(([, wanted]) => wanted !== undefined);
  const statuses = filters.status && new Set(filters.status);
  const since = filters.updated_since && new Date(filters.updated_since).toISOString();
  const text = filters.q && fold(filters.q);
  const isWithin = (time: string | null, from: string | undefined, before: string | undefined): boolean =>
    (from === undefined && before === undefined) ||
    (time !== null && (from === undefined || time >= from) && (before === undefined || time < before));

  return (inspection) =>
    same.every(([field, wanted]) => inspection[field as keyof Inspection] === wanted) &&
    (!statuses || statuses.has(inspection.status)) &&
    (filters.archived === undefined || (inspection.status === 'archived') === filters.archived) &&
    (filters.assignee_id === undefined ||
      inspection.participants.some(({ user_id }) => user_id === filters.assignee_id)) &&
    isWithin(inspection.due_at, due_after, due_before) &&
    isWithin(inspection.completed_at, completed_after, completed_before) &&
    (!since || inspection.updated_at >= since) &&
    (!text || String(inspection.number) === text || fold(inspection.name).includes(text));
};

/** Ids in descending order from several sources that each are, every one once. */
const merged = async function* (sources: AsyncGenerator<string>[]): AsyncGenerator<string> {
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

const one = async function* (id: string | undefined): AsyncGenerator<string> {
  if (id !== undefined) yield id;
};

/** The overdue ones stand in the order of their due times: all their ids are read, and put into that of the list. */
const overdueIds = async function* (caller: Caller, now: string): AsyncGenerator<string> {
  const { pk: partition } = keys.due(caller, now, '');
  const due = await Array.fromAsync(
    queryRows<{ inspection_id: string }>(caller, { partition, upTo: now }),
    ({ inspection_id }) => inspection_id,
  );
  yield* due.toSorted().toReversed();
};

/**
 * The ids among which the inspections of a filtered list are, newest first, from the narrowest membership there
 * is; undefined where only the whole list knows.
 * @param pageSize how many of them are enough, where no other filter takes some away
 */
const candidates = (
  caller: Caller,
  filters: Query,
  now: string,
  after: string | undefined,
  pageSize: number | undefined,
): AsyncGenerator<string> | undefined => {
  const idsOf = async function* (
    partition: string,
    index?: 'by_status' | 'by_client' | 'by_location' | 'by_family',
  ) {
    const rows = queryRows(caller, { partition, index, after, newestFirst: true, pageSize });
    for await (const { sk } of rows) yield sk;
  };
  const { external_ref, assignee_id, location_id, client_account_id, template_family_id, status } = filters;
  if (external_ref) {
    return (async function* () {
      yield* one(await findReserved(caller, EXTERNAL_REF, external_ref));
    })();
  }
  if (filters.overdue) return overdueIds(caller, now);
  if (assignee_id) return idsOf(keys.assignment(caller, assignee_id, '').pk);
  if (location_id) return idsOf(keys.inspectionsWith(caller, 'LOCATION', location_id), 'by_location');
  if (client_account_id) return idsOf(keys.inspectionsWith(caller, 'CLIENT', client_account_id), 'by_client');
  if (template_family_id)
    return idsOf(keys.inspectionsWith(caller, 'FAMILY', template_family_id), 'by_family');
  if (!status) return undefined;
  return merged(
    [...new Set(status)].map((each) => idsOf(keys.inspectionsWith(caller, 'STATUS', each), 'by_status')),
  );
};

/** BatchGetItem's limit. */
const MOST_ROWS = 100;

const rowsOf = async function* (
  caller: Caller,
  ids: AsyncIterable<string>,
  batchSize: number,
): AsyncGenerator<Row<StoredInspection>> {
  let batch: string[] = [];
  const read = () =>
    getRows<StoredInspection>(
      caller,
      batch.map((id) => keys.one(caller, KIND, id)),
    );
  for await (const id of ids) {
    batch.push(id);
    if (batch.length < batchSize) continue;
    yield* (await read()).filter((row) => row !== undefined);
    batch = [];
  }
  if (batch.length > 0) yield* (await read()).filter((row) => row !== undefined);
};

/**
 * Inspections that pass the filters, newest first: the rows themselves are read strongly consistent and judged
 * again, wherever their ids came from.
 */
const found = async function* (caller: Caller, filters: Query, after?: string): AsyncGenerator<Inspection> {
  const now = new Date().toISOString();
  const isWanted = passes(filters);
  const pageSize = filters.limit === undefined ? undefined : filters.limit + 1;
  const ids = candidates(caller, filters, now, after, filtersOf(filters) === 1 ? pageSize : undefined);
  const rows = ids
    ? rowsOf(caller, ids, Math.min(pageSize ?? MOST_ROWS, MOST_ROWS))
    : queryRows<StoredInspection>(caller, {
        partition: keys.all(caller, KIND),
        after,
        newestFirst: true,
        pageSize: filtersOf(filters) === 0 ? pageSize : undefined,
      });
  for await (const row of rows) {
    const inspection = toInspection(withoutKeys(row), now);
    if ((after === undefined || row.id < after) && isWanted(inspection)) yield inspection;
  }
};

/** By how many filters a list is narrowed. */
const filtersOf = ({ limit: _limit, cursor: _cursor, ...filters }: Query): number =>
  Object.values(filters).filter((filter) => filter !== undefined).length;

const listed = (caller: Caller, name: string, query: Query): Promise<Listing<Inspection>> =>
  listing(
    caller,
    name,
    query,
    found(caller, query, readCursor(caller, name, query)),
    ({ id }) => id,
    (inspection) => inspection,
  );

/** Newest first. @throws ApiError 422 for a cursor of another list */
export const listInspections = async (caller: Caller, query: Query): Promise<Listing<Inspection>> =>
  listed(caller, KIND, query);

/** Those that the caller takes part in, newest first. @throws ApiError 422 for a cursor of another list */
export const listAssigned = async (
  caller: Caller,
  query: Omit<Query, 'assignee_id'>,
): Promise<Listing<Inspection>> => listed(caller, 'ASSIGNED', { ...query, assignee_id: caller.user_id });

const NONE: InspectionSummary = {
  scheduled: 0,
  in_progress: 0,
  pending_approval: 0,
  pending_sign_off: 0,
  completed: 0,
  archived: 0,
  overdue: 0,
  total: 0,
};

/** From the sharded counters, and the due ones up to now: what it costs grows with the overdue ones alone. */
const countAll = async (caller: Caller): Promise<InspectionSummary> => {
  const { pk: counters } = keys.counter(caller, KIND, '');
  const now = new Date().toISOString();
  const { pk: due } = keys.due(caller, now, '');
  const [shards, overdue] = await Promise.all([
    Array.fromAsync(queryRows<Partial<Record<InspectionStatus, number>>>(caller, { partition: counters })),
    countRows(caller, { partition: due, upTo: now }),
  ]);
  const summary = { ...NONE, overdue };
  for (const shard of shards) {
    for (const status of InspectionStatus.options) {
      const count = shard[status] ?? 0;
      summary[status] += count;
      summary.total += count;
    }
  }
  return summary;
};

/** How many inspections pass the filters, by status. */
export const summarizeInspections = async (
  caller: Caller,
  filters: InspectionFilters,
): Promise<InspectionSummary> => {
  if (filtersOf(filters) === 0) return countAll(caller);
  const summary = { ...NONE };
  for await (const { status, is_overdue } of found(caller, filters)) {
    summary[status] += 1;
    summary.total += 1;
    if (is_overdue) summary.overdue += 1;
  }
  return summary;
};
