import fc from 'fast-check';
import { handler, worker } from '../../functions/workers/send-mail.ts';
import { drawSignature } from '../../infra/demo/photos.ts';
import { senderName } from '../../shared/domain/notifications/mail.ts';
import { compose, type Mail } from '../../shared/mail/compose.ts';
import { notify } from '../../shared/notices/notify.ts';
import { answer, suppress } from '../../shared/organizations/addresses/addresses.ts';
import * as preferences from '../../shared/organizations/me/preferences.ts';
import * as members from '../../shared/organizations/members/members.ts';
import { DEFAULT_MAIL_LIMITS } from '../../shared/schemas/mail.ts';
import { change, workOf } from '../../shared/table/change.ts';
import type { MailDelivery, OutboxTask } from '../../shared/table/entities/machinery.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { beforeWriting } from '../answers/fixtures.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { newInspection, startedInspection } from '../inspections/fixtures.ts';
import { useClock } from '../support/clock.ts';
import { type Fault, first, installFaults, on, sdkError, timeout, withFault } from '../support/faults.ts';
import { mailsTo } from '../support/mails.ts';
import { type Announcement, commit, mailOut, mailTasks, newMember, tell } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';

installFaults();
// The mails of a day are counted: none of these tests goes on into the next one.
useClock();

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

const taskOf = async (notice: Partial<Announcement>): Promise<OutboxTask> => {
  await tell(person, notice);
  return (await mailTasks(person)).at(-1)!;
};

const addresses = async (): Promise<string[]> =>
  (await mailsTo(domain)).map(({ destination }) => /[^<\s]+@[^>]+/.exec(destination.to[0]!)![0]).toSorted();

/** The owners of these addresses have agreed to get the organization's mails. */
const agreed = async (emails: readonly string[]): Promise<void> => {
  for (const address of emails) await answer(person.caller, address, 'confirmed');
};

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
    await person.organization.update({ body: { reply_to_email: 'Office@example.com' } });
    await agreed(['office@example.com']);
    const inspection = { id: ana, number: 7, name: '<b>Kitchen</b> & "bar"' };
    const task = await taskOf({
      event: 'changes_requested',
      inspection,
      user_ids: [ana, ben],
      note: '1 < 2\nok',
    });
    expect(await mailOut(person, task)).toBe(true);
    expect(await addresses()).toEqual([`ana@${domain}`, `ben@${domain}`]);
    const [mail] = await mailsTo(`ana@${domain}`);
    expect(mail).toMatchObject({
      from: `"${senderName('Harbour & Sons')}" <${process.env['MAIL_FROM']}>`,
      replyTo: ['Office@example.com'],
      destination: { to: [`"Ana" <ana@${domain}>`], cc: [], bcc: [] },
      subject: '<b>Kitchen</b> & "bar": changes requested',
      attachments: [],
    });
    expect(mail!.body.text).toContain('1 < 2\n  ok');
    expect(mail!.body.text).toContain('because you are a member of Harbour & Sons');
    expect(mail!.body.html).toContain('&lt;b&gt;Kitchen&lt;/b&gt; &amp; &quot;bar&quot;');
    expect(mail!.body.html).toContain('1 &lt; 2');
  });

  test('sends one mail to each further address, whatever its case', async () => {
    const emails = [`Ana@${domain.toUpperCase()}`, `client@${domain}`, `Client@${domain}`];
    await agreed(emails);
    const task = await taskOf({ event: 'completed', user_ids: [ana], emails });
    expect(await mailOut(person, task)).toBe(true);
    expect(await addresses()).toEqual([`ana@${domain}`, `client@${domain}`]);
    const [mail] = await mailsTo(`client@${domain}`);
    expect(mail!.body.text).toContain('because Harbour & Sons notifies this address');
  });

  test('sends nothing to members who have switched the kind off, are not active, have no address or are keys', async () => {
    const cleo = await newMember(person, 'Cleo', { status: 'suspended' });
    const dan = await newMember(person, 'Dan', { status: 'invited' });
    const eve = await newMember(person, 'Eve', { email: '' });
    const off = { ...person.caller, user_id: ben };
    await preferences.update(off, { notifications: { approval_outcomes: false } });
    const user_ids = [ana, ben, cleo, dan, eve, person.caller.user_id, crypto.randomUUID()];
    expect(await mailOut(person, await taskOf({ event: 'approved', user_ids }))).toBe(true);
    expect(await addresses()).toEqual([`ana@${domain}`]);
  });

  test.each([
    ['addresses that are no member’s', 'OTHERS', DEFAULT_MAIL_LIMITS.to_others],
    ['members', 'MEMBERS', DEFAULT_MAIL_LIMITS.to_members],
  ] as const)('sends to %s no more mails a day than the organization may', async (_, recipients, most) => {
    const day = new Date().toISOString().slice(0, 10);
    const count = write.put({ ...keys.mailCount(person.caller, day, recipients), last: most - 1 });
    await change(person.caller, () => ({ writes: [count], reply: undefined }));
    const emails = ['carl', 'dora'].map((name) => `${name}@${domain}`);
    await agreed(emails);
    const task = await taskOf({ event: 'completed', user_ids: [ana, ben], emails });
    for (let turn = 0; turn < 2; turn += 1) expect(await mailOut(person, task)).toBe(true);
    const sent = await addresses();
    const members = sent.filter((address) => /^(ana|ben)@/.test(address));
    expect([members.length, sent.length - members.length]).toEqual(recipients === 'OTHERS' ? [2, 1] : [1, 2]);
  });

  test('sends no mail twice when the task is delivered again', async () => {
    const task = await taskOf({ user_ids: [ana, ben] });
    for (let turn = 0; turn < 3; turn += 1) expect(await mailOut(person, task)).toBe(true);
    expect(await addresses()).toHaveLength(2);
  });

  test('sends every mail once when several workers have the task', async () => {
    const task = await taskOf({ user_ids: [ana, ben] });
    await deliver(handler, task);
    const digests = (await mailTasks(person)).filter(({ data }) => data['what'] === 'digest');
    await Promise.all([task, ...digests, task, ...digests, ...digests].map((each) => deliver(handler, each)));
    expect(await addresses()).toHaveLength(2);
    expect(await mailOut(person, task)).toBe(true);
    expect(await addresses()).toHaveLength(2);
  });

  test.each([
    ['a time-out', timeout()],
    ['throttling', sdkError('TooManyRequestsException', { $metadata: { httpStatusCode: 429 } })],
    ['a paused account', sdkError('SendingPausedException', { $metadata: { httpStatusCode: 400 } })],
  ])('asks for another attempt after %s, which sends only the missing mails', async (_, error) => {
    const task = await taskOf({ user_ids: [ana, ben] });
    const once = toSes(to('ana', first(1, throwing(error))));
    expect(await withFault(once, () => mailOut(person, task))).toBe(false);
    expect(await addresses()).toEqual([`ben@${domain}`]);
    expect(await mailOut(person, task)).toBe(true);
    expect(await addresses()).toEqual([`ana@${domain}`, `ben@${domain}`]);
  });

  test('gives up on an address that the mail service refuses', async () => {
    const task = await taskOf({ user_ids: [ana, ben] });
    const refused = sdkError('MessageRejected', { $metadata: { httpStatusCode: 400 } });
    expect(await withFault(toSes(to('ana', throwing(refused))), () => mailOut(person, task))).toBe(true);
    expect(await mailOut(person, task)).toBe(true);
    expect(await addresses()).toEqual([`ben@${domain}`]);
  });

  /** The task and the record of the mail that a notice leads to. */
  const collected = async () => {
    const task = await taskOf({ user_ids: [ana] });
    expect(await deliver(handler, task)).toBe(true);
    const digest = (await mailTasks(person)).at(-1)!;
    return { digest, key: keys.mail(person.caller, String(digest.data['batch_id']), ana) };
  };

  test('waits for the worker that sends a mail, and takes over when that worker dies', async () => {
    const { digest, key } = await collected();
    let other: boolean | undefined;
    const die: Fault = async () => {
      other = await deliver(handler, digest);
      await commit(person, [write.update(key, { set: { leased_until: Date.now() + 3_600_000 } })]);
      throw timeout();
    };
    expect(await withFault(toSes(first(1, die)), () => deliver(handler, digest))).toBe(false);
    expect(other).toBe(false);
    expect(await addresses()).toEqual([]);
    await commit(person, [write.update(key, { set: { leased_until: Date.now() - 1 } })]);
    expect(await deliver(handler, digest)).toBe(true);
    expect(await addresses()).toEqual([`ana@${domain}`]);
    const record = await getRow(person.caller, key);
    expect(record).toMatchObject({ state: 'sent' });
    // What the mail says is not kept.
    expect(record).not.toHaveProperty('batch');
  });

  test('does not send a mail again that another worker has sent when the first one fails after its lease', async () => {
    const { digest, key } = await collected();
    const late: Fault = async () => {
      await commit(person, [write.update(key, { set: { leased_until: Date.now() - 1 } })]);
      expect(await deliver(handler, digest)).toBe(true);
      throw timeout();
    };
    expect(await withFault(toSes(first(1, late)), () => deliver(handler, digest))).toBe(false);
    expect(await deliver(handler, digest)).toBe(true);
    expect(await addresses()).toEqual([`ana@${domain}`]);
  });

  const LEASE_MS = 90_000;
  test('holds a mail for 90 seconds, and keeps its record for 30 days', async () => {
    const { digest, key } = await collected();
    const before = Date.now();
    let held: Partial<MailDelivery & { ttl: number }> = {};
    const look: Fault = async ({ send }) => {
      held = (await getRow(person.caller, key))!;
      return send();
    };
    await withFault(toSes(look), () => deliver(handler, digest));
    const after = Date.now();
    const [leasedAt, keptFrom] = [held.leased_until! - LEASE_MS, (held.ttl! - 30 * 86_400) * 1_000];
    expect(leasedAt).toBeGreaterThanOrEqual(before);
    expect(leasedAt).toBeLessThanOrEqual(after);
    // Whole seconds.
    expect(keptFrom).toBeGreaterThan(before - 1_000);
    expect(keptFrom).toBeLessThanOrEqual(after);
    // Longer than the worker's time limit, so that no two workers send the same mail.
    expect(worker.timeout! * 1_000).toBeLessThan(LEASE_MS);
  });

  test('sends nothing without an address to send from', async () => {
    const task = await taskOf({ user_ids: [ana] });
    const { MAIL_FROM } = process.env;
    process.env['MAIL_FROM'] = '';
    try {
      expect(await mailOut(person, task)).toBe(true);
    } finally {
      process.env['MAIL_FROM'] = MAIL_FROM;
    }
    expect(await addresses()).toEqual([]);
  });
});

describe('a digest', () => {
  const deliverAll = async (tasks: readonly OutboxTask[]) => {
    for (const task of tasks) expect(await deliver(handler, task)).toBe(true);
  };

  test('is one mail of all that comes within the window, which its task waits for in the queue', async () => {
    await tell(person, { user_ids: [ana] });
    await tell(person, { user_ids: [ana], event: 'overdue' });
    await tell(person, { user_ids: [ana], inspection: { id: ben, number: 13, name: 'Bar' } });
    await deliverAll(await mailTasks(person));
    const digests = (await mailTasks(person)).filter(({ data }) => data['what'] === 'digest');
    expect(digests).toHaveLength(1);
    expect(digests[0]!.delay_seconds).toBe(Number(process.env['MAIL_WINDOW_SECONDS']));
    await deliverAll(digests);
    const [mail, ...others] = await mailsTo(`ana@${domain}`);
    expect(others).toEqual([]);
    expect(mail!.subject).toBe('Kitchen check, Bar: 3 updates');
    for (const text of ['Assigned to you', 'Overdue', 'Bar']) expect(mail!.body.text).toContain(text);
  });

  test('loses no notice that comes while another is collected, or while the mail is taken', async () => {
    const meanwhile = (task: OutboxTask): Fault => beforeWriting(() => deliver(handler, task));
    const events = ['inspection_assigned', 'overdue', 'approved'] as const;
    for (const event of events) await tell(person, { user_ids: [ana], event });
    const [assigned, overdue, approved] = await mailTasks(person);
    expect(await withFault(meanwhile(assigned!), () => deliver(handler, overdue!))).toBe(true);
    const digest = (await mailTasks(person)).find(({ data }) => data['what'] === 'digest')!;
    expect(await withFault(meanwhile(approved!), () => deliver(handler, digest))).toBe(true);
    await deliverAll((await mailTasks(person)).filter(({ data }) => data['what'] === 'digest'));
    const texts = (await mailsTo(`ana@${domain}`)).map(({ body }) => body.text!).join('\n');
    for (const text of ['Assigned to you', 'Overdue', 'Approved']) expect(texts).toContain(text);
  });

  test.each([
    ['-1', 0],
    ['899', 899],
    // SQS holds nothing back for longer.
    ['901', 900],
  ])('waits %s seconds as %i', async (seconds, expected) => {
    const { MAIL_WINDOW_SECONDS } = process.env;
    process.env['MAIL_WINDOW_SECONDS'] = seconds;
    try {
      await deliver(handler, await taskOf({ user_ids: [ana] }));
    } finally {
      process.env['MAIL_WINDOW_SECONDS'] = MAIL_WINDOW_SECONDS;
    }
    const digest = (await mailTasks(person)).find(({ data }) => data['what'] === 'digest')!;
    expect(digest.delay_seconds ?? 0).toBe(expected);
  });

  test('counts the findings of one inspection, and names the first ten', async () => {
    const inspection = { id: ben, number: 4, name: 'Kitchen 4' };
    for (let number = 1; number <= 12; number += 1) {
      const finding = { id: crypto.randomUUID(), number, label: `Leak ${number}` };
      await tell(person, { event: 'finding_created', user_ids: [ana], inspection, finding });
    }
    await deliverAll(await mailTasks(person));
    await deliverAll((await mailTasks(person)).filter(({ data }) => data['what'] === 'digest'));
    const [mail] = await mailsTo(`ana@${domain}`);
    expect(mail!.subject).toBe('Kitchen 4: 12 findings');
    expect(mail!.body.text).toContain('- 10 · Leak 10\n  and 2 more');
    expect(mail!.body.text).not.toContain('Leak 11');
  });

  test('is empty again once it was sent: what comes later is another mail', async () => {
    expect(await mailOut(person, await taskOf({ user_ids: [ana] }))).toBe(true);
    expect(await mailOut(person, await taskOf({ user_ids: [ana], event: 'overdue' }))).toBe(true);
    const subjects = (await mailsTo(`ana@${domain}`)).map(({ subject }) => subject);
    expect(subjects).toEqual(['Kitchen check: assigned to you', 'Kitchen check: overdue']);
  });

  test('is in the language and the direction of its reader, else of the organization', async () => {
    await person.organization.update({ body: { locale: 'de-AT' } });
    await commit(person, [write.update(members.key(person.caller, ana), { set: { locale: 'he' } })]);
    const emails = [`client@${domain}`];
    await agreed(emails);
    expect(await mailOut(person, await taskOf({ user_ids: [ana, ben], event: 'completed', emails }))).toBe(
      true,
    );
    const mailTo = async (name: string) => (await mailsTo(`${name}@${domain}`))[0]!;
    expect(await mailTo('ana')).toMatchObject({
      subject: 'Kitchen check: הושלמה',
      body: { html: expect.stringContaining('<html lang="he" dir="rtl">') },
    });
    for (const name of ['ben', 'client']) {
      expect(await mailTo(name)).toMatchObject({ subject: 'Kitchen check: abgeschlossen' });
    }
  });

  test('says what has happened to a source or a connection, and leads nowhere', async () => {
    const told = [ana];
    const error = {
      code: 'board_not_found',
      message: 'There is no such board.',
      at: '2030-01-01T00:00:00.000Z',
    };
    const source = { id: ben, name: 'Sites' };
    const run = { status: 'failed', error, trigger: 'schedule' } as const;
    await commit(person, [
      ...notify(workOf(person.caller), 'syncEnded', { source, run, before: null, user_ids: told }),
      ...notify(workOf(person.caller), 'credentialRefused', {
        connection: { id: ana, title: 'Harbour' },
        problem: { message: 'The token is wrong.' },
        user_ids: told,
      }),
    ]);
    for (const task of await mailTasks(person)) await deliver(handler, task);
    expect(await mailOut(person, (await mailTasks(person)).at(-1)!)).toBe(true);
    const [mail] = await mailsTo(`ana@${domain}`);
    expect(mail!.subject).toBe('Sites, Harbour: 2 updates');
    for (const text of [
      'Sync failed',
      'There is no such board.',
      'Credential refused',
      'The token is wrong.',
      `${process.env['PUBLIC_URL']}/admin/integrations`,
      `${process.env['PUBLIC_URL']}/admin/profile`,
    ]) {
      expect(mail!.body.text).toContain(text);
    }
    expect(mail!.body.text).not.toContain('Open the inspection');
  });

  test('names client, location, due date and who did it, and leads to the inspection', async () => {
    const { id: client_account_id } = await newClientAccount(person);
    const inspection = await newInspection(person, {
      client_account_id,
      name: 'Kitchen 4',
      due_at: '2030-05-03T12:30:00.000Z',
    });
    process.env['INSPECTION_URL'] = 'https://app.example.com/inspections/{inspection_id}';
    try {
      expect(await mailOut(person, await taskOf({ user_ids: [ana], inspection }))).toBe(true);
    } finally {
      delete process.env['INSPECTION_URL'];
    }
    const [mail] = await mailsTo(`ana@${domain}`);
    const client = await person.clientAccounts.get({ params: { ca_id: client_account_id } });
    for (const line of [`Client: ${client.name}`, 'Due: Fri, May 3, 2030 at 12:30', 'By: ']) {
      expect(mail!.body.text).toContain(line);
    }
    const url = `https://app.example.com/inspections/${inspection.id}`;
    expect(mail!.body.text!.split(url)).toHaveLength(2);
    expect(mail!.body.html).toContain(`href="${url}"`);
  });

  test('leads each member to the pages of the app that they may open, and nobody else', async () => {
    const cleo = await newMember(person, 'Cleo', { role: 'admin' });
    const emails = [`client@${domain}`];
    await agreed(emails);
    const participants = [{ user_id: ana, role: 'inspector' }];
    const inspection = await startedInspection(person, { participants });
    const action = await newAction(person, { assignee_id: ana }, await newFinding(person, {}, inspection));
    const told = { inspection, user_ids: [ana, ben, cleo], emails };
    expect(
      await mailOut(person, await taskOf({ ...told, event: 'corrective_action_assigned', action })),
    ).toBe(true);
    const pages = [`inspections/${inspection.id}`, `corrective-actions/${action.id}`];
    const linked = async (address: string) => {
      const [mail] = await mailsTo(address);
      return pages.map((page) =>
        [mail!.body.text!, mail!.body.html!].map((body) =>
          body.includes(`${process.env['PUBLIC_URL']}/admin/${page}`),
        ),
      );
    };
    const [yes, no] = [
      [true, true],
      [false, false],
    ];
    expect(await linked(`ana@${domain}`)).toEqual([yes, yes]);
    expect(await linked(`ben@${domain}`)).toEqual([no, no]);
    expect(await linked(`cleo@${domain}`)).toEqual([yes, yes]);
    expect(await linked(`client@${domain}`)).toEqual([no, no]);
  });

  test('shows the logo of the organization, which is no attachment for the reader', async () => {
    const form = new FormData();
    form.set('file', new File([new Uint8Array(await drawSignature(1))], 'logo.png'));
    await person.organization.uploadLogo({ form });
    expect(await mailOut(person, await taskOf({ user_ids: [ana] }))).toBe(true);
    const [mail] = await mailsTo(`ana@${domain}`);
    expect(mail!.attachments).toMatchObject([{ contentDisposition: 'inline', contentType: 'image/png' }]);
  });

  test('is not sent to an address that bounced or has stopped the mails', async () => {
    const emails = ['gone', 'angry', 'client'].map((name) => `${name}@${domain}`);
    await agreed(emails);
    await suppress(person.caller, emails[0]!, 'bounced');
    await answer(person.caller, emails[1]!, 'refused');
    expect(await mailOut(person, await taskOf({ user_ids: [], event: 'completed', emails }))).toBe(true);
    expect(await addresses()).toEqual([`client@${domain}`]);
  });

  test('gets a new task when the first one has failed for good', async () => {
    await deliver(handler, await taskOf({ user_ids: [ana] }));
    const lost = (await mailTasks(person)).at(-1)!;
    await commit(person, [
      write.drop(keys.outbox(person.caller, lost.id)),
      write.update(keys.mailbox(person.caller, ana), { set: { scheduled_at: Date.now() - 4_000_000 } }),
    ]);
    expect(await mailOut(person, await taskOf({ user_ids: [ana], event: 'overdue' }))).toBe(true);
    expect((await mailsTo(`ana@${domain}`)).map(({ subject }) => subject)).toEqual([
      'Kitchen check: 2 updates',
    ]);
  });
});

describe('compose', () => {
  const mail: Mail = {
    from: { name: 'Harbour', address: 'inspections@example.com' },
    to: [{ name: 'Ana', address: 'ana@example.com' }],
    replyTo: 'office@example.com',
    page: {
      language: 'en',
      subject: 'Done',
      organization: 'Harbour',
      logo: null,
      paragraphs: ['Done'],
      blocks: [],
      action: null,
      hints: [],
      reasons: [],
      stop: null,
    },
    logo: undefined,
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
        const status = text;
        const block = {
          title: name,
          url: null,
          status,
          facts: [],
          entries: [{ name: text, detail: text }],
          more: null,
          note: null,
        };
        const { data, from } = await compose({
          ...mail,
          from: { ...mail.from, name },
          to: mail.to.map((to) => ({ ...to, name: text })),
          page: { ...mail.page, subject: `Done: ${subject}`, paragraphs: [subject, text], blocks: [block] },
        });
        expect(from).toBe('inspections@example.com');
        expect(headersOf(data)).toEqual(plain);
        const [, page] = Buffer.from(data).toString().split('Content-Type: text/html');
        expect(page).not.toContain('<script>');
      }),
    );
  });
});
