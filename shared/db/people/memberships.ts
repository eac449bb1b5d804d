import type { Caller, PersonCaller } from '../../base/caller.ts';
import { sha256 } from '../../base/encoding.ts';
import { foldedAddress } from '../../base/text.ts';
import type { OwnOrganization } from '../../schemas/session.ts';
import { followLink } from '../links/links.ts';
import * as members from '../members/members.ts';
import { audit } from '../table/audit.ts';
import { change, type Work } from '../table/change.ts';
import { nextVersion } from '../table/collection.ts';
import { exists } from '../table/conditions.ts';
import type { Membership, StoredMember, StoredOrganization } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { emit } from '../table/outbox/outbox.ts';
import { getRow, getRows, getSystemRows, querySystemRows, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { systemWrite } from '../table/writes.ts';
import { type Identity, isOf, personOf, type Session } from './sessions.ts';

/*
 * Which members a person is. A member is bound to a person by issuer and subject when the person first signs in with
 * the member's verified address. From then on the address means nothing: whoever gets it later is somebody else.
 */

/** Somebody as a caller in an organization before any session of theirs acts there. */
const visitor = ({ org_id, user_id }: Membership, name = ''): Caller => ({ org_id, user_id, name });

/** An invitation whose link somebody has followed. */
type Followed = Membership & { invitation_id: string };

/** The invitation that a link leads to; undefined when the link has ended. @param token of the link */
export const followInvitation = async (token: string): Promise<Followed | undefined> => {
  try {
    const { org_id, target } = await followLink(token, 'invite');
    return { org_id, ...target };
  } catch (error) {
    if ((error as { status?: number }).status === 404) return undefined;
    throw error;
  }
};

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/**
 * Whether a person may become a member: the member has the person's verified address, and is not bound to somebody
 * else. The link of an invitation verifies the address too, because the link was sent there. A binding to a former
 * provider does not count, because the deployment trusts only this one.
 */
const mayBind = (
  { status, email, identity: bound, invitation, role }: StoredMember,
  identity: Identity,
  invitationId: string | undefined,
  now: number,
): boolean => {
  if (role === 'api' || bound?.issuer === identity.issuer || !isSame(email, identity.email)) return false;
  if (status === 'active') return identity.isEmailVerified;
  if (status !== 'invited' || !invitation || Date.parse(invitation.expires_at) <= now) return false;
  return identity.isEmailVerified || invitation.id === invitationId;
};

/**
 * Binds a person to a member, if they may be. An invitation is accepted by it.
 * @param now the time of the sign-in in epoch milliseconds
 * @returns whether they are bound
 */
const bind = (
  membership: Membership,
  identity: Identity,
  invitationId: string | undefined,
  now: number,
): Promise<boolean> =>
  change(visitor(membership), async (work) => {
    const row = await getRow(work, members.key(work, membership.user_id));
    if (!row || !mayBind(row, identity, invitationId, now)) return { writes: [], reply: false };
    const { invitation: _accepted, ...current } = withoutKeys(row);
    const person = personOf(identity);
    const next: StoredMember = nextVersion(work, current, {
      status: 'active',
      identity: { issuer: identity.issuer, person },
    });
    const joined: Work<PersonCaller> = {
      ...work,
      name: row.name,
      role: row.role as PersonCaller['role'],
    };
    return {
      writes: [
        write.replace({ ...next, ...members.key(work, row.user_id) }, row.version),
        systemWrite(write.put({ ...keys.membership(person, membership.org_id), ...membership })),
        ...(row.identity
          ? [systemWrite(write.drop(keys.membership(row.identity.person, membership.org_id)))]
          : []),
        audit(joined, 'member.joined', row.user_id),
        emit(joined, 'member.updated', members.toMember(next)),
      ],
      reply: true,
    };
  });

/** The memberships whose members are active and bound to the person. One read for each. */
const active = async (
  person: string,
  memberships: readonly Membership[],
  now: number,
): Promise<Membership[]> => {
  const found = await Promise.all(
    memberships.map(async ({ org_id, user_id }) => {
      const caller = visitor({ org_id, user_id });
      const member = await getRow(caller, members.key(caller, user_id));
      return isOf({ person, created_at: now }, member) ? [{ org_id, user_id }] : [];
    }),
  );
  return found.flat();
};

/** The result of a sign-in by the link of an invitation. */
export interface Admission {
  /** The organizations in which the person can act. */
  memberships: Membership[];
  /** The organization of an invitation that was followed and is now accepted, at this sign-in or an earlier one. */
  invited: Membership | undefined;
}

/**
 * Finds the members that a person is, and binds the person to those whose address they have.
 * @param followed the invitation by whose link they came
 * @param now epoch milliseconds
 */
export const admit = async (
  identity: Identity,
  followed: Followed | undefined,
  now: number,
): Promise<Admission> => {
  const person = personOf(identity);
  const bound = await querySystemRows(keys.membership.partition(person));
  // A person is one member of an organization at most.
  const isBound = ({ org_id }: Membership): boolean =>
    bound.some((membership) => membership.org_id === org_id);
  const byAddress =
    identity.isEmailVerified && identity.email
      ? await querySystemRows(keys.emailMember.partition(sha256(foldedAddress(identity.email))))
      : [];
  const candidates = [...byAddress, ...(followed ? [followed] : [])].filter(
    (candidate) => !isBound(candidate),
  );
  const added: Membership[] = [];
  for (const { org_id, user_id } of candidates) {
    if (await bind({ org_id, user_id }, identity, followed?.invitation_id, now))
      added.push({ org_id, user_id });
  }
  const memberships = await active(person, [...bound, ...added], now);
  return {
    memberships,
    invited: memberships.find(
      ({ org_id, user_id }) => org_id === followed?.org_id && user_id === followed.user_id,
    ),
  };
};

/** Notes that a member has just signed in. */
export const noteSignIn = async (membership: Membership): Promise<void> => {
  const caller = visitor(membership);
  const key = members.key(caller, membership.user_id);
  await change(caller, ({ now }) => ({
    writes: [write.update(key, { set: { last_active_at: now } }, exists)],
    reply: undefined,
  }));
};

/**
 * The organization of a session, and what its person is there; undefined when it cannot act there. Two reads at once.
 */
const present = async (session: Session, { org_id, user_id }: Membership): Promise<OwnOrganization[]> => {
  const caller = visitor({ org_id, user_id });
  const [member, organization] = await getRows(caller, [
    members.key(caller, user_id),
    keys.organization(caller),
  ]);
  return isOf(session, member) && organization && member.role !== 'api'
    ? [{ id: org_id, name: organization.name, role: member.role }]
    : [];
};

/** The organizations in which the person of a session can act, by name. One read, and one for each. */
export const organizationsOf = async (session: Session): Promise<OwnOrganization[]> => {
  const memberships = await querySystemRows(keys.membership.partition(session.person));
  const found = await Promise.all(memberships.map((membership) => present(session, membership)));
  return found.flat().toSorted((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
};

/**
 * The organization that a session has chosen; null before that.
 * @returns undefined when the person is no member there any more
 */
export const chosenOrganization = async (session: Session): Promise<OwnOrganization | null | undefined> => {
  const { org_id, user_id } = session;
  if (org_id === null || user_id === null) return null;
  return (await present(session, { org_id, user_id }))[0];
};

/** The organization in which a session acts, and those in which it could act. */
export interface Whereabouts {
  /** By name. */
  organizations: OwnOrganization[];
  /** The chosen organization, and the person's member there; null before the choice, and after the member was lost. */
  chosen: {
    organization: OwnOrganization;
    settings: StoredOrganization;
    member: StoredMember;
    caller: Caller;
  } | null;
}

/** The organization of a session, and all organizations of its person. Two reads, and one for each organization. */
export const whereaboutsOf = async (session: Session): Promise<Whereabouts> => {
  const { org_id, user_id } = session;
  const caller = org_id !== null && user_id !== null ? visitor({ org_id, user_id }, session.name) : undefined;
  const [organizations, [member, settings] = []] = await Promise.all([
    organizationsOf(session),
    caller && getRows(caller, [members.key(caller, caller.user_id), keys.organization(caller)]),
  ]);
  const organization = organizations.find(({ id }) => id === org_id);
  const chosen =
    organization && caller && member && settings ? { organization, settings, member, caller } : null;
  return { organizations, chosen };
};

/** An organization of a session's person, with the membership there; undefined when they are no member. Two reads. */
export const membershipIn = async (
  session: Session,
  organizationId: string,
): Promise<{ membership: Membership; organization: OwnOrganization } | undefined> => {
  const [membership] = await getSystemRows([keys.membership(session.person, organizationId)]);
  const [organization] = membership ? await present(session, membership) : [];
  return membership && organization ? { membership, organization } : undefined;
};
