import { isDeepStrictEqual } from 'node:util';
import { type Caller, isKey } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import {
  type ActionStep,
  isActionOpen,
  isStepAllowed,
  isWorkStep,
  lacksEvidence,
  needsSecondPerson,
  stepActivity,
  stepFields,
  stepRefusal,
  stepsOnSite,
} from '../../domain/corrective-actions.ts';
import { expectOtherSide, withWorker } from '../../domain/four-eyes.ts';
import { notify } from '../../notices/notify.ts';
import type { Activity, CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Presented } from '../../schemas/projection.ts';
import { change, type Work } from '../../table/change.ts';
import { expectVersion, nextVersion } from '../../table/collection.ts';
import type { StoredAction, StoredInspection } from '../../table/entities/inspections.ts';
import type { StoredOrganization } from '../../table/entities/organization.ts';
import type { Key } from '../../table/keys.ts';
import * as resource from '../../table/resource.ts';
import { type RowsAt, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import {
  actionEvent,
  actionRecords,
  type ActionSurroundings,
  activity,
  commentEvent,
  type NewActivity,
  toAction,
  withContactLink,
} from '../rows/corrective-action-records.ts';
import {
  addToCounters,
  expectUnarchived,
  inspectionRecords,
  isUnarchived,
  readChild,
} from '../rows/inspection-records.ts';
import { issueActivity } from '../rows/issue-records.ts';
import { namesOfAction } from '../rows/names-then.ts';

/** An action after its change, and the new entries of its history. */
interface ChangedAction {
  action: Presented<CorrectiveAction>;
  entries: Presented<Activity>[];
}

/** The decided change of an action. */
interface ActionEdit<Reply> {
  next: StoredAction;
  /** The new entries of its history. */
  activities: NewActivity[];
  /** Reports show the change, although the action's own row stays as it is. */
  isReported?: true;
  /** Whether the change is work on the action, so that the caller does not verify it. */
  isWork?: boolean;
  writes?: Write[];
  reply: (changed: ChangedAction) => Reply;
}

/** The reply of an edit that is answered with the action. */
export const replyWithAction = ({ action }: { action: CorrectiveAction }): CorrectiveAction => action;

/** By how much the number of open actions changes. */
const openActionsDelta = (before: StoredAction, after: StoredAction): number =>
  Number(isActionOpen(after.status)) - Number(isActionOpen(before.status));

/** The events of a change: of the status, when that changes as well, and of a comment by itself. */
const changeEvents = (
  work: Work,
  inspection: StoredInspection,
  before: StoredAction,
  after: StoredAction,
  entry: Presented<Activity> | undefined,
): Write[] => {
  if (after.status !== before.status) return [actionEvent(work, 'status_changed', after, inspection)];
  return [
    ...(entry?.kind === 'commented' ? [commentEvent(work, after, inspection, entry)] : []),
    actionEvent(work, 'updated', after, inspection),
  ];
};

/** The entry in the history of the issue that an action was created from, when its status changes. */
const issueEntry = (
  work: Work,
  before: StoredAction,
  after: StoredAction,
  history: readonly NewActivity[],
): Write[] => {
  const { id: corrective_action_id, inspection_id, issue_id, status: to } = after;
  if (!issue_id || before.status === to) return [];
  const note = history.find((each) => each.to === to)?.note ?? '';
  const entry = { kind: 'corrective_action_status_changed', inspection_id, corrective_action_id } as const;
  return [issueActivity(work, issue_id, { ...entry, from: before.status, to, note }).write];
};

/** The write of a change's inspection: of its counters, or only the check that it is not archived. */
const inspectionWrite = (work: Work, before: StoredAction, after: StoredAction, isChanged: boolean): Write =>
  isChanged
    ? addToCounters(
        work,
        after.inspection_id,
        { findings_revision: 1, open_corrective_actions_count: openActionsDelta(before, after) },
        isUnarchived,
      )
    : write.check(inspectionRecords.key(work, after.inspection_id), undefined, isUnarchived);

/** The changed action, and the writes of the change without that of its inspection. */
export const actionChange = (
  work: Work,
  inspection: StoredInspection,
  current: StoredAction,
  next: StoredAction,
  activities: readonly NewActivity[],
): ChangedAction & { updated: StoredAction; writes: Write[] } => {
  const { action: updated, mails } = withContactLink(work, current, nextVersion(work, current, next));
  const history = activities.map((each) => activity(work, current.id, each));
  const written = activities.find(
    (each) => each.kind === 'commented' && each.contact_name !== undefined,
  )?.note;
  const outcome = {
    action: toAction(updated, inspection, work.now),
    entries: history.map(({ entry }) => entry),
  };
  return {
    ...outcome,
    updated,
    writes: [
      // An update, because another change may write meanwhile whether the contact's link was mailed or opened.
      ...resource.update(actionRecords, work, current, updated),
      ...notify(work, 'actionChanged', { inspection, action: updated, before: current }),
      ...(written ? notify(work, 'contactWrote', { inspection, action: updated, note: written }) : []),
      ...history.map((added) => added.write),
      ...changeEvents(work, inspection, current, updated, outcome.entries[0]),
      ...issueEntry(work, current, updated, activities),
      ...mails,
    ],
  };
};

/** An action after a change. While it is closed, it keeps what it names as it was named when it was closed. */
const withNames = async (
  work: Work,
  inspection: ActionSurroundings,
  before: StoredAction,
  after: StoredAction,
): Promise<StoredAction> => {
  const isOpen = isActionOpen(after.status);
  if (isOpen === isActionOpen(before.status)) return after;
  return { ...after, names_then: isOpen ? null : await namesOfAction(work, inspection, after) };
};

/**
 * One change of an action. It is refused once the inspection is archived. Each change increases the action's version,
 * even if it only writes rows below the action, so that two changes conflict.
 * @throws ApiError 404; 409 for another version, missing evidence or an archived inspection; what `check` and `decide`
 *   throw
 */
export const editAction = <Reply, const Others extends readonly (Key | undefined)[]>(
  caller: Caller,
  id: string,
  expectedVersion: number | undefined,
  {
    also,
    check = () => {},
    decide,
  }: {
    /** Keys of the other rows that the decision needs. */
    also: Others;
    /** @throws ApiError 404 or 400 when the request names a row that is missing or cannot be used */
    check?: (others: RowsAt<Others>, current: StoredAction) => void;
    decide: (
      current: StoredAction,
      work: Work,
      others: RowsAt<Others>,
      inspection: StoredInspection,
    ) => Promise<ActionEdit<Reply>> | ActionEdit<Reply>;
  },
): Promise<Reply> =>
  change(caller, async (work) => {
    const { child, inspection, others } = await readChild(work, 'ACTION', id, ...also);
    const current = withoutKeys(child);
    check(others, current);
    expectVersion('corrective action', current, expectedVersion);
    const decided = await decide(current, work, others, inspection);
    const { activities, isReported = false, isWork = false, writes = [], reply } = decided;
    const worked = isWork ? workedOn(work, decided.next) : decided.next;
    const next = await withNames(work, inspection, current, worked);
    const isChanged = !isDeepStrictEqual(next, current);
    if (!isChanged && activities.length === 0) {
      return { writes: [], reply: reply({ action: toAction(current, inspection, work.now), entries: [] }) };
    }
    expectUnarchived(inspection);
    if (lacksEvidence(next)) throw errors.evidenceRequired(current.status);
    const {
      updated,
      writes: changed,
      ...outcome
    } = actionChange(work, inspection, current, next, activities);
    return {
      writes: [...changed, inspectionWrite(work, current, updated, isChanged || isReported), ...writes],
      reply: reply(outcome),
    };
  });

/** An action on which the caller has worked. */
export const workedOn = (work: Work, action: StoredAction): StoredAction => {
  const worked_by = withWorker(action.worked_by, work);
  return worked_by ? { ...action, worked_by } : action;
};

/** Takes a step, with its entry in the history. @throws ApiError 409 when the step is not allowed */
export const takeStep = (
  work: Work,
  step: ActionStep,
  current: StoredAction,
  note: string,
): Pick<ActionEdit<never>, 'next' | 'activities' | 'isWork'> => {
  if (!isStepAllowed(step, current.status)) {
    throw errors.correctiveActionStatus(current.status, stepRefusal(step));
  }
  const details = {
    at: work.now,
    by: work.user_id || null,
    via: work.acted_via_key_id ?? null,
    note,
  };
  const next = { ...current, ...stepFields(step, current, details) };
  return {
    next,
    activities: [{ kind: stepActivity(step), from: current.status, to: next.status, note }],
    isWork: isWorkStep(step),
  };
};

/** Whether somebody else has to verify what the caller has worked on. */
export const isSecondPersonNeeded = (caller: Caller, organization: StoredOrganization | undefined): boolean =>
  needsSecondPerson(organization!.four_eyes_verification, !isKey(caller));

/**
 * Checks that the caller may verify a completed action.
 * @throws ApiError 403 for whoever has worked on it, also through a key, when a second person has to verify
 */
export const expectVerifier = (
  caller: Caller,
  { completed_by, worked_by }: StoredAction,
  organization: StoredOrganization | undefined,
): void => {
  if (!isSecondPersonNeeded(caller, organization)) return;
  if (completed_by === caller.user_id) throw errors.secondPersonRequired();
  expectOtherSide(caller, worked_by, 'corrective action', errors.secondPersonRequired);
};

/**
 * An action that was carried out on the spot: completed and, if nobody else has to verify it, verified.
 * @throws ApiError 409 for one that is neither open nor in progress
 */
export const completedOnSite = (
  work: Work,
  action: StoredAction,
  isSecondPersonNeeded: boolean,
): StoredAction =>
  stepsOnSite(action.status, isSecondPersonNeeded).reduce<StoredAction>(
    (taken, step) => takeStep(work, step, taken, step === 'complete' ? action.completion_note : '').next,
    { ...workedOn(work, action), completed_on_site: true },
  );

/** @throws ApiError 409 for a verified or cancelled action, which has to be reopened first */
export const expectOpen = ({ status }: StoredAction): void => {
  if (!isActionOpen(status)) throw errors.correctiveActionStatus(status, 'Reopen it before you change it');
};
