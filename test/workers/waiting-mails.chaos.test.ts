import { randomUUID } from 'node:crypto';
import * as answerAddress from '../../functions/public/answer-address.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { sendDueMails, takeAnswer } from '../../shared/notices/waiting-mails.ts';
import { standingOf } from '../../shared/organizations/addresses/addresses.ts';
import { sendDueClientDigests } from '../../shared/places/client-accounts/digests.ts';
import type { ShareLink } from '../../shared/schemas/reports/share-link.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { actionOf, newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { renderedReport } from '../reports/fixtures/reports.ts';
import { useClock } from '../support/clock.ts';
import { impatient, installFaults, withFault } from '../support/faults.ts';
import { mailsTo } from '../support/mails.ts';
import { fillDay, mailTasks } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson } from '../support/people.ts';
import { betweenSome, type Kill, killedAtPlaces } from '../support/places.ts';
import { scaled } from '../support/scale.ts';
import { visit } from '../support/visit.ts';

installFaults();
impatient();
const clock = useClock();
const DAY = 86_400;
/** Longer than a worker holds a mail whose process has died, in seconds. */
const LEASE = 100;

test('a mail for several tasks is sent once for each, wherever its worker is killed', async () => {
  await killedAtPlaces(async ({ fault, isReached }) => {
    const person = await newPerson('Harbour');
    const domain = `${person.caller.org_id}.example`;
    const finding = await newFinding(person);
    const actions = [];
    for (const name of ['cara', 'Cara'])
      actions.push(await newAction(person, { contact: { email: `${name}@${domain}` } }, finding));
    const mail = async () => {
      for (const task of await mailTasks(person)) await deliver(sendMail, task);
    };
    let isSending = false;
    await withFault((sending) => {
      isSending ||= sending.client === 'SESv2Client';
      return fault(sending);
    }, mail).catch(() => undefined);
    clock.pass(LEASE);
    await mail();
    await mail();
    for (const action of actions)
      expect((await actionOf(person, action)).contact_link!.mail!.state).toBe('sent');
    const sent = (await mailsTo(domain)).length;
    expect(isReached() && isSending ? [1, 2] : [1]).toContain(sent);
  });
});

/**
 * A contact's mail waits, and is sent the next day. One of the workers is killed at one of its calls, before or after
 * the call is done; then it works again.
 */
const killedAt = async (
  work: 'the mail worker before' | 'the clock’s worker' | 'the mail worker after',
  { fault, isReached }: Kill,
): Promise<void> => {
  const person = await newPerson('Harbour');
  const domain = `${person.caller.org_id}.example`;
  const killed = async (name: typeof work, run: () => Promise<unknown>) => {
    if (name === work) await withFault(fault, run).catch(() => undefined);
    clock.pass(LEASE);
    await run();
  };
  const mail = async () => {
    for (const task of await mailTasks(person)) await deliver(sendMail, task);
  };
  const action = await newAction(person, { contact: { email: `cara@${domain}` } }, await newFinding(person));
  await fillDay(person, 'OTHERS', 10_000);
  await killed('the mail worker before', mail);
  const { send_after, state } = (await actionOf(person, action)).contact_link!.mail!;
  expect(state).toBe('waiting');
  expect(await mailsTo(domain)).toEqual([]);
  clock.pass((Date.parse(send_after!) - Date.now()) / 1_000 + DAY);
  await killed('the clock’s worker', () => sendDueMails(new Date(), 60_000));
  await killed('the mail worker after', mail);
  await mail();
  expect((await actionOf(person, action)).contact_link!.mail!.state).toBe('sent');
  const sent = (await mailsTo(domain)).length;
  // Nobody knows whether a mail went out when its worker dies while it sends.
  expect([1, ...(work === 'the mail worker after' && isReached() ? [2] : [])]).toContain(sent);
  const { mails } = await person.organization.get();
  expect(mails.waiting).toBe(0);
};

test.each(['the mail worker before', 'the clock’s worker', 'the mail worker after'] as const)(
  'a mail that waits is sent, wherever %s is killed',
  async (work) => {
    for (const isFirstDone of scaled([true], [true, false])) {
      const places = await killedAtPlaces((kill) => killedAt(work, kill), { isFirstDone });
      expect(places).toBeGreaterThan(2);
    }
  },
);

test('a client’s weekly mail has one task a week, wherever the clock’s worker is killed', async () => {
  const person = await newPerson('Harbour');
  const email = `cara@${person.caller.org_id}.example`;
  await newClientAccount(person, { digest: { email } });
  const weekly = () => sendDueClientDigests(new Date(), 60_000);
  await weekly();
  let weeks = 0;
  await killedAtPlaces(async ({ fault }) => {
    clock.pass(8 * DAY);
    weeks += 1;
    await withFault(fault, weekly).catch(() => undefined);
    await Promise.all([weekly(), weekly()]);
    const tasks = (await mailTasks(person)).filter(({ data }) => data.what === 'client_digest');
    expect(tasks).toHaveLength(weeks);
  });
});

/** A rendered report, and whose it is. */
const newReport = async () => {
  const person = await newPerson('Harbour');
  const { report } = await renderedReport(person);
  return { person, report };
};

/** A mail of a report to somebody whom the organization does not know, and the work that follows from it. */
const newReportMail = async ({ person, report }: Awaited<ReturnType<typeof newReport>>) => {
  const domain = `${randomUUID()}.example`;
  const params = { report_id: report.id };
  const body = { to: [`cara@${domain}`], subject: 'Free text' };
  // The tasks of other mails are not done again.
  const known = new Set((await mailTasks(person)).map(({ id }) => id));
  const { id: email_id } = await person.reports.createEmail({ params, body });
  const mail = async () => {
    for (const task of await mailTasks(person)) if (!known.has(task.id)) await deliver(sendMail, task);
  };
  const sent = async () => {
    const subjects = (await mailsTo(domain)).map(({ subject }) => subject);
    return {
      offers: subjects.filter((subject) => subject !== 'Free text').length,
      reports: subjects.filter((subject) => subject === 'Free text').length,
    };
  };
  const recipient = async () =>
    (await person.reports.listEmails({ params })).find(({ id }: { id: string }) => id === email_id)
      .recipients[0];
  const address = `cara@${domain}`;
  const confirm = () => takeAnswer(person.caller, address, 'confirmed');
  return { mail, mails: () => mailsTo(domain), address, sent, recipient, confirm };
};

test.each(['the offer', 'the answer', 'the report'] as const)(
  'a report that waits for its address is offered and sent, wherever the worker of %s is killed',
  async (work) => {
    const made = await newReport();
    await killedAtPlaces(
      async ({ fault, isReached }) => {
        const { mail, sent, recipient, confirm } = await newReportMail(made);
        const run = async (name: typeof work, step: () => Promise<unknown>) => {
          if (name === work) await withFault(fault, step).catch(() => undefined);
          clock.pass(LEASE);
          await step();
        };
        await run('the offer', async () => {
          await mail();
          await mail();
        });
        expect(await recipient()).toMatchObject({ status: 'queued', waiting: { reason: 'unconfirmed' } });
        await run('the answer', confirm);
        await run('the report', mail);
        await mail();
        expect(await recipient()).toMatchObject({ status: 'sent', waiting: null });
        expect((await made.person.organization.get()).mails.waiting).toBe(0);
        // Nobody knows whether a mail went out when its worker dies while it sends.
        const { offers, reports } = await sent();
        expect(isReached() && work === 'the offer' ? [1, 2] : [1]).toContain(offers);
        expect(isReached() && work === 'the report' ? [1, 2] : [1]).toContain(reports);
      },
      { isFirstDone: false },
    );
  },
);

/** Kills the worker of an offer, and gives its task to another one. @returns whether a mail went out before the kill */
const killedOffer = async (made: Awaited<ReturnType<typeof newReport>>, kill: Kill, isEnded: boolean) => {
  const { person, report } = made;
  const { mail, mails, address } = await newReportMail(made);
  const links = (): Promise<ShareLink[]> =>
    person.reports.listShareLinks({ params: { report_id: report.id } });
  const ofAddress = async () => (await links()).find(({ offered_to }) => offered_to === address);
  const known = new Set((await mailTasks(person)).map(({ id }) => id));
  await mail();
  const question = (await mailTasks(person)).find(({ id }) => !known.has(id))!;
  await withFault(kill.fault, () => deliver(sendMail, question)).catch(() => undefined);
  const before = await mails();
  const link = isEnded ? await ofAddress() : undefined;
  if (link)
    await person.reports.revokeShareLink({ params: { report_id: report.id, share_link_id: link.id } });
  clock.pass(LEASE);
  await mail();
  await mail();
  const after = await mails();
  if (link) expect(after).toHaveLength(before.length);
  else expect(kill.isReached() ? [1, 2] : [1]).toContain(after.length);
  if (after.length > 0) expect((await standingOf(person.caller, address)).canBeOffered).toBe(false);
  for (const { body } of after) {
    const token = /\/confirm\/([\w-]{22})/.exec(body.text!)![1]!;
    const { status, text } = await visit(answerAddress, { token, form: { answer: 'yes' } });
    expect([status, /\/s\/[\w-]{22}/.test(text)]).toEqual(link ? [404, false] : [200, true]);
  }
  expect((await ofAddress())?.status).toBe(link ? 'revoked' : 'active');
  return before.length > 0;
};

test.each([
  ['its links work', false],
  ['a member can still end it', true],
])('an offer that went out counts, and %s, wherever its worker is killed', async (_name, isEnded) => {
  const made = await newReport();
  let sent = 0;
  for (const isFirstDone of [true, false])
    await killedAtPlaces(
      async (kill) => {
        if ((await killedOffer(made, kill, isEnded)) && kill.isReached()) sent += 1;
      },
      { isFirstDone },
    );
  // Some were killed when the mail had gone out, and nothing said so.
  expect(sent).toBeGreaterThan(0);
});

test('a report is sent once, whenever its address answers', async () => {
  const made = await newReport();
  const places = await betweenSome({
    prepare: () => newReportMail(made),
    work: ({ mail }) => mail(),
    act: ({ confirm }) => confirm(),
    check: async ({ mail, sent, recipient }) => {
      await mail();
      await mail();
      expect(await recipient()).toMatchObject({ status: 'sent' });
      expect((await sent()).reports).toBe(1);
    },
  });
  expect(places).toBeGreaterThan(5);
});
