import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { ContentIndex } from '../domain/content/content-index.ts';
import { hasPart } from '../domain/inspections/workflow.ts';
import { dutyOf, mayKeysDecide } from '../domain/members.ts';
import { expectAble } from '../organizations/members/members.ts';
import type { InspectionChanges, NewParticipant, Participant } from '../schemas/inspections/inspection.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import type { StoredClientAccount, StoredLocation, StoredMember } from '../table/entities/organization.ts';
import { type Reference, reference, type Resolved } from '../table/references.ts';
import { contentOf } from '../templates/content.ts';

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
