import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { badRequest, unprocessable } from '../../base/errors.ts';
import { evaluate, hangsOnStart } from '../../domain/content/conditions.ts';
import type { ContentIndex } from '../../domain/content/content-index.ts';
import { progressOf } from '../../domain/content/progress.ts';
import { answerStart } from '../../domain/content/start.ts';
import { references } from '../../domain/content/values.ts';
import type { InspectionChanges, NewParticipant, Participant } from '../../schemas/inspections/inspection.ts';
import type { Member } from '../../schemas/member.ts';
import {
  type AnswerState,
  answerStateKey,
  answerStateStands,
  knownAnswers,
} from '../inspection-core/answer-state.ts';
import type { StoredInspection } from '../inspection-core/record.ts';
import { answerReferences, type Reference, reference, resolve } from '../table/references.ts';
import { getRow, type Row } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { contentOf } from '../templates/content.ts';

/** What an inspection has been set up with so far. */
type Standing = Pick<
  StoredInspection,
  'client_account_id' | 'location_id' | 'participants' | 'start_answers' | 'template_id' | 'content_hash'
>;

/** What a request sets up, or anew. */
type Setup = Pick<
  InspectionChanges,
  'client_account_id' | 'location_id' | 'participants' | 'approver_id' | 'start_answers'
>;

/** Rows that were found, by the fields that name them. */
type Found = Awaited<ReturnType<typeof resolve>>;

const memberField = (position: number): string => `participants.${position}.user_id`;

/** What a setup names; participants who stand already are not looked up again. */
export const setupReferences = (
  caller: Caller,
  { client_account_id, location_id, participants = [], approver_id }: Setup,
  standing?: Pick<Standing, 'location_id' | 'participants'>,
): Reference[] => {
  const known = new Set(standing?.participants.map(({ user_id }) => user_id));
  const isElsewhere = client_account_id !== undefined || location_id !== undefined;
  const location = location_id === undefined ? standing?.location_id : location_id;
  return [
    ...reference(caller, 'client_account_id', 'CLIENT', client_account_id),
    ...(isElsewhere ? reference(caller, 'location_id', 'LOCATION', location) : []),
    ...reference(caller, 'approver_id', 'MEMBER', approver_id),
    ...participants.flatMap(({ user_id }, position) =>
      known.has(user_id) ? [] : reference(caller, memberField(position), 'MEMBER', user_id),
    ),
  ];
};

/** @throws ApiError 400 naming whom work is given to who is not, or no longer, active */
const checkActive = (found: Found, fields: readonly string[]): void => {
  for (const field of fields) {
    const member = found.get(field) as Row<Member> | undefined;
    if (member && member.status !== 'active') {
      throw badRequest(`${field} names a member who is ${member.status}, not active`);
    }
  }
};

/** A location of a client is inspected for that client. @throws ApiError 400 for another one's location */
const clientOf = (
  { client_account_id: wanted }: Setup,
  { client_account_id: current }: Standing,
  found: Found,
): string | null => {
  const client = wanted === undefined ? current : wanted;
  const location = found.get('location_id') as Row<Pick<Standing, 'client_account_id'>> | undefined;
  const owner = location?.client_account_id ?? null;
  if (client && owner && client !== owner) throw badRequest('location_id belongs to another client account');
  return client ?? owner;
};

const assigned = (
  { user_id, role, section_ids }: NewParticipant,
  standing: readonly Participant[],
  name: string | undefined,
): Participant => {
  const before = standing.find((participant) => participant.user_id === user_id);
  return {
    ...(before ?? { user_id, name: name!, status: 'assigned', submitted_at: null, reopened_at: null }),
    role,
    section_ids,
  };
};

/** @throws ApiError 400 for a part of what the template does not have */
const checkSections = (index: ContentIndex, participants: readonly NewParticipant[]): void => {
  for (const [position, { section_ids }] of participants.entries()) {
    const unknown = section_ids.find((id) => !index.sections.has(id));
    if (unknown)
      throw badRequest(`participants.${position}.section_ids: the template has no section ${unknown}`);
  }
};

/**
 * Client and participants as a request sets them up.
 * @param found the rows of `setupReferences`
 * @throws ApiError 400 for a location of another client, a member who is not active, or a section that the
 *   template does not have
 */
export const arrange = async (
  caller: Caller,
  setup: Setup,
  standing: Standing,
  found: Found,
): Promise<Pick<StoredInspection, 'client_account_id' | 'participants'>> => {
  const client_account_id = clientOf(setup, standing, found);
  const { participants } = setup;
  checkActive(found, ['approver_id', ...(participants ?? []).map((_, position) => memberField(position))]);
  if (!participants) return { client_account_id, participants: standing.participants };
  if (participants.some(({ section_ids }) => section_ids.length > 0)) {
    checkSections(await contentOf(caller, standing.template_id, standing.content_hash), participants);
  }
  const nameOf = (position: number) => (found.get(memberField(position)) as Row<Member> | undefined)?.name;
  return {
    client_account_id,
    participants: participants.map((participant, position) =>
      assigned(participant, standing.participants, nameOf(position)),
    ),
  };
};

/** An inspection's start answers from now on, and what they make of its progress. */
type Begun = { fields: Partial<StoredInspection>; writes: Write[] };

/**
 * The start answers as they shall be, and the progress where questions hang on them.
 * @param inspectionId of the inspection that has answers already, none for a new one
 */
export const startedWith = async (
  caller: Caller,
  index: ContentIndex,
  start_answers: Standing['start_answers'],
  { start_answers: standing }: Pick<Standing, 'start_answers'>,
  inspectionId?: string,
): Promise<Begun> => {
  if (!hangsOnStart(index) || isDeepStrictEqual(start_answers, standing)) {
    return { fields: { start_answers }, writes: [] };
  }
  if (inspectionId === undefined) {
    return { fields: { start_answers, ...progressOf(evaluate(index, [], start_answers)) }, writes: [] };
  }
  const state = await getRow<AnswerState>(caller, answerStateKey(caller, inspectionId));
  const known = await knownAnswers(caller, inspectionId, index, state);
  return {
    fields: { start_answers, ...progressOf(evaluate(index, known.values(), start_answers)) },
    writes: [answerStateStands(caller, inspectionId, state)],
  };
};

/**
 * The start answers with those of a request over them, and the progress where questions hang on them. The
 * template's content is read only where there are any.
 * @param inspectionId of the inspection that has answers already, none for a new one
 * @throws ApiError 422 for what the template does not accept; 400 for an answer that names nothing
 */
export const answersToStart = async (
  caller: Caller,
  { start_answers: given = {} }: Setup,
  { template_id, content_hash, start_answers: standing }: Standing,
  inspectionId?: string,
): Promise<Begun> => {
  if (Object.keys(given).length === 0) return { fields: { start_answers: standing }, writes: [] };
  const index = await contentOf(caller, template_id, content_hash);
  const start_answers = answerStart(index, standing, given);
  if (Array.isArray(start_answers)) throw unprocessable(start_answers);
  const named = Object.keys(given).flatMap((key) =>
    answerReferences(
      caller,
      `start_answers.${key}`,
      references(index.startFields.get(key)!, start_answers[key]),
    ),
  );
  if (named.length > 0) await resolve(caller, named);
  return startedWith(caller, index, start_answers, { start_answers: standing }, inspectionId);
};
