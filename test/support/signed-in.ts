import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Caller, PersonCaller, PersonRole } from '../../shared/base/caller.ts';
import * as members from '../../shared/organizations/members/members.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import * as sessions from '../../shared/organizations/people/sessions.ts';
import type { Identity } from '../../shared/organizations/people/sessions.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { systemWrite } from '../../shared/table/writes.ts';
import { as } from './call.ts';

/** The provider that has signed in whoever tests need. */
const ISSUER = 'https://people.test';

/** Somebody with a session in an organization. */
export interface SignedIn {
  /** The token of the session. */
  session: string;
  userId: string;
  identity: Identity;
  caller: PersonCaller;
}

export const anyIdentity = (name = 'Ada'): Identity => {
  const subject = randomUUID();
  return { issuer: ISSUER, subject, name, email: `${subject}@example.com`, isEmailVerified: true };
};

/** Makes somebody the owner of their organization, as the operator does. */
export const makeOwner = async ({ caller, userId }: SignedIn): Promise<void> => {
  const operator = { org_id: caller.org_id, user_id: 'operator', name: 'operator' };
  await organizations.update(operator, { owner_user_id: userId }, undefined, async () => undefined);
};

/** Begins another session of somebody. */
export const again = async ({ identity, caller, userId }: SignedIn): Promise<string> => {
  const membership = { org_id: caller.org_id, user_id: userId };
  return (await sessions.begin(identity, membership, Date.now())).token;
};

/** Lets keys act for somebody who has signed in. */
export const letKeysAct = async ({ session, caller }: SignedIn): Promise<void> => {
  await as({ session }).app.updateOwnOrganization({
    params: { organization_id: caller.org_id },
    body: { allow_acting: true },
  });
};

/** Adds a member to somebody's organization who has signed in. @param identity of the same person elsewhere */
export const signIn = async (
  { caller: { org_id, name } }: { caller: Pick<Caller, 'org_id' | 'name'> },
  role: PersonRole = 'admin',
  identity = anyIdentity(),
): Promise<SignedIn> => {
  const org = { org_id, user_id: 'operator', name };
  const userId = uuidv7();
  const person = sessions.personOf(identity);
  const membership = { org_id, user_id: userId };
  const fields = {
    user_id: userId,
    name: identity.name,
    email: identity.email,
    role,
    identity: { issuer: identity.issuer, person },
  };
  await change(org, (work) => ({
    writes: [
      ...members.memberWrites(work, members.newMember(work, fields)),
      systemWrite(write.put({ ...keys.membership(person, org_id), ...membership })),
    ],
    reply: undefined,
  }));
  const { token } = await sessions.begin(identity, membership, Date.now());
  return { session: token, userId, identity, caller: { ...membership, name: identity.name, role } };
};
