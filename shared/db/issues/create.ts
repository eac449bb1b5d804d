import { type Caller, isKey } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import { NO_REPORTER } from '../../domain/issues/public-links.ts';
import type { Issue, IssueSource, NewIssue } from '../../schemas/issues/issue.ts';
import { checkAssignee } from '../corrective-actions/assignee.ts';
import { NO_LINKS } from '../inspection-core/issue-links.ts';
import { toIssue } from '../inspection-core/issue-record.ts';
import { addToCounters } from '../inspection-core/parts.ts';
import { clientOf } from '../inspections/setup/participants.ts';
import { change, type Work } from '../table/change.ts';
import { exists } from '../table/conditions.ts';
import type { StoredIssue, StoredLocation } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { reference, resolve } from '../table/references.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { checkedAnswers, documentReferences } from './answers.ts';
import { newIssue, nextIssueNumber } from './new-issue.ts';

/** Lists a new issue below the inspection in which it was reported, so that a deletion of the inspection finds it. */
const raised = (work: Work, inspectionId: string | null, issueId: string): Write[] =>
  inspectionId
    ? [
        write.create({ ...keys.raisedIssue(work, inspectionId, issueId) }),
        addToCounters(work, inspectionId, { parts_revision: 1 }, exists),
      ]
    : [];

type Place = Pick<StoredIssue, 'location_id' | 'client_account_id'>;

/**
 * Where the issue is: as the request says, else where it was seen.
 * @throws ApiError 400 for the location of another client
 */
const placeOf = (
  { location_id = null, client_account_id }: Pick<NewIssue, keyof Place>,
  location: Pick<StoredLocation, 'client_account_id'> | undefined,
  inspection: Place | undefined,
): Place =>
  inspection && location_id === null && client_account_id === undefined
    ? { location_id: inspection.location_id, client_account_id: inspection.client_account_id }
    : {
        location_id,
        client_account_id: clientOf({ client_account_id }, { client_account_id: null }, location),
      };

/**
 * @throws ApiError 400 for a resource that does not exist, an assignee who is not active, or a location of another client
 *   account; 409 for an inactive category or an external_ref in use; 422 for answers that the category does not accept
 */
export const create = (caller: Caller, request: NewIssue): Promise<Issue> => {
  const { category_id, inspection_id, reporter, answers, ...fields } = request;
  let number: number | undefined;
  return change(caller, async (work) => {
    const [category, location, inspection, assignee, , ...documents] = await resolve(work, [
      reference(work, 'category_id', 'ISSUE_CATEGORY', category_id),
      reference(work, 'location_id', 'LOCATION', fields.location_id),
      reference(work, 'inspection_id', 'INSPECTION', inspection_id),
      reference(work, 'assignee_id', 'MEMBER', fields.assignee_id),
      reference(work, 'client_account_id', 'CLIENT', fields.client_account_id),
      ...documentReferences(work, request),
    ]);
    if (fields.assignee_id) checkAssignee(assignee);
    if (category && !category.is_active) throw errors.categoryInactive(category.name);
    const checked = checkedAnswers(category, answers, documents);
    number ??= await nextIssueNumber(work);
    const byCaller: IssueSource = isKey(work) ? 'api' : 'member';
    const { issue, writes } = await newIssue(work, number, category, {
      ...fields,
      ...placeOf(fields, location, inspection),
      answers: checked,
      reporter: merge(NO_REPORTER, reporter),
      source: inspection ? 'inspection' : byCaller,
      linked: { ...NO_LINKS, inspection_id },
    });
    return { writes: [...writes, ...raised(work, inspection_id, issue.id)], reply: toIssue(issue, work.now) };
  });
};
