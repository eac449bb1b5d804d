import { batchesOf } from '../../base/batches.ts';
import type { Caller } from '../../base/caller.ts';
import { pick } from '../../base/fields.ts';
import { inspectionRecords } from '../../inspections/rows/inspection-records.ts';
import { includes, isIn, periodOf } from '../../inspections/rows/part-lists.ts';
import { placeKeys, PresentNames } from '../../inspections/rows/present-names.ts';
import { placesOf } from '../../places/locations/places.ts';
import { MAX_PAGE } from '../../schemas/common.ts';
import { present } from '../../schemas/projection.ts';
import { type AllReportsQuery, ListedReport } from '../../schemas/reports/report.ts';
import { countFilters } from '../../table/candidates.ts';
import type { ReportCount, StoredInspection, StoredReport } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, readCursor, writeCursor } from '../../table/listing.ts';
import { queryRows, readRows, withRows } from '../../table/rows.ts';
import { toReport } from './reports.ts';

const LIST = 'ALL_REPORT';

/** Reports that a page searches where its filters have no index. A client may follow with the next page. */
export const MAX_SEARCHED = 300;

/** Rows of a list whose names are read together. */
const READ_TOGETHER = 50;

/** A report with the rows that say how it is shown. */
interface FoundReport {
  report: StoredReport;
  inspection: StoredInspection;
  count: ReportCount;
}

/**
 * The ids of reports and of their inspections, newest first, that pass the filters which have an index.
 * @param pageSize the number of reports that may be enough
 */
const pointersOf = async function* (
  caller: Caller,
  query: AllReportsQuery,
  cursor: string | undefined,
  pageSize: number | undefined,
): AsyncGenerator<string> {
  const { after, from } = periodOf(query, cursor);
  const { partition, prefix } =
    query.inspection_id === undefined
      ? { partition: keys.reference.partition(caller, 'REPORT'), prefix: '' }
      : keys.parts(caller, 'INSPECTION', query.inspection_id, 'REPORT');
  const rows = queryRows<{ inspection_id: string }>(caller, {
    partition,
    ...(prefix && { prefix }),
    after: after && `${prefix}${after}`,
    newestFirst: true,
    pageSize,
    only: ['inspection_id'],
  });
  for await (const { sk, inspection_id } of rows) {
    const id = sk.slice(prefix.length);
    if (from !== undefined && id < from) return;
    yield `${id} ${inspection_id}`;
  }
};

/** The rows of the reports, in their order; undefined for one that was deleted meanwhile. */
const rowsOf = async function* (
  caller: Caller,
  pointers: AsyncIterable<string>,
  count: number | undefined,
): AsyncGenerator<{ id: string; found: FoundReport | undefined }> {
  const read = withRows(
    caller,
    pointers,
    (pointer) => {
      const [id = '', inspectionId = ''] = pointer.split(' ');
      return [
        keys.child(caller, inspectionId, 'REPORT', id),
        inspectionRecords.key(caller, inspectionId),
        keys.reportCount(caller, inspectionId),
      ] as const;
    },
    count,
  );
  for await (const [pointer, [report, inspection, reportCount]] of read)
    yield {
      id: pointer.split(' ')[0]!,
      found: report && inspection && reportCount && { report, inspection, count: reportCount },
    };
};

/** Shows reports with the present names of what they belong to. One call per 100 names that were not read yet. */
class Shown {
  readonly #names = new PresentNames();

  async of(caller: Caller, found: readonly FoundReport[]): Promise<ListedReport[]> {
    const unknown = this.#names.unknown(found.flatMap(({ inspection }) => placeKeys(caller, inspection)));
    this.#names.learn(unknown, await readRows(caller, unknown));
    return found.map(({ report, inspection, count }) =>
      present(ListedReport, {
        ...toReport(report, inspection, count),
        ...this.#names.around(caller, inspection),
        inspection: pick(inspection, ['id', 'number', 'name']),
      }),
    );
  }
}

const isCreatedIn = ({ created_after, created_before }: AllReportsQuery, { report }: FoundReport): boolean =>
  isIn(report.created_at, created_after, created_before);

/** The reports that the indexed filters select, newest first. */
const selected = async function* (
  caller: Caller,
  query: AllReportsQuery,
  cursor: string | undefined,
  count: number | undefined,
): AsyncGenerator<FoundReport> {
  for await (const { found } of rowsOf(caller, pointersOf(caller, query, cursor, count), count))
    if (found && isCreatedIn(query, found)) yield found;
};

/** All reports that the indexed filters select, as they are shown. */
const findAll = async function* (
  caller: Caller,
  query: AllReportsQuery,
  cursor: string | undefined,
): AsyncGenerator<ListedReport> {
  const count = query.limit === undefined ? undefined : query.limit + 1;
  const shown = new Shown();
  const together = Math.min(count ?? READ_TOGETHER, READ_TOGETHER);
  for await (const batch of batchesOf(selected(caller, query, cursor, count), together))
    yield* await shown.of(caller, batch);
};

/** Whether a filter is set that has no index. */
const isSearch = (query: AllReportsQuery): boolean =>
  countFilters({
    ...query,
    inspection_id: undefined,
    created_after: undefined,
    created_before: undefined,
  }) > 0;

/** A page of the reports that pass all filters, among the next ones that a page searches. */
const search = async (
  caller: Caller,
  query: AllReportsQuery,
  cursor: string | undefined,
): Promise<Listing<ListedReport>> => {
  const { limit = MAX_PAGE, client_account_id, template_family_id, asset_id, status, updated_since } = query;
  const places = await placesOf(caller, query);
  const isWanted = (found: FoundReport): boolean => {
    const { report, inspection } = found;
    return (
      includes(client_account_id, inspection.client_account_id) &&
      includes(template_family_id, inspection.template_family_id) &&
      includes(asset_id, inspection.asset_id) &&
      includes(status, report.status) &&
      (!places || (inspection.location_id !== null && places.has(inspection.location_id))) &&
      isIn(report.updated_at, updated_since, undefined) &&
      isCreatedIn(query, found)
    );
  };
  const wanted: FoundReport[] = [];
  const shown = () => new Shown().of(caller, wanted);
  let searched = 0;
  let last = '';
  const most = MAX_SEARCHED + 1;
  for await (const { id, found } of rowsOf(caller, pointersOf(caller, query, cursor, most), most)) {
    if (wanted.length === limit || searched === MAX_SEARCHED)
      return { page: await shown(), next: writeCursor(caller, LIST, query, last) };
    searched += 1;
    last = id;
    if (found && isWanted(found)) wanted.push(found);
  }
  return { page: await shown() };
};

/** The reports of all inspections that pass the filters, newest first. @throws ApiError 422 for a cursor of another list */
export const listAll = async (caller: Caller, query: AllReportsQuery): Promise<Listing<ListedReport>> => {
  const cursor = readCursor(caller, LIST, query);
  if (isSearch(query)) return search(caller, query, cursor);
  return listing(
    caller,
    LIST,
    query,
    findAll(caller, query, cursor),
    ({ id }) => id,
    (report) => report,
  );
};
