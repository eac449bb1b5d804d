import type { Caller, PersonCaller, PersonRole } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { foldedAddress } from '../../base/text.ts';
import type { OwnOrganization } from '../../schemas/session.ts';
import { audit } from '../../table/audit.ts';
import { change, type Work } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import { exists } from '../../table/conditions.ts';
import type { Membership, StoredMember, StoredOrganization } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { emit } from '../../table/outbox/outbox.ts';
import { getRow, getRows, getSystemRows, querySystemRows, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { systemWrite, type Write } from '../../table/writes.ts';
import * as members from '../members/members.ts';
import { departureWrites } from './access.ts';
import { choose, type Identity, isOf, personOf, type Session } from './sessions.ts';

/*
 * Which members a person is. A member whom the operator has added is bound to a person by issuer and subject when the
 * person first signs in with the member's verified address; an invited one when the person joins, see
 * `own-invitations.ts`. From then on the address means nothing: whoever gets it later is somebody else.
 */

/** Somebody as a caller in an organization before any session of theirs acts there. */
export const visitor = ({ org_id, user_id }: Membership, name = ''): Caller => ({ org_id, user_id, name });

/**
 * Whether a person is an active member whom nobody has signed in as: they have the member's address, verified by the
 * provider. A binding to a former provider does not count, because the deployment trusts only this one.
 */
const mayBind = ({ status, email, identity: bound, role }: StoredMember, identity: Identity): boolean =>
  role !== 'api' &&
  status === 'active' &&
  identity.isEmailVerified &&
  bound?.issuer !== identity.issuer &&
  foldedAddress(email) === foldedAddress(identity.email);

/** Binds a person to a member, if they may be. @returns whether they are bound */
const bind = (membership: Membership, identity: Identity): Promise<boolean> =>
  change(visitor(membership), async (work) => {
    const row = await getRow(work, members.key(work, membership.user_id));
    if (!row || !mayBind(row, identity)) return { writes: [], reply: false };
    const person = personOf(identity);
    const next: StoredMember = nextVersion<StoredMember>(work, withoutKeys(row), {
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

/**
 * Finds the members that a person is, and binds the person to those whom the operator has added with their address. An
 * invitation makes nobody a member.
 * @param now epoch milliseconds
 */
export const admit = async (identity: Identity, now: number): Promise<Membership[]> => {
  const person = personOf(identity);
  const bound = await querySystemRows(keys.membership.partition(person));
  const byAddress =
    identity.isEmailVerified && identity.email
      ? await querySystemRows(members.emailPartition(identity.email))
      : [];
  const added: Membership[] = [];
  for (const { org_id, user_id } of byAddress) {
    // A person is one member of an organization at most.
    if (bound.some((membership) => membership.org_id === org_id)) continue;
    if (await bind({ org_id, user_id }, identity)) added.push({ org_id, user_id });
  }
  return active(person, [...bound, ...added], now);
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

/** An organization as its member sees it. */
export const toOwnOrganization = (
  id: string,
  { name }: StoredOrganization,
  { role, acting_consented_at }: StoredMember,
): OwnOrganization => ({ id, name, role: role as PersonRole, acting_consented_at });

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
    ? [toOwnOrganization(org_id, organization, member)]
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

/** The organization that a session's person names. @throws ApiError 404 when they are no member there */
const expectMembership = async (session: Session, organizationId: string): Promise<Membership> => {
  const found = await membershipIn(session, organizationId);
  if (!found) throw errors.notFound('organization');
  return found.membership;
};

/** The person of a session as a caller in one of their organizations. @throws ApiError 404 */
const ownMember = async (
  session: Session,
  work: Work,
): Promise<{ member: StoredMember; own: Work<PersonCaller> }> => {
  const row = await getRow(work, members.key(work, work.user_id));
  if (!isOf(session, row) || row.role === 'api') throw errors.notFound('organization');
  return { member: withoutKeys(row), own: { ...work, name: row.name, role: row.role } };
};

/** Records that a member allows keys to act for them, or no longer does. */
export const actingWrites = (own: Work<PersonCaller>, isAllowed: boolean, wasAllowed: boolean): Write[] => {
  if (isAllowed === wasAllowed) return [];
  return [audit(own, isAllowed ? 'member.acting_allowed' : 'member.acting_withdrawn', own.user_id)];
};

/**
 * Allows keys of an organization to act for its member, or withdraws that with effect from the next request on.
 * @throws ApiError 404 when the person is no member there
 */
export const allowActing = async (
  session: Session,
  organizationId: string,
  isAllowed: boolean | undefined,
): Promise<OwnOrganization> => {
  const membership = await expectMembership(session, organizationId);
  return change(visitor(membership), async (work) => {
    const [{ member, own }, organization] = await Promise.all([
      ownMember(session, work),
      getRow(work, keys.organization(work)),
    ]);
    const wasAllowed = member.acting_consented_at !== null;
    const reply = (of: StoredMember) => toOwnOrganization(organizationId, organization!, of);
    if (isAllowed === undefined || isAllowed === wasAllowed) return { writes: [], reply: reply(member) };
    const next = nextVersion(work, member, { acting_consented_at: isAllowed ? work.now : null });
    return {
      writes: [
        write.replace({ ...next, ...members.key(work, work.user_id) }, member.version),
        ...actingWrites(own, isAllowed, wasAllowed),
        emit(own, 'member.updated', members.toMember(next)),
      ],
      reply: reply(next),
    };
  });
};

/**
 * Ends the membership of a session's person, with the same consequences as a removal by an admin. The session goes on
 * without an organization if it was there; the person's other sessions there end.
 * @throws ApiError 404 when the person is no member there; 409 for the owner
 */
export const leave = async (session: Session, organizationId: string): Promise<void> => {
  const membership = await expectMembership(session, organizationId);
  await change(visitor(membership), async (work) => {
    const { member, own } = await ownMember(session, work);
    return {
      writes: [
        ...(await departureWrites(own, member, 'admin_left')),
        audit(own, 'member.left', member.user_id),
      ],
      reply: undefined,
    };
  });
  if (session.org_id === organizationId) await choose(session, null);
};
