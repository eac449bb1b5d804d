import { v7 as uuidv7 } from 'uuid';
import { viaKey } from '../../base/caller.ts';
import { isIssueOpen, isIssueOverdue } from '../../domain/issues/workflow.ts';
import { labelsOf, ofAsset } from '../../domain/labels.ts';
import type { Happening } from '../../schemas/event-data.ts';
import { Issue, type IssueActivity } from '../../schemas/issues/issue.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import type { Work } from '../../table/change.ts';
import { collection, nextVersion } from '../../table/collection.ts';
import type { Recorded } from '../../table/entities/common.ts';
import type { StoredIssue } from '../../table/entities/issues.ts';
import { keys } from '../../table/keys.ts';
import { emit } from '../../table/outbox/outbox.ts';
import * as resource from '../../table/resource.ts';
import { withoutKeys } from '../../table/rows.ts';
import { foundByWords } from '../../table/words.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { issueDeadline, REMINDED } from './deadlines.ts';

export const EXTERNAL_REF = 'external_ref of issues';

/** Issues, and what follows from each. */
export const issueRecords = collection('ISSUE', 'issue', {
  index: (caller, { status, client_account_id, location_id, category_id }) => ({
    by_status: keys.issuesWith(caller, 'STATUS', status),
    ...(client_account_id && { by_client: keys.issuesWith(caller, 'CLIENT', client_account_id) }),
    ...(location_id && { by_location: keys.issuesWith(caller, 'LOCATION', location_id) }),
    ...(category_id && { by_family: keys.issuesWith(caller, 'CATEGORY', category_id) }),
  }),
  uses: {
    as: 'issues',
    fields: {
      category_id: 'ISSUE_CATEGORY',
      client_account_id: 'CLIENT',
      location_id: 'LOCATION',
      asset_id: 'ASSET',
    },
  },
  documents: { in: ({ answers, media }) => [answers, media], field: 'media' },
  unique: { [EXTERNAL_REF]: ({ external_ref }) => external_ref },
  followers: [
    {
      row: keys.issueDue,
      what: 'due issue',
      at: ({ id, status, due_at }) => (due_at && isIssueOpen(status) ? [[due_at, id]] : []),
      holds: issueDeadline,
      own: REMINDED,
    },
    {
      row: keys.issueAssignment,
      what: 'assignment of an issue',
      under: 'MEMBER',
      at: ({ id, assignee_id }) => (assignee_id ? [[assignee_id, id]] : []),
    },
    {
      row: keys.issueWith,
      what: 'issue by label',
      at: (issue) =>
        [...labelsOf(issue), ...(issue.asset_id ? [ofAsset(issue.asset_id)] : [])].map((label) => [
          label,
          issue.id,
        ]),
    },
    foundByWords('ISSUE', 'issue by word'),
  ],
});

/**
 * An issue as it is sent to clients.
 * @param now the time that decides whether it is overdue, ISO 8601 in UTC
 */
export const toIssue = (issue: StoredIssue, now: string): Presented<Issue> =>
  present(Issue, issue, { is_overdue: isIssueOverdue(issue, now) });

/** The event of a change of an issue. */
export const issueEvent = (work: Work, what: Happening<'issue'>, issue: StoredIssue): Write =>
  emit(work, `issue.${what}`, toIssue(issue, work.now));

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
 * The writes by which an issue forgets an inspection or a finding that is being deleted. One call, and none for what
 * does not come from an issue.
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
  return [...resource.replace(issueRecords, work, issue, next), issueEvent(work, 'updated', next)];
};
