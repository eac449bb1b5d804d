import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import type { ContentIndex } from '../../../domain/content/content-index.ts';
import type {
  InspectionChanges,
  NewParticipant,
  Participant,
} from '../../../schemas/inspections/inspection.ts';
import type {
  StoredClientAccount,
  StoredInspection,
  StoredLocation,
  StoredMember,
} from '../../table/entities.ts';
import { type Reference, reference, type Resolved } from '../../table/references.ts';
import { contentOf } from '../../templates/content.ts';

/** The current setup of an inspection. */
type CurrentSetup = Pick<
  StoredInspection,
  'client_account_id' | 'location_id' | 'participants' | 'template_id' | 'content_hash'
>;

/** The setup in a request. */
type Setup = Pick<InspectionChanges, 'client_account_id' | 'location_id' | 'participants' | 'approver_id'>;

/** The resources that a setup names. Assigned members are in the order of the request's participants. */
type SetupReferences = readonly [
  client: Reference<StoredClientAccount> | undefined,
  location: Reference<StoredLocation> | undefined,
  approver: Reference<StoredMember> | undefined,
  ...assigned: (Reference<StoredMember> | undefined)[],
];

const memberField = (position: number): string => `participants.${position}.user_id`;

/** The resources that a setup names. Members who are participants already are not looked up again. */
export const setupReferences = (
  caller: Caller,
  { client_account_id, location_id, participants = [], approver_id }: Setup,
  current?: Pick<CurrentSetup, 'location_id' | 'participants'>,
): SetupReferences => {
  const known = new Set(current?.participants.map(({ user_id }) => user_id));
  const isElsewhere = client_account_id !== undefined || location_id !== undefined;
  const location = location_id === undefined ? current?.location_id : location_id;
  return [
    reference(caller, 'client_account_id', 'CLIENT', client_account_id),
    isElsewhere ? reference(caller, 'location_id', 'LOCATION', location) : undefined,
    reference(caller, 'approver_id', 'MEMBER', approver_id),
    ...participants.map(({ user_id }, position) =>
      known.has(user_id) ? undefined : reference(caller, memberField(position), 'MEMBER', user_id),
    ),
  ];
};

/** @throws ApiError 400 naming the field, when its member is not active */
const checkActive = (field: string, member: StoredMember | undefined): void => {
  if (member && member.status !== 'active') throw errors.memberNotActive(field, member.status);
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
 * @throws ApiError 400 for a location of another client, a member who is not active, or a section that the
 *   template does not have
 */
export const resolveSetup = async (
  caller: Caller,
  setup: Setup,
  current: CurrentSetup,
  [, location, approver, ...members]: Resolved<SetupReferences>,
): Promise<Pick<StoredInspection, 'client_account_id' | 'participants'>> => {
  const client_account_id = clientOf(setup, current, location);
  const { participants } = setup;
  checkActive('approver_id', approver);
  for (const [position, member] of members.entries()) checkActive(memberField(position), member);
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
