import type { Caller } from '../../base/caller.ts';
import { hasLabels, wanted } from '../../domain/labels.ts';
import { Severity } from '../../schemas/common.ts';
import { type AllFindingsQuery, FindingStatus, ListedFinding } from '../../schemas/finding.ts';
import { present } from '../../schemas/projection.ts';
import { countFilters } from '../../table/candidates.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, readCursor } from '../../table/listing.ts';
import { standingPartition } from '../rows/listed.ts';
import {
  beginsWith,
  findParts,
  type FoundPart,
  isIn,
  type ListedUnder,
  partByExternalRef,
  type PartSource,
  withSurroundings,
} from '../rows/part-lists.ts';
import { FINDING_REF } from '../rows/rows-below.ts';
import { toFinding } from './records.ts';
import { readRepeats } from './repeats.ts';

const KIND = 'FINDING';

/** Whether a finding passes the filters that are its own. */
const filterOf = (query: AllFindingsQuery) => {
  const { status, severity, origin, field_id, external_ref, closed_after, closed_before, q } = query;
  const labels = wanted(query);
  return ({ part }: FoundPart<typeof KIND>): boolean =>
    (status === undefined || status.includes(part.status)) &&
    (severity === undefined || severity.includes(part.severity)) &&
    (origin === undefined || part.origin === origin) &&
    (field_id === undefined || (part.field_id !== null && field_id.includes(part.field_id))) &&
    (external_ref === undefined || part.external_ref === external_ref) &&
    isIn(part.resolved_at, closed_after, closed_before) &&
    hasLabels(part, labels) &&
    beginsWith(q, part.number, part.label);
};

/** Where the findings that the filters select are looked for. */
const sourceOf = (caller: Caller, query: AllFindingsQuery): PartSource => {
  const { status, severity, external_ref } = query;
  if (external_ref !== undefined) return { few: partByExternalRef(caller, KIND, FINDING_REF, external_ref) };
  const [labels] = wanted(query);
  if (labels) return { lists: labels.map((label) => keys.findingWith.range(caller, label)) };
  if (!status && !severity) return {};
  const standings = (status ?? FindingStatus.options).flatMap((each) =>
    (severity ?? Severity.options).map((degree) => standingPartition(caller, KIND, [each, degree])),
  );
  return { standings };
};

/** The findings of all inspections that pass the filters, newest first. @param after the id that the page before ended with */
export const findAll = async function* (
  caller: Caller,
  query: AllFindingsQuery,
  after?: string,
): AsyncGenerator<ListedUnder<ListedFinding>> {
  const { repeat, limit } = query;
  const isPrecise = countFilters(query) <= 1 && repeat === undefined && query.q === undefined;
  const found = findParts(caller, KIND, query, after, sourceOf(caller, query), filterOf(query), isPrecise);
  const count = limit === undefined ? undefined : limit + 1;
  const batches = withSurroundings(caller, found, count, () => undefined);
  for await (const batch of batches) {
    const repeats = await Promise.all(
      batch.map(async ({ part, inspection }) => (await readRepeats(caller, inspection, [part]))(part)),
    );
    for (const [position, { part, under, surroundings }] of batch.entries()) {
      const repeated = repeats[position] ?? null;
      if (repeat === undefined || repeat === (repeated !== null))
        yield { shown: present(ListedFinding, { ...toFinding(part, repeated), ...surroundings }), under };
    }
  }
};

/** A page of these. @throws ApiError 422 for a cursor of another list */
export const listAll = async (caller: Caller, query: AllFindingsQuery): Promise<Listing<ListedFinding>> =>
  listing(
    caller,
    `ALL_${KIND}`,
    query,
    findAll(caller, query, readCursor(caller, `ALL_${KIND}`, query)),
    ({ shown }) => shown.id,
    ({ shown }) => shown,
  );
