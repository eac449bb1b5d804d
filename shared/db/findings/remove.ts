import type { Caller } from '../../base/caller.ts';
import { deleteRows, withPartsBelow } from '../inspection-core/delete-rows.ts';
import { forgetLinks } from '../inspection-core/issue-links.ts';
import { addToCounters, expectUnarchived, isUnarchived, readPart } from '../inspection-core/parts.ts';
import { changeInParts, type Part } from '../table/change-in-parts.ts';
import { expectVersion } from '../table/collection.ts';
import { versionIs } from '../table/conditions.ts';
import { keys } from '../table/keys.ts';
import { isPart, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { closedActions } from './closed-actions.ts';
import { findingKey, NOUN, findingEvent } from './record.ts';

/**
 * Deletes the closed actions of a finding, as many as fit into one transaction, and the finding together with the last
 * of them.
 */
const deleteSome = async (caller: Caller, id: string, expectedVersion: number | undefined): Promise<Part> => {
  const { part, inspection } = await readPart(caller, 'FINDING', id);
  const finding = withoutKeys(part);
  expectVersion(NOUN, finding, expectedVersion);
  expectUnarchived(inspection);
  const actions = await closedActions(caller, finding);
  const { deleted, writes, isAll } = await deleteRows(caller, withPartsBelow(caller, actions), finding);
  const { inspection_id, version } = finding;
  const key = findingKey(caller, inspection_id, id);
  const deletedActions = deleted.filter((row) => isPart(row, 'ACTION'));
  const issueIds = new Set(deletedActions.flatMap(({ issue_id }) => issue_id ?? []));
  const forgetting = await Promise.all(
    [...issueIds].map((issueId) =>
      forgetLinks(caller, issueId, (linked) => ({
        ...(isAll && linked.finding_id === id && { finding_id: null }),
        ...(deletedActions.some((action) => action.id === linked.corrective_action_id) && {
          corrective_action_id: null,
        }),
      })),
    ),
  );
  return {
    writes: [
      ...writes,
      ...forgetting.flat(),
      ...(isAll
        ? [
            write.remove(key, version),
            write.drop(keys.reference(caller, 'FINDING', id)),
            findingEvent(caller, 'deleted', finding),
          ]
        : [
            write.update(
              key,
              {
                set: { updated_at: new Date().toISOString() },
                add: { version: 1, corrective_actions_count: -deletedActions.length },
              },
              versionIs(version),
            ),
          ]),
      addToCounters(
        caller,
        inspection_id,
        { findings_revision: 1, findings_count: isAll ? -1 : 0 },
        isUnarchived,
      ),
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
    return () => deleteSome(caller, id, version);
  });
};
