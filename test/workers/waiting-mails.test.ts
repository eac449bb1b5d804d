import { handler as noteMailFeedback } from '../../functions/workers/note-mail-feedback.ts';
import { handler as sendDueMails } from '../../functions/workers/send-due-mails.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { commands } from '../../infra/operator/commands.ts';
import * as access from '../../shared/organizations/people/access.ts';
import * as invitations from '../../shared/organizations/people/invitations.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import { actionOf, moveThrough, newAction, newFinding, patch } from '../corrective-actions/fixtures.ts';
import { useClock } from '../support/clock.ts';
import { installFaults, on, timeout, withFault } from '../support/faults.ts';
import { mailsTo } from '../support/mails.ts';
import { mailTasks, newMember, tell } from '../support/notices.ts';
import { deliver, deliverLast } from '../support/outbox.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';

installFaults();
const clock = useClock();
const DAY = 86_400;

let person: Person;
let domain: string;

beforeEach(async () => {
  person = await newPerson('Harbour');
  domain = `${person.caller.org_id}.example`;
});

/** The day so many days from today begins. */
const dayIn = (days: number): string =>
  `${new Date(Date.now() + days * DAY * 1_000).toISOString().slice(0, 10)}T00:00:00.000Z`;

const SENT = { state: 'sent', reason: null, send_after: null, expires_at: null, detail: null };
const waitingUntil = (days: number) => ({
  ...SENT,
  state: 'waiting',
  reason: 'limit',
  send_after: dayIn(days),
});

const limitTo = (limits: Record<`max-${string}`, number>) =>
  commands['org set'].run({ org: person.caller.org_id, ...limits });

/** Does everything that waits for the mail worker. @returns the number of mails so far */
const mailed = async (): Promise<number> => {
  for (const task of await mailTasks(person)) expect(await deliver(sendMail, task)).toBe(true);
  return (await mailsTo(domain)).length;
};

/** Some days pass. @returns the number of mails so far */
const mailedAfter = async (days: number): Promise<number> => {
  clock.pass(days * DAY);
  await sendDueMails();
  return mailed();
};

let contacts = 0;
const newTask = (finding?: Awaited<ReturnType<typeof newFinding>>): Promise<CorrectiveAction> => {
  contacts += 1;
  return newAction(person, { contact: { name: 'Cara', email: `cara${contacts}@${domain}` } }, finding);
};
const mailOf = async (action: CorrectiveAction) => (await actionOf(person, action)).contact_link!.mail;

/** A task whose mail waits until tomorrow. */
const waitingTask = async (): Promise<CorrectiveAction> => {
  await limitTo({ 'max-mails': 1 });
  await newTask();
  const task = await newTask();
  expect(await mailed()).toBe(1);
  return task;
};

const invite = (name: string) =>
  invitations.invite(operatorOf(person), { email: `${name}@${domain}`, role: 'inspector' });
const member = (user_id: string) => person.members.get({ params: { user_id } });

describe('mails beyond the limit of a day', () => {
  test('get the first days that have room, in their order, and come before what is promised later', async () => {
    await limitTo({ 'max-mails': 1 });
    const finding = await newFinding(person);
    const tasks = [await newTask(finding), await newTask(finding), await newTask(finding)];
    expect(await mailed()).toBe(1);
    expect(await Promise.all(tasks.map(mailOf))).toEqual([SENT, waitingUntil(1), waitingUntil(2)]);
    expect(await person.organization.get()).toMatchObject({
      mails: { waiting: 2, max_per_day: { to_others: 1 } },
    });
    expect(await mailedAfter(1)).toBe(2);
    const later = await newTask(finding);
    expect(await mailed()).toBe(2);
    expect(await mailOf(later)).toMatchObject({ state: 'waiting', send_after: dayIn(2) });
    expect(await mailedAfter(1)).toBe(3);
    expect(await mailedAfter(1)).toBe(4);
    for (const task of [...tasks, later]) expect(await mailOf(task)).toMatchObject({ state: 'sent' });
  });

  test('look for room from today when the operator raises the limit', async () => {
    const task = await waitingTask();
    expect(await limitTo({ 'max-mails': 5 })).toMatchObject({ mails: { max_per_day: { to_others: 5 } } });
    expect(await mailed()).toBe(2);
    expect(await mailOf(task)).toMatchObject({ state: 'sent' });
    expect((await person.organization.get()).mails.waiting).toBe(0);
  });

  test('an invitation says that it waits, and can be accepted for 7 days after it is sent', async () => {
    await limitTo({ 'max-mails': 1 });
    const [first, second] = [await invite('ana'), await invite('ben')];
    expect(second.mail).toEqual({ ...SENT, state: 'queued' });
    await mailed();
    expect((await member(first.user_id)).mail).toMatchObject({ state: 'sent' });
    expect(await member(second.user_id)).toMatchObject({
      mail: { state: 'waiting', send_after: dayIn(1) },
      invitation_expires_at: dayIn(8),
    });
    expect(await mailedAfter(1)).toBe(2);
    expect((await member(second.user_id)).mail).toMatchObject({ state: 'sent' });
  });

  test('what members are told waits as well', async () => {
    await limitTo({ 'max-member-mails': 1 });
    for (const name of ['ana', 'ben']) await tell(person, { user_ids: [await newMember(person, name)] });
    await mailed();
    expect(await mailed()).toBe(1);
    expect(await mailedAfter(1)).toBe(2);
  });
});

describe('a mail that waits is not sent when', () => {
  test.each<[string, (task: CorrectiveAction) => Promise<unknown>]>([
    ['the action is done', (task) => moveThrough(person, task, 'in_progress', 'pending_verification')],
    ['the contact is removed', (task) => patch(person, task, { contact: null })],
  ])('%s', async (_, act) => {
    await act(await waitingTask());
    expect(await mailedAfter(1)).toBe(1);
  });

  test('its link is replaced: the new one is mailed', async () => {
    const task = await waitingTask();
    await person.correctiveActions.sendContactLink({ params: { ca_id: task.id } });
    expect(await mailed()).toBe(1);
    expect(await mailOf(task)).toMatchObject({ state: 'waiting', send_after: dayIn(2) });
    expect(await mailedAfter(1)).toBe(1);
    expect(await mailedAfter(1)).toBe(2);
  });

  test('the invited member is removed', async () => {
    await limitTo({ 'max-mails': 1 });
    await invite('ana');
    const { user_id } = await invite('ben');
    await mailed();
    await access.remove(operatorOf(person), user_id);
    expect(await mailedAfter(1)).toBe(1);
  });
});

describe('a mail that was promised', () => {
  test('and fails at every attempt says so on the action and the member', async () => {
    const task = await newTask();
    const { user_id } = await invite('ana');
    const outage = on(
      ({ client }) => client === 'SESv2Client',
      async () => {
        throw timeout();
      },
    );
    await withFault(outage, async () => {
      for (const waiting of await mailTasks(person)) expect(await deliverLast(sendMail, waiting)).toBe(false);
    });
    for (const mail of [await mailOf(task), (await member(user_id)).mail])
      expect(mail).toMatchObject({ state: 'failed', detail: expect.stringContaining('Send it again') });
  });

  test('and bounces says so on the action and the member', async () => {
    const task = await newTask();
    const { user_id } = await invite('ana');
    const tags: Record<string, string[]>[] = [];
    const note = on(
      ({ client }) => client === 'SESv2Client',
      ({ input, send }) => {
        const sent = input['EmailTags'] as { Name: string; Value: string }[];
        tags.push(Object.fromEntries(sent.map(({ Name, Value }) => [Name, [Value]])));
        return send();
      },
    );
    await withFault(note, mailed);
    for (const each of tags) {
      const bouncedRecipients = [{ emailAddress: `x@${domain}`, diagnosticCode: '550 no such user' }];
      const detail = {
        eventType: 'Bounce',
        mail: { tags: each },
        bounce: { bounceType: 'Permanent', bounceSubType: 'General', bouncedRecipients },
      };
      const body = JSON.stringify({ id: crypto.randomUUID(), time: new Date().toISOString(), detail });
      const record = { messageId: 'x', body, attributes: { ApproximateReceiveCount: '1' } };
      await noteMailFeedback({ Records: [record] } as never);
    }
    const bounced = { state: 'bounced', detail: 'Permanent General: 550 no such user' };
    expect((await member(user_id)).mail).toMatchObject(bounced);
    expect((await actionOf(person, task)).contact_link).toMatchObject({
      mail: bounced,
      error: bounced.detail,
      sent_at: expect.any(String),
    });
  });
});
