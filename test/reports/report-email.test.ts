import { handler as renderReport } from '../../functions/workers/render-report.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { putObject } from '../../shared/files/objects.ts';
import { answer, suppress } from '../../shared/organizations/addresses/addresses.ts';
import { reportFile } from '../../shared/reports/files.ts';
import { DEFAULT_MAIL_LIMITS } from '../../shared/schemas/mail.ts';
import type { ReportEmail } from '../../shared/schemas/reports/report-email.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { useClock } from '../support/clock.ts';
import { type Fault, first, installFaults, on, sdkError, timeout, withFault } from '../support/faults.ts';
import { mailsTo } from '../support/mails.ts';
import { commit, fillDay, newMember } from '../support/notices.ts';
import { deliver, deliverLast, outboxOf } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newLayout } from '../templates/fixtures.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installFaults();
// The mails of a day are counted: none of these tests goes on into the next one.
useClock();

let person: Person;
let domain: string;
let inspection: Awaited<ReturnType<typeof newInspection>>;
let ca_id: string;

beforeEach(async () => {
  person = await newPerson('Harbour');
  domain = `${person.caller.org_id}.example`;
  ({ id: ca_id } = await newClientAccount(person));
  inspection = await newInspection(person, { name: 'Kitchen 4', client_account_id: ca_id });
  await confirm('client');
});

/** Somebody at each of these addresses has agreed to get mails. */
const confirm = async (...names: string[]) => {
  for (const name of names) await answer(person.caller, `${name}@${domain}`, 'confirmed');
};

const tasksFor = async (queue: string) =>
  (await outboxOf(person.caller)).filter(({ outbox }) => outbox === queue);

/** Lets the workers do all that waits, and forgets their tasks. */
const work = async () => {
  for (const [queue, handler] of [
    ['render', renderReport],
    ['mail', sendMail],
  ] as const) {
    for (const task of await tasksFor(queue)) {
      expect(await deliver(handler, task)).toBe(true);
      await commit(person, [write.drop(keys.outbox(person.caller, task.id))]);
    }
  }
};

const newReport = async (): Promise<{ report_id: string }> => {
  const params = { inspection_id: inspection.id };
  const { id } = await person.reports.create({ params, body: {} });
  return { report_id: id };
};

const rendered = async () => {
  const params = await newReport();
  await work();
  return params;
};

const email = (params: { report_id: string }, body: object) =>
  person.try.reports.createEmail({ params, body: { to: [`client@${domain}`], ...body } });

const logOf = (params: { report_id: string }): Promise<ReportEmail[]> =>
  person.reports.listEmails({ params });

const toSes = (fault: Fault): Fault => on(({ client }) => client === 'SESv2Client', fault);
const concerning = (name: string, fault: Fault): Fault =>
  on(({ input }) => JSON.stringify(input['Destination'] ?? {}).includes(`${name}@`), fault);
const throwing =
  (error: Error): Fault =>
  async () => {
    throw error;
  };
const refused = () => throwing(sdkError('MessageRejected', { $metadata: { httpStatusCode: 400 } }));

describe('POST /reports/{report_id}/email', () => {
  test.each([
    ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['html', 'text/html'],
  ])('202, with the report as %s', async (format, contentType) => {
    const params = await rendered();
    expect((await email(params, { format })).status).toBe(202);
    await work();
    expect(await mailsTo(domain)).toMatchObject([
      { attachments: [{ filename: `${inspection.number} Kitchen 4.${format}`, contentType }] },
    ]);
  });

  test('202, and one mail with the file to all members, from the organization and with its address for replies', async () => {
    for (const name of ['client', 'second', 'boss']) await newMember(person, name);
    await answer(person.caller, 'office@example.com', 'confirmed');
    await person.organization.update({ body: { reply_to_email: 'office@example.com' } });
    const params = await rendered();
    const to = [`client@${domain}`, `Client@${domain}`, `second@${domain}`];
    const { status, body } = await email(params, {
      to,
      cc: [`boss@${domain}`, `second@${domain}`],
      subject: 'Report {inspection.number}',
      body: 'Dear {client.name},\n{inspection.name} {location.name}{score}',
    });
    expect({ status, body }).toEqual({
      status: 202,
      body: {
        id: expect.any(String),
        report_id: params.report_id,
        status: 'queued',
        to: [to[0], to[2]],
        cc: [`boss@${domain}`],
        recipients: [to[0], to[2], `boss@${domain}`].map((address) => ({
          address,
          status: 'queued',
          detail: null,
          at: expect.any(String),
          waiting: null,
        })),
        subject: `Report ${inspection.number}`,
        created_at: expect.any(String),
      },
    });
    await work();
    const [mail, ...others] = await mailsTo(domain);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      from: expect.stringContaining('Harbour via '),
      replyTo: ['office@example.com'],
      subject: `Report ${inspection.number}`,
      attachments: [{ filename: `${inspection.number} Kitchen 4.pdf`, contentType: 'application/pdf' }],
    });
    expect(mail!.destination.to.join()).toBe(`client@${domain}, second@${domain}`);
    expect(mail!.destination.cc.join()).toBe(`boss@${domain}`);
    expect(mail!.body.text).toMatch(/Dear .+,\nKitchen 4/);
    const url = new RegExp(`${process.env['PUBLIC_URL']}/s/[\\w-]{22}`);
    expect(mail!.body.text).toMatch(url);
    expect(await person.reports.listShareLinks({ params })).toMatchObject([{ status: 'active' }]);
    const [logged] = await logOf(params);
    expect(logged).toMatchObject({ id: body.id, status: 'sent', format: 'pdf', error: null });
    expect(logged!.sent_at).not.toBeNull();
    expect(logged!.recipients.map(({ address, status: each }) => [address, each])).toEqual([
      [`client@${domain}`, 'sent'],
      [`second@${domain}`, 'sent'],
      [`boss@${domain}`, 'sent'],
    ]);
  });

  test('202 without a link where none is wanted, but with one in place of a file that is too large', async () => {
    const params = await rendered();
    await email(params, { include_link: false, subject: 'small' });
    await work();
    const key = reportFile(person.caller, params.report_id, 'report.pdf');
    await putObject(person.caller, key, new Uint8Array(10_000_001), 'application/pdf');
    await email(params, { include_link: false, subject: 'large' });
    await work();
    const [small, large] = await mailsTo(domain);
    expect(small!.attachments).toHaveLength(1);
    expect(small!.body.text).not.toContain('/s/');
    expect(large!.attachments).toEqual([]);
    expect(large!.body.text).toContain('/s/');
  });

  test('202 while the report is rendered: the mail follows, once', async () => {
    const params = await newReport();
    for (const _ of [1, 2]) expect((await email(params, {})).status).toBe(202);
    expect(await tasksFor('mail')).toEqual([]);
    await work();
    expect(await mailsTo(domain)).toHaveLength(2);
    expect((await logOf(params)).map(({ status }) => status)).toEqual(['sent', 'sent']);
  });

  test('202, and the mail fails with a report that cannot be rendered', async () => {
    const params = await newReport();
    await email(params, {});
    const [task] = await tasksFor('render');
    const broken = on(({ client }) => client === 'S3Client', throwing(sdkError('AccessDenied')));
    await withFault(broken, () => deliverLast(renderReport, task!));
    for (const mail of await tasksFor('mail')) await deliver(sendMail, mail);
    expect(await logOf(params)).toMatchObject([
      { status: 'failed', error: 'The report could not be rendered.', sent_at: null },
    ]);
    expect((await email(params, {})).status).toBe(409);
    expect(await mailsTo(domain)).toEqual([]);
  });

  test('422 for a placeholder that does not exist, at its place', async () => {
    const { status, body } = await email(await newReport(), {
      subject: 'For {client.nam}',
      body: '{score} {} {12} {verdict}',
    });
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([
      { loc: ['body', 'subject'], type: 'value_error', msg: expect.stringContaining('{client.nam}') },
      { loc: ['body', 'body'], type: 'value_error', msg: expect.stringContaining('{verdict}') },
    ]);
  });

  test.each([
    ['no recipient', { to: [] }],
    ['51 recipients', { to: Array.from({ length: 51 }, (_, n) => `a${n}@example.com`) }],
    ['no address', { to: ['nobody'] }],
    ['a subject with a header', { subject: 'a\nBcc: b@example.com' }],
    ['an unknown format', { format: 'exe' }],
  ])('422 for %s', async (_, body) => {
    expect((await email({ report_id: crypto.randomUUID() }, body)).status).toBe(422);
  });

  test('409 naming an address that bounced or complained', async () => {
    const params = await newReport();
    await suppress(person.caller, `gone@${domain}`, 'bounced');
    const { status, body, headers } = await email(params, { cc: [`Gone@${domain}`] });
    expect({ status, code: headers['x-error-code'] }).toEqual({ status: 409, code: 'address_suppressed' });
    expect(body.detail).toContain(`Gone@${domain}`);
    expect(await logOf(params)).toEqual([]);
  });

  test('202 beyond the recipients that an organization may have in a day: the mail waits, and says so', async () => {
    const params = await rendered();
    await fillDay(person, 'REPORTS', DEFAULT_MAIL_LIMITS.report_recipients - 3);
    await confirm('a', 'b', 'c', 'd');
    const four = { to: ['a', 'b'].map((name) => `${name}@${domain}`), cc: [`c@${domain}`, `d@${domain}`] };
    for (const addressed of [four, {}]) expect((await email(params, addressed)).status).toBe(202);
    await work();
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    expect(await logOf(params)).toMatchObject([
      {
        status: 'queued',
        mail: {
          state: 'waiting',
          reason: 'limit',
          send_after: `${tomorrow}T00:00:00.000Z`,
          expires_at: null,
          detail: null,
        },
      },
      {
        mail: { state: 'waiting', reason: 'limit' },
        recipients: [
          { status: 'sent', waiting: null },
          { status: 'sent', waiting: null },
          { status: 'sent', waiting: null },
          { status: 'queued', waiting: { reason: 'limit', send_after: `${tomorrow}T00:00:00.000Z` } },
        ],
      },
    ]);
  });

  test('the mail is sent once, however often its task is delivered and wherever a worker crashes', async () => {
    const params = await rendered();
    await email(params, {});
    const [task] = await tasksFor('mail');
    const once = toSes(first(1, throwing(timeout())));
    expect(await withFault(once, () => deliver(sendMail, task!))).toBe(false);
    expect(await logOf(params)).toMatchObject([{ status: 'queued' }]);
    await Promise.all([1, 2, 3].map(() => deliver(sendMail, task!)));
    expect(await deliver(sendMail, task!)).toBe(true);
    expect(await mailsTo(domain)).toHaveLength(1);
    expect(await logOf(params)).toMatchObject([{ status: 'sent' }]);
  });

  test('a single address that the mail service refuses fails by itself, with the reason', async () => {
    const params = await rendered();
    const names = ['a', 'b', 'bad', 'c', 'd'];
    for (const name of names) await newMember(person, name);
    await email(params, { to: names.map((name) => `${name}@${domain}`) });
    const [task] = await tasksFor('mail');
    expect(await withFault(toSes(concerning('bad', refused())), () => deliver(sendMail, task!))).toBe(true);
    const [logged] = await logOf(params);
    expect(logged!.status).toBe('failed');
    expect(logged!.recipients.map(({ status, detail }) => [status, detail])).toEqual(
      names.map((name) => (name === 'bad' ? ['failed', 'MessageRejected'] : ['sent', null])),
    );
  });

  test('a mail to 60 members goes to 50 of them in one call', async () => {
    const params = await rendered();
    const people = Array.from({ length: 60 }, (_, n) => `member${n}`);
    for (const name of people) await newMember(person, name);
    const [to, cc] = [people.slice(0, 50), people.slice(50)].map((names) =>
      names.map((name) => `${name}@${domain}`),
    );
    await email(params, { to, cc });
    const calls: number[] = [];
    const count: Fault = ({ input, send }) => {
      calls.push((input['Destination'] as { ToAddresses: string[] }).ToAddresses.length);
      return send();
    };
    const [task] = await tasksFor('mail');
    expect(await withFault(toSes(count), () => deliver(sendMail, task!))).toBe(true);
    expect(calls).toEqual([50, ...Array.from({ length: 10 }, () => 1)]);
  });

  test('a mail that fails at every attempt says so', async () => {
    const params = await rendered();
    await email(params, {});
    const [task] = await tasksFor('mail');
    await withFault(toSes(throwing(timeout())), () => deliverLast(sendMail, task!));
    expect(await logOf(params)).toMatchObject([
      { status: 'failed', error: 'The mail could not be sent. Send it again.' },
    ]);
  });
});

describe('GET /reports/{report_id}/email', () => {
  test('200 newest first, page by page', async () => {
    const params = await newReport();
    const ids: string[] = [];
    for (const subject of ['one', 'two', 'three']) ids.unshift((await email(params, { subject })).body.id);
    expect((await logOf(params)).map(({ id }) => id)).toEqual(ids);
    const page = (query: object) => person.try.reports.listEmails({ params, query: { limit: 2, ...query } });
    const { body, headers } = await page({});
    const cursor = /cursor=([^>&]+)/.exec(headers['link']!)![1]!;
    const rest = await page({ cursor });
    expect([...body, ...rest.body].map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(body).toHaveLength(2);
    expect(rest.headers['link']).toBeUndefined();
    // The cursor of one report's mails is not that of another's.
    const other = { params: await newReport(), query: { limit: 2, cursor } };
    expect(await person.try.reports.listEmails(other)).toMatchObject({ status: 422 });
  });
});

describe('GET /inspections/{inspection_id}/report/send-defaults', () => {
  const defaults = (query = {}) =>
    person.reports.getSendDefaults({ params: { inspection_id: inspection.id }, query });

  test('200 with the client’s contact, the addresses of the family and the text of the organization’s language', async () => {
    const contact = { email: 'chef@example.com' };
    await person.clientAccounts.update({ params: { ca_id }, body: { contact } });
    await person.organization.update({ body: { locale: 'de' } });
    expect(await defaults()).toEqual({
      to: ['chef@example.com'],
      cc: [],
      reply_to: null,
      subject: 'Kitchen 4: Inspektionsbericht',
      body: expect.stringContaining('„Kitchen 4“'),
      layout_id: null,
      format: 'pdf',
    });
  });

  test('200 with the text of a layout, all placeholders filled', async () => {
    const email_template = { subject: '{organization.name}: {inspection.name}', body: '{template.name}' };
    const layout = await newLayout(person.key, inspection.template_family_id, { email_template });
    expect(await defaults({ layout_id: layout.id })).toMatchObject({
      subject: 'Harbour: Kitchen 4',
      layout_id: layout.id,
      body: expect.not.stringContaining('{'),
    });
  });

  test('400 for a layout of another family', async () => {
    const { status } = await person.try.reports.getSendDefaults({
      params: { inspection_id: inspection.id },
      query: { layout_id: crypto.randomUUID() },
    });
    expect(status).toBe(400);
  });
});

describe('POST /inspections/{inspection_id}/report/send', () => {
  const send = (body?: object) =>
    person.try.reports.send({ params: { inspection_id: inspection.id }, ...(body && { body }) });
  const reports = () => person.reports.list({ params: { inspection_id: inspection.id } });
  const to = () => [`client@${domain}`];

  test('202 renders a report and then mails it, as one job', async () => {
    const { status, body } = await send({ to: to() });
    expect(status).toBe(202);
    await work();
    expect(await reports()).toMatchObject([{ id: body.report_id, status: 'ready' }]);
    expect(await mailsTo(domain)).toMatchObject([
      { attachments: [{ filename: `${inspection.number} Kitchen 4.pdf` }] },
    ]);
    expect(await logOf({ report_id: body.report_id })).toMatchObject([{ id: body.id, status: 'sent' }]);
  });

  test('202 mails the current report, and renders another one when it is stale or in another layout', async () => {
    const { report_id } = await rendered();
    expect((await send({ to: to() })).body.report_id).toBe(report_id);
    await person.inspections.update({
      params: { inspection_id: inspection.id },
      body: { name: 'Kitchen 5' },
    });
    const second = (await send({ to: to() })).body.report_id;
    expect(second).not.toBe(report_id);
    // It waits to be rendered, and will show the present state.
    expect((await send({ to: to() })).body.report_id).toBe(second);
    const { id: layout_id } = await newLayout(person.key, inspection.template_family_id, {});
    const third = (await send({ to: to(), layout_id })).body.report_id;
    expect([report_id, second]).not.toContain(third);
    await work();
    expect(await mailsTo(domain)).toHaveLength(4);
    expect(await reports()).toHaveLength(3);
  });

  test('202 to the client’s contact when the request names nobody', async () => {
    const contact = { email: `contact@${domain}` };
    await person.clientAccounts.update({ params: { ca_id }, body: { contact } });
    expect((await send()).body).toMatchObject({ to: [`contact@${domain}`], status: 'queued' });
  });

  test('422 when nobody is named and the client has no address', async () => {
    await person.clientAccounts.update({
      params: { ca_id },
      body: { contact: { email: null } },
    });
    const { status, body } = await send();
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([{ loc: ['body', 'to'] }]);
    expect(await reports()).toEqual([]);
  });
});
