import { defineError } from '../api-error.ts';

/* Inspections and their answers. */

/** The most blockers that a text names; it counts the others. */
const MAX_NAMED_BLOCKERS = 10;

export const answerReferenceNotFound = defineError(
  400,
  'answer_reference_not_found',
  'An answer names a document, member, client account or location that the organization does not have. Correct the answer.',
  (field: string, id: string) => `${field} names ${id}, which does not exist.`,
);

export const notInTemplate = defineError(
  400,
  'not_in_template',
  'The request names a field or a section that the template of the inspection does not have. Read its template version for those that it has.',
  (reason: string) => `${reason}.`,
);

export const otherFamily = defineError(
  400,
  'other_family',
  'The request names an inspection of another template family. Name one of the same family.',
  (field: string) => `${field} names an inspection of another template family.`,
);

export const decisionByKey = defineError(
  403,
  'decision_by_key',
  'An API key may decide on an inspection only where the template family allows it. Let a person decide.',
  () => 'An API key may not decide on this inspection.',
);

export const notAnApprover = defineError(
  403,
  'not_an_approver',
  'The template family names who may approve, and the member is neither one of them nor an approver of the inspection. Let one of these decide.',
  () => 'The template family names who may approve, and this member is not one of them.',
);

export const decisionNotSignedIn = defineError(
  403,
  'decision_not_signed_in',
  'The template family lets only people decide who have signed in themselves, and no API key, not even for a member. Let a person decide in the app.',
  () => 'Only a person who has signed in may decide on this inspection, not an API key.',
);

export const ownWork = defineError(
  403,
  'own_work',
  'Nobody approves what they took part in or worked on. Let somebody else approve it.',
  (noun: string) =>
    `You have a part in the ${noun} or have worked on it, so somebody else has to approve it.`,
);

export const workOfKey = defineError(
  403,
  'work_of_key',
  'An API key that was used for the work does not carry its approval, neither for itself nor for a member. Use a key that was not used for it.',
  (noun: string) =>
    `This API key was used to work on the ${noun}, so it cannot carry the approval, neither for itself nor for a member.`,
);

export const workOfOwnKey = defineError(
  403,
  'work_of_own_key',
  'Whoever made an API key does not approve what the key was used for. Let somebody else approve it.',
  (noun: string) =>
    `An API key that you made was used to work on the ${noun}, so somebody else has to approve it.`,
);

export const workOfKeyMaker = defineError(
  403,
  'work_of_key_maker',
  'An API key does not carry the approval of what the person who made it has worked on, directly or by another key. Use a key that somebody else has made.',
  (noun: string) =>
    `The person who made this API key has worked on the ${noun}, so the key cannot carry the approval.`,
);

export const notYourInspection = defineError(
  403,
  'not_your_inspection',
  'Only the member who created an inspection for themselves may change it here. Use `PATCH /inspections/{inspection_id}`.',
  () => 'Only the member who created the inspection for themselves may change it here.',
);

export const noPartInInspection = defineError(
  403,
  'no_part_in_inspection',
  'An inspector works on inspections only as a participant or as the creator. Add the inspector as a participant first.',
  () => 'The inspector takes no part in the inspection, and has not created it.',
);

export const inspectionLocked = defineError(
  409,
  'inspection_locked',
  'The inspection accepts no changes in its status. Open a correction if it is completed.',
  (status: string) => `The inspection is ${status} and locked.`,
);

export const inspectionBlocked = defineError(
  409,
  'inspection_blocked',
  'The inspection cannot move on: answers, media, notes or parts are missing. Add what is missing; `detail` names the first ten, and `GET /inspections/{inspection_id}/blockers` lists all.',
  (status: string, blockers: readonly string[]) => {
    const named = blockers.slice(0, MAX_NAMED_BLOCKERS).join('; ');
    const rest = blockers.length - MAX_NAMED_BLOCKERS;
    const count = `${blockers.length} blocker${blockers.length === 1 ? '' : 's'}`;
    return `The inspection is ${status} with ${count}: ${named}${rest > 0 ? `; and ${rest} more` : ''}`;
  },
);

export const inspectionStatus = defineError(
  409,
  'inspection_status',
  'The inspection is in another status than the operation needs. Take a step that its status allows.',
  (status: string, reason?: string) => `The inspection is ${status}${reason ? `, ${reason}` : ''}.`,
);

export const noStepForward = defineError(
  409,
  'no_step_forward',
  'The inspection has no step forward, or waits for a decision or a signature. Send what it waits for.',
  (status: string, awaited?: string) =>
    `The inspection is ${status}${awaited ? ` and awaits ${awaited}` : ''}.`,
);

export const stepLeadsElsewhere = defineError(
  409,
  'step_leads_elsewhere',
  'The step forward leads to another status than `to` asks for. Send the status that `detail` names, or none.',
  (status: string, next: string) => `The inspection is ${status}. The step forward leads to ${next}.`,
);

export const partNotSubmitted = defineError(
  409,
  'part_not_submitted',
  'Only a part that was submitted can be reopened. Fetch the inspection to see its parts.',
  (status: string, part: string | undefined) =>
    part === undefined
      ? `The inspection is ${status}, and you take no part in it.`
      : `The inspection is ${status}, and your part is ${part}, not submitted.`,
);

export const alreadySigned = defineError(
  409,
  'already_signed',
  'This person has signed the inspection or refused to already: a participant, or someone with this name. Let somebody else sign.',
  (status: string, name: string, declined?: boolean) =>
    `The inspection is ${status}, and ${name} has already ${declined ? 'refused to sign' : 'signed'} it.`,
);

/** Things of one kind that an inspection holds. */
export interface HeldWork {
  /** In the singular. */
  noun: string;
  count: number;
  /** Whether there may be more than were counted. */
  isMore?: boolean;
}

const enumeration = new Intl.ListFormat('en-GB', { type: 'conjunction' });

export const inspectionNotEmpty = defineError(
  409,
  'inspection_not_empty',
  'An inspection can be deleted only while it holds no work; `detail` counts what it holds. Archive it instead.',
  (status: string, work: readonly HeldWork[]) => {
    const counts = work.map(
      ({ noun, count, isMore }) => `${count}${isMore ? ' or more' : ''} ${noun}${count === 1 ? '' : 's'}`,
    );
    const advice = status === 'archived' ? '' : ' Archive it instead.';
    return `The inspection is ${status} and holds ${enumeration.format(counts)}.${advice}`;
  },
);

export const inspectionsKept = defineError(
  409,
  'inspections_kept',
  'Inspections that were completed, approved or signed are not deleted with their client account; `detail` counts them. Set `is_active` to false instead, or let an admin erase the account in the app.',
  (numbers: string) =>
    `The client account has inspections that no cascade deletes: ${numbers}. Set is_active to false instead.`,
);

export const sectionNotSigned = defineError(
  409,
  'section_not_signed',
  'A section that holds (`hold`) must be signed before the sections after it are answered. Sign the one that `detail` names.',
  (status: string, title: string) =>
    `The inspection is ${status}, and ${JSON.stringify(title)} must be signed before the sections after it are answered.`,
);

export const fieldAnswered = defineError(
  409,
  'field_answered',
  'A link for a signature is made only while the field has no answer. Clear the answer first.',
  () => 'The field has an answer already.',
);

export const answerCarriedOver = defineError(
  409,
  'answer_carried_over',
  'The answer is carried over from the first inspection, so it cannot be changed. Answer only what is asked again (`is_asked_again`).',
  () => 'The answer is carried over from the first inspection. Only what failed can be answered.',
);

export const notAskedAgain = defineError(
  409,
  'not_asked_again',
  'The re-inspection does not ask this again. Answer only what is asked again (`is_asked_again`).',
  () => 'The inspection is a re-inspection of what failed, and this is not part of it.',
);

export const nothingFailed = defineError(
  409,
  'nothing_failed',
  'Nothing in the inspection has failed that the re-inspection could ask again. Name fields in `also_ask`, or use `scope` `all`.',
  (status: string) => `The inspection is ${status}, and nothing that failed can be inspected again.`,
);

export const tooFewInstances = defineError(
  409,
  'too_few_instances',
  'A repeat section would have fewer instances than it needs. Keep as many as `detail` says.',
  (title: string, instances: number, least: number) =>
    `${JSON.stringify(title)} has ${instances} instances; the minimum is ${least}.`,
);

export const tooManyInstances = defineError(
  409,
  'too_many_instances',
  'A repeat section has no free index for another instance: all are answered or reserved. Delete an instance first.',
  (title: string, most: number) =>
    `${JSON.stringify(title)} has no free index; the maximum is ${most} instances.`,
);

export const instanceIdUsed = defineError(
  409,
  'instance_id_used',
  'A `client_instance_id` belongs to an instance of another section, or within another instance. Send another id.',
  (path: string) => `client_instance_id belongs to ${path}.`,
);

/* Findings and corrective actions. */

export const findingResolved = defineError(
  409,
  'finding_resolved',
  'The finding is resolved; corrective actions need an open one. Open it again first.',
  () => 'The finding is resolved. Open it again first.',
);

export const correctiveActionOpen = defineError(
  409,
  'corrective_action_open',
  'The finding cannot be resolved or deleted while a corrective action of it is open. Verify or cancel that first.',
  (number: number, title: string, status: string) =>
    `The corrective action ${number} (${title}) is ${status}.`,
);

export const correctiveActionsUnfinished = defineError(
  409,
  'corrective_actions_unfinished',
  'The finding cannot be resolved with this corrective action, because others of it are not verified or cancelled. Finish those first, or leave `resolve_finding` out.',
  (count: number) =>
    `The finding has ${count} other corrective ${count === 1 ? 'action that is' : 'actions that are'} not verified or cancelled.`,
);

export const correctiveActionStatus = defineError(
  409,
  'corrective_action_status',
  'The corrective action is in another status than the step needs. Take a step that its status allows.',
  (status: string, reason: string) => `The corrective action is ${status}. ${reason}.`,
);

export const evidenceRequired = defineError(
  409,
  'evidence_required',
  'The corrective action needs an attachment of stage `after` before it can be verified. Attach one first.',
  (status: string) =>
    `The corrective action is ${status}. It needs an attachment of stage after as evidence first.`,
);

export const secondPersonRequired = defineError(
  403,
  'second_person_required',
  'Whoever completed a corrective action may not verify it. Let somebody else verify it.',
  () => 'The person who completed a corrective action may not verify it.',
);

/* Corrections. */

export const beingCorrected = defineError(
  409,
  'being_corrected',
  'The inspection has a correction that is open or awaits approval. Close or discard it, or decide on it, first.',
  (status: string) =>
    `The inspection is ${status} and being corrected. Close or discard the correction, or decide about it, first.`,
);

export const correctionOpen = defineError(
  409,
  'correction_open',
  'The inspection has a correction already that is open or awaits approval. Use that one, or end it first.',
  (status: string, id: string, stage: string) =>
    `The inspection is ${status}, and its correction ${id} is ${stage}.`,
);

export const correctionsLocked = defineError(
  409,
  'corrections_locked',
  'The inspection does not allow corrections (`correction_mode`). Inspect again instead.',
  (status: string) => `The inspection is ${status}, and its correction_mode is locked.`,
);

export const correctionNotOpen = defineError(
  409,
  'correction_not_open',
  'The correction has ended, or is about to end in another way. Open another one.',
  (state: string) => `The correction is ${state}.`,
);

export const correctionNotPending = defineError(
  409,
  'correction_not_pending',
  'A decision about a correction is possible only while it awaits approval. Fetch it to see its status.',
  (state: string) => `The correction is ${state}, not pending_approval.`,
);

export const ownCorrection = defineError(
  403,
  'own_correction',
  'Whoever opened or closed a correction may not approve it, if the organization asks for a second person. Let somebody else decide.',
  () => 'The person who opened or closed a correction may not approve it.',
);
