import { handler as noteMailFeedback } from '../../functions/workers/note-mail-feedback.ts';
import { handler as sendDueMails } from '../../functions/workers/send-due-mails.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { commands } from '../../infra/operator/commands.ts';
import { pauseMails } from '../../shared/notices/paused-mails.ts';
import { answer } from '../../shared/organizations/addresses/addresses.ts';
import type { ReportEmail } from '../../shared/schemas/reports/report-email.ts';
import type { StoredNotification } from '../../shared/table/entities/machinery.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { actionOf, newAction } from '../corrective-actions/fixtures.ts';
import { renderedReport } from '../reports/fixtures/reports.ts';
import { useClock } from '../support/clock.ts';
import { installFaults, on, withFault } from '../support/faults.ts';
import { mailsTo } from '../support/mails.ts';
import { commit, fillDay, mailTasks, newMember } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { auditOf, newPerson, operatorOf, type Person } from '../support/people.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installFaults();
const clock = useClock();
const DAY = 86_400;

let person: Person;
let domain: string;

beforeEach(async () => {
  person = await newPerson('Harbour');
  domain = `${person.caller.org_id}.example`;
});

/** Does everything that waits for the mail worker, each task twice. @returns the number of mails so far */
const mailed = async (): Promise<number> => {
  for (const task of await mailTasks(person))
    for (let turn = 0; turn < 2; turn += 1) expect(await deliver(sendMail, task)).toBe(true);
  return (await mailsTo(domain)).length;
};

/** Lets the organization have sent so many mails to strangers some days ago. */
const haveSent = (last: number, daysAgo = 0): Promise<void> => {
  const day = new Date(Date.now() - daysAgo * DAY * 1_000).toISOString().slice(0, 10);
  return commit(person, [write.put({ ...keys.mailFate(person.caller, day, 'SENT'), last })]);
};

const COMPLAINT = { eventType: 'Complaint' };
const BOUNCE = { eventType: 'Bounce' };

/** Gives the worker an event of the mail service about an address, twice. */
const report = async ({ eventType }: typeof BOUNCE, name: string): Promise<void> => {
  const concerned = [{ emailAddress: `${name}@${domain}` }];
  const detail = {
    eventType,
    mail: { tags: { org_id: [person.caller.org_id] } },
    ...(eventType === 'Bounce'
      ? { bounce: { bounceType: 'Permanent', bounceSubType: 'General', bouncedRecipients: concerned } }
      : { complaint: { complainedRecipients: concerned } }),
  };
  const body = JSON.stringify({ id: crypto.randomUUID(), time: new Date().toISOString(), detail });
  const record = { messageId: 'x', body, attributes: { ApproximateReceiveCount: '1' } };
  for (let turn = 0; turn < 2; turn += 1)
    expect(await noteMailFeedback({ Records: [record] } as never)).toEqual({ batchItemFailures: [] });
};
const reportAll = async (event: typeof BOUNCE, names: readonly string[]): Promise<void> => {
  for (const name of names) await report(event, name);
};

const pause = async () => (await person.organization.get()).mails.paused;
const operate = (mails: 'paused' | 'resumed') =>
  commands['org set'].run({ org: person.caller.org_id, mails });

let contacts = 0;
const newTask = () => {
  contacts += 1;
  return newAction(person, { contact: { name: 'Cara', email: `cara${contacts}@${domain}` } });
};
const mailOf = async (task: Awaited<ReturnType<typeof newTask>>) =>
  (await actionOf(person, task)).contact_link!.mail;

describe('the mails of an organization', () => {
  test('pause when 5% of 50 mails have bounced, and not one bounce earlier', async () => {
    await haveSent(60);
    await reportAll(BOUNCE, ['a', 'b']);
    expect(await pause()).toBeNull();
    await report(BOUNCE, 'c');
    expect(await pause()).toEqual({ reason: 'bounced', since: expect.any(String) });
  });

  test('do not pause for bounces among fewer mails, nor for those of members, nor for older ones', async () => {
    await haveSent(49);
    await reportAll(BOUNCE, ['a', 'b', 'c', 'd']);
    expect(await pause()).toBeNull();
    clock.pass(7 * DAY);
    await haveSent(50);
    await newMember(person, 'mia');
    await newMember(person, 'max');
    await reportAll(BOUNCE, ['mia', 'max', 'e', 'f']);
    expect(await pause()).toBeNull();
    await report(BOUNCE, 'g');
    expect(await pause()).toMatchObject({ reason: 'bounced' });
  });

  test('pause at the third complaint', async () => {
    await reportAll(COMPLAINT, ['a', 'b']);
    expect(await pause()).toBeNull();
    await report(COMPLAINT, 'c');
    expect(await pause()).toMatchObject({ reason: 'complained' });
  });

  test('pause when 0.1% of many mails were reported as unwanted, and not one earlier', async () => {
    await haveSent(4_000, 3);
    await reportAll(COMPLAINT, ['a', 'b', 'c']);
    expect(await pause()).toBeNull();
    await report(COMPLAINT, 'd');
    expect(await pause()).toMatchObject({ reason: 'complained' });
  });

  test('pause by the mails that were sent', async () => {
    const { report: made } = await renderedReport(person);
    const names = Array.from({ length: 25 }, (_, n) => `x${n}`);
    for (const name of names) await answer(person.caller, `${name}@${domain}`, 'confirmed');
    const body = { to: names.map((name) => `${name}@${domain}`) };
    for (let mail = 0; mail < 2; mail += 1)
      await person.reports.createEmail({ params: { report_id: made.id }, body });
    await mailed();
    await reportAll(BOUNCE, ['x1', 'x2']);
    expect(await pause()).toBeNull();
    await report(BOUNCE, 'x3');
    expect(await pause()).toMatchObject({ reason: 'bounced' });
  });
});

describe('while they are paused', () => {
  test('mails to people outside wait, those to members go on, and the admins are told', async () => {
    const admin = await newMember(person, 'mia', { role: 'admin' });
    await reportAll(COMPLAINT, ['a', 'b', 'c', 'd']);
    const task = await newTask();
    await mailed();
    await mailed();
    const [mail, ...others] = await mailsTo(domain);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      subject: 'Harbour: emails paused',
      destination: { to: [expect.any(String)] },
    });
    expect(mail!.body.text).toContain('Too many emails were reported as unwanted.');
    expect(await mailOf(task)).toEqual({
      state: 'waiting',
      reason: 'paused',
      send_after: null,
      expires_at: null,
      detail: null,
    });
    const changes = (await auditOf(person)).filter(({ changes: made }) => made?.['mails_paused']);
    expect(changes).toMatchObject([
      {
        action: 'organization.updated',
        changes: { mails_paused: { from: null, to: { reason: 'complained' } } },
      },
    ]);
    const partition = keys.unreadNotification.partition(person.caller, admin);
    const unread = await Array.fromAsync(queryRows<StoredNotification>(person.caller, { partition }));
    expect(unread).toMatchObject([{ event: 'mails_paused', kind: 'sync_status' }]);
  });

  test('each day shows whether they still are, and nothing is lost', async () => {
    await pauseMails(operatorOf(person), 'operator');
    const task = await newTask();
    await mailed();
    for (let day = 0; day < 3; day += 1) {
      clock.pass(1.1 * DAY);
      await sendDueMails();
      expect(await mailed()).toBe(0);
    }
    expect(await mailOf(task)).toMatchObject({ state: 'waiting', reason: 'paused' });
    await operate('resumed');
    expect(await mailed()).toBe(1);
    expect(await mailOf(task)).toMatchObject({ state: 'sent' });
  });

  test('a report waits for the end of the pause, and then for the answer of its address', async () => {
    const { report: made } = await renderedReport(person);
    const params = { report_id: made.id };
    await newMember(person, 'mia');
    await operate('paused');
    await person.reports.createEmail({ params, body: { to: [`mia@${domain}`, `ana@${domain}`] } });
    expect(await mailed()).toBe(1);
    const waitsFor = async () =>
      (await person.reports.listEmails({ params }))[0].recipients.map(
        ({ status, waiting }: ReportEmail['recipients'][number]) => waiting?.reason ?? status,
      );
    expect(await waitsFor()).toEqual(['sent', 'paused']);
    clock.pass(20 * DAY);
    await operate('resumed');
    await mailed();
    expect(await mailed()).toBe(2);
    expect(await waitsFor()).toEqual(['sent', 'unconfirmed']);
  });

  test('a mail that is being sent goes out, and the next one waits', async () => {
    const [first, second] = [await newTask(), await newTask()];
    let isPaused = false;
    const pausing = on(
      ({ client }) => client === 'SESv2Client',
      async ({ send }) => {
        if (!isPaused) await operate('paused');
        isPaused = true;
        return send();
      },
    );
    await withFault(pausing, mailed);
    expect(await mailed()).toBe(1);
    expect(await mailOf(first)).toMatchObject({ state: 'sent' });
    expect(await mailOf(second)).toMatchObject({ state: 'waiting', reason: 'paused' });
  });
});

describe('when the operator resumes them', () => {
  test('what has waited is sent once within the limit of the day, and counts begin anew', async () => {
    await haveSent(50);
    await reportAll(BOUNCE, ['a', 'b', 'c']);
    const tasks = [await newTask(), await newTask()];
    const before = await mailed();
    await fillDay(person, 'OTHERS', 199);
    expect(await operate('resumed')).toMatchObject({ mails: { paused: null } });
    expect(await operate('resumed')).toMatchObject({ mails: { paused: null, waiting: 0 } });
    expect(await mailed()).toBe(before + 1);
    const reasons = await Promise.all(tasks.map(async (task) => (await mailOf(task))!.reason));
    expect(new Set(reasons)).toEqual(new Set(['limit', null]));
    await reportAll(BOUNCE, ['d', 'e', 'f']);
    expect(await pause()).toBeNull();
    clock.pass(DAY);
    await sendDueMails();
    expect(await mailed()).toBe(before + 2);
  });

  test('pausing and resuming twice is one change each', async () => {
    for (const mails of ['paused', 'paused', 'resumed', 'resumed'] as const) await operate(mails);
    const changes = (await auditOf(person)).filter(({ changes: made }) => made?.['mails_paused']);
    expect(changes.map(({ changes: made }) => made!['mails_paused']!.to)).toEqual([
      { reason: 'operator', since: expect.any(String) },
      null,
    ]);
  });
});
