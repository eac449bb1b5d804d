import * as answerAddress from '../../functions/public/answer-address.ts';
import * as stopMails from '../../functions/public/stop-mails.ts';
import { handler } from '../../functions/workers/send-mail.ts';
import { plainName } from '../../shared/domain/notifications/text.ts';
import * as addresses from '../../shared/organizations/addresses/addresses.ts';
import { DEFAULT_MAIL_LIMITS } from '../../shared/schemas/mail.ts';
import type { OutboxTask } from '../../shared/table/entities/machinery.ts';
import { useClock } from '../support/clock.ts';
import { first, installFaults, on, timeout, withFault } from '../support/faults.ts';
import { mailsTo, type ReceivedMail } from '../support/mails.ts';
import { fillDay, mailOut, mailTasks, newMember, tell } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';

installFaults();
// The mails of a day are counted: none of these tests goes on into the next one.
useClock();

let person: Person;
let client: string;

beforeEach(async () => {
  person = await newPerson('Harbour & Sons');
  client = `client@${person.caller.org_id}.example`;
});

/** Everything that waits for the mail worker is done. */
const mailAll = async (): Promise<void> => {
  for (const task of await mailTasks(person)) expect(await deliver(handler, task)).toBe(true);
};

const noticeTo = async (...emails: string[]): Promise<OutboxTask> => {
  await tell(person, { event: 'completed', user_ids: [], emails });
  return (await mailTasks(person)).at(-1)!;
};

const notify = async (...emails: string[]): Promise<void> => {
  expect(await mailOut(person, await noticeTo(...emails))).toBe(true);
};

/** The token of the link of this page in a mail. */
const tokenIn = ({ body }: ReceivedMail, page: 'confirm' | 'stop'): string =>
  new RegExp(`http://localhost:\\d+/${page}/([\\w-]{22})`).exec(body.text!)![1]!;

const subjects = async (address = client): Promise<string[]> =>
  (await mailsTo(address)).map(({ subject }) => subject);

const QUESTION = 'Harbour & Sons wants to send you emails';

describe('a notice to an address outside the organization', () => {
  test('is held back: the first one leads to a question, and those after it to nothing', async () => {
    await notify(client);
    await notify(client.toUpperCase());
    expect(await subjects()).toEqual([QUESTION]);
    const [mail] = await mailsTo(client);
    expect(mail!.replyTo).toEqual([]);
    expect(mail!.body.text).not.toContain('Kitchen');
    expect(tokenIn(mail!, 'confirm')).toHaveLength(22);
  });

  test('is sent once the address has said yes, with a link that stops all of them', async () => {
    await notify(client);
    const [question] = await mailsTo(client);
    await visit(answerAddress, { token: tokenIn(question!, 'confirm'), form: { answer: 'yes' } });
    await notify(client);
    const [, notice, ...others] = await mailsTo(client);
    expect(others).toEqual([]);
    expect(notice!.subject).toBe('Kitchen check: completed');
    const token = tokenIn(notice!, 'stop');
    await visit(stopMails, { token, form: { 'List-Unsubscribe': 'One-Click' } });
    await notify(client);
    expect(await mailsTo(client)).toHaveLength(2);
  });

  test('is never sent to an address that has said no', async () => {
    await notify(client);
    const [question] = await mailsTo(client);
    await visit(answerAddress, { token: tokenIn(question!, 'confirm'), form: { answer: 'no' } });
    await notify(client);
    expect(await subjects()).toEqual([QUESTION]);
  });

  test('goes to a member’s address without a question', async () => {
    const email = `ana@${person.caller.org_id}.example`;
    await newMember(person, 'Ana', { email });
    await notify(email);
    expect(await subjects(email)).toEqual(['Kitchen check: completed']);
  });

  test('is not sent when the address has stopped the mails while it waited for others', async () => {
    await addresses.answer(person.caller, client, 'confirmed');
    expect(await deliver(handler, await noticeTo(client))).toBe(true);
    await addresses.answer(person.caller, client, 'refused');
    await mailAll();
    expect(await mailsTo(client)).toEqual([]);
  });
});

describe('a question', () => {
  test('is one mail, however often its task and that of the notice are delivered', async () => {
    const task = await noticeTo(client);
    await Promise.all([task, task, task].map((each) => deliver(handler, each)));
    for (let turn = 0; turn < 2; turn += 1) {
      await Promise.all((await mailTasks(person)).map((each) => deliver(handler, each)));
    }
    await mailAll();
    expect(await subjects()).toEqual([QUESTION]);
  });

  test('is sent at the next attempt when the first one has failed', async () => {
    expect(await deliver(handler, await noticeTo(client))).toBe(true);
    const fail = on(
      ({ client: name }) => name === 'SESv2Client',
      first(1, async () => {
        throw timeout();
      }),
    );
    const question = (await mailTasks(person)).find(({ data }) => data['what'] === 'question')!;
    expect(await withFault(fail, () => deliver(handler, question))).toBe(false);
    expect(await deliver(handler, question)).toBe(true);
    expect(await subjects()).toEqual([QUESTION]);
  });

  test('counts as a mail of the day, and one that waits is the only one, however many notices follow', async () => {
    await fillDay(person, 'OTHERS', DEFAULT_MAIL_LIMITS.to_others);
    await notify(client);
    await notify(client);
    expect(await subjects()).toEqual([]);
    expect((await person.organization.get()).mails.waiting).toBe(1);
  });

  test('has nothing of the organization but its name, in which nothing becomes a link', async () => {
    const name = 'Your bank: pay at https://evil.example/x or mail to@evil.example \u202egnp.exe';
    await person.organization.update({ body: { name, locale: 'de' } });
    await notify(client);
    const [mail] = await mailsTo(client);
    expect(mail!.from).toContain('via Inspection Service');
    for (const text of [mail!.subject, mail!.body.text!, mail!.body.html!]) {
      expect(text).not.toMatch(/evil\.example|@evil|https:\/\/evil|\u202e/);
    }
    expect(mail!.subject).toContain('möchte Ihnen E-Mails senden');
  });
});

describe('the name of an organization in a mail to a stranger', () => {
  test.each([
    ['Harbour & Sons', 'Harbour & Sons'],
    ['St. John’s Kitchen Co.', 'St. John’s Kitchen Co.'],
    ['مطبخ الميناء', 'مطبخ الميناء'],
    ['visit evil.example now', 'visit evil example now'],
    ['http://a.example:80/x?y=1#z', 'http a example 80 x y 1 z'],
    ['a\u200b@\u200bb.example', 'a b example'],
    ['two\nlines', 'two lines'],
    ['x'.repeat(200), `${'x'.repeat(119)}…`],
  ])('%j is %j', (name, plain) => {
    expect(plainName(name)).toBe(plain);
  });
});

describe('the address for replies', () => {
  const replyTo = async (): Promise<string[]> => {
    const ana = await newMember(person, crypto.randomUUID());
    await tell(person, { user_ids: [ana] });
    expect(await mailOut(person, (await mailTasks(person)).at(-1)!)).toBe(true);
    return (await mailsTo(person.caller.org_id + '.example')).findLast(({ subject }) =>
      subject.startsWith('Kitchen'),
    )!.replyTo;
  };

  const set = (reply_to_email: string | null) => person.organization.update({ body: { reply_to_email } });

  test('is not used before its owner has agreed: nobody gets replies to mails in the service’s name unasked', async () => {
    expect(await set(client)).toMatchObject({ reply_to_email: client, reply_to_confirmed: false });
    await mailAll();
    expect(await subjects()).toEqual([QUESTION]);
    expect(await replyTo()).toEqual([]);
    const [question] = await mailsTo(client);
    await visit(answerAddress, { token: tokenIn(question!, 'confirm'), form: { answer: 'yes' } });
    expect(await person.organization.get()).toMatchObject({ reply_to_confirmed: true });
    expect(await replyTo()).toEqual([client]);
    await addresses.answer(person.caller, client, 'refused');
    expect(await replyTo()).toEqual([]);
  });

  test('is asked once, and not again for a request that does not change it', async () => {
    await set(client);
    await set(client);
    await person.organization.update({ body: { name: 'Other' } });
    expect(await mailTasks(person)).toHaveLength(1);
    expect(await set(null)).toMatchObject({ reply_to_email: null, reply_to_confirmed: false });
  });

  test('is used at once when it is an active member’s, and not when the member is suspended', async () => {
    const email = `office@${person.caller.org_id}.example`;
    await newMember(person, 'Office', { email });
    expect(await set(email.toUpperCase())).toMatchObject({ reply_to_confirmed: true });
    await mailAll();
    expect(await subjects(email)).toEqual([]);
    expect((await replyTo()).map((address) => address.toLowerCase())).toEqual([email]);
    const gone = `gone@${person.caller.org_id}.example`;
    await newMember(person, 'Gone', { email: gone, status: 'suspended' });
    expect(await set(gone)).toMatchObject({ reply_to_confirmed: false });
  });
});
