import type { Caller } from '../../base/caller.ts';
import { dueWithin } from '../../domain/issues/workflow.ts';
import { isAble } from '../../domain/members.ts';
import { NewIssue } from '../../schemas/issues/issue.ts';
import { initialValues } from '../../schemas/resource.ts';
import { issueActivity, issueRecords, NO_LINKS, toIssue } from '../inspection-core/issue-record.ts';
import * as members from '../members/members.ts';
import { notify } from '../notifications/notify.ts';
import type { Work } from '../table/change.ts';
import { newResource } from '../table/collection.ts';
import type { StoredIssue, StoredIssueCategory } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { emit } from '../table/outbox/outbox.ts';
import * as resource from '../table/resource.ts';
import { nextNumber } from '../table/single-write.ts';
import type { Write } from '../table/writes.ts';

/** What the category of an issue decides, unless it is given. */
type Decided = 'priority' | 'assignee_id' | 'due_at';

/** What a new issue is made of. */
type Fields = Pick<
  StoredIssue,
  'title' | 'source' | 'reporter' | 'location_id' | 'client_account_id' | 'answers'
> &
  Partial<Omit<StoredIssue, Decided>> & { [Field in Decided]?: StoredIssue[Field] | undefined };

/** The member whom the category gives its new issues to, if that member can still carry out work. One call, or none. */
const defaultAssignee = async (
  caller: Caller,
  category: StoredIssueCategory | undefined,
): Promise<string | null> => {
  if (!category?.default_assignee_id) return null;
  const member = await members.find(caller, category.default_assignee_id);
  return isAble('inspect', member) ? category.default_assignee_id : null;
};

/** Takes the next number of the organization's issues. */
export const nextIssueNumber = (caller: Caller): Promise<number> =>
  nextNumber(caller, keys.sequence(caller, 'ISSUE'));

/**
 * A new issue, with its rows and its event.
 * @param category undefined for an issue of none
 */
export const newIssue = async (
  work: Work,
  number: number,
  category: StoredIssueCategory | undefined,
  { priority, assignee_id, due_at, ...fields }: Fields,
): Promise<{ issue: StoredIssue; writes: Write[] }> => {
  // The inspection in which it was seen is stored as what it is linked to.
  const { inspection_id: _, ...initial } = initialValues(NewIssue);
  const created = newResource(work, {
    ...initial,
    public_link_id: null,
    linked: NO_LINKS,
    ...fields,
    number,
    status: 'new' as const,
    category_id: category?.id ?? null,
    priority: priority ?? category?.default_priority ?? 'none',
    assignee_id: assignee_id === undefined ? await defaultAssignee(work, category) : assignee_id,
    reported_by: work.user_id || null,
    triaged_at: null,
    resolved_at: null,
    closed_at: null,
    resolution: '',
    duplicate_of_id: null,
  });
  const issue: StoredIssue = {
    ...created,
    due_at: due_at === undefined ? dueWithin(created.created_at, category?.sla_hours ?? null) : due_at,
  };
  return {
    issue,
    writes: [
      ...resource.create(issueRecords, work, issue),
      issueActivity(work, issue.id, { kind: 'created', to: issue.status }).write,
      ...notify(work, 'issueChanged', {
        issue,
        before: undefined,
        default_assignee_id: category?.default_assignee_id ?? null,
      }),
      emit(work, 'issue.created', toIssue(issue, work.now)),
    ],
  };
};
