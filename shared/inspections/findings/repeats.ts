import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { foundBefore, windowStart } from '../../domain/inspections/repeats.ts';
import type { FindingRepeat } from '../../schemas/finding.ts';
import { changeInParts } from '../../table/change.ts';
import type { StoredFinding, StoredInspection } from '../../table/entities/inspections.ts';
import { firstIdAt } from '../../table/id-times.ts';
import { keys } from '../../table/keys.ts';
import * as resource from '../../table/resource.ts';
import { queryRows, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { actionEvent, actionRecords } from '../rows/corrective-action-records.ts';
import { inspectionRecords, isPlaced } from '../rows/inspection-records.ts';
import { listedUnder, movedTo } from '../rows/listed.ts';
import { findingEvent, findingRecords, foundIn } from '../rows/rows-below.ts';

/** How a finding repeats earlier ones; null for one that does not. */
export type RepeatOf = (finding: Pick<StoredFinding, 'id'>) => FindingRepeat | null;

/**
 * What an inspection's findings repeat. Calls: one for each location at which they were found, of which an inspection
 * with a location has one; none when the inspection has no `repeat_window`.
 */
export const readRepeats = async (
  caller: Caller,
  { repeat_window }: Pick<StoredInspection, 'repeat_window'>,
  findings: readonly StoredFinding[],
): Promise<RepeatOf> => {
  if (repeat_window === null) return () => null;
  const located = findings.filter(({ found_in }) => found_in);
  const repeats = new Map<string, FindingRepeat>();
  const places = Map.groupBy(located, ({ found_in }) =>
    [found_in!.location_id, found_in!.template_family_id].join(),
  );
  await Promise.all(
    places.values().map(async (some) => {
      const { location_id, template_family_id } = some[0]!.found_in!;
      const since = some.map(({ created_at }) => windowStart(created_at, repeat_window)).toSorted()[0]!;
      const { partition, prefix } = keys.foundAt.range(caller, location_id, template_family_id);
      const after = `${prefix}${firstIdAt(since)}`;
      const known = await Array.fromAsync(queryRows(caller, { partition, prefix, after }));
      for (const finding of some) {
        const repeat = foundBefore(finding, known, repeat_window);
        if (repeat) repeats.set(finding.id, repeat);
      }
    }),
  );
  return ({ id }) => repeats.get(id) ?? null;
};

/**
 * Findings and actions of one transaction that follow. Each is a row, with a former and a new row that follow it, and an
 * event.
 */
const MAX_MOVED = 24;

/**
 * Lets the findings and actions of an inspection follow it to its present client, location and asset, in as many
 * transactions as it takes. Calling this again completes it after an interruption. Nothing is done for an inspection that
 * was deleted meanwhile. Three calls when nothing is left to do.
 */
export const moveFindings = (caller: Caller, inspectionId: string): Promise<void> =>
  changeInParts(caller, () => async (work) => {
    const inspection = await inspectionRecords.find(work, inspectionId);
    if (!inspection) return { writes: [], isLast: true };
    const follow: Write[][] = [];
    for await (const row of queryRows(work, keys.parts(work, 'INSPECTION', inspectionId, 'FINDING'))) {
      const before = withoutKeys(row);
      const { found_in, listed_under } = before;
      const now = { found_in: foundIn(inspection, before), listed_under: listedUnder(inspection, before) };
      if (isDeepStrictEqual({ found_in, listed_under }, now)) continue;
      const after = movedTo(work, before, now);
      follow.push([
        ...resource.update(findingRecords, work, before, after),
        findingEvent(work, 'updated', after, inspection),
      ]);
    }
    for await (const row of queryRows(work, keys.parts(work, 'INSPECTION', inspectionId, 'ACTION'))) {
      const before = withoutKeys(row);
      const { field_id } = before.listed_under;
      const listed_under = listedUnder(inspection, { ...before, field_id });
      if (isDeepStrictEqual(before.listed_under, listed_under)) continue;
      const after = movedTo(work, before, { listed_under });
      follow.push([
        ...resource.update(actionRecords, work, before, after),
        actionEvent(work, 'updated', after, inspection),
      ]);
    }
    const some = follow.slice(0, MAX_MOVED);
    const isThere = write.check(inspectionRecords.key(work, inspectionId), undefined, isPlaced(inspection));
    return {
      writes: [...some.flat(), ...(some.length > 0 ? [isThere] : [])],
      isLast: some.length === follow.length,
    };
  });
