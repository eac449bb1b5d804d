import type { Caller } from '../../base/caller.ts';
import { conflict } from '../../base/errors.ts';
import { ending, rowsBelow } from '../inspection-core/ending.ts';
import { deletion, rows, type StoredInspection } from '../inspection-core/record.ts';
import { change } from '../table/change.ts';
import { expectVersion } from '../table/collection.ts';
import type { Write } from '../table/writes.ts';

/**
 * The end of an inspection and what stands below it: of that as much as fits into one change, and with the last
 * of it the inspection itself.
 */
const endingOf = async (
  caller: Caller,
  id: string,
  inspection: StoredInspection | undefined,
): Promise<{ writes: Write[]; isAll: boolean }> => {
  const { writes, isAll } = await ending(caller, rowsBelow(caller, id), inspection?.start_answers);
  return { writes: isAll && inspection ? [...writes, ...deletion(caller, inspection)] : writes, isAll };
};

const isDeletable = ({ status, answered }: StoredInspection): boolean =>
  status === 'scheduled' || (status === 'in_progress' && answered === 0);

/** Deletes an inspection on which nothing was done yet. @throws ApiError 404; 409 once it is past deletion */
export const deleteInspection = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async () => {
    const inspection = await rows.get(caller, id);
    expectVersion(rows.noun, inspection, expectedVersion);
    const { writes, isAll } = await endingOf(caller, id, inspection);
    if (!isDeletable(inspection) || !isAll) {
      const { status, answered } = inspection;
      throw conflict(`${rows.noun} is ${status} with ${answered} answers; archive it instead`);
    }
    return { writes, reply: null };
  });

/**
 * Deletes an inspection in whatever state, and all that stands below it: in chunks, the inspection with the last
 * one. What was interrupted is completed by calling it again.
 */
export const deleteWhole = async (caller: Caller, id: string): Promise<void> => {
  const deleteSome = () =>
    change(caller, async () => {
      const { writes, isAll } = await endingOf(caller, id, await rows.find(caller, id));
      return { writes, reply: isAll };
    });
  while (!(await deleteSome()));
};
