import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { deleteRows, rowsBelow } from '../inspection-core/delete-rows.ts';
import { deletion, inspectionRecords } from '../inspection-core/record.ts';
import { changeInParts, type Part } from '../table/change-in-parts.ts';
import { change } from '../table/change.ts';
import { expectVersion } from '../table/collection.ts';
import type { StoredInspection } from '../table/entities.ts';

/**
 * Deletes rows below an inspection, as many as fit into one transaction, and the inspection itself together with the
 * last of them.
 * @param inspection undefined when an earlier deletion has deleted it, and was interrupted
 */
const deleteSome = async (
  caller: Caller,
  id: string,
  inspection: StoredInspection | undefined,
): Promise<Part> => {
  const { writes, isAll } = await deleteRows(caller, rowsBelow(caller, id), inspection?.start_answers);
  return {
    writes: isAll && inspection ? [...writes, ...deletion(caller, inspection)] : writes,
    isLast: isAll,
  };
};

const isDeletable = ({ status, answered }: StoredInspection): boolean =>
  status === 'scheduled' || (status === 'in_progress' && answered === 0);

/** Deletes an inspection that has no answers yet. @throws ApiError 404; 409 when it has answers or is locked */
export const deleteInspection = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async () => {
    const inspection = await inspectionRecords.get(caller, id);
    expectVersion(inspectionRecords.noun, inspection, expectedVersion);
    const { writes, isLast } = await deleteSome(caller, id, inspection);
    if (!isDeletable(inspection) || !isLast) {
      const { status, answered } = inspection;
      throw errors.inspectionNotEmpty(status, answered);
    }
    return { writes, reply: null };
  });

/**
 * Deletes an inspection in any state and everything below it, in as many transactions as it takes. The last one deletes
 * the inspection itself, so an interrupted deletion is completed by calling this again.
 */
export const deleteWhole = (caller: Caller, id: string): Promise<void> =>
  changeInParts(caller, () => async () => deleteSome(caller, id, await inspectionRecords.find(caller, id)));
