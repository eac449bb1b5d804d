import { type Caller, seesOnlyOwn } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { fold } from '../base/text.ts';
import { concerns, decidersOf, isOpen } from '../domain/inspections/workflow.ts';
import { hasLabels, ofAsset, wanted as wantedLabels } from '../domain/labels.ts';
import { MAX_MERGED, placesOf } from '../places/locations/places.ts';
import { InspectionActivity, type InspectionActivityQuery } from '../schemas/inspections/activity.ts';
import { type FieldFor, fieldsFor } from '../schemas/inspections/fields.ts';
import {
  type Inspection,
  type InspectionFilters,
  type InspectionListFilters,
  InspectionStatus,
  type InspectionSummary,
} from '../schemas/inspections/inspection.ts';
import type { Presented } from '../schemas/projection.ts';
import {
  candidateRows,
  countFilters,
  idByExternalRef,
  type IdsOf,
  mergedIds,
  newestIds,
} from '../table/candidates.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { listHistory, type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { countRows, queryRows, type Row, withRows } from '../table/rows.ts';
import type { IndexName } from '../table/table.ts';
import { EXTERNAL_REF, inspectionRecords, toInspection } from './rows/inspection-records.ts';

const KIND = 'INSPECTION';

type Query = InspectionListFilters & ListQuery & { sort?: '-created_at' | 'due_at' | '-due_at' | undefined };

/** The status of inspections that wait for their approver. */
const WAITING = 'pending_approval';

/** The test of each filter. Other filters compare the field of the same name. */
const TESTS: {
  [Name in Exclude<keyof InspectionListFilters, FieldFor<'filter'> | 'within' | 'region_id'>]-?: (
    inspection: Inspection,
    wanted: NonNullable<InspectionListFilters[Name]>,
    stored: StoredInspection,
  ) => boolean;
} = {
  status: ({ status }, wanted) => wanted.includes(status),
  assignee_id: ({ participants }, wanted) => participants.some(({ user_id }) => wanted.includes(user_id)),
  approver_id: ({ status }, wanted, stored) => status === WAITING && decidersOf(stored).includes(wanted),
  result: ({ score }, wanted) => score?.result === wanted,
  score_min: ({ score }, least) => typeof score?.percentage === 'number' && score.percentage >= least,
  score_max: ({ score }, most) => typeof score?.percentage === 'number' && score.percentage <= most,
  scheduled_after: ({ scheduled_for: at }, from) => at !== null && at >= from,
  scheduled_before: ({ scheduled_for: at }, before) => at !== null && at < before,
  due_after: ({ due_at }, from) => due_at !== null && due_at >= from,
  due_before: ({ due_at }, before) => due_at !== null && due_at < before,
  completed_after: ({ completed_at }, from) => completed_at !== null && completed_at >= from,
  completed_before: ({ completed_at }, before) => completed_at !== null && completed_at < before,
  overdue: ({ is_overdue }, wanted) => is_overdue === wanted,
  archived: ({ status }, wanted) => (status === 'archived') === wanted,
  tag: (inspection, tag) => hasLabels(inspection, wantedLabels({ tag })),
  metadata: (inspection, metadata) => hasLabels(inspection, wantedLabels({ metadata })),
  q: ({ number, name, external_ref }, text) =>
    String(number) === fold(text) ||
    fold(name).includes(fold(text)) ||
    fold(external_ref ?? '').startsWith(fold(text)),
};

/** Whether an inspection passes all given filters. @param places what the filters by place name */
const filterOf = (
  filters: Query,
  places: ReadonlySet<string> | undefined,
): ((inspection: Inspection, stored: StoredInspection) => boolean) => {
  const equal = fieldsFor('filter').filter((name) => filters[name] !== undefined);
  const tested = (Object.keys(TESTS) as (keyof typeof TESTS)[]).filter((name) => filters[name] !== undefined);
  const since = filters.updated_since && new Date(filters.updated_since).toISOString();
  return (inspection, stored) =>
    equal.every((name) => [filters[name]].flat().includes(inspection[name]!)) &&
    (!places || (inspection.location_id !== null && places.has(inspection.location_id))) &&
    tested.every((name) => TESTS[name](inspection, filters[name] as never, stored)) &&
    (!since || inspection.updated_at >= since);
};

/** The ids that belong to any of several values, newest first. */
const anyId = (values: Iterable<string>, idsFor: (value: string) => AsyncGenerator<string>) =>
  mergedIds(Array.from(new Set(values), idsFor));

/** The ids of all inspections that may pass the filters, from the most selective list or index for these. */
const candidatesOf =
  (caller: Caller, filters: Query, places: ReadonlySet<string> | undefined, now: string) =>
  (idsOf: IdsOf): AsyncGenerator<string> | undefined => {
    const { external_ref, assignee_id, client_account_id, template_family_id, status } = filters;
    if (external_ref) return idByExternalRef(caller, EXTERNAL_REF, external_ref);
    if (filters.reinspection_of_id) {
      const rows = queryRows(caller, keys.reinspection.range(caller, filters.reinspection_of_id));
      return newestIds(rows, ({ sk }) => sk.split('#')[1]!);
    }
    if (filters.schedule_id) {
      const starts = queryRows(caller, keys.parts(caller, 'SCHEDULE', filters.schedule_id, 'STARTS'));
      return newestIds(starts, ({ inspection_id }) => inspection_id);
    }
    if (filters.is_overdue ?? filters.overdue) {
      const due = queryRows(caller, { partition: keys.due.partition(caller), upTo: now });
      return newestIds(due, ({ inspection_id }) => inspection_id);
    }
    const [labels] = [
      ...(filters.asset_id ? [[filters.asset_id].flat().map(ofAsset)] : []),
      ...wantedLabels(filters),
    ];
    if (labels) {
      const ranges = labels.map((label) => keys.inspectionWith.range(caller, label));
      return mergedIds(ranges.map(({ partition, prefix }) => idsOf(partition, undefined, prefix)));
    }
    if (assignee_id) return anyId(assignee_id, (id) => idsOf(keys.assignment.partition(caller, id)));
    if (filters.approver_id) return idsOf(keys.inspectionsWith(caller, 'STATUS', WAITING), 'by_status');
    const of = (by: 'LOCATION' | 'CLIENT' | 'FAMILY', index: IndexName, ids: Iterable<string>) =>
      anyId(ids, (id) => idsOf(keys.inspectionsWith(caller, by, id), index));
    if (places && places.size <= MAX_MERGED) return of('LOCATION', 'by_location', places);
    if (client_account_id) return of('CLIENT', 'by_client', client_account_id);
    if (template_family_id) return of('FAMILY', 'by_family', template_family_id);
    if (!status) return undefined;
    return anyId(status, (each) => idsOf(keys.inspectionsWith(caller, 'STATUS', each), 'by_status'));
  };

/** Inspections with a due date that are open, in its order. Where it has changed meanwhile, the inspection is left out. */
const byDueDate = async function* (
  caller: Caller,
  { limit, sort }: Query,
  after: string | undefined,
): AsyncGenerator<Row<StoredInspection>> {
  const partition = keys.due.partition(caller);
  const count = limit && limit + 1;
  const due = queryRows(caller, {
    partition,
    after,
    newestFirst: sort === '-due_at',
    pageSize: count,
  });
  const rows = withRows(caller, due, ({ inspection_id: id }) => [inspectionRecords.key(caller, id)], count);
  for await (const [{ sk }, [inspection]] of rows)
    if (inspection && isOpen(inspection.status) && positionOf(sort)(inspection) === sk) yield inspection;
};

/** Where an inspection stands in an order. */
const positionOf =
  (sort: Query['sort']) =>
  ({ id, due_at }: Pick<Inspection, 'id' | 'due_at'>): string =>
    sort === 'due_at' || sort === '-due_at' ? `${due_at}#${id}` : id;

/** Inspections that pass the filters, newest first unless the query has another order. */
const findInspections = async function* (
  caller: Caller,
  query: Query,
  after?: string,
): AsyncGenerator<Inspection> {
  const filters = query.approver_id === 'me' ? { ...query, approver_id: caller.user_id } : query;
  const now = new Date().toISOString();
  const places = await placesOf(caller, filters);
  const isWanted = filterOf(filters, places);
  const rows =
    query.sort === 'due_at' || query.sort === '-due_at'
      ? byDueDate(caller, query, after)
      : candidateRows(caller, KIND, filters, after, candidatesOf(caller, filters, places, now));
  for await (const row of rows) {
    const inspection = toInspection(row, now);
    if (isWanted(inspection, row)) yield inspection;
  }
};

const listBy = (caller: Caller, name: string, query: Query): Promise<Listing<Inspection>> =>
  listing(
    caller,
    name,
    query,
    findInspections(caller, query, readCursor(caller, name, query)),
    positionOf(query.sort),
    (inspection) => inspection,
  );

/** The filters of a selection as those of a list. */
const severalOf = ({
  client_account_id: client,
  location_id: location,
  asset_id: asset,
  template_family_id: family,
  assignee_id: assignee,
  source,
  ...filters
}: InspectionFilters): InspectionListFilters => ({
  ...filters,
  ...(client && { client_account_id: [client] }),
  ...(location && { location_id: [location] }),
  ...(asset && { asset_id: [asset] }),
  ...(family && { template_family_id: [family] }),
  ...(assignee && { assignee_id: [assignee] }),
  ...(source && { source: [source] }),
});

/** The ids of inspections that pass the filters, newest first. @param most the maximum number of ids */
export const selectIds = async (
  caller: Caller,
  filters: InspectionFilters,
  most: number,
): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of findInspections(caller, severalOf(filters))) {
    ids.push(id);
    if (ids.length === most) break;
  }
  return ids;
};

/** An inspection. @throws ApiError 404, also for one that the caller may not see */
export const show = async (caller: Caller, id: string): Promise<Presented<Inspection>> => {
  const inspection = await inspectionRecords.get(caller, id);
  if (seesOnlyOwn(caller) && !concerns(caller.user_id, inspection))
    throw errors.notFound(inspectionRecords.noun);
  return toInspection(inspection, new Date().toISOString());
};

/**
 * Newest first. Who sees only what is their own gets those that await their decision.
 * @throws ApiError 422 for a cursor of another list
 */
export const list = async (caller: Caller, query: Query): Promise<Listing<Inspection>> =>
  listBy(caller, KIND, seesOnlyOwn(caller) ? { ...query, approver_id: 'me' } : query);

/** The inspections that the caller participates in, newest first. @throws ApiError 422 for a cursor of another list */
export const listAssigned = async (
  caller: Caller,
  query: Omit<Query, 'assignee_id'>,
): Promise<Listing<Inspection>> => listBy(caller, 'ASSIGNED', { ...query, assignee_id: [caller.user_id] });

const EMPTY_SUMMARY: InspectionSummary = {
  scheduled: 0,
  in_progress: 0,
  pending_approval: 0,
  pending_sign_off: 0,
  completed: 0,
  archived: 0,
  overdue: 0,
  total: 0,
};

/**
 * The summary without filters, from the sharded counters. Only overdue inspections are counted one by one.
 * @param mostOverdue where counting them ends
 */
export const countAll = async (caller: Caller, mostOverdue?: number): Promise<InspectionSummary> => {
  const now = new Date().toISOString();
  const [shards, overdue] = await Promise.all([
    Array.fromAsync(queryRows(caller, { partition: keys.counter.partition(caller, KIND) })),
    countRows(caller, { partition: keys.due.partition(caller), upTo: now }, mostOverdue),
  ]);
  const summary = { ...EMPTY_SUMMARY, overdue };
  for (const shard of shards) {
    for (const status of InspectionStatus.options) {
      const count = shard[status] ?? 0;
      summary[status] += count;
      summary.total += count;
    }
  }
  return summary;
};

/** Number of inspections that pass the filters, by status. */
export const summary = async (caller: Caller, filters: InspectionListFilters): Promise<InspectionSummary> => {
  if (countFilters(filters) === 0) return countAll(caller);
  const summary = { ...EMPTY_SUMMARY };
  for await (const { status, is_overdue } of findInspections(caller, filters)) {
    summary[status] += 1;
    summary.total += 1;
    if (is_overdue) summary.overdue += 1;
  }
  return summary;
};

/** The inspection's history, oldest first. @throws ApiError 404 */
export const listActivity = (
  caller: Caller,
  id: string,
  query: InspectionActivityQuery,
): Promise<Listing<InspectionActivity>> => {
  const { correction_id } = query;
  return listHistory(
    caller,
    InspectionActivity,
    `INSPECTION_ACTIVITY ${id}`,
    {
      ...keys.parts(caller, 'INSPECTION', id, 'INSPECTION_ACTIVITY'),
      where: { correction_id: correction_id === undefined ? undefined : [correction_id] },
    },
    query,
    () => inspectionRecords.get(caller, id),
  );
};
