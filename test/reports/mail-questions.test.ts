import * as answerAddress from '../../functions/public/answer-address.ts';
import * as askAddress from '../../functions/public/ask-address.ts';
import * as stopMails from '../../functions/public/stop-mails.ts';
import { handler as sendDueMails } from '../../functions/workers/send-due-mails.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { standingOf } from '../../shared/organizations/addresses/addresses.ts';
import { DEFAULT_MAIL_LIMITS, type MailQuestion } from '../../shared/schemas/mail.ts';
import type { ShareLink } from '../../shared/schemas/reports/share-link.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { useClock } from '../support/clock.ts';
import { installFaults, withFault } from '../support/faults.ts';
import { mailsTo, type ReceivedMail } from '../support/mails.ts';
import { commit, fillDay, mailAll, mailTasks, tell } from '../support/notices.ts';
import { deliver } from '../support/outbox.ts';
import { auditOf, newPerson, type Person } from '../support/people.ts';
import { visit } from '../support/visit.ts';
import { renderedReport } from './fixtures/reports.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installFaults();
const clock = useClock();
const DAY = 86_400;

let person: Person;
let domain: string;
/** The mail worker's tasks that were delivered. */
let done: Set<string>;

beforeEach(async () => {
  person = await newPerson('Harbour');
  done = new Set();
  domain = `${person.caller.org_id}.example`;
});

const at = (name: string): string => `${name}@${domain}`;
const open = (query = {}): Promise<MailQuestion[]> => person.reports.listMailQuestions({ query });
const end = (question_id: string, who = person) =>
  who.try.reports.deleteMailQuestion({ params: { question_id } });
const asked = async (): Promise<string[]> =>
  (await open()).map(({ address }) => address.split('@')[0]!).toSorted();
const endAt = async (name: string): Promise<void> => {
  const { id } = (await open()).find(({ address }) => address === at(name))!;
  expect((await end(id)).status).toBe(204);
};

let rendered: { id: string; inspection_id: string } | undefined;
afterEach(() => (rendered = undefined));

/** What asks an address, by what it would get. */
const ASKING = {
  notifications: (to: string) => tell(person, { event: 'completed', user_ids: [], emails: [to] }),
  replies: (to: string) => person.organization.update({ body: { reply_to_email: to } }),
  client_digest: (to: string) => person.clientAccounts.create({ body: { name: to, digest: { email: to } } }),
  report: async (to: string) => {
    const { id: report_id } = (rendered ??= (await renderedReport(person)).report);
    await person.reports.createEmail({ params: { report_id }, body: { to: [to] } });
  },
} satisfies Record<MailQuestion['about'], (to: string) => Promise<unknown>>;
const KINDS = Object.keys(ASKING) as MailQuestion['about'][];

const ask = async (kind: MailQuestion['about'], name: string): Promise<ReceivedMail | undefined> => {
  await ASKING[kind](at(name));
  await mailAll(person, done);
  return (await mailsTo(at(name))).at(-1);
};

const tokenIn = (mail: ReceivedMail | undefined, page: 'confirm' | 'stop'): string =>
  new RegExp(`/${page}/([\\w-]{22})`).exec(mail!.body.text!)![1]!;
const say = (mail: ReceivedMail | undefined, answer: 'yes' | 'no') =>
  visit(answerAddress, { token: tokenIn(mail, 'confirm'), form: { answer } });

/** Expects that nobody can open the link in a mail, or answer by it. */
const expectEnded = async (mail: ReceivedMail | undefined): Promise<void> => {
  const token = tokenIn(mail, 'confirm');
  const pages = [await visit(askAddress, { token }), await say(mail, 'no'), await say(mail, 'yes')];
  for (const page of pages)
    expect([page.status, page.text.includes('This link does not work')]).toEqual([404, true]);
};

const shareLinks = (): Promise<ShareLink[]> =>
  person.reports.listShareLinks({ params: { report_id: rendered!.id } });

describe('GET /mail-questions', () => {
  test('200 with every address that was asked and has not answered, newest first', async () => {
    for (const kind of KINDS) {
      await ask(kind, kind);
      clock.pass(1);
    }
    const all = await open();
    expect(all.map(({ about, address }) => [about, address])).toEqual(
      KINDS.toReversed().map((kind) => [kind, at(kind)]),
    );
    for (const { about, report_id, client_account_id, created_by, asked_at, expires_at, id } of all) {
      expect(report_id).toBe(about === 'report' ? rendered!.id : null);
      expect(client_account_id === null).toBe(about !== 'client_digest');
      expect(created_by).toBe(about === 'notifications' ? person.adminId : person.caller.user_id);
      const lasts = Date.parse(expires_at) - Date.parse(asked_at);
      expect(lasts / 1_000 / DAY).toBe(about === 'report' ? 30 : 7);
      if (about === 'report') expect((await shareLinks())[0]!.id).toBe(id);
    }
  });

  test.each(KINDS)('200 with what asks for %s until its link has expired', async (kind) => {
    await ask(kind, 'ana');
    const days = kind === 'report' ? 30 : 7;
    clock.pass(days * DAY - 60);
    expect(await asked()).toEqual(['ana']);
    clock.pass(120);
    expect(await asked()).toEqual([]);
  });

  test.each(['yes', 'no', 'stop'] as const)(
    '200 without any question to a mailbox that has said %s',
    async (said) => {
      const first = await ask('notifications', 'ana');
      await ask('report', 'ana+1');
      clock.pass(8 * DAY);
      await ask('report', 'ana+2');
      await ask('replies', 'ben');
      expect(await asked()).toEqual(['ana+1', 'ana+2', 'ben']);
      const [{ id }] = (await open()).filter(({ address }) => address === at('ana+1')) as [MailQuestion];
      const offer = (await mailsTo(at('ana+1')))[0]!;
      if (said === 'stop') await visit(stopMails, { token: tokenIn(first, 'stop'), form: {} });
      else await say(offer, said);
      expect(await asked()).toEqual(['ben']);
      expect((await end(id)).status).toBe(404);
      // The answer can still be changed by the link.
      expect((await say(offer, 'no')).status).toBe(200);
    },
  );

  test('200 by pages, each of which reads hardly more rows than it shows', async () => {
    for (let n = 0; n < 12; n += 1) {
      const mail = await ask('notifications', `n${n}`);
      if (n === 1) await say(mail, 'yes');
      if (n === 3) await endAt('n3');
    }
    const read: number[] = [];
    const found: MailQuestion[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: 2, ...(cursor && { cursor }) };
      const { body, headers } = await withFault(
        async ({ command, send }) => {
          const output = await send();
          if (command === 'Query') read.push((output as { ScannedCount: number }).ScannedCount);
          return output;
        },
        () => person.try.reports.listMailQuestions({ query }),
      );
      found.push(...body);
      cursor = /cursor=([^>&]+)/.exec(headers['link'] ?? '')?.[1];
    } while (cursor);
    expect(found).toEqual(await open());
    expect(found).toHaveLength(10);
    for (const name of ['n1', 'n3'])
      expect(found).not.toContainEqual(expect.objectContaining({ address: at(name) }));
    expect(read).toHaveLength(5);
    expect(Math.max(...read)).toBeLessThanOrEqual(4);
  });
});

describe('DELETE /mail-questions/{question_id}', () => {
  test.each(KINDS)(
    '204, and the link of what asks for %s works no more, also if its mail comes again',
    async (kind) => {
      const mail = await ask(kind, 'ana');
      const other = await ask(kind, 'ben');
      await endAt('ana');
      await expectEnded(mail);
      expect(await asked()).toEqual(['ben']);
      await mailAll(person);
      expect(await mailsTo(at('ana'))).toHaveLength(1);
      // The mail may have been read, so it counts.
      expect(await standingOf(person.caller, at('ana'))).toMatchObject({
        state: 'asked',
        [kind === 'report' ? 'canBeOffered' : 'canBeAsked']: false,
      });
      expect((await say(other, 'yes')).status).toBe(200);
      const actions = (await auditOf(person)).map(({ action }) => action);
      const expected = kind === 'report' ? 'share_link.revoked' : 'mail_question.ended';
      expect(actions.filter((action) => /question|revoked/.test(action))).toEqual([expected]);
    },
  );

  test('404 for another organization, which does not see it either', async () => {
    const mail = await ask('notifications', 'ana');
    const stranger = await newPerson('Stranger');
    const [{ id }] = (await open()) as [MailQuestion];
    expect((await end(id, stranger)).status).toBe(404);
    expect(await stranger.reports.listMailQuestions()).toEqual([]);
    expect(await asked()).toEqual(['ana']);
    expect((await say(mail, 'yes')).status).toBe(200);
  });

  test('204 for the offer of a report that was deleted', async () => {
    const mail = await ask('report', 'ana');
    const [{ id }] = (await open()) as [MailQuestion];
    await commit(person, [write.drop(keys.shareLink(person.caller, rendered!.id, id))]);
    expect((await visit(askAddress, { token: tokenIn(mail, 'confirm') })).status).toBe(200);
    expect((await end(id)).status).toBe(204);
    await expectEnded(mail);
    expect(await open()).toEqual([]);
  });
});

describe('a question that a member ends before its mail was sent', () => {
  const ASKED = KINDS.filter((kind) => kind !== 'report');
  /** Expects that it was never mailed, whatever else would ask, until it could be asked again. */
  const expectNotMailed = async () => {
    expect(await open()).toEqual([]);
    clock.pass(DAY);
    done.clear();
    await sendDueMails();
    await mailAll(person, done);
    expect(await ask('notifications', 'ana')).toBeUndefined();
    expect(await open()).toEqual([]);
    clock.pass(30 * DAY);
    const mail = await ask('notifications', 'ana');
    expect(await asked()).toEqual(['ana']);
    expect((await say(mail, 'yes')).status).toBe(200);
  };

  test.each(ASKED)('is never mailed, where it asks for %s and waits for its day', async (kind) => {
    await fillDay(person, 'OTHERS', DEFAULT_MAIL_LIMITS.to_others);
    expect(await ask(kind, 'ana')).toBeUndefined();
    expect(await asked()).toEqual(['ana']);
    await endAt('ana');
    await expectNotMailed();
  });

  test.each([0, DEFAULT_MAIL_LIMITS.to_others])(
    'is never mailed, while its mail gets a place behind %d',
    async (before) => {
      if (before > 0) await fillDay(person, 'OTHERS', before);
      let isEnded = false;
      await withFault(
        async ({ input, send }) => {
          const output = await send();
          if (!isEnded && /MAIL_COUNT.*OTHERS/.test(JSON.stringify(input))) {
            isEnded = true;
            await endAt('ana');
          }
          return output;
        },
        () => ask('notifications', 'ana'),
      );
      expect(isEnded).toBe(true);
      await expectNotMailed();
    },
  );

  test.each(KINDS)(
    'is not mailed again, where it asks for %s and its worker has died with the mail',
    async (kind) => {
      await ASKING[kind](at('ana'));
      const isTold = new Set<string>();
      let isSent = false;
      const dying: Parameters<typeof withFault>[0] = async ({ client, send }) => {
        if (isSent) throw new Error('killed');
        const output = await send();
        isSent = client === 'SESv2Client';
        return output;
      };
      for (;;) {
        const task = (await mailTasks(person)).find(({ id }) => !isTold.has(id));
        if (!task) break;
        isTold.add(task.id);
        await withFault(dying, () => deliver(sendMail, task));
      }
      const [mail, ...others] = await mailsTo(at('ana'));
      expect(others).toEqual([]);
      await endAt('ana');
      clock.pass(600);
      await mailAll(person);
      expect(await mailsTo(at('ana'))).toEqual([mail]);
      expect(await open()).toEqual([]);
      await expectEnded(mail);
      expect((await standingOf(person.caller, at('ana'))).state).toBe('asked');
    },
  );
});
