import { type Caller, isKey, isPerson, type KeyCaller, type PersonCaller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { allows, expectScope, scopeFor } from '../../domain/key-scopes.ts';
import type { Requester, StoredBulkChange } from '../../table/entities/bulk-changes.ts';
import type { KeyEntry, StoredMember } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { getRow, getRows } from '../../table/rows.ts';
import { type BulkTarget, targetOf } from './targets.ts';

/*
 * A bulk change is carried out with the rights of who has requested it, as they are by then: the worker becomes the same
 * key, the same admin who has signed in, or the same person for whom a key acts. What it may do to a row is up to the
 * operation for that row.
 */

export const requesterOf = (caller: Caller): Requester => ({
  user_id: caller.user_id,
  name: caller.name,
  ...(isKey(caller) && { key_id: caller.key_id }),
  ...(caller.acted_via_key_id !== undefined && { acted_via_key_id: caller.acted_via_key_id }),
});

/** @throws ApiError 403 for anybody else, who may have other rights */
export const expectRequester = (caller: Caller, { requester }: StoredBulkChange): void => {
  const own = requesterOf(caller);
  const isSame = (['user_id', 'key_id', 'acted_via_key_id'] as const).every(
    (name) => own[name] === requester[name],
  );
  if (!isSame) throw errors.notYourBulkChange();
};

/** Whether a person may do this: by a key, as the operation for a single row says; by the app, as an admin. */
const mayPerson = ({ role, acted_via_key_id }: PersonCaller, { actsFor }: BulkTarget): boolean =>
  acted_via_key_id === undefined ? role === 'admin' : actsFor.includes(role);

/**
 * Checks that the caller may use the operations for single rows.
 * @throws ApiError 403 for a key whose scopes do not include them, or that may not do this for a person of this role
 */
export const expectMay = (caller: Caller, target: BulkTarget): void => {
  expectScope(caller, scopeFor({ path: target.path, access: 'write' }));
  if (isPerson(caller) && !mayPerson(caller, target)) throw errors.roleNotAllowed(caller.role);
};

/**
 * Checks that the caller may read the rows that a bulk change is about, because its own rows show their fields.
 * @throws ApiError 403 for a key whose scopes do not include it
 */
export const expectSeesRows = (caller: Caller, { path }: BulkTarget): void =>
  expectScope(caller, scopeFor({ path, access: 'read' }));

/** Whether a key still works, and may still write. */
const isLive = (entry: KeyEntry | undefined, member: StoredMember | undefined): entry is KeyEntry =>
  entry?.access === 'read_write' &&
  member?.key?.revoked_at === null &&
  (entry.expires_at === null || Date.parse(entry.expires_at) > Date.now());

const asKey = (
  { org_id }: Caller,
  { id, user_id, name, access, scopes, created_by, act_for_members }: KeyEntry,
): KeyCaller => ({
  org_id,
  user_id,
  key_id: id,
  name,
  access,
  ...(act_for_members && { act_for_members }),
  ...(scopes && { scopes }),
  ...(created_by && { key_maker: created_by }),
});

/** A person, as long as they are an active member. */
const asMember = ({ org_id }: Caller, member: StoredMember | undefined): PersonCaller | undefined => {
  if (member?.status !== 'active' || member.role === 'api') return undefined;
  const { user_id, name, role } = member;
  return { org_id, user_id, name, role };
};

/** The person for whom a key acts, as long as both may; undefined otherwise. */
const asPerson = (
  service: Caller,
  member: StoredMember | undefined,
  { id, act_for_members, created_by }: KeyEntry,
): PersonCaller | undefined => {
  if (!act_for_members || member?.acting_consented_at === null) return undefined;
  const person = asMember(service, member);
  return person && { ...person, acted_via_key_id: id, ...(created_by && { key_maker: created_by }) };
};

/** Both scopes that a key with scopes needs, whether it acts for itself or for a person. */
const mayWrite = ({ scopes }: KeyEntry, target: BulkTarget): boolean =>
  !scopes ||
  ['/bulk-changes', target.path].every((path) => {
    const scope = scopeFor({ path, access: 'write' });
    return scope === undefined || allows(scopes, scope);
  });

/**
 * Who a bulk change is carried out as; undefined when they may not do this any more. Two calls.
 * @param service of the organization
 */
export const standingRequester = async (
  service: Caller,
  bulk: StoredBulkChange,
): Promise<KeyCaller | PersonCaller | undefined> => {
  const { requester } = bulk;
  const target = targetOf(bulk);
  const keyId = requester.key_id ?? requester.acted_via_key_id;
  const memberKey = keys.one(service, 'MEMBER', requester.user_id);
  if (keyId === undefined) {
    const admin = asMember(service, await getRow(service, memberKey));
    return admin && mayPerson(admin, target) ? admin : undefined;
  }
  const [entry, member] = await getRows(service, [keys.one(service, 'KEY', keyId), memberKey]);
  const ofKey =
    entry && requester.key_id === undefined
      ? (await getRows(service, [keys.one(service, 'MEMBER', entry.user_id)]))[0]
      : member;
  if (!isLive(entry, ofKey) || !mayWrite(entry, target)) return undefined;
  if (requester.key_id !== undefined) return asKey(service, entry);
  const person = asPerson(service, member, entry);
  return person && mayPerson(person, target) ? person : undefined;
};
