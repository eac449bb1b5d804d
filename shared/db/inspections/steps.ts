import type { Caller } from '../../base/caller.ts';
import { conflict, forbidden } from '../../base/errors.ts';
import { fold } from '../../base/fold.ts';
import { answerBlockers, missingStart } from '../../domain/content/progress.ts';
import { scoreOf } from '../../domain/content/scoring.ts';
import {
  begin,
  blockedMessage,
  eventOf,
  hasPart,
  isOpenTo,
  reopen,
  restingMessage,
  type Step,
  stepOf,
  submit,
  take,
  unsubmitted,
} from '../../domain/inspections/workflow.ts';
import type { Advance, InspectionStatus, Score } from '../../schemas/inspections/inspection.ts';
import type { Section } from '../../schemas/templates/content.ts';
import { rows, type StoredInspection } from '../inspection-core/record.ts';
import { emit } from '../table/outbox.ts';
import type { Write } from '../table/writes.ts';
import { evaluated } from './scores.ts';

const { noun } = rows;

/** What a decided change makes of an inspection. */
export interface Edit {
  fields: Partial<StoredInspection>;
  writes?: Write[];
  /** The decision was about the answers as well: none may have been saved meanwhile. */
  withAnswers?: boolean;
}

const told = (caller: Caller, taken: Step, id: string, status: InspectionStatus): Write[] => {
  const event = eventOf(taken, status);
  return event ? [emit(caller, event, { inspection_id: id, status })] : [];
};

/** The edit that a step is. @throws ApiError 409 where it is not open */
export const step = (
  caller: Caller,
  taken: Step,
  current: StoredInspection,
  fields: Partial<StoredInspection> = {},
): Edit => {
  if (!isOpenTo(taken, current.status)) throw conflict(`${noun} is ${current.status}`);
  const next = take(taken, current, new Date().toISOString());
  return { fields: { ...next, ...fields }, writes: told(caller, taken, current.id, next.status) };
};

/** From scheduled to in progress, with the caller's own part begun. @throws ApiError 409 */
export const started = (caller: Caller, current: StoredInspection): Edit =>
  step(caller, 'start', current, { participants: begin(current.participants, caller.user_id) });

const idsWithin = (sections: readonly Section[]): string[] =>
  sections.flatMap(({ id, sections: inner }) => [id, ...idsWithin(inner)]);

/**
 * What the answers amount to: what is missing, named for the one who reads the 409, and the score.
 * @param sectionIds the part it is asked of, with the sections within these; all and the start where left out
 */
export const judged = async (
  caller: Caller,
  inspection: StoredInspection,
  sectionIds?: readonly string[],
): Promise<{ blockers: string[]; score: Score | null }> => {
  const { answers, evaluation } = await evaluated(caller, inspection);
  const { index } = evaluation;
  const own = sectionIds && new Set(idsWithin(sectionIds.map((id) => index.sections.get(id)!.section)));
  const fields = answerBlockers(evaluation, answers).filter(
    ({ field_id }) => !own || own.has(index.fields.get(field_id)!.section.id),
  );
  const blockers = [
    ...(own ? [] : missingStart(evaluation).map((label) => `${label}: required`)),
    ...fields.map(({ label, instance_path, reason }) =>
      [label, instance_path && ` at ${instance_path}`, `: ${reason}`].join(''),
    ),
  ];
  return { blockers, score: own ? null : scoreOf(evaluation) };
};

/**
 * What an advance in progress is: the caller's part handed in, and with the last part the whole inspection.
 * @throws ApiError 409 naming what is missing
 */
const submission = async (caller: Caller, current: StoredInspection): Promise<Edit> => {
  const { status } = current;
  const at = new Date().toISOString();
  const open = unsubmitted(current.participants);
  const own = open.find(({ user_id }) => user_id === caller.user_id);
  const others = open.filter((participant) => participant !== own);
  if (own && others.length > 0) {
    const withAnswers = own.section_ids.length > 0;
    const { blockers } = withAnswers ? await judged(caller, current, own.section_ids) : { blockers: [] };
    if (blockers.length > 0) throw conflict(blockedMessage(status, blockers));
    return { fields: { participants: submit(current.participants, caller.user_id, at) }, withAnswers };
  }
  const unsubmittedParts = others.map(({ name }) => `${name}: part not submitted`);
  const { blockers, score } = await judged(caller, current);
  if (unsubmittedParts.length + blockers.length > 0) {
    throw conflict(blockedMessage(status, [...unsubmittedParts, ...blockers]));
  }
  const participants = own ? submit(current.participants, caller.user_id, at) : current.participants;
  return { ...step(caller, 'submit', current, { participants, score }), withAnswers: true };
};

/** The caller's part opened again. @throws ApiError 409 unless it is submitted, and the inspection in progress */
export const reopened = (caller: Caller, { status, participants }: StoredInspection): Edit => {
  if (status !== 'in_progress') throw conflict(`${noun} is ${status}, not in_progress`);
  const own = participants.find(({ user_id }) => user_id === caller.user_id);
  if (own?.status !== 'submitted') {
    const part = own ? `your part is ${own.status}` : 'you have no part in it';
    throw conflict(`${noun} is ${status} and ${part}, not submitted`);
  }
  const at = new Date().toISOString();
  return { fields: { participants: reopen(participants, at, (participant) => participant === own) } };
};

/** @throws ApiError 403 for a key where keys may not decide, and for an approval of one's own work */
const decided = (
  caller: Caller,
  current: StoredInspection,
  decision: NonNullable<Advance['decision']>,
): Edit => {
  const at = new Date().toISOString();
  const { participants } = current;
  const edit = step(
    caller,
    decision,
    current,
    // What is changed is scored anew when it is handed in again.
    decision === 'request_changes'
      ? { participants: reopen(participants, at), score: null }
      : { participants: submit(participants, caller.user_id, at) },
  );
  if ('key_id' in caller && !current.approval.allow_api) {
    throw forbidden('an API key may not decide on this inspection');
  }
  const isOwn = participants.some(
    (participant) => participant.user_id === caller.user_id && hasPart(participant),
  );
  if (isOwn && decision === 'approve') throw forbidden('a participant may not approve the inspection');
  return edit;
};

/** A signature; the last one that was agreed on is the step. @throws ApiError 409 for a name that has signed */
const signed = (
  caller: Caller,
  current: StoredInspection,
  { signed_name }: NonNullable<Advance['sign_off']>,
): Edit => {
  const at = new Date().toISOString();
  const signatures = [...current.signatures, { user_id: caller.user_id, signed_name, signed_at: at }];
  const fields = { signatures, participants: submit(current.participants, caller.user_id, at) };
  const last = step(caller, 'sign_off', current, fields);
  const name = fold(signed_name);
  if (current.signatures.some((signature) => fold(signature.signed_name) === name)) {
    throw conflict(`${noun} is ${current.status} and ${signed_name} has signed it`);
  }
  return signatures.length < current.sign_off.signatures_required ? { fields } : last;
};

/**
 * The step that an advance asks for, or the one forward.
 * @throws ApiError 403 for a decision that is not the caller's to take; 409 where it is not open, or blocked
 */
export const advanced = (
  caller: Caller,
  current: StoredInspection,
  request: Advance,
): Promise<Edit> | Edit => {
  const taken = stepOf(current.status, request);
  switch (taken) {
    case 'start':
      return started(caller, current);
    case 'submit':
      return submission(caller, current);
    case 'sign_off':
      return signed(caller, current, request.sign_off!);
    case 'approve':
    case 'request_changes':
    case 'reject':
      return decided(caller, current, taken);
    case undefined:
      throw conflict(restingMessage(current.status));
  }
};
