import * as sendMailWorker from '../../functions/workers/send-mail.ts';
import { LANGUAGES } from '../../shared/base/i18n/languages.ts';
import { PAGE_TEXTS } from '../../shared/base/i18n/texts/pages.ts';
import { membersToMail } from '../../shared/notices/mails.ts';
import { standingOf } from '../../shared/organizations/addresses/addresses.ts';
import * as access from '../../shared/organizations/people/access.ts';
import { as, type Answer, statusCounts } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { startIssuer } from '../support/issuer.ts';
import { mailsTo } from '../support/mails.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { actingKey, auditOf, newPerson, onBehalfOf, operatorOf, type Person } from '../support/people.ts';
import { expectRecorded, usesOfOperation } from '../support/recorded.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { again, anyIdentity, makeOwner, type SignedIn, signIn } from '../support/signed-in.ts';
import { newBrowser } from './browser.ts';

installRecorder();

const clock = useClock();
let issuer: Awaited<ReturnType<typeof startIssuer>>;
let formerEnvironment: NodeJS.ProcessEnv;

/** The organization that invites. */
let quay: Person;
let admin: SignedIn;

beforeAll(async () => {
  formerEnvironment = { ...process.env };
  issuer = await startIssuer();
  Object.assign(process.env, { OIDC_ISSUER: issuer.issuer, OIDC_CLIENT_ID: 'service' });
  quay = await newPerson('Quay');
});
beforeEach(async () => {
  admin = await signIn(quay);
});
afterAll(async () => {
  process.env = formerEnvironment;
  await issuer.stop();
});

const codeOf = ({ status, headers }: Pick<Answer, 'status' | 'headers'>) => [status, headers['x-error-code']];

const accountOf = (email: string, email_verified = true) => ({
  sub: `sub-${email}`,
  email,
  email_verified,
  name: 'Grace',
});

const invite = (email: string, more: object = {}) =>
  as(admin).app.inviteMember({ body: { email, role: 'inspector', ...more } });

/** The token in the last mail of an invitation to an address, after all have been sent. */
const tokenFor = async (email: string): Promise<string> => {
  const tasks = (await waitingTasks(quay.caller)).filter(({ data }) => data['what'] === 'invitation');
  for (const task of tasks) await deliver(sendMailWorker.handler, task);
  const mail = (await mailsTo(email)).at(-1)!;
  return /invitation=([\w-]{22})/.exec(mail.body.text!)![1]!;
};

/** What the last mail to an address says. */
const textFor = async (email: string): Promise<string> => {
  await tokenFor(email);
  return (await mailsTo(email)).at(-1)!.body.text!;
};

/** Signs in with an address. @param token of the invitation whose link is followed */
const signInAs = async (email: string, { isVerified = true, token = '' } = {}) => {
  const query = token ? { invitation: token } : {};
  const browser = newBrowser();
  const answer = await browser.signIn(issuer, accountOf(email, isVerified), {}, query);
  return { answer, who: as({ session: browser.session() }) };
};

const at = (organization_id: string) => ({ params: { organization_id } });
const atQuay = () => at(quay.caller.org_id);
const join = (who: ReturnType<typeof as>, body: object = {}) =>
  who.try.app.joinOrganization({ ...atQuay(), body });

const memberAt = (person: Person, { user_id }: { user_id: string }) =>
  person.try.members.get({ params: { user_id } });

const actions = async (person: Person, count: number) =>
  (await auditOf(person)).slice(-count).map(({ action, actor_id }) => [action, actor_id]);

/** Somebody who owns an organization of their own. */
const newOwner = async () => {
  const person = await newPerson('Harbour');
  const signedIn = await signIn(person);
  await makeOwner(signedIn);
  return { person, ...signedIn, client: as(signedIn) };
};

describe('the mail of an invitation', () => {
  test('names who invites, the organization and the role', async () => {
    const { email } = anyIdentity();
    await invite(email, { role: 'approver' });
    expect(await textFor(email)).toContain(`\n\nQuay\nInvited by ${admin.caller.name}\nRole: Approver\n\n`);
  });

  test('is in its reader’s language', async () => {
    const { email } = anyIdentity();
    await quay.organization.update({ body: { locale: 'de-DE' } });
    await invite(email);
    expect(await textFor(email)).toContain(`\nEingeladen von ${admin.caller.name}\nRolle: Inspektor\n`);
  });
});

describe('a sign-in', () => {
  test('302 startSignIn, and uses what is recorded', async () => {
    const { sent } = await recording(() => newBrowser().start());
    expectRecorded('startSignIn', usesOfOperation([sent]));
  });

  test('302 finishSignIn: by an invitation, by the operator, and then at another provider, and uses what is recorded', async () => {
    const [{ email }, { email: added }] = [anyIdentity(), anyIdentity()];
    await invite(email);
    const token = await tokenFor(email);
    await access.add(operatorOf(quay), { name: 'Grace', email: added, role: 'inspector' });
    const browser = newBrowser();
    const finish = async (provider: typeof issuer, address: string, query?: Record<string, string>) => {
      const answer = provider.authorize(await browser.start(query), accountOf(address));
      const { result, sent } = await recording(() => browser.finish(answer));
      expect(result.status).toBe(302);
      return sent;
    };
    const sent = [
      await finish(issuer, email, { invitation: token }),
      await finish(issuer, added),
      await finish(issuer, added),
    ];
    const other = await startIssuer();
    process.env['OIDC_ISSUER'] = other.issuer;
    try {
      expectRecorded('finishSignIn', usesOfOperation([...sent, await finish(other, added)]));
    } finally {
      process.env['OIDC_ISSUER'] = issuer.issuer;
      await other.stop();
    }
  });

  test('302 in the organization of the former session, for somebody in several', async () => {
    const { email } = anyIdentity();
    const mole = await newPerson('Mole');
    for (const person of [quay, mole])
      await access.add(operatorOf(person), { name: 'Grace', email, role: 'inspector' });
    const browser = newBrowser();
    const organization = async () =>
      (await as({ session: browser.session() }).app.getSession()).organization?.id;
    await browser.signIn(issuer, accountOf(email));
    expect(await organization()).toBeUndefined();
    const organization_id = mole.caller.org_id;
    await as({ session: browser.session() }).app.chooseOrganization({ body: { organization_id } });
    await browser.signIn(issuer, accountOf(email));
    expect(await organization()).toBe(organization_id);
    const stranger = anyIdentity().email;
    await access.add(operatorOf(mole), { name: 'Eve', email: stranger, role: 'inspector' });
    await access.add(operatorOf(quay), { name: 'Eve', email: stranger, role: 'inspector' });
    await browser.signIn(issuer, accountOf(stranger));
    expect(await organization()).toBeUndefined();
  });
});

describe('an invitation of a stranger’s organization', () => {
  test('changes nothing for the owner of another one: neither the sign-in nor what keys may do in their name', async () => {
    const harbour = await newPerson('Harbour');
    const { email } = anyIdentity();
    const { user_id: own } = await access.add(operatorOf(harbour), { name: 'Vic', email, role: 'admin' });
    const { who: before } = await signInAs(email);
    const member = await invite(email, { role: 'admin' });
    const key = await actingKey(quay);
    const { who: after } = await signInAs(email);
    const { who: byLink } = await signInAs(email, { token: await tokenFor(email) });
    for (const who of [before, after, byLink]) {
      const session = await who.app.getSession();
      expect(session).toMatchObject({ user_id: own, organization: { id: harbour.caller.org_id } });
      expect(await who.app.listOwnOrganizations()).toHaveLength(1);
      const chosen = await who.try.app.chooseOrganization({
        body: { organization_id: quay.caller.org_id },
      });
      expect(chosen.status).toBe(400);
    }
    expect((await memberAt(quay, member)).body).toMatchObject({
      status: 'invited',
      last_active_at: null,
      acting_consented_at: null,
    });
    const acting = await as(key).try.me.getMyPreferences({ headers: onBehalfOf(member) });
    expect(codeOf(acting)).toEqual([403, 'not_on_behalf']);
    expect(await after.app.listOwnInvitations()).toMatchObject([
      { organization_name: 'Quay', role: 'admin', invited_by: 'Ada' },
    ]);
  });

  test('gets the address no mail but its own', async () => {
    const { email } = anyIdentity();
    const { user_id } = await invite(email);
    expect(await membersToMail(quay.caller, [user_id], 'new_assignments')).toEqual([]);
    expect(await standingOf(quay.caller, email)).toMatchObject({ isMember: false });
    const { who } = await signInAs(email);
    expect((await join(who)).status).toBe(200);
    expect(await membersToMail(quay.caller, [user_id], 'new_assignments')).toMatchObject([{ user_id }]);
  });

  test.each(LANGUAGES)('is mailed in the language of the organization: %s', (language) => {
    const { invitation, signIn: texts } = PAGE_TEXTS[language];
    expect(invitation.subject).toContain('{organization}');
    expect(texts.failed.title).not.toBe('');
  });
});

describe('POST /app/me/invitations/{organization_id}/join', () => {
  test('200 joinOrganization: by the link alone, where the provider has not verified the address', async () => {
    const { email } = anyIdentity();
    const member = await invite(email, { name: 'Grace Hopper', position: 'Lead' });
    expect(Date.parse(member.invitation_expires_at) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
    expect(codeOf((await signInAs(email, { isVerified: false })).answer)).toEqual([403, 'no_membership']);
    const token = await tokenFor(email);
    const { answer, who } = await signInAs(email, { isVerified: false, token });
    expect([answer.status, answer.headers['location']]).toEqual([302, `${process.env['PUBLIC_URL']}/admin`]);
    expect(await who.app.getSession()).toMatchObject({ organization: null, user_id: null });
    expect((await memberAt(quay, member)).body.status).toBe('invited');
    const joined = await join(who);
    expect([joined.status, joined.body]).toEqual([
      200,
      { id: quay.caller.org_id, name: 'Quay', role: 'inspector', acting_consented_at: null },
    ]);
    expect(await who.app.getSession()).toMatchObject({
      user_id: member.user_id,
      organization: { name: 'Quay' },
    });
    expect((await memberAt(quay, member)).body).toMatchObject({
      status: 'active',
      invitation_expires_at: null,
      last_active_at: expect.any(String),
      position: 'Lead',
    });
    expect(await actions(quay, 2)).toEqual([
      ['member.invited', admin.userId],
      ['member.joined', member.user_id],
    ]);
    const other = await newBrowser().signIn(
      issuer,
      { ...accountOf(email), sub: 'other' },
      {},
      { invitation: token },
    );
    expect(codeOf(other)).toEqual([403, 'invitation_not_yours']);
    expect((await signInAs(email, { isVerified: false, token })).answer.status).toBe(302);
    expect((await join(who)).status).toBe(404);
  });

  test('200 for one of two, then for the other, and the session stays in the first', async () => {
    const { email } = anyIdentity();
    const mole = await signIn(await newPerson('Mole'));
    await invite(email);
    await as(mole).app.inviteMember({ body: { email, role: 'approver' } });
    const { who } = await signInAs(email);
    const names = async () =>
      (await who.app.listOwnInvitations()).map(
        ({ organization_name: name }: { organization_name: string }) => name,
      );
    expect(await names()).toEqual(['Mole', 'Quay']);
    await who.app.joinOrganization({ ...at(mole.caller.org_id), body: {} });
    expect(await names()).toEqual(['Quay']);
    await join(who);
    expect(await names()).toEqual([]);
    expect((await who.app.getSession()).organization.name).toBe('Mole');
    expect(await who.app.listOwnOrganizations()).toHaveLength(2);
  });

  test('404 for anybody else’s session, whichever link has led to it, and it stays open', async () => {
    const { email } = anyIdentity();
    const member = await invite(email);
    const token = await tokenFor(email);
    const [eve, own] = [await newOwner(), anyIdentity().email];
    await invite(own);
    const byLink = await signInAs(own, { isVerified: false, token: await tokenFor(own) });
    expect(codeOf((await signInAs(anyIdentity().email, { token })).answer)).toEqual([
      403,
      'invitation_not_yours',
    ]);
    expect((await join(eve.client)).status).toBe(404);
    expect((await eve.client.try.app.declineInvitation(atQuay())).status).toBe(404);
    expect((await join(byLink.who)).body.id).toBe(quay.caller.org_id);
    expect((await memberAt(quay, member)).body.status).toBe('invited');
  });

  test('404 once the invitation has expired, was withdrawn, or was sent again to another link', async () => {
    const [late, gone, resent] = [anyIdentity().email, anyIdentity().email, anyIdentity().email];
    const { user_id } = await invite(gone);
    const { user_id: again } = await invite(resent);
    const { who: withdrawn } = await signInAs(gone);
    const { who: former } = await signInAs(resent, { isVerified: false, token: await tokenFor(resent) });
    await as(admin).app.removeMember({ params: { user_id } });
    await as(admin).app.resendInvitation({ params: { user_id: again } });
    for (const who of [withdrawn, former]) {
      expect(await who.app.listOwnInvitations()).toEqual([]);
      expect((await join(who)).status).toBe(404);
    }
    const { who: next } = await signInAs(resent, { isVerified: false, token: await tokenFor(resent) });
    expect((await join(next)).status).toBe(200);
    const second = await as(admin).try.app.resendInvitation({ params: { user_id: again } });
    expect(codeOf(second)).toEqual([409, 'member_status']);
    clock.pass(-7 * 86_400 + 60);
    await invite(late);
    clock.pass(7 * 86_400 - 60);
    const { who } = await signInAs(late);
    expect(await who.app.listOwnInvitations()).toHaveLength(1);
    clock.pass(61);
    expect(await who.app.listOwnInvitations()).toEqual([]);
    expect((await join(who)).status).toBe(404);
    expect(codeOf((await signInAs(late)).answer)).toEqual([403, 'no_membership']);
  });

  test('409 for somebody who is a member with another address', async () => {
    const [first, second] = [anyIdentity().email, anyIdentity().email];
    await invite(first);
    const { who } = await signInAs(first);
    await join(who);
    await invite(second);
    // The person has another address at the provider now.
    const moved = newBrowser();
    await moved.signIn(issuer, { ...accountOf(second), sub: `sub-${first}` });
    const after = as({ session: moved.session() });
    expect(await after.app.listOwnInvitations()).toEqual([]);
    expect(codeOf(await join(after))).toEqual([409, 'already_member']);
    expect((await after.try.app.declineInvitation(atQuay())).status).toBe(204);
  });

  test('200 once when it is joined twice and declined at the same time', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { email } = anyIdentity();
      const member = await invite(email);
      const [one, two, three] = [await signInAs(email), await signInAs(email), await signInAs(email)];
      const answers = await Promise.all([
        join(one.who),
        join(two.who),
        three.who.try.app.declineInvitation(atQuay()),
      ]);
      const { 404: missed, 200: joined = 0, 204: declined = 0 } = statusCounts(answers);
      expect([missed, joined + declined]).toEqual([2, 1]);
      expect((await memberAt(quay, member)).status).toBe(joined === 1 ? 200 : 404);
    }
  });
});

describe('POST /app/me/invitations/{organization_id}/decline', () => {
  test('204 declineInvitation: the admins see it, and can invite the address again', async () => {
    const { email } = anyIdentity();
    const member = await invite(email);
    const { who } = await signInAs(email);
    expect((await who.try.app.declineInvitation(atQuay())).status).toBe(204);
    expect((await join(who)).status).toBe(404);
    expect((await memberAt(quay, member)).status).toBe(404);
    expect((await actions(quay, 1))[0]).toEqual(['member.declined', member.user_id]);
    expect((await invite(email)).user_id).not.toBe(member.user_id);
  });
});

describe('POST /app/me/organizations/{organization_id}/leave', () => {
  const leave = (who: ReturnType<typeof as>, id: string) => who.try.app.leaveOrganization(at(id));

  test('204 leaveOrganization: other sessions end, this one acts nowhere, and it is not without a new invitation', async () => {
    const { email } = anyIdentity();
    const member = await invite(email);
    const [{ who }, { who: second }] = [await signInAs(email), await signInAs(email)];
    await join(who, { allow_acting: true });
    await second.app.chooseOrganization({ body: { organization_id: quay.caller.org_id } });
    expect((await leave(who, quay.caller.org_id)).status).toBe(204);
    expect(await who.app.getSession()).toMatchObject({ organization: null, user_id: null });
    expect(codeOf(await second.try.app.getOwnProfile())).toEqual([401, 'session_required']);
    expect((await leave(who, quay.caller.org_id)).status).toBe(404);
    expect((await actions(quay, 1))[0]).toEqual(['member.left', member.user_id]);
    expect(codeOf((await signInAs(email)).answer)).toEqual([403, 'no_membership']);
    const next = await invite(email);
    expect((await memberAt(quay, next)).body.acting_consented_at).toBeNull();
    expect((await join(who)).status).toBe(200);
    expect((await memberAt(quay, next)).body).toMatchObject({ status: 'active', acting_consented_at: null });
  });

  test('409 for the owner, and 404 for an organization of others', async () => {
    const owner = await newOwner();
    const { org_id } = owner.caller;
    const refused = await leave(owner.client, org_id);
    expect([codeOf(refused), refused.body.detail]).toEqual([
      [409, 'owner_stays'],
      expect.stringContaining('POST /app/organization/handover'),
    ]);
    expect((await leave(owner.client, quay.caller.org_id)).status).toBe(404);
    const colleague = await signIn(owner.person);
    expect((await leave(as(colleague), org_id)).status).toBe(204);
    expect((await leave(as({ session: await again(colleague) }), org_id)).status).toBe(404);
  });
});

describe('PATCH /app/me/organizations/{organization_id}', () => {
  const allow = (who: ReturnType<typeof as>, allow_acting: boolean) =>
    who.app.updateOwnOrganization({ ...atQuay(), body: { allow_acting } });

  test('200 updateOwnOrganization: a key acts for the member from then on, until it is withdrawn', async () => {
    const { email } = anyIdentity();
    const member = await invite(email);
    const key = as(await actingKey(quay));
    const act = () => key.try.me.getMyPreferences({ headers: onBehalfOf(member) });
    const since = async () => (await memberAt(quay, member)).body.acting_consented_at;
    const { who } = await signInAs(email);
    await join(who);
    const refused = await act();
    expect(codeOf(refused)).toEqual([403, 'acting_not_allowed']);
    expect(refused.body.detail).toContain('in their profile');
    const own = await allow(who, true);
    expect(own.acting_consented_at).toBe(await since());
    expect((await act()).status).toBe(200);
    expect(await allow(who, true)).toEqual(own);
    const changed = await key.try.me.updateMyProfile({
      headers: onBehalfOf(member),
      body: { name: 'Grace' },
    });
    expect(changed.status).toBe(200);
    expect((await allow(who, false)).acting_consented_at).toBeNull();
    expect([codeOf(await act()), await since()]).toEqual([[403, 'acting_not_allowed'], null]);
    expect(await actions(quay, 2)).toEqual([
      ['member.acting_allowed', member.user_id],
      ['member.acting_withdrawn', member.user_id],
    ]);
    expect((await who.try.app.updateOwnOrganization({ ...atQuay(), body: {} })).status).toBe(200);
  });

  test('200 for a member who has allowed it in joining, and for one whom the operator vouches for', async () => {
    const { email } = anyIdentity();
    const member = await invite(email);
    const { who } = await signInAs(email);
    expect((await join(who, { allow_acting: true })).body.acting_consented_at).toEqual(expect.any(String));
    const fields = { name: 'Lin', role: 'inspector' as const };
    const added = await access.add(operatorOf(quay), { ...fields, email: anyIdentity().email });
    const silent = await access.add(operatorOf(quay), { ...fields, email: anyIdentity().email }, false);
    const key = as(await actingKey(quay));
    const statuses = await Promise.all(
      [member, added, silent].map(
        async (each) => (await key.try.me.getMyPreferences({ headers: onBehalfOf(each) })).status,
      ),
    );
    expect(statuses).toEqual([200, 200, 403]);
  });

  test('nobody but the member can allow it', async () => {
    const { email } = anyIdentity();
    const member = await invite(email);
    await join((await signInAs(email)).who);
    const body = { acting_consented_at: new Date().toISOString() };
    const params = { user_id: member.user_id };
    expect((await as(admin).try.app.updateMember({ params, body })).status).toBe(422);
    const { client } = await newOwner();
    expect(
      (await client.try.app.updateOwnOrganization({ ...atQuay(), body: { allow_acting: true } })).status,
    ).toBe(404);
    expect((await memberAt(quay, member)).body.acting_consented_at).toBeNull();
  });
});
