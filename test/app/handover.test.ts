import * as sendMailWorker from '../../functions/workers/send-mail.ts';
import { LANGUAGES } from '../../shared/base/i18n/languages.ts';
import { type Answer, as, statusCounts } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { mailsTo } from '../support/mails.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { auditOf, newPerson, type Person } from '../support/people.ts';
import { makeOwner, type SignedIn, signIn } from '../support/signed-in.ts';

const clock = useClock();

let person: Person;
let owner: SignedIn;
let next: SignedIn;
let other: SignedIn;

beforeEach(async () => {
  person = await newPerson('Harbour');
  [owner, next, other] = [await signIn(person), await signIn(person), await signIn(person)];
  await makeOwner(owner);
  await mailed();
});

const codeOf = ({ status, headers }: Pick<Answer, 'status' | 'headers'>) => [status, headers['x-error-code']];

const name = (who: SignedIn, { userId: user_id }: { userId: string }) =>
  as(who).try.app.createHandover({ body: { user_id } });
const accept = (who: SignedIn) => as(who).try.app.acceptHandover();
const decline = (who: SignedIn) => as(who).try.app.declineHandover();
const withdraw = (who: SignedIn) => as(who).try.app.withdrawHandover();
const patch = (who: SignedIn, { userId: user_id }: SignedIn, body: object) =>
  as(who).try.app.updateMember({ params: { user_id }, body });

const organization = () => person.organization.get();
const lastAction = async () => (await auditOf(person)).at(-1);

/** The address of the first admin of every organization of the tests: other files send mails to it at the same time. */
const EVERYBODYS = 'admin@example.com';

/** The texts of the mails about owners and admins, by the address, that were sent since the last call. */
const mailed = async (): Promise<Map<string, string>> => {
  const tasks = (await waitingTasks(person.caller)).filter(
    ({ data }) => data['what'] === 'access' && data['to'].email !== EVERYBODYS,
  );
  const sent = new Map<string, string>();
  for (const task of tasks) {
    const { email } = task.data.to;
    const before = (await mailsTo(email)).length;
    await deliver(sendMailWorker.handler, task);
    const mails = await mailsTo(email);
    if (mails.length > before) sent.set(email, mails.at(-1)!.body.text!);
  }
  return sent;
};

const addressesOf = (...people: SignedIn[]) => people.map(({ identity }) => identity.email).toSorted();

describe('POST /app/organization/handover', () => {
  test('201 createHandover, and the admin who is named becomes the owner by accepting', async () => {
    const { status, body } = await name(owner, next);
    expect([status, body]).toEqual([
      201,
      { user_id: next.userId, named_at: expect.any(String), expires_at: expect.any(String) },
    ]);
    expect(await organization()).toMatchObject({ owner_user_id: owner.userId, handover: body });
    expect(await lastAction()).toMatchObject({
      action: 'organization.owner_named',
      actor_id: owner.userId,
      target_id: next.userId,
    });
    const named = await mailed();
    expect([...named.keys()].toSorted()).toEqual(addressesOf(owner, next));
    for (const text of named.values()) expect(text).toContain('as the next owner of Harbour');
    expect((await accept(next)).body).toMatchObject({ owner_user_id: next.userId, handover: null });
    expect(await lastAction()).toMatchObject({
      action: 'organization.owner_accepted',
      actor_id: next.userId,
      changes: { owner_user_id: { from: owner.userId, to: next.userId } },
    });
    const accepted = await mailed();
    expect([...accepted.keys()].toSorted()).toEqual(addressesOf(owner, next));
    for (const text of accepted.values()) expect(text).toContain('is now the owner of Harbour');
    expect((await as(owner).try.app.listApiKeys()).status).toBe(200);
    expect((await accept(next)).status).toBe(404);
  });

  test('403 for an admin who is not the owner, with each step', async () => {
    expect(codeOf(await name(other, other))).toEqual([403, 'not_the_owner']);
    await name(owner, next);
    expect(codeOf(await name(next, other))).toEqual([403, 'not_the_owner']);
    for (const step of [accept, decline]) {
      expect(codeOf(await step(other))).toEqual([403, 'not_the_next_owner']);
      expect(codeOf(await step(owner))).toEqual([403, 'not_the_next_owner']);
    }
    for (const who of [next, other]) expect(codeOf(await withdraw(who))).toEqual([403, 'not_the_owner']);
    expect((await organization()).owner_user_id).toBe(owner.userId);
  });

  test('403 for owner_user_id in a PATCH by anybody, the owner included, and 200 for the present value', async () => {
    const body = { owner_user_id: next.userId };
    const answers = [
      await as(owner).try.organization.update({ body }),
      await as(next).try.organization.update({ body }),
      await person.try.organization.update({ body }),
    ];
    for (const answer of answers) {
      expect(codeOf(answer)).toEqual([403, 'owner_is_handed_over']);
      expect(answer.body.detail).toContain('POST /app/organization/handover');
    }
    const same = { owner_user_id: owner.userId, region: 'GR' };
    expect((await as(other).try.organization.update({ body: same })).status).toBe(200);
  });

  test('400 for anybody but an active admin, 409 for the owner and for a second one', async () => {
    const inspector = await signIn(person, 'inspector');
    const stranger = await signIn(await newPerson('Quay'));
    const suspended = await signIn(person);
    await patch(owner, suspended, { status: 'suspended' });
    for (const each of [inspector, stranger, suspended, { userId: person.caller.user_id }])
      expect(codeOf(await name(owner, each))).toEqual([400, 'owner_not_admin']);
    expect(codeOf(await name(owner, owner))).toEqual([409, 'owns_already']);
    const answers = await Promise.all([name(owner, next), name(owner, other)]);
    expect(statusCounts(answers)).toEqual({ 201: 1, 409: 1 });
    expect(codeOf(await name(owner, next))).toEqual([409, 'handover_pending']);
  });

  test('200 declineHandover, withdrawHandover: the owner stays, and both are mailed', async () => {
    const steps = [
      [decline, next, 'organization.owner_declined', 'has declined'],
      [withdraw, owner, 'organization.owner_withdrawn', 'no longer named'],
    ] as const;
    for (const [step, who, action, text] of steps) {
      await name(owner, next);
      await mailed();
      expect((await step(who)).body).toMatchObject({ owner_user_id: owner.userId, handover: null });
      expect(await lastAction()).toMatchObject({ action, actor_id: who.userId });
      const mails = await mailed();
      expect([...mails.keys()].toSorted()).toEqual(addressesOf(owner, next));
      for (const each of mails.values()) expect(each).toContain(text);
      expect((await accept(next)).status).toBe(404);
    }
  });

  test('404 after seven days, and the owner can name another one', async () => {
    clock.pass(-7 * 86_400);
    await name(owner, next);
    clock.pass(7 * 86_400);
    clock.pass(1);
    expect((await accept(next)).status).toBe(404);
    expect((await organization()).handover).toBeNull();
    expect((await name(owner, other)).status).toBe(201);
  });

  test('404 after the operator has set another owner, also when it is the former one again', async () => {
    await name(owner, next);
    await mailed();
    await makeOwner(other);
    const mails = await mailed();
    expect([...mails.keys()].toSorted()).toEqual(addressesOf(owner, other));
    for (const text of mails.values()) expect(text).toContain('By: the operator of the service');
    expect((await accept(next)).status).toBe(404);
    await makeOwner(owner);
    expect((await accept(next)).status).toBe(404);
  });

  test('403 for a named admin who was demoted, and nobody comes between: the owner is always an active admin', async () => {
    await name(owner, next);
    await patch(other, next, { role: 'approver' });
    expect(codeOf(await accept(next))).toEqual([403, 'role_not_allowed']);
    await withdraw(owner);
    for (let round = 0; round < 4; round += 1) {
      const candidate = await signIn(person);
      await name(owner, candidate);
      const answers = await Promise.all([
        accept(candidate),
        patch(other, candidate, round % 2 === 0 ? { role: 'inspector' } : { status: 'suspended' }),
        as(other).try.app.removeMember({ params: { user_id: candidate.userId } }),
      ]);
      expect(statusCounts(answers)[500] ?? 0).toBe(0);
      const { owner_user_id } = await organization();
      const { role, status } = await person.members.get({ params: { user_id: owner_user_id } });
      expect([role, status]).toEqual(['admin', 'active']);
      await makeOwner(owner);
    }
  });
});

describe('an admin who is none any more', () => {
  const STEPS: [what: string, text: string, step: (who: SignedIn) => Promise<Answer>][] = [
    ['demoted', 'is no longer an admin of Harbour', (who) => patch(other, who, { role: 'inspector' })],
    ['suspended', 'was suspended', (who) => patch(other, who, { status: 'suspended' })],
    [
      'removed',
      'was removed',
      ({ userId: user_id }) => as(other).try.app.removeMember({ params: { user_id } }),
    ],
    [
      'gone',
      'has left',
      (who) => as(who).try.app.leaveOrganization({ params: { organization_id: who.caller.org_id } }),
    ],
  ];

  test.each(STEPS)('%s: the person and the owner are mailed', async (_, text, step) => {
    expect((await step(next)).status).toBeLessThan(300);
    const mails = await mailed();
    expect([...mails.keys()].toSorted()).toEqual(addressesOf(owner, next));
    for (const each of mails.values()) expect(each).toContain(text);
  });

  test('nobody is mailed for an inspector, another name, or an invitation', async () => {
    const inspector = await signIn(person, 'inspector');
    await patch(other, inspector, { role: 'approver' });
    await patch(other, inspector, { status: 'suspended' });
    await patch(other, next, { name: 'Ada King' });
    const { user_id } = await as(other).app.inviteMember({
      body: { email: 'eve@example.com', role: 'admin' },
    });
    await as(other).app.updateMember({ params: { user_id }, body: { role: 'inspector' } });
    await as(other).app.removeMember({ params: { user_id } });
    expect(await mailed()).toEqual(new Map());
  });

  test.each(LANGUAGES)('reads of it in their own language: %s', async (locale) => {
    await as(next).app.updateOwnProfile({ body: { locale } });
    await patch(other, next, { role: 'inspector' });
    const text = (await mailed()).get(next.identity.email)!;
    expect(text).toContain('Harbour');
    expect(text).not.toMatch(/[{}]/);
  });
});
