import { handler as renderReport } from '../../functions/workers/render-report.ts';
import { handler as sendDueMails } from '../../functions/workers/send-due-mails.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { answer, suppress } from '../../shared/organizations/addresses/addresses.ts';
import * as invitations from '../../shared/organizations/people/invitations.ts';
import { DEFAULT_MAIL_LIMITS } from '../../shared/schemas/mail.ts';
import { newAction } from '../corrective-actions/fixtures.ts';
import {
  advance,
  answer as saveAnswer,
  completedInspection,
  startedInspection,
} from '../inspections/fixtures.ts';
import { queuedReport, renderedReport } from '../reports/fixtures/reports.ts';
import { useClock } from '../support/clock.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { type Fault, installFaults, on, withFault } from '../support/faults.ts';
import { mailsTo } from '../support/mails.ts';
import { fillDay, mailTasks, newMember, tell } from '../support/notices.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installFaults();
const clock = useClock();
const DAY = 86_400;

/** Every way in which a mail leaves the service. */
const PATHS = [
  'a notice to a member',
  'a notice to an address',
  'a question',
  'an invitation',
  'a link for a contact',
  'a report',
  'an offer of a report',
] as const;
type Path = (typeof PATHS)[number];

const OFFICE = 'office@example.com';
/** The request that led to the mails. */
const REQUEST = 'request-1';

let person: Person;
let address: string;

beforeEach(async () => {
  person = await newPerson('Harbour');
  address = `eve@${person.caller.org_id}.example`;
});

const sendReport = async () => {
  const { report } = await renderedReport(person);
  const body = { to: [address], cc: [`cc-${address}`], reply_to: OFFICE };
  return person.try.reports.createEmail({ params: { report_id: report.id }, body });
};

/** Asks for a mail to the address. */
const ask: Readonly<Record<Path, () => Promise<unknown>>> = {
  'a notice to a member': async () =>
    tell(person, { user_ids: [await newMember(person, 'Eve', { email: address })] }),
  'a notice to an address': async () => {
    await answer(person.caller, address, 'confirmed');
    await tell(person, { event: 'completed', user_ids: [], emails: [address] });
  },
  'a question': () => tell(person, { event: 'completed', user_ids: [], emails: [address] }),
  'an invitation': () => invitations.invite(operatorOf(person), { email: address, role: 'inspector' }),
  'a link for a contact': () => newAction(person, { contact: { name: 'Eve', email: address } }),
  'a report': async () => {
    for (const each of [address, `cc-${address}`]) await answer(person.caller, each, 'confirmed');
    return sendReport();
  },
  'an offer of a report': () => sendReport(),
};

/** A mail as the mail service gets it. */
interface Sent {
  to: string[];
  headers: Record<string, string>;
  tags: string[];
  configurationSet: string | undefined;
  text: string;
}

interface SendEmail {
  Destination: { ToAddresses: string[] };
  Content: { Raw: { Data: Uint8Array } };
  EmailTags: { Name: string; Value: string }[];
  ConfigurationSetName?: string;
}

const sentOf = ({ Destination, Content, EmailTags, ConfigurationSetName }: SendEmail): Sent => {
  const text = Buffer.from(Content.Raw.Data).toString();
  const head = text.slice(0, text.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
  return {
    to: Destination.ToAddresses,
    headers: Object.fromEntries(
      head.split('\r\n').map((line) => [line.slice(0, line.indexOf(':')), line.replace(/^[^:]+: */, '')]),
    ),
    tags: EmailTags.map(({ Name }) => Name),
    configurationSet: ConfigurationSetName,
    text,
  };
};

/** Does everything that waits for the mail worker. @returns the mails to the address */
const mailed = async (): Promise<Sent[]> => {
  const sent: Sent[] = [];
  const note: Fault = on(
    ({ client }) => client === 'SESv2Client',
    ({ input, send }) => {
      sent.push(sentOf(input as unknown as SendEmail));
      return send();
    },
  );
  const done = new Set<string>();
  await withFault(note, async () => {
    for (;;) {
      const task = (await mailTasks(person)).find(({ id }) => !done.has(id));
      if (!task) return;
      done.add(task.id);
      expect(await deliver(sendMail, { ...task, request_id: REQUEST })).toBe(true);
    }
  });
  return sent.filter(({ to }) => to.includes(address));
};

const mailBy = async (path: Path): Promise<Sent> => {
  await ask[path]();
  const [mail, ...others] = await mailed();
  expect(others).toEqual([]);
  return mail!;
};

const EVERY = [
  'Auto-Submitted',
  'Content-Type',
  'Date',
  'From',
  'MIME-Version',
  'Message-ID',
  'Subject',
  'To',
  'X-Request-ID',
];
const ONE_CLICK = ['List-Unsubscribe', 'List-Unsubscribe-Post'];

describe('each mail', () => {
  test.each(PATHS)('is not sent to an address that stops all mails meanwhile: %s', async (path) => {
    await ask[path]();
    await answer(person.caller, address, 'refused');
    expect(await mailed()).toEqual([]);
  });

  test.each(PATHS)('is not sent to an address that stops all mails while it waits: %s', async (path) => {
    await fillDay(person, 'MEMBERS', DEFAULT_MAIL_LIMITS.to_members);
    await fillDay(person, 'OTHERS', DEFAULT_MAIL_LIMITS.to_others);
    await fillDay(person, 'REPORTS', DEFAULT_MAIL_LIMITS.report_recipients);
    await ask[path]();
    expect(await mailed()).toEqual([]);
    expect((await person.organization.get()).mails.waiting).toBeGreaterThan(0);
    await answer(person.caller, address, 'refused');
    clock.pass(DAY);
    await sendDueMails();
    expect(await mailed()).toEqual([]);
  });

  test.each<[Path, { headers: string[]; tags: string[] }]>([
    ['a notice to a member', { headers: ['Reply-To'], tags: ['org_id'] }],
    ['a notice to an address', { headers: ['Reply-To', ...ONE_CLICK], tags: ['org_id'] }],
    ['a question', { headers: ONE_CLICK, tags: ['org_id'] }],
    ['an invitation', { headers: ONE_CLICK, tags: ['org_id', 'mail_id', 'recipient'] }],
    [
      'a link for a contact',
      { headers: ['Reply-To', ...ONE_CLICK], tags: ['org_id', 'mail_id', 'recipient'] },
    ],
    ['a report', { headers: ['Cc', 'Reply-To', ...ONE_CLICK], tags: ['org_id', 'report_id', 'email_id'] }],
    ['an offer of a report', { headers: ONE_CLICK, tags: ['org_id'] }],
  ])('%s has the headers and tags that it is to have, and no others', async (path, { headers, tags }) => {
    await person.organization.update({ body: { reply_to_email: OFFICE } });
    await answer(person.caller, OFFICE, 'confirmed');
    process.env['MAIL_CONFIGURATION_SET'] = 'mails';
    let mail: Sent;
    try {
      mail = await mailBy(path);
    } finally {
      delete process.env['MAIL_CONFIGURATION_SET'];
    }
    expect(Object.keys(mail.headers).toSorted()).toEqual([...EVERY, ...headers].toSorted());
    expect(mail.headers).toMatchObject({
      'Auto-Submitted': 'auto-generated',
      'MIME-Version': '1.0',
      'X-Request-ID': REQUEST,
    });
    expect(mail.headers['From']).toMatch(/^Harbour via Inspection Service </);
    if (headers.includes('Reply-To')) expect(mail.headers['Reply-To']).toBe(OFFICE);
    if (headers.includes('List-Unsubscribe')) {
      expect(mail.headers['List-Unsubscribe']).toMatch(/^<https?:\/\/[^>]+\/stop\/[\w-]{22}>$/);
      expect(mail.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
    }
    expect(mail.tags).toEqual(tags);
    expect(mail.configurationSet).toBe('mails');
  });

  test.each(PATHS)(
    '%s is in the language of the organization, and names no other address for replies before its owner agrees',
    async (path) => {
      await person.organization.update({ body: { locale: 'de-AT', reply_to_email: OFFICE } });
      const { text, headers } = await mailBy(path);
      expect(text).toContain('lang=3D"de"');
      expect(headers).not.toHaveProperty('Reply-To');
    },
  );

  test.each(PATHS)('%s does not go to an address that bounced', async (path) => {
    await suppress(person.caller, address, 'bounced');
    await ask[path]();
    expect(await mailed()).toEqual([]);
  });

  test.each<[Path, 'MEMBERS' | 'OTHERS' | 'REPORTS', number]>([
    ['a notice to a member', 'MEMBERS', DEFAULT_MAIL_LIMITS.to_members],
    ['a notice to an address', 'OTHERS', DEFAULT_MAIL_LIMITS.to_others],
    ['a question', 'OTHERS', DEFAULT_MAIL_LIMITS.to_others],
    ['an invitation', 'OTHERS', DEFAULT_MAIL_LIMITS.to_others],
    ['a link for a contact', 'OTHERS', DEFAULT_MAIL_LIMITS.to_others],
    ['a report', 'REPORTS', DEFAULT_MAIL_LIMITS.report_recipients],
  ])(
    '%s waits beyond the limit of a day, and is sent once on the next one: %s, %i',
    async (path, recipients, most) => {
      await fillDay(person, recipients, most);
      await ask[path]();
      expect(await mailed()).toEqual([]);
      expect((await person.organization.get()).mails.waiting).toBeGreaterThan(0);
      await sendDueMails();
      expect(await mailed()).toEqual([]);
      clock.pass(DAY);
      await sendDueMails();
      expect(await mailed()).toHaveLength(1);
      expect(await mailed()).toEqual([]);
      expect((await person.organization.get()).mails.waiting).toBe(0);
    },
  );

  test.each(PATHS)('%s that waits is not sent to an address that has bounced meanwhile', async (path) => {
    await ask[path]();
    for (const recipients of ['MEMBERS', 'OTHERS', 'REPORTS'] as const)
      await fillDay(person, recipients, 2_000);
    await mailed();
    await suppress(person.caller, address, 'bounced');
    clock.pass(20 * DAY);
    await sendDueMails();
    expect(await mailed()).toEqual([]);
  });
});

describe('the mail of a report', () => {
  beforeEach(() => answer(person.caller, address, 'confirmed'));

  test('is in the language of the report, whatever that of the organization', async () => {
    await person.organization.update({ body: { locale: 'de' } });
    const { report, task } = await queuedReport(person, {}, { language: 'fr' });
    const request = { params: { report_id: report.id }, body: { to: [address] } };
    await person.reports.createEmail(request);
    expect(await deliver(renderReport, task)).toBe(true);
    expect((await mailed())[0]!.text).toContain('lang=3D"fr"');
  });

  test('gives no verdict while the inspection awaits approval', async () => {
    const inspection = await startedInspection(person, {
      family: {
        content: { ...contentWith(field(3, 'pass_fail_na')), scoring: { enabled: true, passing_score: 75 } },
        requires_approval: true,
        settings: { approval: { allow_api: true, four_eyes: false } },
      },
    });
    await saveAnswer(person, inspection, uuid(3), 'pass');
    await advance(person.key, inspection);
    const newestText = async () => {
      const params = { inspection_id: inspection.id };
      await person.reports.send({ params, body: { to: [address] } });
      const rendering = (await waitingTasks(person.caller)).findLast(({ outbox }) => outbox === 'render');
      await deliver(renderReport, rendering!);
      await mailed();
      return (await mailsTo(address)).at(-1)!.body.text!;
    };
    const DRAFT = 'This report is a draft';
    const draft = await newestText();
    expect(draft).toContain(DRAFT);
    expect(draft).not.toContain('Score:');
    await advance(person.key, inspection, { decision: 'approve' });
    const final = await newestText();
    expect(final).not.toContain(DRAFT);
    expect(final).toMatch(/Score: 100\s?%/);
  });

  test('has a link that works for 30 days', async () => {
    const { report } = await renderedReport(person);
    const params = { report_id: report.id };
    await person.reports.createEmail({ params, body: { to: [address] } });
    await mailed();
    const [link] = await person.reports.listShareLinks({ params });
    expect(Date.parse(link.expires_at) - Date.parse(link.created_at)).toBe(30 * 86_400_000);
  });

  test('does not go to an address that bounced, if one asks for the current report', async () => {
    const inspection = await completedInspection(person);
    await suppress(person.caller, address, 'bounced');
    const params = { inspection_id: inspection.id };
    const refused = await person.try.reports.send({ params, body: { to: [address] } });
    expect([refused.status, refused.headers['x-error-code']]).toEqual([409, 'address_suppressed']);
  });
});

describe('an invitation', () => {
  test('that was sent again has one link: the task of the first one has nothing to do', async () => {
    const { user_id } = await invitations.invite(operatorOf(person), { email: address, role: 'inspector' });
    await invitations.resend(operatorOf(person), user_id);
    const mails = await mailed();
    expect(mails).toHaveLength(1);
  });
});
