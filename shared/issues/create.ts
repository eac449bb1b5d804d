import { type Caller, isKey } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { merge } from '../base/fields.ts';
import { shownDocuments } from '../domain/content/shown-documents.ts';
import { NO_REPORTER } from '../domain/issues/public-links.ts';
import { checkAnswers } from '../domain/issues/questions.ts';
import { dueWithin } from '../domain/issues/workflow.ts';
import { isAble } from '../domain/members.ts';
import { checkAssignee } from '../inspections/corrective-actions/assignee.ts';
import { addToCounters } from '../inspections/rows/inspection-records.ts';
import {
  issueActivity,
  issueEvent,
  issueRecords,
  NO_LINKS,
  toIssue,
} from '../inspections/rows/issue-records.ts';
import { clientOf } from '../inspections/setup.ts';
import { notify } from '../notices/notify.ts';
import * as members from '../organizations/members/members.ts';
import { atAsset } from '../places/assets/records.ts';
import { Uuid } from '../schemas/common.ts';
import { type Issue, type IssueAnswer, type IssueSource, NewIssue } from '../schemas/issues/issue.ts';
import { initialValues } from '../schemas/resource.ts';
import { change, type Work } from '../table/change.ts';
import { newResource } from '../table/collection.ts';
import { exists } from '../table/conditions.ts';
import type { StoredIssue, StoredIssueCategory } from '../table/entities/issues.ts';
import type { StoredDocument, StoredLocation } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { type Reference, reference, resolve } from '../table/references.ts';
import * as resource from '../table/resource.ts';
import { nextNumber } from '../table/single-write.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** What a request says of an issue that may name documents. */
interface NamedDocuments {
  answers?: readonly { question_id: string; value?: unknown }[] | undefined;
  media?: readonly { document_id: string }[] | undefined;
}

/** The documents that a request names. A value that is no id is left out: the check of the answer refuses it. */
export const documentReferences = (
  caller: Caller,
  { answers = [], media = [] }: NamedDocuments,
): Reference<StoredDocument>[] => {
  const each = (field: string, shown: unknown) =>
    [...shownDocuments(shown)]
      .filter((id) => Uuid.safeParse(id).success)
      .map((id) => reference(caller, field, 'DOCUMENT', id.toLowerCase()));
  return [...each('answers', answers), ...each('media', media)];
};

/**
 * Checks the answers of a request.
 * @param category undefined for an issue without one: then there are no questions
 * @param documents the rows of `documentReferences`
 * @throws ApiError 422 for answers that the questions do not take, and for required ones that are missing
 */
export const checkedAnswers = (
  category: Pick<StoredIssueCategory, 'questions'> | undefined,
  answers: NonNullable<NamedDocuments['answers']>,
  documents: readonly (Pick<StoredDocument, 'id' | 'mime_type'> | undefined)[],
): IssueAnswer[] => {
  const types = new Map(
    documents.flatMap((document) => (document ? [[document.id, document.mime_type]] : [])),
  );
  const { checked, problems } = checkAnswers(category?.questions ?? [], answers, (id) => types.get(id));
  if (problems.length > 0) throw errors.validationFailed(problems);
  return checked;
};

/** The fields that an issue's category decides when they are not given. */
type DecidedByCategory = 'priority' | 'assignee_id' | 'due_at';

/** The fields of a new issue. */
type NewIssueFields = Pick<
  StoredIssue,
  'title' | 'source' | 'reporter' | 'location_id' | 'client_account_id' | 'answers'
> &
  Partial<Omit<StoredIssue, DecidedByCategory>> & {
    [Field in DecidedByCategory]?: StoredIssue[Field] | undefined;
  };

/** The member who gets the category's new issues, if that member can still carry out work. One call, or none. */
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
  { priority, assignee_id, due_at, ...fields }: NewIssueFields,
): Promise<{ issue: StoredIssue; writes: Write[] }> => {
  // The inspection in which it was seen is stored in `linked`.
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
    names_then: null,
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
      issueEvent(work, 'created', issue),
    ],
  };
};

/** Lists a new issue below the inspection in which it was reported, so that deleting the inspection finds it. */
const raised = (work: Work, inspectionId: string | null, issueId: string): Write[] =>
  inspectionId
    ? [
        write.create({ ...keys.raisedIssue(work, inspectionId, issueId) }),
        addToCounters(work, inspectionId, { parts_revision: 1 }, exists),
      ]
    : [];

type IssueLocation = Pick<StoredIssue, 'location_id' | 'client_account_id'>;

/**
 * Where the issue is: as the request says, otherwise where its inspection was.
 * @throws ApiError 400 for the location of another client
 */
const locationFor = (
  { location_id = null, client_account_id }: Pick<NewIssue, keyof IssueLocation>,
  location: Pick<StoredLocation, 'client_account_id'> | undefined,
  inspection: IssueLocation | undefined,
): IssueLocation =>
  inspection && location_id === null && client_account_id === undefined
    ? { location_id: inspection.location_id, client_account_id: inspection.client_account_id }
    : {
        location_id,
        client_account_id: clientOf({ client_account_id }, { client_account_id: null }, location),
      };

/**
 * @throws ApiError 400 for a resource that does not exist, an assignee who is not active, or a location of another
 *   client account; 409 for an inactive category or an external_ref in use; 422 for answers that the category does not
 *   accept
 */
export const create = (caller: Caller, request: NewIssue): Promise<Issue> => {
  const { category_id, inspection_id, reporter, answers, ...given } = request;
  let number: number | undefined;
  return change(caller, async (work) => {
    const fields = { ...given, ...(await atAsset(work, { ...given, location_id: given.location_id })) };
    const [category, location, inspection, assignee, , , ...documents] = await resolve(work, [
      reference(work, 'category_id', 'ISSUE_CATEGORY', category_id),
      reference(work, 'location_id', 'LOCATION', fields.location_id),
      reference(work, 'inspection_id', 'INSPECTION', inspection_id),
      reference(work, 'assignee_id', 'MEMBER', fields.assignee_id),
      reference(work, 'client_account_id', 'CLIENT', fields.client_account_id),
      reference(work, 'asset_id', 'ASSET', fields.asset_id),
      ...documentReferences(work, request),
    ]);
    if (fields.assignee_id) checkAssignee(assignee);
    if (category && !category.is_active) throw errors.categoryInactive(category.name);
    const checked = checkedAnswers(category, answers, documents);
    number ??= await nextIssueNumber(work);
    const byCaller: IssueSource = isKey(work) ? 'api' : 'member';
    const { issue, writes } = await newIssue(work, number, category, {
      ...fields,
      ...locationFor(fields, location, inspection),
      answers: checked,
      reporter: merge(NO_REPORTER, reporter),
      source: inspection ? 'inspection' : byCaller,
      linked: { ...NO_LINKS, inspection_id },
    });
    return { writes: [...writes, ...raised(work, inspection_id, issue.id)], reply: toIssue(issue, work.now) };
  });
};
