import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { deleteRows, rowsBelow } from '../inspection-core/delete-rows.ts';
import { forgetLinks, NO_LINKS } from '../inspection-core/issue-links.ts';
import { deletion, inspectionRecords } from '../inspection-core/record.ts';
import { changeInParts, type Part } from '../table/change-in-parts.ts';
import { change } from '../table/change.ts';
import { expectVersion } from '../table/collection.ts';
import type { StoredInspection } from '../table/entities.ts';
import { isPart } from '../table/rows.ts';

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
  const { deleted, writes, isAll } = await deleteRows(
    caller,
    rowsBelow(caller, id),
    inspection?.start_answers,
  );
  const forget = (issueId: string | null | undefined) =>
    forgetLinks(caller, issueId, ({ inspection_id }) => (inspection_id === id ? NO_LINKS : {}));
  const raised = deleted.filter((row) => isPart(row, 'RAISED'));
  if (raised.length > 0) {
    const forgetting = await Promise.all(raised.map(({ sk }) => forget(sk.split('#')[1])));
    // The inspection follows in a transaction of its own, which has room for its rows.
    return { writes: [...writes, ...forgetting.flat()], isLast: false };
  }
  if (!isAll || !inspection) return { writes, isLast: isAll };
  return {
    writes: [...writes, ...deletion(caller, inspection), ...(await forget(inspection.issue_id))],
    isLast: true,
  };
};

const isDeletable = ({ status, answered }: StoredInspection): boolean =>
  status === 'scheduled' || (status === 'in_progress' && answered === 0);

/**
 * Deletes an inspection that has no answers yet, and in which no issue was reported.
 * @throws ApiError 404; 409 when it has answers or is locked
 */
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
