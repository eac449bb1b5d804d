import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { contactOf, isActionOpen, stepToStatus } from '../../domain/corrective-actions.ts';
import { notify } from '../../notices/notify.ts';
import type {
  Activity,
  CorrectiveAction,
  CorrectiveActionChanges,
  NewComment,
  NewCorrectiveAction,
  Verification,
} from '../../schemas/corrective-action.ts';
import { change, type Work } from '../../table/change.ts';
import { expectVersion } from '../../table/collection.ts';
import type { StoredAction, StoredFinding, StoredInspection } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { mergeLabelled } from '../../table/labels.ts';
import { escalationReferences, resolve } from '../../table/references.ts';
import { withoutKeys } from '../../table/rows.ts';
import type { Write } from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';
import {
  actionOpening,
  findingChange,
  NOUN as FINDING,
  readFindingOf,
  resolutionWrites,
  resolved,
  unfinishedActions,
} from '../findings/records.ts';
import {
  editActivities,
  newAction,
  type NewActivity,
  nextActionNumber,
  toAction,
} from '../rows/corrective-action-records.ts';
import { addToCounters, expectUnarchived, isUnarchived, readChild } from '../rows/inspection-records.ts';
import { namesOfAction, namesOfFinding } from '../rows/names-then.ts';
import { assigneeKey, checkAssignee } from './assignee.ts';
import { evidenceWrites } from './attachments.ts';
import {
  completedOnSite,
  editAction,
  expectVerifier,
  expectOpen,
  isSecondPersonNeeded,
  replyWithAction,
  takeStep,
} from './edit.ts';

/** Corrective actions: what has to be done about a finding, by whom, and what was done. */

/**
 * Checks the evidence of an action that was carried out on the spot. Calls: the content of the inspection, unless it is
 * cached or there is evidence.
 * @throws ApiError 422 when the request or the template asks for evidence and there is none
 */
const expectEvidence = async (
  caller: Caller,
  inspection: StoredInspection,
  finding: StoredFinding,
  { evidence, evidence_required }: NewCorrectiveAction,
): Promise<void> => {
  if (evidence.length > 0) return;
  const { template_id, content_hash } = inspection;
  const index = finding.field_id ? await contentOf(caller, template_id, content_hash) : undefined;
  const rule = index?.fields.get(finding.field_id!)?.field.finding;
  if (!evidence_required && !rule?.corrective_action?.evidence_required) return;
  throw errors.validationFailed([
    {
      loc: ['body', 'evidence'],
      type: 'too_short',
      msg: 'List should have at least 1 item: an action that is completed on site needs evidence here',
      ctx: { min_length: 1 },
    },
  ]);
};

/** The writes of the finding: it counts the action, and is resolved when none of its actions is open any more. */
const findingWrites = async (
  work: Work,
  inspection: StoredInspection,
  finding: StoredFinding,
  action: StoredAction,
): Promise<Write[]> => {
  const isLast = !isActionOpen(action.status) && (await unfinishedActions(work, finding)) === 0;
  if (!isLast) return actionOpening(work, finding, 1, inspection);
  const corrective_actions_count = finding.corrective_actions_count + 1;
  const fields = resolved(work, await namesOfFinding(work, inspection, finding));
  return findingChange(work, finding, { ...fields, corrective_actions_count }, inspection).writes;
};

/**
 * @param expectedVersion the finding's
 * @throws ApiError 404; 400 for an assignee who is no active member, or evidence that does not exist; 409 for another
 *   version, a resolved finding, an archived inspection or an external_ref that is in use; 422 without evidence that is
 *   needed
 */
export const create = async (
  caller: Caller,
  findingId: string,
  request: NewCorrectiveAction,
  expectedVersion?: number,
): Promise<CorrectiveAction> => {
  const { completed_on_site, evidence, ...fields } = request;
  const { assignee_id } = fields;
  let number: number | undefined;
  return change(caller, async (work) => {
    const {
      child,
      inspection,
      others: [assignee, organization],
    } = await readChild(
      work,
      'FINDING',
      findingId,
      assigneeKey(work, assignee_id),
      completed_on_site ? keys.organization(work) : undefined,
    );
    const finding = withoutKeys(child);
    if (assignee_id) checkAssignee(assignee);
    await resolve(work, escalationReferences(work, 'escalation', fields.escalation));
    expectVersion(FINDING, finding, expectedVersion);
    expectUnarchived(inspection);
    if (finding.status === 'resolved') throw errors.findingResolved();
    if (completed_on_site) await expectEvidence(work, inspection, finding, request);
    number ??= await nextActionNumber(work);
    const { inspection_id, location_id = null } = finding;
    const people = { assignee_id, created_by: work.user_id, completed_by: work.user_id };
    const names_then = completed_on_site
      ? await namesOfAction(work, inspection, { location_id, ...people })
      : null;
    const { action, writes } = newAction(
      work,
      number,
      inspection,
      finding,
      {
        ...fields,
        evidence_count: evidence.length,
      },
      completed_on_site
        ? (opened) => {
            const done = completedOnSite(work, opened, isSecondPersonNeeded(work, organization));
            return isActionOpen(done.status) ? done : { ...done, names_then };
          }
        : undefined,
    );
    return {
      writes: [
        ...writes,
        ...(completed_on_site
          ? []
          : notify(work, 'actionChanged', { inspection, action, before: undefined })),
        ...evidenceWrites(work, action.id, evidence),
        ...(await findingWrites(work, inspection, finding, action)),
        addToCounters(
          work,
          inspection_id,
          {
            findings_revision: 1,
            parts_revision: 1,
            open_corrective_actions_count: Number(isActionOpen(action.status)),
          },
          isUnarchived,
        ),
      ],
      reply: toAction(action, inspection, work.now),
    };
  });
};

/** The finding of an action, and the number of its other actions that are not finished. Two calls. */
const othersUnfinished = async (
  work: Work,
  action: StoredAction,
): Promise<{ finding: StoredFinding; unfinished: number }> => {
  const finding = await readFindingOf(work, action);
  // Read after the finding, whose version an action increases that is opened meanwhile.
  return { finding, unfinished: await unfinishedActions(work, finding, action.id) };
};

/** An action that was carried out on the spot, and the resolution of its finding if it was the last one. Two calls. */
const finishOnSite = async (
  work: Work,
  inspection: StoredInspection,
  action: StoredAction,
  isSecondNeeded: boolean,
): Promise<{ next: StoredAction; activity: NewActivity; writes: Write[] }> => {
  const next = completedOnSite(work, action, isSecondNeeded);
  const { finding, unfinished } = await othersUnfinished(work, action);
  const isClosed = !isActionOpen(next.status);
  return {
    next,
    activity: {
      kind: isClosed ? 'verified' : 'status_changed',
      from: action.status,
      to: next.status,
      note: next.completion_note,
    },
    writes: isClosed && unfinished === 0 ? await resolutionWrites(work, inspection, finding) : [],
  };
};

/**
 * Edits its fields, and takes the step that leads to `status`, or those of an action that was carried out on the spot.
 * @throws ApiError 404; 400 for an assignee who is no active member; 409 for another version, a step that is not
 *   allowed, missing evidence, a closed action, an archived inspection or an external_ref that is in use
 */
export const update = (
  caller: Caller,
  id: string,
  { status, completed_on_site, ...fields }: CorrectiveActionChanges,
  expectedVersion?: number,
): Promise<CorrectiveAction> =>
  editAction(caller, id, expectedVersion, {
    also: [
      assigneeKey(caller, fields.assignee_id),
      completed_on_site ? keys.organization(caller) : undefined,
    ],
    check: ([assignee], current) => {
      if (fields.assignee_id && fields.assignee_id !== current.assignee_id) checkAssignee(assignee);
    },
    decide: async (current, work, [, organization], inspection) => {
      await resolve(work, escalationReferences(work, 'escalation', fields.escalation));
      const merged = mergeLabelled(current, fields);
      // A person who sets another due date has a reason of their own.
      const dated = merged.due_at === current.due_at ? merged : { ...merged, due_basis: null };
      const edited = { ...dated, contact: contactOf(merged.contact) };
      const edits = editActivities(current, edited);
      if (completed_on_site) {
        const isSecondNeeded = isSecondPersonNeeded(work, organization);
        const { activity, ...done } = await finishOnSite(work, inspection, edited, isSecondNeeded);
        return { ...done, activities: [...edits, activity], reply: replyWithAction };
      }
      if (status === undefined || status === current.status) {
        if (!isDeepStrictEqual(edited, current)) expectOpen(current);
        const isWork = edited.completion_note !== current.completion_note;
        return { next: edited, activities: edits, isWork, reply: replyWithAction };
      }
      const step = stepToStatus(status);
      if (!step) {
        throw errors.correctiveActionStatus(
          current.status,
          `${status === 'open' ? 'Reopen' : 'Verify'} it to make it ${status}`,
        );
      }
      const note = step === 'complete' ? edited.completion_note : '';
      const { activities, ...taken } = takeStep(work, step, edited, note);
      return { ...taken, activities: [...edits, ...activities], reply: replyWithAction };
    },
  });

/**
 * Accepts or declines a completed action.
 * @throws ApiError 404; 403 for whoever has worked on it, when a second person has to verify; 409 for another
 *   version, an archived inspection, an action that is not pending verification, or a finding to resolve
 *   that has other unfinished actions
 */
export const verify = (
  caller: Caller,
  id: string,
  { accepted, note, resolve_finding }: Verification,
  expectedVersion?: number,
): Promise<CorrectiveAction> =>
  editAction(caller, id, expectedVersion, {
    also: [keys.organization(caller)],
    decide: async (current, work, [organization], inspection) => {
      const step = takeStep(work, accepted ? 'accept' : 'decline', current, note);
      if (accepted) expectVerifier(work, current, organization);
      if (!resolve_finding) return { ...step, reply: replyWithAction };
      const { finding, unfinished } = await othersUnfinished(work, current);
      if (unfinished > 0) throw errors.correctiveActionsUnfinished(unfinished);
      const writes = await resolutionWrites(work, inspection, finding);
      return { ...step, writes, reply: replyWithAction };
    },
  });

/**
 * @throws ApiError 404; 409 for another version, a resolved finding, an archived inspection, or while it is open
 *   or in progress
 */
export const reopen = (caller: Caller, id: string, reason: string, expectedVersion?: number): Promise<null> =>
  editAction(caller, id, expectedVersion, {
    also: [],
    decide: async (current, work, _, inspection) => {
      const step = takeStep(work, 'reopen', current, reason);
      const finding = await readFindingOf(work, current);
      return { ...step, writes: actionOpening(work, finding, 0, inspection), reply: () => null };
    },
  });

/** @throws ApiError 404; 409 for another version, or an archived inspection */
export const comment = (
  caller: Caller,
  id: string,
  { note }: NewComment,
  expectedVersion?: number,
): Promise<Activity> =>
  editAction(caller, id, expectedVersion, {
    also: [],
    decide: (current) => ({
      next: current,
      activities: [{ kind: 'commented', note }],
      reply: ({ entries }) => entries[0]!,
    }),
  });
