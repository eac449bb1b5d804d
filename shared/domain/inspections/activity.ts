import type { InspectionActivity } from '../../schemas/inspections/activity.ts';
import type { Correction } from '../../schemas/inspections/correction.ts';
import type { Inspection, InspectionStatus, Participant } from '../../schemas/inspections/inspection.ts';
import { shownDocuments } from '../content/shown-documents.ts';
import { hasPart, isReturned } from './workflow.ts';

/** An entry in the history of an inspection, without who made it, when and through which key. */
export type NewInspectionActivity = Pick<InspectionActivity, 'kind'> &
  Partial<Omit<InspectionActivity, 'id' | 'kind' | 'actor_id' | 'key_id' | 'acted_via_key_id' | 'at'>>;

/** The fields of an inspection whose changes are shown in its history. */
type Told = Pick<
  Inspection,
  'status' | 'participants' | 'approver_id' | 'approval_outcome' | 'comment' | 'signatures' | 'start_answers'
> &
  Partial<Pick<Inspection, 'reinspection_of_id' | 'archive_reason'>>;

/** The kind of entry for a step, by the status that the inspection leaves. `stepKind` has the exceptions. */
const LEFT: Readonly<Record<InspectionStatus, NewInspectionActivity['kind']>> = {
  scheduled: 'started',
  in_progress: 'submitted',
  pending_approval: 'approved',
  pending_sign_off: 'signed',
  completed: 'archived',
  archived: 'restored',
};

const stepKind = (before: Told, after: Told): NewInspectionActivity['kind'] => {
  if (after.status === 'archived') {
    const isRejected = before.status === 'pending_approval' && after.approval_outcome === 'rejected';
    return isRejected ? 'rejected' : 'archived';
  }
  return isReturned(before.status, after.status) ? 'changes_requested' : LEFT[before.status];
};

/** The steps of an advance with a comment, which the inspection keeps until the next such step. */
const COMMENTED: ReadonlySet<NewInspectionActivity['kind']> = new Set([
  'submitted',
  'approved',
  'changes_requested',
  'rejected',
]);

/** Why the service has archived an inspection. */
const ARCHIVED: Readonly<Record<NonNullable<Inspection['archive_reason']>, string>> = {
  asset_decommissioned: 'The asset was decommissioned.',
  location_inactive: 'The location became inactive.',
  schedule_changed: 'The schedule was changed.',
  schedule_deleted: 'The schedule was deleted.',
};

const commentOn = (kind: NewInspectionActivity['kind'], { comment, archive_reason }: Told): string => {
  if (kind === 'archived' && archive_reason) return ARCHIVED[archive_reason];
  return COMMENTED.has(kind) ? (comment ?? '') : '';
};

/** The step by which the status has changed. A signature, given or refused, has an entry of its own. */
const stepTaken = (before: Told, after: Told): NewInspectionActivity[] => {
  const { status: from } = before;
  const { status: to } = after;
  const kind = stepKind(before, after);
  if (from === to || kind === 'signed') return [];
  return [{ kind, from, to, comment: commentOn(kind, after) }];
};

const signed = (before: Told, after: Told): NewInspectionActivity[] =>
  after.signatures.slice(before.signatures.length).map(({ signed_name, declined, reason }) => ({
    kind: declined ? 'declined' : 'signed',
    from: before.status,
    to: after.status,
    comment: declined ? `${signed_name}: ${reason}` : signed_name,
  }));

/** The participants whose parts have changed, by `isChanged`. */
const partsOf = (
  before: Told,
  after: Told,
  isChanged: (was: Participant, is: Participant) => boolean,
): string[] => {
  const former = new Map(before.participants.map((each) => [each.user_id, each]));
  return after.participants
    .filter((each) => hasPart(each) && former.has(each.user_id) && isChanged(former.get(each.user_id)!, each))
    .map(({ user_id }) => user_id);
};

const named = (kind: NewInspectionActivity['kind'], user_ids: string[]): NewInspectionActivity[] =>
  user_ids.length > 0 ? [{ kind, user_ids }] : [];

const idsOf = ({ participants }: Pick<Told, 'participants'>): Set<string> =>
  new Set(participants.map(({ user_id }) => user_id));

const assignments = (before: Told, after: Told): NewInspectionActivity[] => {
  const [were, are] = [idsOf(before), idsOf(after)];
  return [
    ...named('assigned', [...are.difference(were)]),
    ...named('unassigned', [...were.difference(are)]),
    ...(before.approver_id === after.approver_id
      ? []
      : [{ kind: 'approver_changed' as const, from: before.approver_id, to: after.approver_id }]),
  ];
};

/** The documents that something showed and no longer shows. */
export const documentsRemoved = (before: unknown, after: unknown): NewInspectionActivity[] => {
  const document_ids = [...shownDocuments(before).difference(shownDocuments(after))];
  return document_ids.length > 0 ? [{ kind: 'documents_removed', document_ids }] : [];
};

/**
 * The entries in the history of an inspection for a change: every step, decision, signature, assignment and reopening.
 * @param before undefined for a new inspection
 */
export const activityOf = (before: Told | undefined, after: Told): NewInspectionActivity[] => {
  if (!before) {
    const { status: to, reinspection_of_id: inspection_id } = after;
    return [{ kind: 'created', to, user_ids: [...idsOf(after)], ...(inspection_id && { inspection_id }) }];
  }
  const submitted = partsOf(
    before,
    after,
    (was, is) => was.status !== 'submitted' && is.status === 'submitted',
  );
  const reopened = partsOf(before, after, (was, is) => is.reopened_at !== was.reopened_at);
  return [
    ...named('part_submitted', submitted),
    ...stepTaken(before, after),
    ...signed(before, after),
    ...named('part_reopened', reopened),
    ...assignments(before, after),
    ...documentsRemoved(before.start_answers, after.start_answers),
  ];
};

type ToldCorrection = Pick<Correction, 'id' | 'status'> &
  Partial<Pick<Correction, 'decided_at' | 'decision' | 'comment'>>;

/**
 * The status to which a decision leads. The history shows a decision when it is made, which may be before it takes
 * effect.
 */
const DECIDED: Readonly<Record<NonNullable<Correction['decision']>, Correction['status']>> = {
  approved: 'closed',
  changes_requested: 'open',
  rejected: 'rejected',
};

const REACHED: Readonly<Partial<Record<Correction['status'], NewInspectionActivity['kind']>>> = {
  pending_approval: 'correction_submitted',
  closed: 'correction_closed',
  discarded: 'correction_discarded',
};

/**
 * The entries in the history of an inspection for a change of its correction: each decision, or its end without one.
 */
export const correctionActivityOf = (
  before: ToldCorrection,
  after: ToldCorrection,
): NewInspectionActivity[] => {
  const { id: correction_id, status: to, decision, comment } = after;
  const { status: from } = before;
  if (decision && before.decided_at !== after.decided_at) {
    const kind = `correction_${decision}` as const;
    return [{ kind, correction_id, from, to: DECIDED[decision], comment: comment ?? '' }];
  }
  const isDecided = from === 'pending_approval' && to !== 'discarded';
  const kind = from === to || isDecided ? undefined : REACHED[to];
  return kind ? [{ kind, correction_id, from, to }] : [];
};
