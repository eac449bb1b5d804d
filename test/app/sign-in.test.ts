import { sha256 } from '../../shared/base/encoding.ts';
import * as organizations from '../../shared/organizations/organizations.ts';
import * as sessions from '../../shared/organizations/people/sessions.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { getSystemRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { as, statusCounts } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { type Account, startIssuer } from '../support/issuer.ts';
import { newBrowser } from './browser.ts';

const clock = useClock();
let issuer: Awaited<ReturnType<typeof startIssuer>>;
let former: NodeJS.ProcessEnv;

beforeAll(async () => {
  former = { ...process.env };
  issuer = await startIssuer();
  Object.assign(process.env, { OIDC_ISSUER: issuer.issuer, OIDC_CLIENT_ID: 'service' });
});
afterAll(async () => {
  process.env = former;
  await issuer.stop();
});

let count = 0;
const newAccount = (more: Partial<Account> = {}): Account & { email: string } => {
  count += 1;
  const email = `ada${count}-${Date.now()}@example.com`;
  return { sub: `subject-${count}`, email, email_verified: true, name: 'Ada Lovelace', ...more };
};

/** An organization whose only admin has this address. */
const newOrganization = (email: string, name = 'Harbour') => organizations.create(name, email);

const setMember = async (org_id: string, userId: string, set: object): Promise<void> => {
  const caller = { org_id, user_id: 'operator', name: 'operator' };
  const row = write.update(keys.one(caller, 'MEMBER', userId), { set: { ...set } });
  await change(caller, () => ({ writes: [row], reply: undefined }));
};

const codeOf = ({ status, headers }: { status: number; headers: Record<string, string> }) => [
  status,
  headers['x-error-code'],
];

describe('GET /app/sign-in', () => {
  test('302 startSignIn: to the provider, with PKCE, a state and a nonce that no other attempt has', async () => {
    const browser = newBrowser();
    const [first, second] = [new URL(await browser.start()), new URL(await browser.start())];
    expect(first.origin + first.pathname).toBe(`${issuer.issuer}/authorize`);
    expect(Object.fromEntries(first.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'service',
      redirect_uri: `${process.env['PUBLIC_URL']}/app/sign-in/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(first.searchParams.get(name)).not.toBe(second.searchParams.get(name));
    expect(new URL(await browser.start({ anew: '1' })).searchParams.get('prompt')).toBe('login');
  });

  test.each([
    [3_599, 0],
    [3_601, 1],
  ])('asks the provider for its metadata once an hour: after %d s %d times', async (seconds, times) => {
    clock.pass(7_200);
    await newBrowser().start();
    const before = issuer.calls.length;
    clock.pass(seconds);
    await newBrowser().start();
    expect(issuer.calls.length).toBe(before + times);
  });
});

describe('GET /app/sign-in/callback', () => {
  test('302 finishSignIn: with a session of its own, in a cookie that only we get', async () => {
    const account = newAccount();
    const { org_id, admin_user_id } = await newOrganization(account.email);
    const browser = newBrowser();
    const answer = await browser.signIn(issuer, account);
    expect([answer.status, answer.headers['location']]).toEqual([302, `${process.env['PUBLIC_URL']}/admin`]);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(browser.cookies).toEqual([
      expect.stringMatching(/^__Host-sign-in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; Secure; SameSite=Lax$/),
      expect.stringMatching(
        /^__Host-session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; Secure; SameSite=Lax$/,
      ),
      '__Host-sign-in=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax',
    ]);
    const { body } = await as({ session: browser.session() }).try.app.getSession();
    expect(body).toMatchObject({
      name: 'Ada Lovelace',
      email: account.email,
      user_id: admin_user_id,
      organization: { id: org_id, name: 'Harbour', role: 'admin' },
    });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(12 * 3_600_000);
    const [row] = await getSystemRows([keys.session(sha256(browser.session()!))]);
    expect(JSON.stringify(row)).not.toContain(browser.session());
    expect(row!.ttl * 1_000 - Date.now()).toBeLessThanOrEqual(3_601_000);
  });

  test('302 for the same subject under another address, but not for another subject under this one', async () => {
    const account = newAccount();
    await newOrganization(account.email);
    await newBrowser().signIn(issuer, account);
    const moved = { ...account, email: 'married@example.com', email_verified: false };
    expect((await newBrowser().signIn(issuer, moved)).status).toBe(302);
    expect(codeOf(await newBrowser().signIn(issuer, { ...account, sub: 'thief' }))).toEqual([
      403,
      'no_membership',
    ]);
  });

  test('302 by the address once more, after the deployment has changed its provider', async () => {
    const account = newAccount();
    await newOrganization(account.email);
    await newBrowser().signIn(issuer, account);
    const other = await startIssuer();
    try {
      process.env['OIDC_ISSUER'] = other.issuer;
      const stranger = { ...account, email_verified: false };
      expect(codeOf(await newBrowser().signIn(other, stranger))).toEqual([403, 'no_membership']);
      expect((await newBrowser().signIn(other, account)).status).toBe(302);
      process.env['OIDC_ISSUER'] = issuer.issuer;
      // The former identity is none any more, until the address is verified there again.
      expect(codeOf(await newBrowser().signIn(issuer, stranger))).toEqual([403, 'no_membership']);
    } finally {
      process.env['OIDC_ISSUER'] = issuer.issuer;
      await other.stop();
    }
  });

  const account = newAccount();
  const seconds = () => Math.floor(Date.now() / 1_000);
  beforeAll(() => newOrganization(account.email));

  test.each([
    ['another nonce', { claims: { nonce: 'other' } }],
    ['no nonce', { claims: { nonce: undefined } }],
    ['another audience', { claims: { aud: 'other' } }],
    ['several audiences without an authorized party', { claims: { aud: ['other', 'service'] } }],
    ['another issuer in the token', { claims: { iss: 'https://evil.example' } }],
    ['another issuer in the answer', { query: { iss: 'https://evil.example' } }],
    ['a forged signature', { isForged: true }],
    ['another state', { query: { state: 'other' } }],
    ['another code', { query: { code: 'other' } }],
    ['an error of the provider', { query: { error: 'access_denied' } }],
    ['a token that has expired', () => ({ claims: { exp: seconds() - 120 } })],
    ['no subject', { claims: { sub: undefined } }],
  ])('400 for %s, and there is no session', async (_, wrong) => {
    const browser = newBrowser();
    const answer = await browser.signIn(issuer, account, typeof wrong === 'function' ? wrong() : wrong);
    expect(codeOf(answer)).toEqual([400, 'sign_in_failed']);
    expect(answer.text).toContain('Start again');
    expect(browser.session()).toBeNull();
  });

  test.each([
    ['has expired half a minute ago', () => ({ exp: seconds() - 30 })],
    ['is issued half a minute from now', () => ({ iat: seconds() + 30, nbf: seconds() + 30 })],
  ])('302 for a token that %s, because clocks differ', async (_, claimsNow) => {
    const claims = claimsNow();
    expect((await newBrowser().signIn(issuer, account, { claims })).status).toBe(302);
  });

  test('400 for an answer that is replayed, in this browser or another one, and for one without an attempt', async () => {
    const [browser, thief] = [newBrowser(), newBrowser()];
    const answer = issuer.authorize(await browser.start(), account);
    await thief.start();
    expect(codeOf(await thief.finish(answer))).toEqual([400, 'sign_in_failed']);
    const attempt = browser.jar.get('__Host-sign-in')!;
    expect((await browser.finish(answer)).status).toBe(302);
    expect(codeOf(await browser.finish(answer))).toEqual([400, 'sign_in_failed']);
    thief.jar.set('__Host-sign-in', attempt);
    expect(codeOf(await thief.finish(answer))).toEqual([400, 'sign_in_failed']);
    expect(thief.session()).toBeNull();
  });

  test('400 for an attempt that took too long, or that nobody has begun', async () => {
    const browser = newBrowser();
    const answer = issuer.authorize(await browser.start(), account);
    const begun = JSON.parse(Buffer.from(browser.jar.get('__Host-sign-in')!, 'base64url').toString());
    for (const value of [JSON.stringify({ ...begun, until: Date.now() - 1 }), '{}', 'null', '{"state":']) {
      browser.jar.set('__Host-sign-in', Buffer.from(value).toString('base64url'));
      expect(codeOf(await browser.finish(answer))).toEqual([400, 'sign_in_failed']);
    }
  });

  test('a session that the browser brings is ended and not taken over', async () => {
    const [browser, attacker] = [newBrowser(), newBrowser()];
    await attacker.signIn(issuer, account);
    const planted = attacker.session()!;
    browser.jar.set('__Host-session', planted);
    await browser.signIn(issuer, account);
    expect(browser.session()).not.toBe(planted);
    expect((await as({ session: planted }).try.app.getSession()).status).toBe(401);
  });

  test.each([
    ['a path of ours', '/admin/members?tab=1', '/admin/members?tab=1'],
    ['two slashes', '//evil.example/x', '//evil.example/x'],
    ['another origin', 'https://evil.example', '/admin'],
    ['backslashes', '\\\\evil.example', '/admin'],
    ['a backslash behind a slash', '/\\evil.example', '/admin'],
    ['a header', '/a\r\nSet-Cookie: x', '/admin'],
    ['a script', 'javascript:alert(1)', '/admin'],
    ['a very long path', `/${'x'.repeat(2_000)}`, '/admin'],
  ])('302 on our own origin for %s to return to', async (_, return_to, path) => {
    const browser = newBrowser();
    const { headers } = await browser.signIn(issuer, account, {}, { return_to });
    expect(new URL(headers['location']!).origin).toBe(new URL(process.env['PUBLIC_URL']!).origin);
    expect(headers['location']).toBe(process.env['PUBLIC_URL'] + path);
  });

  test.each([
    ['nobody has added', {}],
    ['is not verified', { email_verified: false }],
    ['is missing', { email: undefined as never }],
  ])('403 with a page for an address that %s', async (_, more) => {
    const known = newAccount();
    if (Object.keys(more).length > 0) await newOrganization(known.email);
    const browser = newBrowser();
    const answer = await browser.signIn(issuer, { ...known, ...more });
    expect(codeOf(answer)).toEqual([403, 'no_membership']);
    expect(answer.text).toContain('Ask an admin');
    expect(browser.session()).toBeNull();
  });

  test('302 for an address that the provider calls verified in a text, and 403 for any other text', async () => {
    const known = newAccount({ email_verified: 'true' });
    await newOrganization(known.email);
    expect((await newBrowser().signIn(issuer, known)).status).toBe(302);
    for (const email_verified of ['false', 'yes', '']) {
      const other = newAccount({ email_verified });
      await newOrganization(other.email);
      expect(codeOf(await newBrowser().signIn(issuer, other))).toEqual([403, 'no_membership']);
    }
  });

  test.each([
    ['503 when the provider is down, which is no failed sign-in', [503, 'unavailable'], { isDown: true }],
    [
      '503 when it leads elsewhere, where nobody is asked',
      [503, 'unavailable'],
      { redirectsTo: 'ELSEWHERE' },
    ],
    ['400 when it answers with a megabyte', [400, 'sign_in_failed'], { padding: 1_048_576 }],
  ])('%s', async (_, expected, wrong) => {
    const elsewhere = await startIssuer();
    const browser = newBrowser();
    const answer = issuer.authorize(await browser.start(), account);
    const before = { ...issuer.state };
    Object.assign(issuer.state, wrong);
    if (issuer.state.redirectsTo) issuer.state.redirectsTo = `${elsewhere.issuer}/token`;
    try {
      expect(codeOf(await browser.finish(answer))).toEqual(expected);
      expect(elsewhere.calls).toEqual([]);
      expect(browser.session()).toBeNull();
    } finally {
      Object.assign(issuer.state, before);
      await elsewhere.stop();
    }
  });

  test('302 after the provider has changed its key, which is read again', async () => {
    expect((await newBrowser().signIn(issuer, account)).status).toBe(302);
    issuer.changeKey();
    clock.pass(120);
    expect((await newBrowser().signIn(issuer, account)).status).toBe(302);
    expect(codeOf(await newBrowser().signIn(issuer, account, { isForged: true }))).toEqual([
      400,
      'sign_in_failed',
    ]);
  });

  test('503 when the provider says nothing for five seconds, or a megabyte of metadata', async () => {
    const browser = newBrowser();
    const answer = issuer.authorize(await browser.start(), account);
    const soon = AbortSignal.timeout(50);
    const limits = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(soon);
    issuer.state.isSilent = true;
    try {
      expect(codeOf(await browser.finish(answer))).toEqual([503, 'unavailable']);
      expect(limits).toHaveBeenCalledWith(5_000);
    } finally {
      limits.mockRestore();
      issuer.state.isSilent = false;
    }
    clock.pass(7_200);
    issuer.state.padding = 1_048_576;
    try {
      expect(await newBrowser().start()).toBeUndefined();
    } finally {
      issuer.state.padding = 0;
    }
  });

  test('two browsers at once bind a member once', async () => {
    const person = newAccount();
    await newOrganization(person.email);
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((sub) =>
        newBrowser().signIn(issuer, { ...person, sub: `${person.sub}-${sub}` }),
      ),
    );
    expect(statusCounts(answers)).toEqual({ 302: 1, 403: 2 });
  });
});

describe('somebody in two organizations', () => {
  test('listOwnOrganizations, chooseOrganization: chooses one of them, and no other', async () => {
    const account = newAccount();
    const [b, a] = [await newOrganization(account.email, 'B'), await newOrganization(account.email, 'A')];
    const stranger = await newOrganization(newAccount().email);
    const browser = newBrowser();
    await browser.signIn(issuer, account);
    const ada = as({ session: browser.session() });
    expect((await ada.try.app.getSession()).body.organization).toBeNull();
    const { body: own } = await ada.try.app.listOwnOrganizations();
    expect(own.map(({ id }: { id: string }) => id)).toEqual([a.org_id, b.org_id]);
    for (const organization_id of [a.org_id, b.org_id]) {
      const { body } = await ada.try.app.chooseOrganization({ body: { organization_id } });
      expect(body.organization.id).toBe(organization_id);
      expect((await ada.try.app.getSession()).body).toEqual(body);
    }
    const foreign = await ada.try.app.chooseOrganization({ body: { organization_id: stranger.org_id } });
    expect(codeOf(foreign)).toEqual([400, 'reference_not_found']);
  });
});

describe('a session ends at once', () => {
  const signedIn = async () => {
    const account = newAccount();
    const organization = await newOrganization(account.email);
    const browser = newBrowser();
    await browser.signIn(issuer, account);
    return { ...organization, account, session: browser.session()! };
  };
  const status = async (session: string) => (await as({ session }).try.app.getSession()).status;

  test('with endSession and with signOut, also for whoever has copied the cookie', async () => {
    const one = await signedIn();
    expect((await as(one).try.app.endSession()).status).toBe(204);
    expect(await status(one.session)).toBe(401);
    const two = await signedIn();
    const { body } = await as(two).try.app.signOut();
    const url = new URL(body.redirect_url);
    expect(url.origin + url.pathname).toBe(`${issuer.issuer}/end`);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${process.env['PUBLIC_URL']}/app/sign-in`);
    expect(await status(two.session)).toBe(401);
  });

  test('with the suspension of its member, who cannot sign in again, and it does not come back', async () => {
    const { org_id, admin_user_id, session, account } = await signedIn();
    await setMember(org_id, admin_user_id, { status: 'suspended', sessions_from: Date.now() + 1 });
    expect(await status(session)).toBe(401);
    expect(codeOf(await newBrowser().signIn(issuer, account))).toEqual([403, 'no_membership']);
    await setMember(org_id, admin_user_id, { status: 'active' });
    expect(await status(session)).toBe(401);
  });

  test('when it is not used for an hour, and its row is moved on once a minute at most', async () => {
    const { session } = await signedIn();
    const now = Date.now();
    const seen = async () => (await getSystemRows([keys.session(sha256(session))]))[0]!.seen_at;
    const begun = await seen();
    await sessions.authenticate(session, begun + 59_000);
    expect(await seen()).toBe(begun);
    await sessions.authenticate(session, begun + 60_000);
    expect(await seen()).toBe(begun + 60_000);
    await expect(sessions.authenticate(session, begun + 60_000 + 3_600_000)).rejects.toMatchObject({
      status: 401,
    });
    expect((await sessions.authenticate(session, begun + 60_000 + 3_599_999)).ends_at).toBe(
      begun + 12 * 3_600_000,
    );
    await expect(sessions.authenticate(session, now + 12 * 3_600_000 + 1)).rejects.toMatchObject({
      status: 401,
    });
  });
});
