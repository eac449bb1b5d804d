import { handler, worker } from '../../functions/workers/note-mail-feedback.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { suppress } from '../../shared/organizations/addresses/addresses.ts';
import { noteOutcomes } from '../../shared/reports/rows/emails.ts';
import type { ReportEmail } from '../../shared/schemas/reports/report-email.ts';
import { newAction } from '../corrective-actions/fixtures.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { newOffer } from '../public/fixtures.ts';
import { mailTasks } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { expectRecorded, usesOfWorker } from '../support/recorded.ts';
import { installRecorder, recording } from '../support/recorder.ts';

installRecorder();

let person: Person;
let params: { report_id: string };
let email_id: string;
const [ana, ben] = ['ana@client.example', 'ben@client.example'] as const;

beforeEach(async () => {
  person = await newPerson('Harbour');
  const { id: inspection_id } = await newInspection(person);
  const report = await person.reports.create({ params: { inspection_id }, body: {} });
  params = { report_id: report.id };
  const { body } = await person.try.reports.createEmail({ params, body: { to: [ana, ben] } });
  email_id = body.id;
  const sent = { addresses: [ana, ben], status: 'sent', detail: null, at: body.created_at } as const;
  await noteOutcomes(person.caller, { ...params, id: email_id }, [sent]);
});

/** An event of SES as EventBridge puts it into the queue. */
const eventOf = (detail: object, tags: object = {}) => ({
  id: crypto.randomUUID(),
  time: '2030-01-02T03:04:05Z',
  source: 'aws.ses',
  detail: {
    mail: {
      messageId: 'x',
      tags: {
        'ses:configuration-set': ['mails'],
        org_id: [person.caller.org_id],
        report_id: [params.report_id],
        email_id: [email_id],
        ...tags,
      },
    },
    ...detail,
  },
});

const receive = async (event: object): Promise<boolean> => {
  const record = {
    messageId: crypto.randomUUID(),
    body: JSON.stringify(event),
    attributes: { ApproximateReceiveCount: '1' },
  };
  const { batchItemFailures } = await handler({ Records: [record] } as never);
  return batchItemFailures.length === 0;
};

const bounce = (bounceType: string, bounceSubType: string, address: string = ana) => ({
  eventType: 'Bounce',
  bounce: {
    bounceType,
    bounceSubType,
    bouncedRecipients: [{ emailAddress: `Ana <${address}>`, diagnosticCode: 'smtp; 550 no such user' }],
  },
});
const complaintOf = (emailAddress: string) => ({
  eventType: 'Complaint',
  complaint: { complainedRecipients: [{ emailAddress }], complaintFeedbackType: 'abuse' },
});
const complaint = complaintOf(ana.toUpperCase());
const delivery = { eventType: 'Delivery', delivery: { recipients: [ana, ben] } };

const logged = async (): Promise<ReportEmail> => (await person.reports.listEmails({ params }))[0]!;
const statuses = async () => {
  const { status, recipients } = await logged();
  return [status, ...recipients.map(({ status: each }) => each)];
};
const suppressed = () => person.reports.listMailSuppressions();

describe('noteMailFeedback', () => {
  test('notes a delivery, and its time', async () => {
    expect(await receive(eventOf(delivery))).toBe(true);
    expect(await statuses()).toEqual(['delivered', 'delivered', 'delivered']);
    expect((await logged()).recipients[0]!.at).toBe('2030-01-02T03:04:05.000Z');
    expect(await suppressed()).toEqual([]);
  });

  test('notes a bounce with its reason, and mails the address no more until it is taken off the list', async () => {
    const event = eventOf(bounce('Permanent', 'General'));
    for (let turn = 0; turn < 2; turn += 1) expect(await receive(event)).toBe(true);
    expect(await statuses()).toEqual(['bounced', 'bounced', 'sent']);
    expect((await logged()).recipients[0]!.detail).toBe('Permanent General: smtp; 550 no such user');
    expect(await suppressed()).toMatchObject([{ address: ana, reason: 'bounced' }]);
    const again = () => person.try.reports.createEmail({ params, body: { to: [ana] } });
    expect((await again()).status).toBe(409);
    const address = { params: { address: ana.toUpperCase() } };
    expect((await person.try.reports.deleteMailSuppression(address)).status).toBe(204);
    expect((await again()).status).toBe(202);
    expect((await person.try.reports.deleteMailSuppression(address)).status).toBe(404);
  });

  test.each([
    ['a full mailbox', bounce('Transient', 'MailboxFull'), 'bounced'],
    ['an address that SES itself suppresses', bounce('Permanent', 'OnAccountSuppressionList'), 'failed'],
  ])('does not suppress after %s', async (_, detail, status) => {
    expect(await receive(eventOf(detail))).toBe(true);
    expect(await statuses()).toEqual([status, status, 'sent']);
    expect(await suppressed()).toEqual([]);
  });

  test('notes a complaint, which a delivery that is reported later does not undo', async () => {
    for (const detail of [complaint, delivery]) expect(await receive(eventOf(detail))).toBe(true);
    expect(await statuses()).toEqual(['complained', 'complained', 'delivered']);
    expect(await suppressed()).toMatchObject([{ address: ana, reason: 'complained' }]);
  });

  test('notes a mail that SES has rejected', async () => {
    const event = eventOf({ eventType: 'Reject', reject: { reason: 'Bad content' } });
    const mail = { ...event.detail.mail, destination: [ana, ben] };
    expect(await receive({ ...event, detail: { ...event.detail, mail } })).toBe(true);
    expect(await statuses()).toEqual(['failed', 'failed', 'failed']);
  });

  test('suppresses an address for its own organization only', async () => {
    const other = await newPerson('Other');
    const tags = { org_id: [other.caller.org_id] };
    expect(await receive(eventOf(bounce('Permanent', 'General'), tags))).toBe(true);
    expect(await statuses()).toEqual(['sent', 'sent', 'sent']);
    expect(await suppressed()).toEqual([]);
    expect(await other.reports.listMailSuppressions()).toHaveLength(1);
  });

  test('ignores what says nothing, and gives back what is no event', async () => {
    expect(await receive(eventOf({ eventType: 'DeliveryDelay', deliveryDelay: {} }))).toBe(true);
    expect(await receive(eventOf(delivery, { org_id: [] }))).toBe(true);
    expect(await statuses()).toEqual(['sent', 'sent', 'sent']);
    expect(await receive({ id: 'x' })).toBe(false);
  });

  test('uses what is recorded', async () => {
    const report = await recording(() => receive(eventOf(bounce('Permanent', 'General'))));
    await newAction(person, { contact: { email: ana } });
    const [task] = await mailTasks(person);
    await deliver(sendMail, task!);
    const tags = { mail_id: [task!.data.link_id], recipient: ['contact'] };
    const link = await recording(() => receive(eventOf(delivery, tags)));
    // The third complaint pauses the organization's mails, and the mail that waits for the address is given up.
    const { address } = await newOffer(person);
    for (const name of ['x', 'y']) await suppress(person.caller, `${name}@client.example`, 'complained');
    const third = await recording(() => receive(eventOf(complaintOf(address))));
    expectRecorded(worker.id, usesOfWorker([report.sent, link.sent, third.sent]));
  });
});
