import { setImmediate as turn } from 'node:timers/promises';
import { as } from '../support/call.ts';
import { startIssuer } from '../support/issuer.ts';
import { auditOf, newPerson, type Person } from '../support/people.ts';
import { again, anyIdentity, makeOwner, type SignedIn, signIn } from '../support/signed-in.ts';
import { newBrowser } from './browser.ts';

let issuer: Awaited<ReturnType<typeof startIssuer>>;
let formerEnvironment: NodeJS.ProcessEnv;
let person: Person;
let owner: SignedIn;

/** Another admin than the owner, because the owner cannot be changed. */
let admin: SignedIn;

beforeAll(async () => {
  formerEnvironment = { ...process.env };
  issuer = await startIssuer();
  Object.assign(process.env, { OIDC_ISSUER: issuer.issuer, OIDC_CLIENT_ID: 'service' });
  person = await newPerson('Harbour');
  admin = await signIn(person);
  owner = await signIn(person);
  await makeOwner(owner);
});
afterAll(async () => {
  process.env = formerEnvironment;
  await issuer.stop();
});

const codeOf = ({ status, headers }: { status: number; headers: Record<string, string> }) => [
  status,
  headers['x-error-code'],
];

const patch = (who: SignedIn, user_id: string, body: object) =>
  as(who).try.app.updateMember({ params: { user_id }, body });

const accountOf = (email: string, email_verified = true) => ({
  sub: `sub-${email}`,
  email,
  email_verified,
  name: 'Grace',
});

describe('POST /app/members', () => {
  test('409 for the address of another member, in any case, and 422 for the role of a key', async () => {
    const { email } = anyIdentity();
    await as(admin).app.inviteMember({ body: { email, role: 'inspector' } });
    const body = { email: email.toUpperCase(), role: 'admin' };
    expect((await as(admin).try.app.inviteMember({ body })).status).toBe(409);
    expect(
      (await as(admin).try.app.inviteMember({ body: { email: 'a@b.example', role: 'api' } })).status,
    ).toBe(422);
  });
});

describe('PATCH /app/members/{user_id}', () => {
  test('200 updateMember: another role counts with the next request, and is in the audit', async () => {
    const other = await signIn(person);
    expect((await as(other).try.members.list()).status).toBe(200);
    const { body } = await patch(admin, other.userId, { role: 'inspector', phone: '+30 210' });
    expect(body).toMatchObject({ role: 'inspector', phone: '+30 210' });
    expect(codeOf(await as(other).try.members.list())).toEqual([403, 'role_not_allowed']);
    expect((await auditOf(person)).at(-1)).toMatchObject({
      action: 'member.updated',
      target_id: other.userId,
      changes: { role: { from: 'admin', to: 'inspector' } },
    });
    expect((await patch(admin, other.userId, { role: 'inspector' })).body).toEqual(body);
  });

  test('200 for a suspension, which ends all sessions for good', async () => {
    const other = await signIn(person);
    const second = await again(other);
    await patch(admin, other.userId, { status: 'suspended' });
    for (const session of [other.session, second])
      expect(codeOf(await as({ session }).try.members.list())).toEqual([401, 'session_required']);
    await patch(admin, other.userId, { status: 'active' });
    expect(codeOf(await as(other).try.members.list())).toEqual([401, 'session_required']);
    const actions = (await auditOf(person)).slice(-2).map(({ action }) => action);
    expect(actions).toEqual(['member.suspended', 'member.activated']);
    // A session counts that begins in a later millisecond.
    for (const activated = Date.now(); Date.now() <= activated;) await turn();
    expect((await as({ session: await again(other) }).try.members.list()).status).toBe(200);
  });

  test.each([
    ['demotes', { role: 'approver' }],
    ['suspends', { status: 'suspended' }],
  ])('409 for a request that %s the owner, who is always the last admin', async (_, body) => {
    for (const who of [admin, owner])
      expect(codeOf(await patch(who, owner.userId, body))).toEqual([409, 'owner_stays']);
    expect((await patch(admin, owner.userId, { name: 'Owner' })).status).toBe(200);
  });

  test('409 for the identity of a key, and for the status of somebody who is invited', async () => {
    expect(codeOf(await patch(admin, person.caller.user_id, { role: 'admin' }))).toEqual([
      409,
      'member_is_key',
    ]);
    const { email } = anyIdentity();
    const { user_id } = await as(admin).app.inviteMember({ body: { email, role: 'inspector' } });
    for (const status of ['active', 'suspended'])
      expect(codeOf(await patch(admin, user_id, { status }))).toEqual([409, 'member_status']);
    expect((await patch(admin, user_id, { role: 'admin' })).status).toBe(200);
  });
});

describe('DELETE /app/members/{user_id}', () => {
  const remove = (who: SignedIn, user_id: string) => as(who).try.app.removeMember({ params: { user_id } });

  test('204 removeMember: the session ends, the address is free, and nobody can sign in with it', async () => {
    const other = await signIn(person, 'inspector');
    expect((await remove(admin, other.userId)).status).toBe(204);
    expect((await remove(admin, other.userId)).status).toBe(404);
    expect((await as(other).try.members.list()).status).toBe(401);
    const account = accountOf(other.identity.email);
    expect(codeOf(await newBrowser().signIn(issuer, account))).toEqual([403, 'no_membership']);
    const body = { email: other.identity.email, role: 'inspector' };
    const member = await as(admin).app.inviteMember({ body });
    expect(member.user_id).not.toBe(other.userId);
  });

  test('409 for the owner and for the identity of a key', async () => {
    expect(codeOf(await remove(admin, owner.userId))).toEqual([409, 'owner_stays']);
    expect(codeOf(await remove(admin, person.caller.user_id))).toEqual([409, 'member_is_key']);
  });
});
