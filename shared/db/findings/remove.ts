import type { Caller } from '../../base/caller.ts';
import { isActionOpen } from '../../domain/corrective-actions.ts';
import {
  addToCounters,
  expectUnarchived,
  inspectionRecords,
  isUnarchived,
  readChild,
} from '../inspection-core/inspection-record.ts';
import { forgetLinks } from '../inspection-core/issue-record.ts';
import { findingRevision, isCorrectionUnchanged, revisionWrites } from '../inspection-core/revisions.ts';
import { deleteRows, findingRecords, withRowsBelow } from '../inspection-core/rows-below.ts';
import { changeInParts, type Part } from '../table/change-in-parts.ts';
import type { Work } from '../table/change.ts';
import { expectVersion } from '../table/collection.ts';
import { versionIs } from '../table/conditions.ts';
import type { StoredAction, StoredFinding } from '../table/entities.ts';
import * as resource from '../table/resource.ts';
import { getRows, isPart, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { combineCounts, type Write } from '../table/writes.ts';
import { actionsOf, closedActions } from './actions.ts';
import { findingEvent, findingKey, NOUN } from './record.ts';

/** The writes of a finding's inspection, given how its counters change and whether the finding itself is deleted. */
type InspectionPart = (deletion: { add: Parameters<typeof addToCounters>[2]; isAll: boolean }) => Write[];

/**
 * Deletes the actions of a finding, as many as fit into one transaction, and the finding together with the last of them.
 */
const deleteSome = async (
  work: Work,
  finding: StoredFinding,
  actions: readonly Row<StoredAction>[],
  inspectionPart: InspectionPart,
): Promise<Part> => {
  const { id } = finding;
  const { deleted, writes, isAll } = await deleteRows(work, withRowsBelow(work, actions));
  const { inspection_id, version } = finding;
  const deletedActions = deleted.filter((row) => isPart(row, 'ACTION'));
  const issueIds = new Set(deletedActions.flatMap(({ issue_id }) => issue_id ?? []));
  const forgetting = await Promise.all(
    [...issueIds].map((issueId) =>
      forgetLinks(work, issueId, (linked) => ({
        ...(isAll && linked.finding_id === id && { finding_id: null }),
        ...(deletedActions.some((action) => action.id === linked.corrective_action_id) && {
          corrective_action_id: null,
        }),
      })),
    ),
  );
  return {
    writes: [
      ...(isAll
        ? [
            // The finding and its actions may show the same documents.
            ...combineCounts([...writes, ...resource.remove(findingRecords, work, finding)]),
            findingEvent(work, 'deleted', finding),
          ]
        : [
            ...writes,
            write.update(
              findingKey(work, inspection_id, id),
              {
                set: { updated_at: work.now },
                add: { version: 1, corrective_actions_count: -deletedActions.length },
              },
              versionIs(version),
            ),
          ]),
      ...forgetting.flat(),
      ...inspectionPart({
        isAll,
        add: {
          findings_revision: 1,
          findings_count: isAll ? -1 : 0,
          open_corrective_actions_count: -deletedActions.filter(({ status }) => isActionOpen(status)).length,
        },
      }),
    ],
    isLast: isAll,
  };
};

/**
 * Deletes a finding with its closed actions.
 * @throws ApiError 404; 409 for another version, an archived inspection or an open action
 */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<void> => {
  let expected = expectedVersion;
  return changeInParts(caller, () => {
    const version = expected;
    // Each part increases the version, so only the first one can expect that of the request.
    expected = undefined;
    return async (work) => {
      const { child, inspection } = await readChild(work, 'FINDING', id);
      const finding = withoutKeys(child);
      expectVersion(NOUN, finding, version);
      expectUnarchived(inspection);
      const actions = await closedActions(work, finding);
      return deleteSome(work, finding, actions, ({ add }) => [
        addToCounters(work, inspection.id, add, isUnarchived),
      ]);
    };
  });
};

/**
 * Takes back a finding that a correction has added: deletes it with its actions, whatever their status. Its end is a
 * revision of the correction. Does nothing when it was deleted already.
 * @param correctionId the active correction, which accepts no other changes any more
 */
export const takeBack = (
  caller: Caller,
  inspectionId: string,
  correctionId: string,
  id: string,
): Promise<void> =>
  changeInParts(caller, () => async (work) => {
    const [row, inspection] = await getRows(work, [
      findingKey(work, inspectionId, id),
      inspectionRecords.key(work, inspectionId),
    ]);
    if (!row || inspection?.active_correction_id !== correctionId) return { writes: [], isLast: true };
    const finding = withoutKeys(row);
    const actions = await actionsOf(work, finding);
    return deleteSome(work, finding, actions, ({ add, isAll }) => [
      addToCounters(
        work,
        inspectionId,
        { ...add, correction_revisions: Number(isAll) },
        isCorrectionUnchanged(inspection),
      ),
      ...(isAll ? revisionWrites(work, inspection, [findingRevision(finding, 'remove')]) : []),
    ]);
  });
