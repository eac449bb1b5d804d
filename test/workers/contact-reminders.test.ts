import * as stopMails from '../../functions/public/stop-mails.ts';
import { handler as notifyDue } from '../../functions/workers/notify-due.ts';
import { handler as sendDueMails } from '../../functions/workers/send-due-mails.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { commands } from '../../infra/operator/commands.ts';
import { REPORT_TEXTS } from '../../shared/base/i18n/texts/report.ts';
import { moveThrough, newAction, newFinding, patch } from '../corrective-actions/fixtures.ts';
import { newStopLink } from '../public/fixtures.ts';
import { useClock } from '../support/clock.ts';
import { mailsTo, type ReceivedMail } from '../support/mails.ts';
import { mailTasks } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';

const clock = useClock();
/** In seconds. */
const DAY = 86_400;

let ana: Person;
let domain: string;

beforeEach(async () => {
  ana = await newPerson('Ana');
  domain = `${ana.caller.org_id}.example`;
});

const inDays = (days: number): string => new Date(Date.now() + days * DAY * 1_000).toISOString();

/** A task that is due in so many days. */
const newTask = (title: string, days: number, finding?: { id: string }, name = 'cara') => {
  const contact = { name: 'Cara Cool', email: `${name}@${domain}`, company: 'Cool Ltd' };
  return newAction(ana, { title, contact, due_at: inDays(days) }, finding);
};

/** Everything that waits for the mail worker is done. @returns the reminders so far */
const mailed = async (): Promise<ReceivedMail[]> => {
  for (const task of await mailTasks(ana)) expect(await deliver(sendMail, task)).toBe(true);
  return (await mailsTo(`@${domain}`)).filter(({ subject }) => subject.includes('Reminder'));
};

/** Some days pass, and the clock's workers run twice, at once. @returns the reminders so far */
const remindedAfter = async (days: number): Promise<ReceivedMail[]> => {
  clock.pass(days * DAY);
  await Promise.all([notifyDue(), notifyDue()]);
  await sendDueMails();
  return mailed();
};

describe('reminders to the contact of corrective actions', () => {
  test('come once before the due day and once a week after it, with all that is due', async () => {
    const finding = await newFinding(ana);
    const first = await newTask('Fix the tap', 3, finding);
    await newTask('Fix the door', 8, finding);
    await newTask('Fix the roof', 60, finding);
    await newTask('Fix the lift', 60, finding, 'other');
    await mailed();
    expect(await remindedAfter(1)).toEqual([]);
    const [before, ...others] = await remindedAfter(1.1);
    expect(others).toEqual([]);
    expect(before!.subject).toBe('Ana: Reminder: 2 corrective actions');
    for (const text of ['Fix the tap', 'Fix the door', 'Cara Cool, Cool Ltd', '/stop/', '/tasks'])
      expect(before!.body.text).toContain(text);
    for (const text of ['Fix the roof', REPORT_TEXTS.en.overdue])
      expect(before!.body.text).not.toContain(text);
    expect(await remindedAfter(6.8)).toHaveLength(1);
    const [, after] = await remindedAfter(0.3);
    expect(after!.body.text).toContain(`Fix the tap\n${REPORT_TEXTS.en.overdue}`);
    await moveThrough(ana, first, 'in_progress', 'pending_verification');
    expect((await remindedAfter(7.1))[2]!.subject).toBe('Ana: Reminder: 1 corrective action');
  });

  test('say what is to be done and when, all days in one form', async () => {
    await newAction(ana, {
      title: 'Fix the tap',
      description: 'With a new seal.',
      contact: { email: `cara@${domain}` },
      due_at: inDays(2),
    });
    await mailed();
    const [reminder] = await remindedAfter(1.1);
    const mails = [(await mailsTo(`cara@${domain}`))[0]!, reminder!];
    for (const { body } of mails) {
      expect(body.text).toContain(`${REPORT_TEXTS.en.action}: With a new seal.\n`);
      const day = String.raw`(\w{3}), (\w+ \d+|\d+ \w+),? \d{4}`;
      expect(body.text).toMatch(new RegExp(`Due: ${day} \\(.+\\)\n`));
      expect(body.text).toMatch(new RegExp(`until ${day}\\.`));
    }
  });

  test('are not sent for what is done meanwhile, nor twice for a task that is delivered again', async () => {
    const task = await newTask('Fix the tap', 2);
    await mailed();
    clock.pass(1.1 * DAY);
    await notifyDue();
    await patch(ana, task, { status: 'cancelled' });
    expect(await mailed()).toEqual([]);
    await newTask('Fix the door', 8);
    await mailed();
    expect(await remindedAfter(7.1)).toHaveLength(1);
    expect((await mailTasks(ana)).length).toBeGreaterThan(0);
    expect(await mailed()).toHaveLength(1);
  });

  test('reach a contact who is named when the due day has passed, a day later', async () => {
    const action = await newAction(ana, { title: 'Fix the tap', due_at: inDays(-1) });
    await notifyDue();
    await patch(ana, action, { contact: { email: `cara@${domain}` } });
    expect(await remindedAfter(0.1)).toEqual([]);
    expect(await remindedAfter(1)).toHaveLength(1);
  });

  test('are not sent to an address that takes no mails, nor after the link has ended', async () => {
    await newTask('Fix the tap', 2);
    await mailed();
    const { token } = await newStopLink(ana, `cara@${domain}`);
    await visit(stopMails, { token, form: { 'List-Unsubscribe': 'One-Click' } });
    await newTask('Fix the door', 2, undefined, 'other').then((action) =>
      patch(ana, action, { contact: null }),
    );
    expect(await remindedAfter(1.1)).toEqual([]);
  });

  test('wait for a day with room, and the next one comes a week after that', async () => {
    await commands['org set'].run({ org: ana.caller.org_id, 'max-mails': 1 });
    await newTask('Fix the tap', 2);
    await mailed();
    clock.pass(1.1 * DAY);
    await newAction(ana, { contact: { email: `other@${domain}` } });
    await mailed();
    expect(await remindedAfter(0)).toEqual([]);
    expect(await remindedAfter(1)).toHaveLength(1);
    expect(await remindedAfter(6)).toHaveLength(1);
    expect(await remindedAfter(1.1)).toHaveLength(2);
  });
});
