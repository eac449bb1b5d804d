import type { Caller } from '../../base/caller.ts';
import { Severity } from '../../schemas/common.ts';
import { type AllFindingsQuery, FindingStatus, ListedFinding } from '../../schemas/finding.ts';
import { present } from '../../schemas/projection.ts';
import { countFilters } from '../../table/candidates.ts';
import { type Listing, listing, readCursor } from '../../table/listing.ts';
import { standingPartition } from '../rows/listed.ts';
import { beginsWith, findParts, type FoundPart, isIn, withSurroundings } from '../rows/part-lists.ts';
import { toFinding } from './records.ts';
import { readRepeats } from './repeats.ts';

const KIND = 'FINDING';

/** Whether a finding passes the filters that are its own. */
const filterOf =
  ({ status, severity, origin, field_id, closed_after, closed_before, q }: AllFindingsQuery) =>
  ({ part }: FoundPart<typeof KIND>): boolean =>
    (status === undefined || part.status === status) &&
    (severity === undefined || severity.includes(part.severity)) &&
    (origin === undefined || part.origin === origin) &&
    (field_id === undefined || (part.field_id !== null && field_id.includes(part.field_id))) &&
    isIn(part.resolved_at, closed_after, closed_before) &&
    beginsWith(q, part.number, part.label);

const findAll = async function* (
  caller: Caller,
  query: AllFindingsQuery,
  after: string | undefined,
): AsyncGenerator<ListedFinding> {
  const { status, severity, repeat, limit } = query;
  const standings =
    status || severity
      ? (status ? [status] : FindingStatus.options).flatMap((each) =>
          (severity ?? Severity.options).map((degree) => standingPartition(caller, KIND, [each, degree])),
        )
      : undefined;
  const isPrecise = countFilters(query) <= 1 && repeat === undefined && query.q === undefined;
  const found = findParts(caller, KIND, query, after, { standings }, filterOf(query), isPrecise);
  const count = limit === undefined ? undefined : limit + 1;
  const batches = withSurroundings(caller, found, count, () => undefined);
  for await (const batch of batches) {
    const repeats = await Promise.all(
      batch.map(async ({ part, inspection }) => (await readRepeats(caller, inspection, [part]))(part)),
    );
    for (const [position, { part, surroundings }] of batch.entries()) {
      const shown = repeats[position] ?? null;
      if (repeat === undefined || repeat === (shown !== null))
        yield present(ListedFinding, { ...toFinding(part, shown), ...surroundings });
    }
  }
};

/** The findings of all inspections that pass the filters, newest first. @throws ApiError 422 for a cursor of another list */
export const listAll = async (caller: Caller, query: AllFindingsQuery): Promise<Listing<ListedFinding>> =>
  listing(
    caller,
    `ALL_${KIND}`,
    query,
    findAll(caller, query, readCursor(caller, `ALL_${KIND}`, query)),
    ({ id }) => id,
    (finding) => finding,
  );
