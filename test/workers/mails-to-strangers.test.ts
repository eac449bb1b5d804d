import * as answerAddress from '../../functions/public/answer-address.ts';
import * as askAddress from '../../functions/public/ask-address.ts';
import * as getSharedReport from '../../functions/public/get-shared-report.ts';
import * as stopMails from '../../functions/public/stop-mails.ts';
import { handler as sendDueMails } from '../../functions/workers/send-due-mails.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { answer, standingOf, suppress } from '../../shared/organizations/addresses/addresses.ts';
import * as members from '../../shared/organizations/members/members.ts';
import * as invitations from '../../shared/organizations/people/invitations.ts';
import { DEFAULT_MAIL_LIMITS } from '../../shared/schemas/mail.ts';
import type { ReportEmail } from '../../shared/schemas/reports/report-email.ts';
import type { ShareLink } from '../../shared/schemas/reports/share-link.ts';
import * as write from '../../shared/table/writes.ts';
import { newAction } from '../corrective-actions/fixtures.ts';
import { renderedReport } from '../reports/fixtures/reports.ts';
import { useClock } from '../support/clock.ts';
import { installFaults, withFault } from '../support/faults.ts';
import { mailsTo, type ReceivedMail } from '../support/mails.ts';
import { commit, fillDay, mailTasks, newMember } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installFaults();
const clock = useClock();
const DAY = 86_400;

const SPAM = 'Win a phone at evil.example';
/** What the attack writes in every place that takes a text. */
const TEXT = `${SPAM}\nhttps://evil.example/win\n\nBcc: more@evil.example`;

let person: Person;
let domain: string;
let report_id: string;

beforeEach(async () => {
  person = await newPerson('Harbour');
  domain = `${person.caller.org_id}.example`;
  const { report } = await renderedReport(person, { name: 'Crane 4' });
  report_id = report.id;
});

const at = (name: string): string => `${name}@${domain}`;
const email = (body: { to: string[]; cc?: string[] }): Promise<{ status: number }> =>
  person.try.reports.createEmail({ params: { report_id }, body: { subject: SPAM, body: TEXT, ...body } });

/** Does everything that waits for the mail worker, each task twice. @returns all mails so far */
const mailed = async (): Promise<ReceivedMail[]> => {
  const done = new Set<string>();
  for (;;) {
    const task = (await mailTasks(person)).find(({ id }) => !done.has(id));
    if (!task) return mailsTo(domain);
    done.add(task.id);
    for (let turn = 0; turn < 2; turn += 1) expect(await deliver(sendMail, task)).toBe(true);
  }
};

const logged = async (): Promise<ReportEmail> =>
  (await person.reports.listEmails({ params: { report_id } }))[0];
/** What became of the newest mail at each recipient. */
const fates = async () =>
  (await logged()).recipients.map(({ address, status, waiting }) => [
    address.split('@')[0],
    waiting?.reason ?? status,
  ]);

const shareLinks = (): Promise<ShareLink[]> => person.reports.listShareLinks({ params: { report_id } });
/** The offers of the report, newest first. The mail with the report has a link of its own. */
const offers = async () =>
  (await shareLinks()).flatMap(({ status, offered_to }) => (offered_to ? [[status, offered_to]] : []));
/** Ends the newest link of the report, or the newest one that is offered to an address. */
const endLink = async (address?: string) => {
  const { id } = (await shareLinks()).find(({ offered_to }) => !address || offered_to === address)!;
  await person.reports.revokeShareLink({ params: { report_id, share_link_id: id } });
};

const tokenIn = ({ body }: ReceivedMail, page: 'confirm' | 'stop' | 's'): string =>
  new RegExp(`/${page}/([\\w-]{22})`).exec(body.text!)![1]!;
const say = (mail: ReceivedMail, answer: 'yes' | 'no') =>
  visit(answerAddress, { token: tokenIn(mail, 'confirm'), form: { answer } });
const sayYes = (mail: ReceivedMail) => say(mail, 'yes');
/** The link to the report that a yes gets; undefined for none. */
const sharedBy = async (mail: ReceivedMail): Promise<string | undefined> => {
  const { status, text } = await sayYes(mail);
  expect(status).toBe(200);
  return /\/s\/([\w-]{22})/.exec(text)?.[1];
};
const stop = (mail: ReceivedMail) => visit(stopMails, { token: tokenIn(mail, 'stop'), form: {} });

const isSpam = ({ subject, body }: ReceivedMail): boolean =>
  [subject, body.text, body.html].some((text) => /evil\.example|win a phone/i.test(text!));
const addressed = ({ destination }: ReceivedMail): string[] => [...destination.to, ...destination.cc];

describe('a report to strangers', () => {
  test('is 50 mails to one address each, in the service’s own words, which each can stop', async () => {
    const names = Array.from({ length: 25 }, (_, n) => [`to${n}`, `cc${n}`] as const);
    const [to, cc] = [names.map(([name]) => at(name)), names.map(([, name]) => at(name))];
    expect((await email({ to, cc })).status).toBe(202);
    const mails = await mailed();
    expect(mails.map((mail) => addressed(mail).join()).toSorted()).toEqual([...to, ...cc].toSorted());
    expect(mails.filter(isSpam)).toEqual([]);
    for (const { subject, body, attachments } of mails) {
      expect(subject).toBe('Harbour: Inspection report');
      expect(body.text).toContain('Harbour wants to send the inspection report “Crane 4” to this address.');
      expect(body.text).toContain('/stop/');
      expect(attachments).toEqual([]);
    }
    expect(new Set((await fates()).map(([, fate]) => fate))).toEqual(new Set(['unconfirmed']));
    const in14Days = new Date(Date.now() + 14 * DAY * 1_000).toISOString().slice(0, 10);
    expect((await logged()).mail).toMatchObject({
      state: 'waiting',
      reason: 'unconfirmed',
      send_after: null,
      expires_at: expect.stringContaining(in14Days),
    });
  });

  test('leaves members and confirmed addresses together, as the sender wrote them', async () => {
    await newMember(person, 'mia');
    await newMember(person, 'max');
    await invitations.invite(operatorOf(person), { email: at('invited'), role: 'inspector' });
    await answer(person.caller, at('known'), 'confirmed');
    await mailed();
    await email({ to: [at('mia'), at('stranger'), at('known')], cc: [at('max'), at('invited')] });
    const mails = (await mailed()).filter(({ subject }) => subject !== 'Harbour invites you');
    const known = mails.filter(isSpam);
    // One for both members, and one that the known address can stop.
    expect(known.map(({ destination: { to, cc } }) => [to.join(), cc.join()])).toEqual([
      [`${at('mia')}, ${at('known')}`, at('max')],
      [`${at('mia')}, ${at('known')}`, at('max')],
    ]);
    expect(known.map(({ body }) => body.text!.includes('/stop/'))).toEqual([false, true]);
    expect(mails.filter((mail) => !isSpam(mail)).map(addressed)).toEqual([[at('stranger')], [at('invited')]]);
    expect(await fates()).toEqual([
      ['mia', 'sent'],
      ['stranger', 'unconfirmed'],
      ['known', 'sent'],
      ['max', 'sent'],
      ['invited', 'unconfirmed'],
    ]);
  });

  test('is sent once somebody has said yes, to this address alone, and shown at once', async () => {
    await email({ to: [at('ana'), at('ben')] });
    const [offer] = await mailed();
    expect(await offers()).toEqual([
      ['offered', at('ben')],
      ['offered', at('ana')],
    ]);
    const first = await sharedBy(offer!);
    // The second time changes nothing.
    expect(await sharedBy(offer!)).toBe(first);
    expect((await visit(getSharedReport, { token: first! })).status).toBe(200);
    expect(await offers()).toEqual([
      ['offered', at('ben')],
      ['active', at('ana')],
    ]);
    const mails = await mailed();
    expect(mails).toHaveLength(3);
    expect(mails[2]).toMatchObject({ subject: SPAM, attachments: [{ contentType: 'application/pdf' }] });
    expect(addressed(mails[2]!)).toEqual([at('ana')]);
    expect(mails[2]!.body.text).toContain('/stop/');
    expect(await fates()).toEqual([
      ['ana', 'sent'],
      ['ben', 'unconfirmed'],
    ]);
    expect((await person.organization.get()).mails.waiting).toBe(1);
  });

  test('is shown to whoever says no and then yes, by one link, until a member revokes it', async () => {
    await email({ to: [at('ana')] });
    const [offer] = await mailed();
    await say(offer!, 'no');
    expect(await offers()).toEqual([['offered', at('ana')]]);
    const shared = await sharedBy(offer!);
    expect((await visit(getSharedReport, { token: shared! })).status).toBe(200);
    await stop(offer!);
    expect(await sharedBy(offer!)).toBe(shared);
    await endLink();
    await stop(offer!);
    expect(await sharedBy(offer!)).toBeUndefined();
    expect((await visit(getSharedReport, { token: shared! })).status).toBe(404);
    expect(await offers()).toEqual([['revoked', at('ana')]]);
  });

  test('is no longer offered once a member has ended the offer, and the mail that waits is given up', async () => {
    await email({ to: [at('ana'), at('ben')] });
    const [offer] = await mailed();
    await email({ to: [at('ana')], cc: [at('cleo')] });
    await endLink(at('ana'));
    await mailed();
    for (const answer of [undefined, 'no', 'yes'] as const) {
      const token = tokenIn(offer!, 'confirm');
      const page = answer ? await say(offer!, answer) : await visit(askAddress, { token });
      expect([page.status, page.text.includes('This link does not work')]).toEqual([404, true]);
    }
    const emails: ReportEmail[] = await person.reports.listEmails({ params: { report_id } });
    const states = emails.flatMap(({ recipients }) =>
      recipients.map(({ address, status, detail }) => `${address.split('@')[0]} ${detail ?? status}`),
    );
    const ended = 'The offer of this report was ended.';
    expect(states.toSorted()).toEqual([`ana ${ended}`, `ana ${ended}`, 'ben queued', 'cleo queued']);
  });

  test('is offered again after a member has ended the offer, if somebody sends it again', async () => {
    await email({ to: [at('ana')] });
    await mailed();
    await endLink();
    await mailed();
    clock.pass(8 * DAY);
    await email({ to: [at('ana')] });
    const offer = (await mailed()).at(-1)!;
    expect(await sharedBy(offer)).toBeDefined();
    expect((await mailed()).filter(isSpam)).toHaveLength(1);
    expect(await offers()).toEqual([
      ['active', at('ana')],
      ['revoked', at('ana')],
    ]);
  });

  describe('does not count as offered when a member ends the offer', () => {
    const canBeOffered = async () => (await standingOf(person.caller, at('ana'))).canBeOffered;
    /** Expects that the first offer was never mailed, and that the report can be offered anew in the same week. */
    const expectOfferedAnew = async () => {
      expect(await mailed()).toEqual([]);
      expect(await canBeOffered()).toBe(true);
      clock.pass(DAY);
      await sendDueMails();
      expect(await mailed()).toEqual([]);
      await email({ to: [at('ana')] });
      const [offer, ...others] = await mailed();
      expect(others).toEqual([]);
      expect(await sharedBy(offer!)).toBeDefined();
      expect(await offers()).toEqual([
        ['active', at('ana')],
        ['revoked', at('ana')],
      ]);
    };
    /** Ends the offer while its mail gets its place. */
    const endedMeanwhile = async () => {
      let isEnded = false;
      await withFault(async ({ input, send }) => {
        const output = await send();
        if (!isEnded && /MAIL_COUNT.*OTHERS/.test(JSON.stringify(input))) {
          isEnded = true;
          await endLink(at('ana'));
        }
        return output;
      }, mailed);
      expect(isEnded).toBe(true);
    };

    test('while its mail gets a place', async () => {
      await email({ to: [at('ana')] });
      await endedMeanwhile();
      await expectOfferedAnew();
    });

    test('while its mail is told to wait for a place', async () => {
      await fillDay(person, 'OTHERS', DEFAULT_MAIL_LIMITS.to_others);
      await email({ to: [at('ana')] });
      await endedMeanwhile();
      await expectOfferedAnew();
    });

    test('while its mail waits for a place', async () => {
      await fillDay(person, 'OTHERS', DEFAULT_MAIL_LIMITS.to_others);
      await email({ to: [at('ana')] });
      expect(await mailed()).toEqual([]);
      expect(await canBeOffered()).toBe(false);
      await endLink(at('ana'));
      await expectOfferedAnew();
    });

    test('after the mail service has failed', async () => {
      await email({ to: [at('ana')] });
      const isFailing: Parameters<typeof withFault>[0] = ({ client, send }) =>
        client === 'SESv2Client' ? Promise.reject(new Error('refused')) : send();
      const [report] = await mailTasks(person);
      expect(await deliver(sendMail, report!)).toBe(true);
      const question = (await mailTasks(person)).find(({ id }) => id !== report!.id)!;
      expect(await withFault(isFailing, () => deliver(sendMail, question))).toBe(false);
      await endLink(at('ana'));
      await expectOfferedAnew();
    });

    test('but does when its mail was sent', async () => {
      await email({ to: [at('ana')] });
      expect(await mailed()).toHaveLength(1);
      await endLink(at('ana'));
      expect(await canBeOffered()).toBe(false);
    });
  });

  test('is shown by the next yes, by one link, wherever the first one was interrupted', async () => {
    for (let commands = 0; ; commands += 1) {
      const name = `ana${commands}`;
      await email({ to: [at(name)] });
      const offer = (await mailed()).at(-1)!;
      let left = commands;
      const { status } = await withFault(
        ({ send }) => {
          left -= 1;
          if (left < 0) throw new Error('killed');
          return send();
        },
        () => say(offer, 'yes'),
      );
      const shared = await sharedBy(offer);
      expect((await visit(getSharedReport, { token: shared! })).status).toBe(200);
      expect(await sharedBy(offer)).toBe(shared);
      expect((await offers()).filter(([, to]) => to === at(name))).toEqual([['active', at(name)]]);
      if (status === 200) break;
      expect(status).toBe(500);
    }
    const sent = (await mailed()).filter(isSpam).map((mail) => addressed(mail).join());
    expect(sent).toHaveLength(new Set(sent).size);
    expect(sent.length).toBeGreaterThan(8);
  });

  test('is offered once a week at most, and an answer lets all go that wait', async () => {
    await email({ to: [at('ana')] });
    await email({ to: [at('ANA')], cc: [at('ana+1'), at('Ana+2')] });
    const [offer, ...others] = await mailed();
    expect(others).toEqual([]);
    clock.pass(8 * DAY);
    await email({ to: [at('ana+3')] });
    expect(await mailed()).toHaveLength(2);
    await sayYes(offer!);
    const mails = await mailed();
    expect(mails.slice(2).map(isSpam)).toEqual([true, true, true, true, true]);
    expect((await person.organization.get()).mails.waiting).toBe(0);
  });

  test('is given up after 14 days without an answer, and says so', async () => {
    await email({ to: [at('ana')] });
    const [offer] = await mailed();
    clock.pass(13 * DAY);
    await sendDueMails();
    await mailed();
    expect(await fates()).toEqual([['ana', 'unconfirmed']]);
    clock.pass(2 * DAY);
    await sendDueMails();
    await mailed();
    expect((await logged()).recipients).toMatchObject([
      { status: 'failed', detail: expect.stringContaining('14 days'), waiting: null },
    ]);
    await sayYes(offer!);
    expect(await mailed()).toHaveLength(1);
    await email({ to: [at('ana')] });
    expect((await mailed()).map(isSpam)).toEqual([false, true]);
  });

  test('is given up at once when the address stops the mails, and refused from then on, however it is written', async () => {
    await email({ to: [at('ana')] });
    const [offer] = await mailed();
    await stop(offer!);
    expect(await mailed()).toHaveLength(1);
    expect(await fates()).toEqual([['ana', 'failed']]);
    for (const name of ['ana', 'ANA', 'ana+again'])
      expect((await email({ to: [at(name)] })).status).toBe(409);
    expect(await mailed()).toHaveLength(1);
  });

  test('fails at once where the deployment sends no mail', async () => {
    const sender = process.env['MAIL_FROM'];
    delete process.env['MAIL_FROM'];
    await email({ to: [at('ana')] });
    await mailed();
    process.env['MAIL_FROM'] = sender;
    expect(await logged()).toMatchObject({
      error: 'This deployment sends no mail.',
      recipients: [{ status: 'failed', waiting: null }],
    });
  });

  test('is given up when the offer bounces', async () => {
    await email({ to: [at('ana')] });
    await mailed();
    await suppress(person.caller, at('ana'), 'bounced');
    clock.pass(15 * DAY);
    await sendDueMails();
    expect(await mailed()).toHaveLength(1);
    expect(await fates()).toEqual([['ana', 'failed']]);
  });

  test('does not go together with members to an address whose member has left', async () => {
    const user_id = await newMember(person, 'mia');
    await newMember(person, 'max');
    await email({ to: [at('mia'), at('max')] });
    const suspended = { set: { status: 'suspended' } };
    await commit(person, [write.update(members.key(person.caller, user_id), suspended)]);
    expect((await mailed()).filter(isSpam).map(addressed)).toEqual([[at('max')]]);
  });
});

describe('a mail about a task to a stranger', () => {
  test('has no link or line of the organization’s in its subject, and what it says is short and plain', async () => {
    person = await newPerson('Pay at https://evil.example\r\nBcc: all@evil.example');
    domain = `${person.caller.org_id}.example`;
    const description = `Tighten to 3.5 bar.\nSee https://evil.example/pay and ${'x'.repeat(1_000)}`;
    const task = { title: SPAM, description, contact: { name: TEXT, email: at('cara') } };
    await newAction(person, task);
    const [mail, ...others] = await mailed();
    expect(others).toEqual([]);
    expect(mail!.subject).toMatch(/: 1 corrective action$/);
    expect(mail!.subject).not.toMatch(/evil\.example|win a phone/i);
    expect(mail!.body.text).toContain('Tighten to 3.5 bar.');
    expect(mail!.body.text).not.toMatch(/evil\.example|x{500}/);
    expect(mail!.body.html).not.toContain('evil.example');
    expect(mail!.from).not.toContain('evil.example');
    expect(addressed(mail!)).toHaveLength(1);
  });

  test('is as the organization has written it once the address has confirmed', async () => {
    await answer(person.caller, at('cara'), 'confirmed');
    await newAction(person, { title: 'Seal the roof, see roof.example', contact: { email: at('cara') } });
    const [mail] = await mailed();
    expect(mail!.subject).toBe('Harbour: Seal the roof, see roof.example');
  });
});

test('a mailbox answers for all of its addresses, and each has its own bounces', async () => {
  const { caller } = person;
  const stateOf = async (name: string) => (await standingOf(caller, at(name))).state;
  await answer(caller, at('Ana+Work'), 'refused');
  for (const name of ['ana', 'ANA', 'ana+work', 'Ana+other']) expect(await stateOf(name)).toBe('refused');
  await suppress(caller, at('ben+gone'), 'bounced');
  for (const name of ['anna', 'ben', 'ben+here', '+ben']) expect(await stateOf(name)).toBe('unknown');
  expect(await stateOf('Ben+Gone')).toBe('suppressed');
});
