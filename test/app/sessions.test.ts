import * as organizations from '../../shared/organizations/organizations.ts';
import { MAX_IDLE_MS } from '../../shared/organizations/people/sessions.ts';
import type { OwnSession } from '../../shared/schemas/session.ts';
import { as } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { startIssuer } from '../support/issuer.ts';
import { newPerson } from '../support/people.ts';
import { again, signIn, type SignedIn } from '../support/signed-in.ts';
import { BROWSER } from '../support/visit.ts';
import { newBrowser } from './browser.ts';

const clock = useClock();

let person: SignedIn;
let other: string;

beforeEach(async () => {
  person = await signIn(await newPerson('Harbour'));
  other = await again(person);
});

const sessionsOf = (session: string): Promise<OwnSession[]> => as({ session }).app.listOwnSessions();

const statusOf = async (session: string): Promise<number> =>
  (await as({ session }).try.app.getSession()).status;

describe('GET /app/me/sessions', () => {
  test('200 with the browser that has signed in', async () => {
    const issuer = await startIssuer();
    const former = { ...process.env };
    Object.assign(process.env, { OIDC_ISSUER: issuer.issuer, OIDC_CLIENT_ID: 'service' });
    try {
      const email = `own-${Date.now()}@example.com`;
      await organizations.create('Quay', email);
      const browser = newBrowser();
      await browser.signIn(issuer, { sub: email, email, email_verified: true, name: 'Ada' });
      const [own, ...others] = await sessionsOf(browser.session()!);
      expect([own!.user_agent, own!.is_current, others]).toEqual([BROWSER['User-Agent'], true, []]);
    } finally {
      process.env = former;
      await issuer.stop();
    }
  });

  test('200 with the sessions of the person alone, the one used last first, without those that have ended', async () => {
    const stranger = await signIn(await newPerson('Quay'));
    clock.pass(120);
    const listed = await sessionsOf(person.session);
    expect(listed.map(({ is_current }) => is_current)).toEqual([true, false]);
    expect(listed[0]!.last_used_at > listed[0]!.created_at).toBe(true);
    expect(JSON.stringify(listed)).not.toContain(other);
    clock.pass(120);
    expect((await sessionsOf(other)).map(({ is_current }) => is_current)).toEqual([true, false]);
    expect(await sessionsOf(stranger.session)).toHaveLength(1);
    clock.pass(MAX_IDLE_MS / 1_000 - 60);
    expect(await sessionsOf(other)).toHaveLength(1);
  });
});

describe('DELETE /app/me/sessions/{session_id}', () => {
  test('204 ends that session with its next request, and 404 afterwards', async () => {
    const found = (await sessionsOf(person.session)).find(({ is_current }) => !is_current)!;
    const params = { session_id: found.id };
    expect((await as(person).try.app.endOwnSession({ params })).status).toBe(204);
    expect([await statusOf(other), await statusOf(person.session)]).toEqual([401, 200]);
    expect((await as(person).try.app.endOwnSession({ params })).status).toBe(404);
    expect(await sessionsOf(person.session)).toHaveLength(1);
  });

  test('404 for a session of somebody else, which goes on', async () => {
    const stranger = await signIn(await newPerson('Quay'));
    const [{ id } = { id: '' }] = await sessionsOf(person.session);
    const { status } = await as(stranger).try.app.endOwnSession({ params: { session_id: id } });
    expect([status, await statusOf(person.session), await statusOf(other)]).toEqual([404, 200, 200]);
  });
});

describe('DELETE /app/me/sessions', () => {
  test('204 ends all sessions but this one', async () => {
    const third = await again(person);
    expect((await as(person).try.app.endOtherSessions()).status).toBe(204);
    expect([await statusOf(other), await statusOf(third), await statusOf(person.session)]).toEqual([
      401, 401, 200,
    ]);
    expect((await as(person).try.app.endOtherSessions()).status).toBe(204);
  });
});
