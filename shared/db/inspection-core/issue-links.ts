import { v7 as uuidv7 } from 'uuid';
import { type Caller, viaKey } from '../../base/caller.ts';
import type { Issue, IssueActivity } from '../../schemas/issues/issue.ts';
import type { Work } from '../table/change.ts';
import { nextVersion } from '../table/collection.ts';
import type { StoredIssue } from '../table/entities.ts';
import { shownEntry } from '../table/history.ts';
import { keys } from '../table/keys.ts';
import { getRow, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

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
): { entry: IssueActivity; write: Write } => {
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
    entry: shownEntry<IssueActivity>(entry),
    write: write.create({ ...keys.issueActivity(work, issueId, id), ...entry, updated_at: work.now }),
  };
};

export const NO_LINKS: Issue['linked'] = {
  inspection_id: null,
  finding_id: null,
  corrective_action_id: null,
};

/** The index attributes that find an issue by its status, client, location and category. */
export const issueIndexKeys = (
  caller: Caller,
  { status, client_account_id, location_id, category_id }: StoredIssue,
) => ({
  by_status: keys.issuesWith(caller, 'STATUS', status),
  ...(client_account_id && { by_client: keys.issuesWith(caller, 'CLIENT', client_account_id) }),
  ...(location_id && { by_location: keys.issuesWith(caller, 'LOCATION', location_id) }),
  ...(category_id && { by_family: keys.issuesWith(caller, 'CATEGORY', category_id) }),
});

/** Replaces an issue as it was read by the next one. Rows that depend on it are not included. */
export const issueReplacement = (caller: Caller, before: StoredIssue, after: StoredIssue): Write =>
  write.replace(
    { ...after, ...issueIndexKeys(caller, after), ...keys.one(caller, 'ISSUE', after.id) },
    before.version,
  );

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
  const row = await getRow(work, keys.one(work, 'ISSUE', issueId));
  if (!row) return [];
  const issue = withoutKeys(row);
  const changes = forgotten(issue.linked);
  if (Object.keys(changes).length === 0) return [];
  const next = nextVersion(work, issue, { linked: { ...issue.linked, ...changes } });
  return [issueReplacement(work, issue, next)];
};
