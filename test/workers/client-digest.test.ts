import * as answerAddress from '../../functions/public/answer-address.ts';
import * as getSharedReport from '../../functions/public/get-shared-report.ts';
import * as stopMails from '../../functions/public/stop-mails.ts';
import { handler as sendDueMails } from '../../functions/workers/send-due-mails.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { moveFindings } from '../../shared/inspections/findings/repeats.ts';
import { actionKey } from '../../shared/inspections/rows/corrective-action-records.ts';
import type { ClientAccount } from '../../shared/schemas/client-account.ts';
import * as write from '../../shared/table/writes.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { openCorrection } from '../corrections/fixtures.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { completedInspection } from '../inspections/fixtures.ts';
import { render } from '../public/fixtures.ts';
import { useClock } from '../support/clock.ts';
import { mailsTo, type ReceivedMail } from '../support/mails.ts';
import { commit, fillDay, mailTasks } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';

const clock = useClock();
const DAY = 86_400;

let person: Person;
let email: string;
let acme: { id: string };

/** Does everything that waits for the mail worker, each task twice. @returns the mails to the client so far */
const mailed = async (): Promise<ReceivedMail[]> => {
  for (const task of await mailTasks(person)) {
    expect(await deliver(sendMail, task)).toBe(true);
    expect(await deliver(sendMail, task)).toBe(true);
  }
  return mailsTo(email);
};

/** A week passes, and the clock's worker runs twice. @returns the mails to the client so far */
const mailedAWeekLater = async (): Promise<ReceivedMail[]> => {
  clock.pass(8 * DAY);
  await Promise.all([sendDueMails(), sendDueMails()]);
  await sendDueMails();
  return mailed();
};

const tokenIn = ({ body }: ReceivedMail, page: 'confirm' | 's' | 'stop'): string =>
  new RegExp(`http://localhost:\\d+/${page}/([\\w-]{22})`).exec(body.text!)![1]!;

const agree = async () =>
  visit(answerAddress, { token: tokenIn((await mailed())[0]!, 'confirm'), form: { answer: 'yes' } });

const account = (): Promise<ClientAccount> => person.clientAccounts.get({ params: { ca_id: acme.id } });

/** A completed inspection of a client at a new place of its own. */
const inspectionAt = async (place: string, client_account_id: string) => {
  const parent = await person.locations.create({ body: { name: `${place} house`, client_account_id } });
  const location = await person.locations.create({
    body: { name: `${place} store`, client_account_id, parent_id: parent.id },
  });
  const body = { name: `Audit ${place}`, client_account_id, location_id: location.id };
  return { location, inspection: await completedInspection(person, body) };
};

beforeEach(async () => {
  person = await newPerson('Harbour');
  email = `cara@${person.caller.org_id}.example`;
  acme = await person.clientAccounts.create({ body: { name: 'Acme', digest: { email, name: 'Cara' } } });
  await sendDueMails();
});

test('a confirmed address is told each week of the client’s own stores, and of no other’s', async () => {
  const other = await person.clientAccounts.create({ body: { name: 'Rival' } });
  const { inspection } = await inspectionAt('Elm', acme.id);
  const foreign = await inspectionAt('Fir', other.id);
  const late = await inspectionAt('Ash', acme.id);
  await openCorrection(person, late.inspection);
  const finding = await newFinding(person, {}, late.inspection);
  await newAction(person, { title: 'Seal it', due_at: new Date(Date.now() + 3_600_000) }, finding);
  const elsewhere = await newAction(person, { title: 'Move it' }, finding);
  const set = { location_id: foreign.location.id };
  await commit(person, [write.update(actionKey(person.caller, elsewhere), { set })]);
  await moveFindings(person.caller, late.inspection.id);
  const { id } = await person.reports.create({ params: { inspection_id: inspection.id } });
  await render(person, id);
  expect((await agree()).status).toBe(200);

  const [, mail, ...more] = await mailedAWeekLater();
  expect(more).toEqual([]);
  const text = mail!.body.text!;
  expect(mail!.subject).toMatch(/^Acme: inspections from /);
  expect(text).toContain('Completed inspections: 2');
  expect(text).toContain('Location: Elm house › Elm store');
  expect(text).toContain('Findings: 1 (1 open)\n- Loose bolt (Minor)');
  expect(text).toMatch(/- \d+ · Seal it \(Ash house › Ash store · Overdue: /);
  expect(text).not.toMatch(/Move it|Fir|Rival/);
  expect(text.match(/\/s\//g)).toHaveLength(1);
  expect((await visit(getSharedReport, { token: tokenIn(mail!, 's') })).status).toBe(200);
  expect((await account()).digest_mail).toMatchObject({ state: 'sent', detail: null });

  const again = (await mailedAWeekLater()).at(-1)!.body.text!;
  expect(again).toContain('Completed inspections: 0');
  expect(again).toContain('Seal it');
  expect(await mailsTo(email)).toHaveLength(3);
  expect(await checkOrganization(person.caller, { repair: false })).toMatchObject({ differences: [] });
});

test('a week without anything to tell has no mail, and nobody is told so', async () => {
  await agree();
  expect(await mailedAWeekLater()).toHaveLength(1);
  expect((await account()).digest_mail).toBeNull();
});

test('an address gets nothing before it has agreed, nor after it has stopped the mails', async () => {
  await inspectionAt('Elm', acme.id);
  const subjects = async () => (await mailedAWeekLater()).map(({ subject }) => subject);
  expect(await subjects()).toEqual(['Harbour wants to send you emails']);
  expect((await account()).digest_mail).toMatchObject({ state: 'failed' });
  await inspectionAt('Ash', acme.id);
  clock.pass(-8 * DAY);
  await agree();
  clock.pass(8 * DAY);
  const [, mail] = await mailedAWeekLater();
  expect(mail!.body.text).toContain('Ash store');
  await visit(stopMails, { token: tokenIn(mail!, 'stop'), form: {} });
  await inspectionAt('Oak', acme.id);
  expect(await subjects()).toHaveLength(2);
});

test('another day of the week is planned from what was told last, and no digest ends it', async () => {
  await agree();
  await inspectionAt('Elm', acme.id);
  expect(await mailedAWeekLater()).toHaveLength(2);
  const change = (digest: object | null) =>
    person.clientAccounts.update({ params: { ca_id: acme.id }, body: { digest } });
  await change({ email, weekday: 'thursday', locale: 'de' });
  await sendDueMails();
  await inspectionAt('Ash', acme.id);
  const mail = (await mailedAWeekLater()).at(-1)!;
  expect(mail.subject).toMatch(/^Acme: Inspektionen vom /);
  expect(mail.body.text).toContain('Ash store');
  expect(mail.body.text).not.toContain('Elm store');
  await change(null);
  await inspectionAt('Oak', acme.id);
  expect(await mailedAWeekLater()).toHaveLength(3);
});

test('beyond the limit of the day it waits, and says so', async () => {
  await agree();
  await inspectionAt('Elm', acme.id);
  clock.pass(8 * DAY);
  await fillDay(person, 'OTHERS', 1_000);
  await sendDueMails();
  expect(await mailed()).toHaveLength(1);
  const { digest_mail } = await account();
  expect(digest_mail).toMatchObject({ state: 'waiting', send_after: expect.any(String) });
  clock.pass((Date.parse(digest_mail!.send_after!) - Date.now()) / 1_000);
  await sendDueMails();
  expect(await mailed()).toHaveLength(2);
});
