import type { Caller } from '../base/caller.ts';
import type { Work } from '../table/change.ts';
import { exists } from '../table/conditions.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { queryRows } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { addToCounters, inspectionRecords } from './rows/inspection-records.ts';

/*
 * A re-inspection can be inspected again. `reinspections_count` of an inspection counts all that follow from it, so a
 * re-inspection is counted by each inspection before it.
 */

/** Re-inspections after more inspections than this are not counted by the first ones: each takes a write. */
const MAX_GENERATIONS = 25;

/**
 * Counts re-inspections at the inspections that they follow from: at this one and those before it, as far as they
 * exist. Its calls: one for each.
 * @param id undefined or null for none
 * @param count how many are added; negative for those that go
 */
export const countReinspections = async (
  work: Work,
  id: string | null | undefined,
  count: number,
  generations = MAX_GENERATIONS,
): Promise<Write[]> => {
  const inspection = id && generations > 0 ? await inspectionRecords.find(work, id) : undefined;
  if (!inspection) return [];
  // With the revision, a deletion of the inspection does not miss it.
  const add = { reinspections_count: count, parts_revision: 1 };
  return [
    addToCounters(work, inspection.id, add, exists),
    ...(await countReinspections(work, inspection.reinspection_of_id, count, generations - 1)),
  ];
};

/** How many re-inspections follow from an inspection. A Query for it and for each of them. */
export const reinspectionsAfter = async (
  caller: Caller,
  { id }: Pick<StoredInspection, 'id'>,
  generations = MAX_GENERATIONS,
): Promise<number> => {
  if (generations === 0) return 0;
  const rows = await Array.fromAsync(queryRows(caller, keys.reinspection.range(caller, id)));
  const later = await Promise.all(
    rows.map(({ sk }) => reinspectionsAfter(caller, { id: sk.split('#')[1]! }, generations - 1)),
  );
  return later.reduce((sum, count) => sum + count, rows.length);
};
