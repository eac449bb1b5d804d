import { v7 as uuidv7 } from 'uuid';
import type { Caller, PersonRole } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import { settingChanges } from '../../domain/settings.ts';
import type { KeysOfMember } from '../../schemas/api-key.ts';
import type { AuditedAction } from '../../schemas/audit.ts';
import type { Member, MemberChanges } from '../../schemas/member.ts';
import { audit } from '../../table/audit.ts';
import { change, type Work } from '../../table/change.ts';
import { editRow } from '../../table/collection.ts';
import { noneOf } from '../../table/conditions.ts';
import type { StoredMember } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { emit } from '../../table/outbox/outbox.ts';
import { getRow } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import * as apiKeys from '../api-keys.ts';
import { type AccessEvent, accessMails } from '../members/access-mails.ts';
import * as members from '../members/members.ts';
import * as organizations from '../organizations.ts';

const NOUN = 'member';

const isActiveAdmin = ({ role, status }: Pick<StoredMember, 'role' | 'status'>): boolean =>
  role === 'admin' && status === 'active';

/**
 * Checks in the transaction of the change that the member is not the owner. The owner is always an active admin: a
 * change of the owner checks the member's row, and this change checks the organization's row, so if both come at once,
 * one fails. So an organization never loses its last admin, and no list of admins must be read.
 */
const isNotOwner = (caller: Caller, userId: string): Write =>
  write.check(keys.organization(caller), () => errors.ownerStays(), noneOf('owner_user_id', [userId]));

/** @throws ApiError 409 for the identity of an API key */
const expectPerson = ({ role }: StoredMember): void => {
  if (role === 'api') throw errors.memberIsKey();
};

/**
 * Adds a member who is active at once, and can sign in with the address. One whose organization is suspended is kept out
 * until it is resumed: the organization's row is checked, so that neither is missed when both come at once.
 * @param mayBeActedFor whether keys may act for the member, who has told the operator so
 * @throws ApiError 404 for an organization that does not exist; 409 for the address of another member
 */
export const add = (
  caller: Caller,
  fields: Pick<StoredMember, 'name' | 'email'> & { role: PersonRole },
  mayBeActedFor = true,
): Promise<{ user_id: string }> =>
  change(caller, async (work) => {
    const { suspended, version } = await organizations.get(caller);
    const member = members.newMember(work, {
      user_id: uuidv7(),
      ...fields,
      acting_consented_at: mayBeActedFor ? work.now : null,
      ...(suspended && { in_suspended: true }),
    });
    const { user_id } = member;
    return {
      writes: [
        write.check(keys.organization(caller), undefined, version),
        ...members.memberWrites(caller, member),
        audit(work, 'member.added', user_id),
        emit(work, 'member.created', members.toMember(member)),
      ],
      reply: { user_id },
    };
  });

/** What a change of a member means for an admin, and is mailed: undefined for all else. */
const lossOf = (current: StoredMember, next: StoredMember): AccessEvent | undefined => {
  if (!isActiveAdmin(current)) return undefined;
  if (next.status === 'suspended') return 'admin_suspended';
  return next.role === 'admin' ? undefined : 'admin_demoted';
};

/** Mails to a member who is an admin no longer, and to the owner. Two reads. */
const lossMails = async (work: Work, event: AccessEvent, member: StoredMember): Promise<Write[]> => {
  const organization = await getRow(work, keys.organization(work));
  const owner = organization && (await members.find(work, organization.owner_user_id));
  return accessMails(work, { event, member: member.name }, [member, owner]);
};

const actionOf = (current: StoredMember, next: StoredMember): AuditedAction => {
  if (current.status === next.status) return 'member.updated';
  return next.status === 'suspended' ? 'member.suspended' : 'member.activated';
};

/**
 * Changes a member. A suspension ends all sessions with their next request. They stay ended when it is over.
 * @throws ApiError 404; 409 for the owner, the identity of an API key, and the status of somebody who is only invited;
 *   and for a suspension that does not say what becomes of the member's keys
 */
export const update = (
  caller: Caller,
  userId: string,
  changes: MemberChanges,
  ofKeys: KeysOfMember = {},
): Promise<Member> =>
  editRow<StoredMember, Member>({
    caller,
    noun: NOUN,
    key: members.key(caller, userId),
    decide: async (current, work) => {
      expectPerson(current);
      const next = merge(current, changes);
      if (next.status !== current.status) {
        if (current.status === 'invited') throw errors.memberStatus('invited', 'active or suspended');
        if (next.status === 'active') next.sessions_from = Date.parse(work.now);
      }
      const { sessions_from: _, ...changed } = settingChanges(current, next);
      if (Object.keys(changed).length === 0) return { next: current };
      const loss = lossOf(current, next);
      return {
        next,
        writes: [
          ...(loss ? [isNotOwner(caller, userId), ...(await lossMails(work, loss, current))] : []),
          ...(next.status === 'suspended' && current.status !== 'suspended'
            ? await apiKeys.writesOfLeaver(work, userId, ofKeys.keys)
            : []),
          audit(work, actionOf(current, next), userId, changed),
        ],
      };
    },
    event: (member, work) => emit(work, 'member.updated', members.toMember(member)),
    present: members.toMember,
  });

/**
 * Ends a membership, with the sessions and an invitation, unless the member is the owner. Everything that the member did
 * keeps the user id.
 */
export const departureWrites = async (
  work: Work,
  member: StoredMember,
  event: AccessEvent,
): Promise<Write[]> => [
  ...members.removalWrites(work, member),
  isNotOwner(work, member.user_id),
  ...(member.role === 'admin' && member.status !== 'invited' ? await lossMails(work, event, member) : []),
  emit(work, 'member.deleted', members.toMember(member)),
];

/**
 * Removes a member, with the sessions and an invitation. Everything that the member did keeps the user id.
 * @throws ApiError 404; 409 for the owner, for the identity of an API key, and when nobody says what becomes of the
 *   member's keys
 */
export const remove = (caller: Caller, userId: string, ofKeys: KeysOfMember = {}): Promise<void> =>
  change(caller, async (work) => {
    const member = await members.find(caller, userId);
    if (!member) throw errors.notFound(NOUN);
    expectPerson(member);
    return {
      writes: [
        ...(await apiKeys.writesOfLeaver(work, userId, ofKeys.keys)),
        ...(await departureWrites(work, member, 'admin_removed')),
        audit(work, 'member.removed', userId),
      ],
      reply: undefined,
    };
  });
