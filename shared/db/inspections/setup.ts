import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import { hangsOnStart } from '../../domain/content/conditions/dependencies.ts';
import { evaluate } from '../../domain/content/conditions/evaluate.ts';
import type { ContentIndex } from '../../domain/content/content-index.ts';
import { progressOf } from '../../domain/content/progress.ts';
import { answerStart } from '../../domain/content/start.ts';
import { references } from '../../domain/content/values/references.ts';
import { acceptsAnswers, hasPart, isOpen, unsubmitted } from '../../domain/inspections/workflow.ts';
import { dutyOf, mayKeysDecide } from '../../domain/members.ts';
import { fieldsFor } from '../../schemas/inspections/fields.ts';
import type {
  Inspection,
  InspectionChanges,
  NewParticipant,
  OwnInspectionChanges,
  Participant,
} from '../../schemas/inspections/inspection.ts';
import { answerStateKey, checkAnswerState, knownAnswers } from '../inspection-core/answer-record.ts';
import { inspectionRecords } from '../inspection-core/inspection-record.ts';
import { revisionWrites, setupRevisions } from '../inspection-core/revisions.ts';
import { expectAble } from '../members/members.ts';
import { expectVersion } from '../table/collection.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import type { StoredClientAccount, StoredLocation, StoredMember } from '../table/entities/organization.ts';
import { answerReferences, type Reference, reference, resolve, type Resolved } from '../table/references.ts';
import { getRow } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { contentOf } from '../templates/content.ts';
import { editInspection } from './edit.ts';

/** The current setup of an inspection. */
type CurrentSetup = Pick<
  StoredInspection,
  | 'client_account_id'
  | 'location_id'
  | 'participants'
  | 'approver_id'
  | 'requires_approval'
  | 'approval'
  | 'template_id'
  | 'content_hash'
>;

/** The setup in a request. */
type Setup = Pick<InspectionChanges, 'client_account_id' | 'location_id' | 'participants' | 'approver_id'>;

/** References to the resources that a setup names. Members are in the order of the request's participants. */
type SetupReferences = readonly [
  client: Reference<StoredClientAccount> | undefined,
  location: Reference<StoredLocation> | undefined,
  approver: Reference<StoredMember> | undefined,
  ...assigned: (Reference<StoredMember> | undefined)[],
];

const memberField = (position: number): string => `participants.${position}.user_id`;

/**
 * The resources that a setup names. Members who are already participants with the same duty are not looked up again.
 * Otherwise a participant who has left would prevent new ones.
 */
export const setupReferences = (
  caller: Caller,
  { client_account_id, location_id, participants = [], approver_id }: Setup,
  current?: Pick<CurrentSetup, 'location_id' | 'participants'>,
): SetupReferences => {
  const known = new Map(
    current?.participants.map((participant) => [participant.user_id, dutyOf(participant)]),
  );
  const isElsewhere = client_account_id !== undefined || location_id !== undefined;
  const location = location_id === undefined ? current?.location_id : location_id;
  return [
    reference(caller, 'client_account_id', 'CLIENT', client_account_id),
    isElsewhere ? reference(caller, 'location_id', 'LOCATION', location) : undefined,
    reference(caller, 'approver_id', 'MEMBER', approver_id),
    ...participants.map((participant, position) =>
      known.get(participant.user_id) === dutyOf(participant)
        ? undefined
        : reference(caller, memberField(position), 'MEMBER', participant.user_id),
    ),
  ];
};

/**
 * The approver of an inspection takes no part in it. Only what a request changes is refused.
 * @throws ApiError 400 naming the field
 */
export const expectNoPart = (
  { approver_id, participants }: Pick<Setup, 'approver_id' | 'participants'>,
  current: Pick<CurrentSetup, 'approver_id' | 'participants'>,
): void => {
  const approver = approver_id === undefined ? current.approver_id : approver_id;
  if (approver === null) return;
  const position = (participants ?? current.participants).findIndex(
    (participant) => participant.user_id === approver && hasPart(participant),
  );
  if (position === -1) return;
  if (approver_id) throw errors.approverTakesPart('approver_id');
  if (participants) throw errors.approverTakesPart(memberField(position));
};

/** @throws ApiError 400 naming the field of a member who is not able to do their duty in the setup */
const checkMembers = (
  { participants = [] }: Setup,
  approver: StoredMember | undefined,
  members: readonly (StoredMember | undefined)[],
  current: CurrentSetup,
): void => {
  const isForKeys = mayKeysDecide(current);
  if (approver) expectAble('approver_id', approver, 'approve', isForKeys);
  for (const [position, member] of members.entries()) {
    const duty = dutyOf(participants[position]!);
    if (member) expectAble(memberField(position), member, duty, isForKeys);
  }
};

/** A client's location is inspected for that client. @throws ApiError 400 for the location of another client */
export const clientOf = (
  { client_account_id: wanted }: Pick<Setup, 'client_account_id'>,
  { client_account_id: current }: Pick<CurrentSetup, 'client_account_id'>,
  location: Pick<StoredLocation, 'client_account_id'> | undefined,
): string | null => {
  const client = wanted === undefined ? current : wanted;
  const owner = location?.client_account_id ?? null;
  if (client && owner && client !== owner) throw errors.otherClientAccount('location_id');
  return client ?? owner;
};

/** A participant of a request. One who participates already keeps the progress of their part. */
const toParticipant = (
  { user_id, role, section_ids }: NewParticipant,
  current: readonly Participant[],
  name: string | undefined,
): Participant => {
  const before = current.find((participant) => participant.user_id === user_id);
  return {
    ...(before ?? { user_id, name: name!, status: 'assigned', submitted_at: null, reopened_at: null }),
    role,
    section_ids,
  };
};

/** @throws ApiError 400 for a section that the template does not have */
const checkSections = (index: ContentIndex, participants: readonly NewParticipant[]): void => {
  for (const [position, { section_ids }] of participants.entries()) {
    const unknown = section_ids.find((id) => !index.sections.has(id));
    if (unknown)
      throw errors.notInTemplate(
        `participants.${position}.section_ids: the template has no section ${unknown}`,
      );
  }
};

/**
 * The client account and participants after a request, given the rows of `setupReferences`.
 * @throws ApiError 400 for a location of another client, a member who is not able to do their duty, or a section that
 *   the template does not have
 */
export const resolveSetup = async (
  caller: Caller,
  setup: Setup,
  current: CurrentSetup,
  [, location, approver, ...members]: Resolved<SetupReferences>,
): Promise<Pick<StoredInspection, 'client_account_id' | 'participants'>> => {
  const client_account_id = clientOf(setup, current, location);
  const { participants } = setup;
  checkMembers(setup, approver, members, current);
  expectNoPart(setup, current);
  if (!participants) return { client_account_id, participants: current.participants };
  if (participants.some(({ section_ids }) => section_ids.length > 0)) {
    checkSections(await contentOf(caller, current.template_id, current.content_hash), participants);
  }
  return {
    client_account_id,
    participants: participants.map((participant, position) =>
      toParticipant(participant, current.participants, members[position]?.name),
    ),
  };
};

/** The new start answers of an inspection, and its new progress. */
interface StartChange {
  fields: Partial<StoredInspection>;
  writes: Write[];
}

/**
 * The change to these start answers. It includes the progress when questions depend on start answers.
 * @param current the start answers until now
 * @param inspectionId the id of an inspection that may have answers; absent for a new one
 */
export const changeStartAnswers = async (
  caller: Caller,
  index: ContentIndex,
  start_answers: StoredInspection['start_answers'],
  { start_answers: current }: Pick<StoredInspection, 'start_answers'>,
  inspectionId?: string,
): Promise<StartChange> => {
  if (!hangsOnStart(index) || isDeepStrictEqual(start_answers, current)) {
    return { fields: { start_answers }, writes: [] };
  }
  if (inspectionId === undefined) {
    return { fields: { start_answers, ...progressOf(evaluate(index, [], start_answers)) }, writes: [] };
  }
  const state = await getRow(caller, answerStateKey(caller, inspectionId));
  const known = await knownAnswers(caller, inspectionId, index, state);
  return {
    fields: { start_answers, ...progressOf(evaluate(index, known.values(), start_answers)) },
    writes: [checkAnswerState(caller, inspectionId, state)],
  };
};

/**
 * The change of the start answers by those of a request. It includes the progress when questions depend on start
 * answers. The template's content is read only when the request has start answers.
 * @param inspectionId the id of an inspection that may have answers; absent for a new one
 * @throws ApiError 422 for an answer that the template does not accept; 400 for one that names a missing resource
 */
export const answerStartQuestions = async (
  caller: Caller,
  { start_answers: sent = {} }: Pick<InspectionChanges, 'start_answers'>,
  {
    template_id,
    content_hash,
    start_answers: current,
  }: Pick<StoredInspection, 'template_id' | 'content_hash' | 'start_answers'>,
  inspectionId?: string,
): Promise<StartChange> => {
  if (Object.keys(sent).length === 0) return { fields: { start_answers: current }, writes: [] };
  const index = await contentOf(caller, template_id, content_hash);
  const start_answers = answerStart(index, current, sent);
  if (Array.isArray(start_answers)) throw errors.validationFailed(start_answers);
  const named = Object.keys(sent).flatMap((key) =>
    answerReferences(
      caller,
      `start_answers.${key}`,
      references(index.startFields.get(key)!, start_answers[key]),
    ),
  );
  if (named.length > 0) await resolve(caller, named);
  return changeStartAnswers(caller, index, start_answers, { start_answers: current }, inspectionId);
};

/**
 * @throws ApiError 409 for changes that the inspection does not accept in its status. While a completed inspection is
 * being corrected, it accepts what a correction can change; `external_ref` can always
 * change.
 */
const expectChangeable = (current: StoredInspection, changes: InspectionChanges): void => {
  const names = Object.keys(changes).filter((name) => name !== 'external_ref');
  const correctable = new Set<string>(fieldsFor('correction'));
  const isAccepted =
    isOpen(current.status) || (acceptsAnswers(current) && names.every((name) => correctable.has(name)));
  if (names.length > 0 && !isAccepted) throw errors.inspectionLocked(current.status);
};

/** The participants that a correction sets. Their parts count as submitted, because the work is done. */
const withSubmittedParts = (
  participants: readonly Participant[],
  { submitted_at }: StoredInspection,
): Participant[] => {
  const late = unsubmitted(participants);
  return participants.map((participant) =>
    late.includes(participant) ? { ...participant, status: 'submitted', submitted_at } : participant,
  );
};

/**
 * Changes the setup of an inspection.
 * @param check throws for an inspection that the caller may not change
 * @throws ApiError as `update`, and what `check` throws
 */
const changeSetup = (
  caller: Caller,
  id: string,
  changes: InspectionChanges,
  expectedVersion: number | undefined,
  check: (current: StoredInspection) => void = () => {},
): Promise<Inspection> =>
  editInspection(caller, id, async (current, work) => {
    check(current);
    const found = await resolve(work, setupReferences(work, changes, current));
    const setup = await resolveSetup(work, changes, current, found);
    expectVersion(inspectionRecords.noun, current, expectedVersion);
    expectChangeable(current, changes);
    const start = await answerStartQuestions(work, changes, current, id);
    const next = { ...merge<object>(current, changes), ...setup, ...start.fields };
    if (current.correction_stage !== 'open') return { fields: next, writes: start.writes };
    const corrected = { ...next, participants: withSubmittedParts(setup.participants, current) };
    const revisions = setupRevisions(current, { ...current, ...corrected });
    return {
      fields: { ...corrected, correction_revisions: current.correction_revisions + revisions.length },
      writes: [...start.writes, ...revisionWrites(work, current, revisions)],
      withAnswers: true,
    };
  });

/** @throws ApiError 404; 400 for a resource that does not exist; 409 for another version or a locked inspection */
export const update = (
  caller: Caller,
  id: string,
  changes: InspectionChanges,
  expectedVersion?: number,
): Promise<Inspection> => changeSetup(caller, id, changes, expectedVersion);

/** The same for an inspection that the caller created for itself. @throws ApiError as `update`; 403 for another one */
export const updateOwn = (
  caller: Caller,
  id: string,
  changes: OwnInspectionChanges,
  expectedVersion?: number,
): Promise<Inspection> =>
  changeSetup(caller, id, changes, expectedVersion, ({ source, created_by }) => {
    if (source !== 'self' || created_by !== caller.user_id) throw errors.notYourInspection();
  });
