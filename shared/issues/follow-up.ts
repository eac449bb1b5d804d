import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { isIssueOpen } from '../domain/issues/workflow.ts';
import { assigneeKey, checkAssignee } from '../inspections/corrective-actions/assignee.ts';
import { inspectionFrom } from '../inspections/create.ts';
import { actionOpening, findingKey, newFinding, nextFindingNumber } from '../inspections/findings/records.ts';
import { newAction, nextActionNumber, toAction } from '../inspections/rows/corrective-action-records.ts';
import {
  addToCounters,
  expectUnarchived,
  inspectionRecords,
  isPlaced,
  isUnarchived,
  statusIsNot,
  toInspection,
} from '../inspections/rows/inspection-records.ts';
import { NO_LINKS } from '../inspections/rows/issue-records.ts';
import { audienceOf, notify } from '../notices/notify.ts';
import type { CorrectiveAction } from '../schemas/corrective-action.ts';
import { type Finding, FindingContent } from '../schemas/finding.ts';
import type { Inspection } from '../schemas/inspections/inspection.ts';
import type { IssuePriority } from '../schemas/issues/category.ts';
import type { Issue, NewIssueAction, NewIssueInspection } from '../schemas/issues/issue.ts';
import { initialValues } from '../schemas/resource.ts';
import type { Work } from '../table/change.ts';
import { both } from '../table/conditions.ts';
import type { StoredFinding, StoredInspection } from '../table/entities/inspections.ts';
import type { StoredIssue } from '../table/entities/issues.ts';
import { getRows, withoutKeys } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { editIssue } from './issues.ts';

/** Where the inspection takes place: as the request says, otherwise where the issue is. */
const locationFor = (
  { client_account_id, location_id }: NewIssueInspection,
  issue: Pick<Issue, 'client_account_id' | 'location_id'>,
) => ({
  location_id: location_id === undefined ? issue.location_id : location_id,
  // Another location may be another client’s.
  client_account_id:
    client_account_id === undefined
      ? location_id === undefined
        ? issue.client_account_id
        : null
      : client_account_id,
});

/**
 * Starts an inspection from an issue. The issue is then linked to it.
 * @throws ApiError 404; 409 for another version, or an issue that is resolved, closed, rejected or a duplicate; else as
 *   the creation of an inspection
 */
export const startInspection = (
  caller: Caller,
  id: string,
  request: NewIssueInspection,
  expectedVersion?: number,
): Promise<Inspection> =>
  editIssue(caller, id, expectedVersion, {
    also: [],
    decide: async (current, work, _, confirm) => {
      const { inspection, writes } = await inspectionFrom(
        work,
        {
          ...request,
          ...locationFor(request, current),
          asset_id: request.asset_id === undefined ? (current.asset_id ?? null) : request.asset_id,
          allow_inactive: true,
        },
        async () => {
          confirm();
          if (!isIssueOpen(current.status)) {
            throw errors.issueStatus(current.status, 'An inspection can be started only from an open one');
          }
          return { source: 'issue', issue_id: id };
        },
      );
      return {
        next: { ...current, linked: { ...NO_LINKS, inspection_id: inspection.id } },
        activities: [{ kind: 'inspection_started', inspection_id: inspection.id, to: inspection.status }],
        writes,
        reply: () => toInspection(inspection, work.now),
      };
    },
  });

/** The statuses in which an inspection takes no new finding. */
const CLOSED = ['completed', 'archived'] as const;

const SEVERITIES: Readonly<Record<IssuePriority, Finding['severity']>> = {
  none: 'minor',
  low: 'observation',
  medium: 'minor',
  high: 'major',
  critical: 'critical',
};

/** The finding of an issue that has none yet, with its first action counted. */
const findingOf = async (
  work: Work,
  issue: StoredIssue,
  inspection: StoredInspection,
  number: number,
): Promise<{ finding: StoredFinding; writes: Write[] }> => {
  if (CLOSED.some((status) => status === inspection.status)) throw errors.inspectionLocked(inspection.status);
  const { finding, writes } = newFinding(work, number, inspection, {
    label: issue.title,
    origin: 'issue',
    severity: SEVERITIES[issue.priority],
    content: {
      ...initialValues(FindingContent),
      description: issue.description,
      media: issue.media,
    },
    corrective_actions_count: 1,
  });
  const audience = await audienceOf(work, inspection.template_family_id, 'on_finding');
  return {
    finding,
    writes: [...writes, ...notify(work, 'findingCreated', { inspection, finding }, audience)],
  };
};

/**
 * Creates a corrective action on a finding of the inspection that an issue is linked to. The issue gets a finding of
 * its own with its first action, unless the request names another one.
 * @throws ApiError 404; 400 for a finding that the inspection does not have, or an assignee who is no active member;
 *   409 for another version, an issue without an inspection, an archived inspection, one that is completed and so takes
 *   no new finding, a resolved finding, or an external_ref in use
 */
export const createCorrectiveAction = (
  caller: Caller,
  id: string,
  { finding_id: named, ...request }: NewIssueAction,
  expectedVersion?: number,
): Promise<CorrectiveAction> => {
  const numbers: { finding?: number; action?: number } = {};
  return editIssue(caller, id, expectedVersion, {
    also: [assigneeKey(caller, request.assignee_id)],
    check: ([assignee]) => {
      if (request.assignee_id) checkAssignee(assignee);
    },
    decide: async (current, work, _, confirm) => {
      const { inspection_id, finding_id: own } = current.linked;
      const findingId = named ?? own;
      const [inspection, known] = inspection_id
        ? await getRows(work, [
            inspectionRecords.key(work, inspection_id),
            findingId ? findingKey(work, inspection_id, findingId) : undefined,
          ])
        : [];
      if (named && !known) throw errors.referenceNotFound('finding_id');
      confirm();
      if (!inspection_id || !inspection) throw errors.issueNotLinked(current.status);
      expectUnarchived(inspection);
      if (known?.status === 'resolved') throw errors.findingResolved();
      if (!known) numbers.finding ??= await nextFindingNumber(work);
      const added = known ? undefined : await findingOf(work, current, inspection, numbers.finding!);
      const finding = known ?? added!.finding;
      numbers.action ??= await nextActionNumber(work);
      const { action, writes } = newAction(work, numbers.action, inspection, finding, {
        ...request,
        issue_id: id,
      });
      return {
        next: {
          ...current,
          linked: { inspection_id, finding_id: finding.id, corrective_action_id: action.id },
        },
        activities: [
          {
            kind: 'corrective_action_created',
            inspection_id,
            corrective_action_id: action.id,
            to: action.status,
          },
        ],
        writes: [
          ...writes,
          ...(known ? actionOpening(work, withoutKeys(known), 1, inspection) : added!.writes),
          ...notify(work, 'actionChanged', { inspection, action, before: undefined }),
          addToCounters(
            work,
            inspection_id,
            {
              findings_count: added ? 1 : 0,
              findings_revision: 1,
              parts_revision: 1,
              open_corrective_actions_count: 1,
            },
            added ? both(statusIsNot(...CLOSED), isPlaced(inspection)) : isUnarchived,
            { isWork: added !== undefined },
          ),
        ],
        reply: () => toAction(action, inspection, work.now),
      };
    },
  });
};
