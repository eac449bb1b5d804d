import type { Caller } from '../../base/caller.ts';
import type { ReportPreviousScore } from '../../schemas/reports/report-payload.ts';
import type { StoredInspection } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { queryRows } from '../table/rows.ts';

/** Whether an inspection was completed, even if it is archived now. */
export const isCompleted = ({
  status,
  archived_from,
}: Pick<StoredInspection, 'status' | 'archived_from'>): boolean =>
  status === 'completed' || (status === 'archived' && archived_from === 'completed');

/**
 * Inspections at one location among which the previous one is looked for. With the names that a report needs, they
 * usually fit one BatchGetItem of 100 rows.
 */
const MAX_EARLIER = 25;

/** The latest inspections that were created at the same location before this one. One call; none without a location. */
export const readEarlierIds = async (
  caller: Caller,
  { id, location_id }: StoredInspection,
): Promise<string[]> => {
  if (location_id === null) return [];
  const rows = queryRows(caller, {
    partition: keys.inspectionsWith(caller, 'LOCATION', location_id),
    index: 'by_location',
    after: id,
    newestFirst: true,
    pageSize: MAX_EARLIER,
  });
  const ids: string[] = [];
  for await (const { sk } of rows) if (ids.push(sk) === MAX_EARLIER) break;
  return ids;
};

/** The score of the inspection that was the last to be completed before this one, of the same template family. */
export const previousScoreOf = (
  inspection: StoredInspection,
  earlier: readonly StoredInspection[],
): ReportPreviousScore | null => {
  const before = inspection.completed_at ?? new Date().toISOString();
  const [previous] = earlier
    .filter(
      (each) =>
        each.template_family_id === inspection.template_family_id &&
        each.location_id === inspection.location_id &&
        isCompleted(each) &&
        each.completed_at !== null &&
        each.completed_at < before &&
        (each.score?.percentage ?? null) !== null,
    )
    .toSorted((one, other) => (one.completed_at! < other.completed_at! ? 1 : -1));
  if (!previous) return null;
  const { id, number, completed_at, score } = previous;
  return {
    inspection_id: id,
    number,
    completed_at: completed_at!,
    percentage: score!.percentage!,
    result: score!.result,
  };
};
