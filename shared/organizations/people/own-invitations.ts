import type { PersonCaller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { foldedAddress } from '../../base/text.ts';
import type { OwnInvitation, OwnOrganization } from '../../schemas/session.ts';
import { audit } from '../../table/audit.ts';
import { change, type Work } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import type {
  FollowedInvitation,
  Invitation,
  Membership,
  StoredMember,
} from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { emit } from '../../table/outbox/outbox.ts';
import { getRow, getRows, getSystemRows, querySystemRows, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { systemWrite } from '../../table/writes.ts';
import { followLink } from '../links/links.ts';
import * as members from '../members/members.ts';
import { actingWrites, toOwnOrganization, visitor } from './memberships.ts';
import { choose, type Identity, personOf, type Session } from './sessions.ts';

/*
 * The invitations of a person who has signed in. Anybody may invite any address, so an invitation changes nothing until
 * its person joins: neither what they are elsewhere, nor what may be done in their name.
 */

/** The invitation that a link leads to; undefined when the link has ended. @param token of the link */
export const followInvitation = async (token: string): Promise<FollowedInvitation | undefined> => {
  try {
    const { org_id, target } = await followLink(token, 'invite');
    return { org_id, ...target };
  } catch (error) {
    if ((error as { status?: number }).status === 404) return undefined;
    throw error;
  }
};

/** What is known of somebody who has signed in. */
export type Invitee = Pick<Session, 'person' | 'issuer' | 'email' | 'is_email_verified' | 'followed'>;

/** The same of somebody who is just signing in. */
export const inviteeOf = (identity: Identity, followed: FollowedInvitation | undefined): Invitee => ({
  person: personOf(identity),
  issuer: identity.issuer,
  email: identity.email,
  is_email_verified: identity.isEmailVerified,
  ...(followed && { followed }),
});

type InvitedMember = StoredMember & { invitation: Invitation };

/**
 * Whether a member is an invitation of this person: it is for their address, and has not expired. The address is
 * verified by the identity provider, or by the link of the invitation, which was sent there.
 */
const isFor = (
  { email, is_email_verified, followed }: Invitee,
  member: StoredMember | undefined,
  now: number,
): member is InvitedMember =>
  member?.status === 'invited' &&
  member.invitation !== undefined &&
  Date.parse(member.invitation.expires_at) > now &&
  foldedAddress(member.email) === foldedAddress(email) &&
  (is_email_verified || member.invitation.id === followed?.invitation_id);

const unique = (memberships: readonly Membership[]): Membership[] => [
  ...new Map(memberships.map((membership) => [membership.user_id, membership])).values(),
];

/** The members whose invitations may be the person's, whatever became of them. */
const candidatesFor = async ({ email, is_email_verified, followed }: Invitee): Promise<Membership[]> => {
  const byAddress = is_email_verified && email ? await querySystemRows(members.emailPartition(email)) : [];
  return unique([...byAddress, ...(followed ? [followed] : [])]);
};

/**
 * The invitations that a person can join, by the names of the organizations. None of an organization in which they are a
 * member already. A read or two, and one for each.
 * @param now epoch milliseconds
 */
export const list = async (invitee: Invitee, now: number): Promise<OwnInvitation[]> => {
  const candidates = await candidatesFor(invitee);
  const found = await Promise.all(
    candidates.map(async (membership) => {
      const caller = visitor(membership);
      const [[known], [member, organization]] = await Promise.all([
        getSystemRows([keys.membership(invitee.person, membership.org_id)]),
        getRows(caller, [members.key(caller, membership.user_id), keys.organization(caller)]),
      ]);
      if (known || !organization || !isFor(invitee, member, now) || member.role === 'api') return [];
      const { expires_at, invited_by } = member.invitation;
      return [
        {
          organization_id: membership.org_id,
          organization_name: organization.name,
          role: member.role,
          invited_by,
          expires_at,
        },
      ];
    }),
  );
  return found
    .flat()
    .toSorted(
      (a, b) =>
        a.organization_name.localeCompare(b.organization_name) ||
        (a.organization_id < b.organization_id ? -1 : 1),
    );
};

/** The member by whom an organization invites a person. @throws ApiError 404 */
const invitedMember = async (invitee: Invitee, work: Work): Promise<InvitedMember> => {
  const row = await getRow(work, members.key(work, work.user_id));
  if (!isFor(invitee, row, Date.parse(work.now))) throw errors.notFound('invitation');
  return withoutKeys(row) as InvitedMember;
};

/** Where an organization may have invited a person. @throws ApiError 404 */
const candidateIn = async (invitee: Invitee, organizationId: string): Promise<Membership> => {
  const candidates = await candidatesFor(invitee);
  const found = candidates.find(({ org_id }) => org_id === organizationId);
  if (!found) throw errors.notFound('invitation');
  return found;
};

/** The person as the member that they are invited to be. */
const asMember = (work: Work, { name, role }: StoredMember): Work<PersonCaller> => ({
  ...work,
  name,
  role: role as PersonCaller['role'],
});

/**
 * Makes the person of a session the member that an organization has invited. A session that acts nowhere acts there from
 * then on; any other one stays where it is.
 * @param allowActing whether keys may act for them there
 * @throws ApiError 404 without an invitation; 409 for a member of the organization
 */
export const join = async (
  session: Session,
  organizationId: string,
  allowActing: boolean,
): Promise<OwnOrganization> => {
  const candidate = await candidateIn(session, organizationId);
  const { org_id, user_id } = candidate;
  const joined = await change(visitor(candidate), async (work) => {
    const membershipKey = keys.membership(session.person, org_id);
    // Before the member, so that a second request that joins at the same time finds no invitation any more.
    const [[known], organization] = await Promise.all([
      getSystemRows([membershipKey]),
      getRow(work, keys.organization(work)),
    ]);
    const current = await invitedMember(session, work);
    if (known) throw errors.alreadyMember();
    const { invitation: _joined, ...rest } = current;
    const next = nextVersion<StoredMember>(work, rest, {
      status: 'active',
      identity: { issuer: session.issuer, person: session.person },
      last_active_at: work.now,
      acting_consented_at: allowActing ? work.now : null,
      // Who was invited while the organization was being suspended has no note of it.
      ...(organization?.suspended && { in_suspended: true }),
    });
    const own = asMember(work, current);
    return {
      writes: [
        write.replace({ ...next, ...members.key(work, user_id) }, current.version),
        systemWrite(write.create({ ...membershipKey, org_id, user_id })),
        audit(own, 'member.joined', user_id),
        ...actingWrites(own, allowActing, false),
        emit(own, 'member.updated', members.toMember(next)),
      ],
      reply: toOwnOrganization(org_id, organization!, next),
    };
  });
  if (session.org_id === null) await choose(session, candidate);
  return joined;
};

/**
 * Declines an invitation: the member that was invited is removed. The organization can invite the person again.
 * @throws ApiError 404 without an invitation
 */
export const decline = async (session: Session, organizationId: string): Promise<void> => {
  const candidate = await candidateIn(session, organizationId);
  await change(visitor(candidate), async (work) => {
    const member = await invitedMember(session, work);
    const declined = asMember(work, member);
    return {
      writes: [
        ...members.removalWrites(work, member),
        audit(declined, 'member.declined', member.user_id),
        emit(declined, 'member.deleted', members.toMember(member)),
      ],
      reply: undefined,
    };
  });
};
