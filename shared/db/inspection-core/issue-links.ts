import { v7 as uuidv7 } from 'uuid';
import { viaKey } from '../../base/caller.ts';
import type { Issue, IssueActivity } from '../../schemas/issues/issue.ts';
import type { Work } from '../table/change.ts';
import { nextVersion } from '../table/collection.ts';
import type { Recorded } from '../table/entities/recorded.ts';
import { keys } from '../table/keys.ts';
import * as resource from '../table/resource.ts';
import { withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { issueRecords } from './issue-record.ts';

/*
 * What an issue knows of the inspection that was started from it. It changes with the inspection, its findings and its
 * actions, so it is written in their transactions.
 */

/** An entry of an issue's history, without who made it and when. */
export type NewIssueActivity = Pick<IssueActivity, 'kind'> &
  Partial<Pick<IssueActivity, 'inspection_id' | 'corrective_action_id' | 'from' | 'to' | 'note'>>;

/** Adds an entry to an issue's history, in the transaction of the change that it describes. */
export const issueActivity = (
  work: Work,
  issueId: string,
  {
    kind,
    inspection_id = null,
    corrective_action_id = null,
    from = null,
    to = null,
    note = '',
  }: NewIssueActivity,
): { entry: Recorded<IssueActivity>; write: Write } => {
  const id = uuidv7();
  const entry = {
    id,
    kind,
    actor_id: work.user_id || null,
    ...viaKey(work),
    inspection_id,
    corrective_action_id,
    from,
    to,
    note,
    at: work.now,
  };
  return {
    entry,
    write: write.create({ ...keys.issueActivity(work, issueId, id), ...entry, updated_at: work.now }),
  };
};

export const NO_LINKS: Issue['linked'] = {
  inspection_id: null,
  finding_id: null,
  corrective_action_id: null,
};

/**
 * The writes by which an issue forgets an inspection or a finding that is being deleted. One call, and none for what does
 * not come from an issue.
 */
export const forgetLinks = async (
  work: Work,
  issueId: string | null | undefined,
  forgotten: (linked: Issue['linked']) => Partial<Issue['linked']>,
): Promise<Write[]> => {
  if (!issueId) return [];
  const row = await issueRecords.find(work, issueId);
  if (!row) return [];
  const issue = withoutKeys(row);
  const changes = forgotten(issue.linked);
  if (Object.keys(changes).length === 0) return [];
  const next = nextVersion(work, issue, { linked: { ...issue.linked, ...changes } });
  return resource.replace(issueRecords, work, issue, next);
};
