import * as sendMailWorker from '../../functions/workers/send-mail.ts';
import { LANGUAGES } from '../../shared/i18n/languages.ts';
import { PAGE_TEXTS } from '../../shared/i18n/texts/pages.ts';
import { as, statusCounts } from '../support/call.ts';
import { startIssuer } from '../support/issuer.ts';
import { mailsTo } from '../support/mails.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { auditOf, newPerson, type Person } from '../support/people.ts';
import { expectRecorded, usesOfOperation } from '../support/recorded.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { anyIdentity, again, type SignedIn, signIn } from '../support/signed-in.ts';
import { newBrowser } from './browser.ts';

installRecorder();

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

/** Invites an address, and delivers the mail. @returns the member, and the token of its link */
const invite = async (email: string, more: object = {}) => {
  const member = await as(admin).app.inviteMember({ body: { email, role: 'inspector', ...more } });
  return { member, token: await tokenFor(email) };
};

const tokenFor = async (email: string): Promise<string> => {
  const tasks = (await waitingTasks(person.caller)).filter(({ data }) => data['what'] === 'invitation');
  for (const task of tasks) await deliver(sendMailWorker.handler, task);
  const mail = (await mailsTo(email)).at(-1)!;
  return /invitation=([\w-]{22})/.exec(mail.body.text!)![1]!;
};

const accountOf = (email: string, email_verified = true) => ({
  sub: `sub-${email}`,
  email,
  email_verified,
  name: 'Grace',
});

describe('a sign-in', () => {
  test('302 startSignIn, and uses what is recorded', async () => {
    const { sent } = await recording(() => newBrowser().start());
    expectRecorded('startSignIn', usesOfOperation([sent]));
  });

  test('302 finishSignIn: by an invitation, and then at another provider, and uses what is recorded', async () => {
    const { email } = anyIdentity();
    const { token } = await invite(email);
    const browser = newBrowser();
    const finish = async (provider: typeof issuer, query?: Record<string, string>) => {
      const answer = provider.authorize(await browser.start(query), accountOf(email));
      const { result, sent } = await recording(() => browser.finish(answer));
      expect(result.status).toBe(302);
      return sent;
    };
    const invited = await finish(issuer, { invitation: token });
    const other = await startIssuer();
    process.env['OIDC_ISSUER'] = other.issuer;
    try {
      expectRecorded('finishSignIn', usesOfOperation([invited, await finish(other)]));
    } finally {
      process.env['OIDC_ISSUER'] = issuer.issuer;
      await other.stop();
    }
  });
});

describe('POST /app/members', () => {
  test('201 inviteMember: a mail with a link, by which the address becomes an active member once', async () => {
    const { email } = anyIdentity();
    const { member, token } = await invite(email, { name: 'Grace Hopper', position: 'Lead' });
    expect(member).toMatchObject({
      email,
      name: 'Grace Hopper',
      position: 'Lead',
      role: 'inspector',
      status: 'invited',
    });
    expect(Date.parse(member.invitation_expires_at) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    const browser = newBrowser();
    // The provider need not have verified the address: the link was sent there.
    const answer = await browser.signIn(issuer, accountOf(email, false), {}, { invitation: token });
    expect(answer.status).toBe(302);
    const { body } = await as(admin).try.members.get({ params: { user_id: member.user_id } });
    expect(body).toMatchObject({
      status: 'active',
      invitation_expires_at: null,
      last_active_at: expect.any(String),
    });
    const other = { ...accountOf(email, false), sub: 'other' };
    expect(codeOf(await newBrowser().signIn(issuer, other, {}, { invitation: token }))).toEqual([
      403,
      'invitation_not_yours',
    ]);
    expect((await auditOf(person)).slice(-2)).toMatchObject([
      { action: 'member.invited', actor_id: admin.userId, actor_name: 'Ada', actor_kind: 'person' },
      { action: 'member.joined', actor_id: member.user_id, actor_name: 'Grace Hopper', actor_kind: 'person' },
    ]);
  });

  test('201, and who signs in with the verified address needs no link, as long as the invitation lasts', async () => {
    const [{ email }, { email: late }] = [anyIdentity(), anyIdentity()];
    await invite(email);
    await invite(late);
    expect((await newBrowser().signIn(issuer, accountOf(email))).status).toBe(302);
    expect(codeOf(await newBrowser().signIn(issuer, accountOf(late, false)))).toEqual([403, 'no_membership']);
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 7 * 86_400_000 + 1_000);
    const claims = { iat: Math.floor(Date.now() / 1_000), exp: Math.floor(Date.now() / 1_000) + 60 };
    const answer = await newBrowser().signIn(issuer, accountOf(late), { claims });
    now.mockRestore();
    expect(codeOf(answer)).toEqual([403, 'no_membership']);
  });

  test('403 for an invitation that somebody else follows, and it stays open', async () => {
    const { email } = anyIdentity();
    const { token } = await invite(email);
    const browser = newBrowser();
    const stranger = accountOf(anyIdentity().email);
    expect(codeOf(await browser.signIn(issuer, stranger, {}, { invitation: token }))).toEqual([
      403,
      'invitation_not_yours',
    ]);
    expect(browser.session()).toBeNull();
    expect((await browser.signIn(issuer, accountOf(email), {}, { invitation: token })).status).toBe(302);
  });

  test('409 for the address of another member, in any case, and 422 for the role of a key', async () => {
    const { email } = anyIdentity();
    await as(admin).app.inviteMember({ body: { email, role: 'inspector' } });
    const body = { email: email.toUpperCase(), role: 'admin' };
    expect((await as(admin).try.app.inviteMember({ body })).status).toBe(409);
    expect(
      (await as(admin).try.app.inviteMember({ body: { email: 'a@b.example', role: 'api' } })).status,
    ).toBe(422);
  });

  test.each(LANGUAGES)('201 with a mail in the language of the organization: %s', (language) => {
    const { invitation, signIn: texts } = PAGE_TEXTS[language];
    expect(invitation.subject).toContain('{organization}');
    expect(texts.failed.title).not.toBe('');
  });
});

describe('POST /app/members/{user_id}/invitation', () => {
  test('200 resendInvitation: the new link works, and the former one does not', async () => {
    const { email } = anyIdentity();
    const { member, token } = await invite(email);
    const params = { user_id: member.user_id };
    expect((await as(admin).try.app.resendInvitation({ params })).status).toBe(200);
    const next = await tokenFor(email);
    const unverified = accountOf(email, false);
    expect(codeOf(await newBrowser().signIn(issuer, unverified, {}, { invitation: token }))).toEqual([
      403,
      'invitation_not_yours',
    ]);
    expect((await newBrowser().signIn(issuer, unverified, {}, { invitation: next })).status).toBe(302);
    expect(codeOf(await as(admin).try.app.resendInvitation({ params }))).toEqual([409, 'member_status']);
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
    await new Promise((resolve) => setTimeout(resolve, 2));
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
    const { member } = await invite(other.identity.email);
    expect(member.user_id).not.toBe(other.userId);
  });

  test('409 for the owner and for the identity of a key', async () => {
    expect(codeOf(await remove(admin, owner.userId))).toEqual([409, 'owner_stays']);
    expect(codeOf(await remove(admin, person.caller.user_id))).toEqual([409, 'member_is_key']);
  });

  test('two admins who remove each other while one becomes the owner leave an organization with an active owner', async () => {
    for (let round = 0; round < 5; round += 1) {
      const other = await newPerson('Race');
      const [one, two] = [await signIn(other), await signIn(other)];
      const organization = as(other);
      await as(one).organization.update({ body: { owner_user_id: one.userId } });
      const answers = await Promise.all([
        as(one).try.organization.update({ body: { owner_user_id: two.userId } }),
        remove(one, two.userId),
        remove(two, one.userId),
        patch(two, one.userId, { role: 'inspector' }),
      ]);
      expect(statusCounts(answers)[500] ?? 0).toBe(0);
      const admins = (await organization.try.members.list({ query: { role: ['admin'], status: ['active'] } }))
        .body;
      expect(admins.length).toBeGreaterThan(0);
      const { owner_user_id } = await organization.organization.update({ body: {} });
      expect(admins.map(({ user_id }: { user_id: string }) => user_id)).toContain(owner_user_id);
    }
  });
});
