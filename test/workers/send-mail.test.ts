import fc from 'fast-check';
import * as updateOrganization from '../../functions/organization/update-organization.ts';
import { handler, worker } from '../../functions/workers/send-mail.ts';
import * as preferences from '../../shared/db/me/preferences.ts';
import { change } from '../../shared/db/table/change.ts';
import type { MailDelivery, OutboxRow } from '../../shared/db/table/entities.ts';
import { keys } from '../../shared/db/table/keys.ts';
import { getRow } from '../../shared/db/table/rows.ts';
import * as write from '../../shared/db/table/writes.ts';
import { addressFooter, memberFooter, senderName } from '../../shared/domain/notifications/mail.ts';
import { titleOf } from '../../shared/domain/notifications/notices.ts';
import { compose, type Mail } from '../../shared/mail/compose.ts';
import { MAX_MEMBER_MAILS_PER_DAY, MAX_OTHER_MAILS_PER_DAY } from '../../shared/schemas/mail-limits.ts';
import { as } from '../support/call.ts';
import { type Fault, first, installFaults, on, sdkError, timeout, withFault } from '../support/faults.ts';
import { mailsTo } from '../support/mails.ts';
import { type Announcement, mailTasks, newMember, tell } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';

installFaults();

let person: Person;
let domain: string;
let ana: string;
let ben: string;

beforeEach(async () => {
  person = await newPerson('Harbour & Sons');
  domain = `${person.caller.org_id}.example`;
  ana = await newMember(person, 'Ana');
  ben = await newMember(person, 'Ben');
});

const taskOf = async (notice: Partial<Announcement>): Promise<OutboxRow> => {
  await tell(person, notice);
  return (await mailTasks(person)).at(-1)!;
};

const addresses = async (): Promise<string[]> =>
  (await mailsTo(domain)).map(({ destination }) => /[^<\s]+@[^>]+/.exec(destination.to[0]!)![0]).toSorted();

const toSes = (fault: Fault): Fault => on(({ client }) => client === 'SESv2Client', fault);
const to = (name: string, fault: Fault): Fault =>
  on(({ input }) => JSON.stringify(input['Destination'] ?? {}).includes(`${name}@`), fault);
const throwing =
  (error: Error): Fault =>
  async () => {
    throw error;
  };

describe('sendMail', () => {
  test('sends each member one mail, as text and as HTML, with the organization’s address for replies', async () => {
    await as(person).must.patch(updateOrganization, { body: { reply_to_email: 'office@example.com' } });
    const inspection = { id: ana, number: 7, name: '<b>Kitchen</b> & "bar"' };
    const task = await taskOf({
      event: 'changes_requested',
      inspection,
      user_ids: [ana, ben],
      note: '1 < 2\nok',
    });
    expect(await deliver(handler, task)).toBe(true);
    expect(await addresses()).toEqual([`ana@${domain}`, `ben@${domain}`]);
    const [mail] = await mailsTo(`ana@${domain}`);
    expect(mail).toMatchObject({
      from: `"${senderName('Harbour & Sons')}" <${process.env['MAIL_FROM']}>`,
      replyTo: ['office@example.com'],
      destination: { to: [`"Ana" <ana@${domain}>`], cc: [], bcc: [] },
      subject: titleOf('changes_requested', { inspection }),
    });
    expect(mail!.body.text).toContain('1 < 2\nok');
    expect(mail!.body.text).toContain(memberFooter('Harbour & Sons'));
    expect(mail!.body.html).toContain('&lt;b&gt;Kitchen&lt;/b&gt; &amp; &quot;bar&quot;');
    expect(mail!.body.html).toContain('1 &lt; 2');
  });

  test('sends one mail to each further address, whatever its case', async () => {
    const emails = [`Ana@${domain.toUpperCase()}`, `client@${domain}`, `Client@${domain}`];
    const task = await taskOf({ event: 'completed', user_ids: [ana], emails });
    expect(await deliver(handler, task)).toBe(true);
    expect(await addresses()).toEqual([`ana@${domain}`, `client@${domain}`]);
    const [mail] = await mailsTo(`client@${domain}`);
    expect(mail!.body.text).toContain(addressFooter('Harbour & Sons'));
  });

  test('sends nothing to members who have switched the kind off, are not active, have no address or are keys', async () => {
    const cleo = await newMember(person, 'Cleo', { status: 'suspended' });
    const dan = await newMember(person, 'Dan', { status: 'invited' });
    const eve = await newMember(person, 'Eve', { email: '' });
    const off = { ...person.caller, user_id: ben };
    await preferences.update(off, { notifications: { approval_outcomes: false } });
    const user_ids = [ana, ben, cleo, dan, eve, person.caller.user_id, crypto.randomUUID()];
    expect(await deliver(handler, await taskOf({ event: 'approved', user_ids }))).toBe(true);
    expect(await addresses()).toEqual([`ana@${domain}`]);
  });

  test.each([
    ['addresses that are no member’s', 'OTHERS', MAX_OTHER_MAILS_PER_DAY],
    ['members', 'MEMBERS', MAX_MEMBER_MAILS_PER_DAY],
  ] as const)('sends to %s no more mails a day than the organization may', async (_, recipients, most) => {
    const day = new Date().toISOString().slice(0, 10);
    const count = write.put({ ...keys.mailCount(person.caller, recipients, day), last: most - 1 });
    await change(person.caller, () => ({ writes: [count], reply: undefined }));
    const emails = ['carl', 'dora'].map((name) => `${name}@${domain}`);
    const task = await taskOf({ event: 'completed', user_ids: [ana, ben], emails });
    for (let turn = 0; turn < 2; turn += 1) expect(await deliver(handler, task)).toBe(true);
    const sent = await addresses();
    const members = sent.filter((address) => /^(ana|ben)@/.test(address));
    expect([members.length, sent.length - members.length]).toEqual(recipients === 'OTHERS' ? [2, 1] : [1, 2]);
  });

  test('sends no mail twice when the task is delivered again', async () => {
    const task = await taskOf({ user_ids: [ana, ben] });
    for (let turn = 0; turn < 3; turn += 1) expect(await deliver(handler, task)).toBe(true);
    expect(await addresses()).toHaveLength(2);
  });

  test('sends every mail once when several workers have the task', async () => {
    const task = await taskOf({ user_ids: [ana, ben] });
    await Promise.all(Array.from({ length: 6 }, () => deliver(handler, task)));
    expect(await addresses()).toHaveLength(2);
    expect(await deliver(handler, task)).toBe(true);
    expect(await addresses()).toHaveLength(2);
  });

  test.each([
    ['a time-out', timeout()],
    ['throttling', sdkError('TooManyRequestsException', { $metadata: { httpStatusCode: 429 } })],
    ['a paused account', sdkError('SendingPausedException', { $metadata: { httpStatusCode: 400 } })],
  ])('asks for another attempt after %s, which sends only the missing mails', async (_, error) => {
    const task = await taskOf({ user_ids: [ana, ben] });
    const once = toSes(to('ana', first(1, throwing(error))));
    expect(await withFault(once, () => deliver(handler, task))).toBe(false);
    expect(await addresses()).toEqual([`ben@${domain}`]);
    expect(await deliver(handler, task)).toBe(true);
    expect(await addresses()).toEqual([`ana@${domain}`, `ben@${domain}`]);
  });

  test('gives up on an address that the mail service refuses', async () => {
    const task = await taskOf({ user_ids: [ana, ben] });
    const refused = sdkError('MessageRejected', { $metadata: { httpStatusCode: 400 } });
    expect(await withFault(toSes(to('ana', throwing(refused))), () => deliver(handler, task))).toBe(true);
    expect(await deliver(handler, task)).toBe(true);
    expect(await addresses()).toEqual([`ben@${domain}`]);
  });

  test('waits for the worker that sends a mail, and takes over when that worker dies', async () => {
    const task = await taskOf({ user_ids: [ana] });
    const key = keys.mail(person.caller, String(task.data['notification_id']), ana);
    const leased_until = Date.now() + 60_000;
    const leased = write.put<Partial<MailDelivery>>({ ...key, state: 'sending', leased_until, version: 1 });
    await change(person.caller, () => ({ writes: [leased], reply: undefined }));
    expect(await deliver(handler, task)).toBe(false);
    expect(await addresses()).toEqual([]);
    const dead = write.update(key, { set: { leased_until: Date.now() - 1 } });
    await change(person.caller, () => ({ writes: [dead], reply: undefined }));
    expect(await deliver(handler, task)).toBe(true);
    expect(await addresses()).toEqual([`ana@${domain}`]);
    expect(await getRow(person.caller, key)).toMatchObject({ state: 'sent', version: 2 });
  });

  test('holds a mail for 90 seconds, and keeps its record for 30 days', async () => {
    const task = await taskOf({ user_ids: [ana] });
    const key = keys.mail(person.caller, String(task.data['notification_id']), ana);
    const startedAt = Date.now();
    let held: Partial<MailDelivery & { ttl: number }> = {};
    const look: Fault = async ({ send }) => {
      held = (await getRow(person.caller, key))!;
      return send();
    };
    await withFault(toSes(look), () => deliver(handler, task));
    const [lease, kept] = [held.leased_until! - startedAt, held.ttl! * 1_000 - startedAt];
    const took = Date.now() - startedAt;
    expect(lease).toBeGreaterThanOrEqual(90_000);
    expect(lease).toBeLessThanOrEqual(90_000 + took);
    expect(kept).toBeGreaterThan(30 * 86_400_000 - 1_000);
    expect(kept).toBeLessThanOrEqual(30 * 86_400_000 + took);
    // Longer than the worker's time limit, so that no two workers send the same mail.
    expect(worker.timeout! * 1_000).toBeLessThan(lease);
  });

  test('sends nothing without an address to send from', async () => {
    const task = await taskOf({ user_ids: [ana] });
    const { MAIL_FROM } = process.env;
    process.env['MAIL_FROM'] = '';
    try {
      expect(await deliver(handler, task)).toBe(true);
    } finally {
      process.env['MAIL_FROM'] = MAIL_FROM;
    }
    expect(await addresses()).toEqual([]);
  });
});

describe('compose', () => {
  const mail: Mail = {
    from: { name: 'Harbour', address: 'inspections@example.com' },
    to: { name: 'Ana', address: 'ana@example.com' },
    replyTo: 'office@example.com',
    subject: 'Done',
    paragraphs: ['Done'],
  };
  const headersOf = (data: Uint8Array): string[] =>
    Buffer.from(data)
      .toString()
      .split('\r\n\r\n')[0]!
      .replaceAll(/\r\n[ \t]/g, ' ')
      .split('\r\n')
      .map((line) => line.split(':')[0]!);

  test('no text of a user becomes a header, an address, a tag or a file', async () => {
    const plain = headersOf((await compose(mail)).data);
    const evil = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .tuple(
          fc.string(),
          fc.constantFrom('\r\nBcc: eve@example.com', '\nX: y\n\n<script>', '\r', '"<e@x.org>,'),
        )
        .map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(evil, evil, evil, async (name, subject, text) => {
        const { data, from, to } = await compose({
          ...mail,
          from: { ...mail.from, name },
          to: { ...mail.to, name: text },
          subject: `Done: ${subject}`,
          paragraphs: [subject, text],
        });
        expect([from, to]).toEqual(['inspections@example.com', 'ana@example.com']);
        expect(headersOf(data)).toEqual(plain);
        const [, page] = Buffer.from(data).toString().split('Content-Type: text/html');
        expect(page).not.toContain('<script>');
      }),
    );
  });
});
