import type { Caller } from '../base/caller.ts';
import { actionKey, actionRecords } from '../inspections/rows/corrective-action-records.ts';
import { inspectionChange, inspectionRecords } from '../inspections/rows/inspection-records.ts';
import { issueEvent, issueRecords } from '../inspections/rows/issue-records.ts';
import { change, type Work } from '../table/change.ts';
import { nextVersion } from '../table/collection.ts';
import type { IssueLink } from '../table/entities/issues.ts';
import { keys } from '../table/keys.ts';
import * as resource from '../table/resource.ts';
import { getRow, queryRows, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** Entries of a history that are deleted in one transaction. */
const MAX_ENTRIES = 50;

/** The writes by which a corrective action, or otherwise an inspection, forgets the issue that it came from. */
const forgetIssue = async (
  work: Work,
  issueId: string,
  { inspection_id, corrective_action_id }: IssueLink,
): Promise<Write[]> => {
  if (corrective_action_id) {
    const row = await getRow(work, actionKey(work, { inspection_id, id: corrective_action_id }));
    if (row?.issue_id !== issueId) return [];
    const action = withoutKeys(row);
    const next = nextVersion(work, action, { issue_id: null });
    return resource.update(actionRecords, work, action, next);
  }
  const row = await inspectionRecords.find(work, inspection_id);
  if (row?.issue_id !== issueId) return [];
  const inspection = withoutKeys(row);
  return inspectionChange(work, inspection, nextVersion(work, inspection, { issue_id: null }));
};

/** Inspections and actions that came from the issue forget it, so they write nothing more into its history. */
const forgetEverywhere = async (caller: Caller, id: string): Promise<void> => {
  const links = await Array.fromAsync(queryRows(caller, keys.parts(caller, 'ISSUE', id, 'LINKED')));
  for (const link of links) {
    await change(caller, async (work) => {
      const writes = await forgetIssue(work, id, link);
      // An inspection or action that is gone, or has forgotten the issue already, leaves only the link.
      return { writes: writes.length > 0 ? writes : [write.drop(link)], reply: undefined };
    });
  }
};

/**
 * Deletes some of the history, and with its last entries the issue itself. When somebody changes the issue meanwhile,
 * its version has increased, so this is decided again.
 * @returns whether the issue is gone
 */
const deleteSome = (caller: Caller, id: string): Promise<boolean> =>
  change(caller, async (work) => {
    const row = await issueRecords.find(work, id);
    if (!row) return { writes: [], reply: true };
    const issue = withoutKeys(row);
    const entries: Write[] = [];
    const history = queryRows(work, {
      ...keys.parts(work, 'ISSUE', id, 'ISSUE_ACTIVITY'),
      pageSize: MAX_ENTRIES + 1,
    });
    for await (const { pk, sk } of history) {
      if (entries.length === MAX_ENTRIES) return { writes: entries, reply: false };
      entries.push(write.drop({ pk, sk }));
    }
    const { inspection_id } = issue.linked;
    const removal = resource.remove(issueRecords, work, issue);
    // The uses of many documents fill a transaction.
    if (entries.length > 0 && entries.length + removal.length > MAX_ENTRIES + 1) {
      return { writes: entries, reply: false };
    }
    return {
      writes: [
        ...removal,
        ...entries,
        ...(inspection_id ? [write.drop(keys.raisedIssue(work, inspection_id, id))] : []),
        issueEvent(work, 'deleted', issue),
      ],
      reply: true,
    };
  });

/**
 * Deletes an issue in any status, with its history. Inspections and corrective actions that came from it stay. It takes
 * several transactions; an interrupted deletion is completed by calling this again.
 */
export const deleteIssue = async (caller: Caller, id: string): Promise<void> => {
  await forgetEverywhere(caller, id);
  while (!(await deleteSome(caller, id)));
};
