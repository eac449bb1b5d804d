import { marshall } from '@aws-sdk/util-dynamodb';
import { handler as streamWorker } from '../../functions/workers/hand-on-outbox.ts';
import { handler as renderReport } from '../../functions/workers/render-report.ts';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import { handler as sweep } from '../../functions/workers/sweep-outbox.ts';
import { sha256 } from '../../shared/base/encoding.ts';
import { QUEUE_ATTEMPTS } from '../../shared/base/queues.ts';
import { aliasOf } from '../../shared/base/tenancy.ts';
import { change, workOf } from '../../shared/table/change.ts';
import type { DeadLetter, OutboxRow } from '../../shared/table/entities/machinery.ts';
import { keys } from '../../shared/table/keys.ts';
import { MAX_ATTEMPTS } from '../../shared/table/outbox/dead-letters.ts';
import { enqueue } from '../../shared/table/outbox/outbox.ts';
import { queryRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { seeded } from '../support/chance.ts';
import type { Sending } from '../support/commands.ts';
import {
  type Fault,
  impatient,
  installFaults,
  sdkError,
  throttled,
  timeout,
  withFault,
} from '../support/faults.ts';
import { mailTasks, newMember, tell } from '../support/notices.ts';
import { deliver, notedEvent, outboxOf, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';

installFaults();
impatient(200);

const ROUNDS = scaled(8, 12);
const ORGANIZATIONS = scaled(6, 12);

/** Entries that are refused at every attempt, and why. Each other one is accepted in the end. */
const DOOMED: Readonly<Record<string, string>> = {
  'mail 2': 'InvalidMessageContents',
  'mail 5': 'BatchRequestTooLong',
  'event 3 0': 'ValidationException',
  'event 6 1': 'ValidationException',
};

/** How many attempts at an entry may be refused by chance: more than make a dead letter. */
const MAX_REFUSED = 20;

let people: Person[];
/** The one whose entries are refused. */
let unlucky: Person;
let lucky: Person[];

beforeEach(async () => {
  people = await Promise.all(
    Array.from({ length: ORGANIZATIONS }, (_, position) => newPerson(`Organization ${position}`)),
  );
  [unlucky, ...lucky] = people as [Person, ...Person[]];
});

interface Entry {
  Id: string;
  MessageBody: string;
}

const isOf = ({ caller }: Person, { input }: Sending): boolean =>
  [caller.org_id, aliasOf(caller)].some((name) => JSON.stringify(input).includes(name));

const invalid = () => sdkError('ValidationException', { $metadata: { httpStatusCode: 400 } });

const tooLong = () => sdkError('BatchRequestTooLong', { $metadata: { httpStatusCode: 400 } });

/**
 * Queue and table refuse the entries of one organization: single ones, whole batches, or for a while. What becomes of an
 * attempt depends on the entry and on how many there were of it, so that the order in which commands come decides nothing.
 * @param names the entries by their ids
 */
const hostileTo = (person: Person, names: ReadonlyMap<string, string>): Fault => {
  const attempts = new Map<string, number>();
  /** What becomes of the next attempt at an entry. */
  const fateOf = (name: string, [early, late]: [outage: number, refusal: number], refusals: string[]) => {
    const attempt = (attempts.get(name) ?? 0) + 1;
    attempts.set(name, attempt);
    if (DOOMED[name]) return DOOMED[name];
    if (attempt > MAX_REFUSED) return 'accepted';
    const random = seeded(Number.parseInt(sha256(`${name}, ${attempt}`).slice(0, 7), 16));
    const drawn = random();
    if (drawn < early) return 'outage';
    return drawn < late ? refusals[Math.floor(random() * refusals.length)]! : 'accepted';
  };
  return async (sending) => {
    if (!isOf(person, sending)) return sending.send();
    const text = JSON.stringify(sending.input);
    const entries = [...names].filter(([id]) => text.includes(id));
    if (sending.client === 'SQSClient') {
      const refusals = ['BatchRequestTooLong', 'InvalidMessageContents'];
      const fates = new Map(entries.map(([id, name]) => [id, fateOf(name, [0.2, 0.8], refusals)]));
      const all = new Set(fates.values());
      if (all.has('outage')) throw timeout();
      if (all.has('BatchRequestTooLong')) throw tooLong();
      const accepted = (sending.input['Entries'] as Entry[]).filter(({ Id }) => fates.get(Id) === 'accepted');
      const refused = entries.filter(([id]) => fates.get(id) !== 'accepted');
      sending.input['Entries'] = accepted;
      const output = accepted.length > 0 ? await sending.send() : {};
      const Failed = refused.map(([Id]) => ({ Id, SenderFault: true, Code: fates.get(Id) }));
      return { ...output, Failed };
    }
    // Where the failure is counted, the table works: a refusal that cannot be counted is an outage.
    if (sending.command === 'TransactWriteItems' && text.includes('#EVENT"')) {
      const fates = new Set(entries.map(([, name]) => fateOf(name, [0.3, 0.8], ['ValidationException'])));
      if (fates.has('outage')) throw throttled();
      if (fates.has('ValidationException')) throw invalid();
    }
    return sending.send();
  };
};

/** @returns the rows of two events and a mail between them */
const commit = async ({ caller }: Person, round: number): Promise<OutboxRow[]> => {
  const writes = [
    notedEvent(caller, `${round} 0`),
    enqueue(workOf(caller), 'mail', { what: 'question', address: `${round} \uFFFF` }),
    notedEvent(caller, `${round} 1`),
  ];
  await change(caller, () => ({ writes, reply: undefined }));
  return writes.map(({ item }) => item.Put!.Item as OutboxRow);
};

const stream = (rows: readonly OutboxRow[]) =>
  streamWorker({ Records: rows.map((row) => ({ dynamodb: { NewImage: marshall(row) } })) } as never);

const eventsOf = async (person: Person): Promise<{ sequence: number; data: { note: string } }[]> =>
  person.events.list();

const lettersOf = ({ caller }: Person): Promise<DeadLetter[]> =>
  Array.fromAsync(queryRows<DeadLetter>(caller, { partition: keys.deadLetter.partition(caller) }));

const makeDue = async ({ caller }: Person): Promise<void> => {
  const by_due_at = new Date(Date.now() - 600_000).toISOString();
  for (const { id } of await outboxOf(caller)) {
    const due = write.update(keys.outbox(caller, id), { set: { by_due_at } });
    await change(caller, () => ({ writes: [due], reply: undefined }));
  }
};

describe('while a queue and the table refuse one organization’s entries at random', () => {
  test('all others keep the order and the pace of their events, and dead letters name the reasons', async () => {
    const names = new Map<string, string>();
    await withFault(hostileTo(unlucky, names), async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const rows = await Promise.all(people.map((person) => commit(person, round)));
        for (const [n, name] of [`event ${round} 0`, `mail ${round}`, `event ${round} 1`].entries())
          names.set(rows[0]![n]!.id, name);
        await stream(rows.flat());
        // At once, in the same run of the worker: nobody waits for the sweep.
        const person = lucky[round % lucky.length]!;
        expect(await outboxOf(person.caller)).toEqual([]);
        expect((await eventsOf(person)).at(-1)).toMatchObject({ data: { note: `${round} 1` } });
      }
      while ((await outboxOf(unlucky.caller)).length > 0) {
        await makeDue(unlucky);
        // Some of its entries have to wait.
        await sweep().catch(() => undefined);
      }
    });
    for (const person of lucky) {
      const events = await eventsOf(person);
      expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, position) => position + 1));
      expect(events.map(({ data }) => data.note)).toEqual(
        Array.from({ length: 2 * ROUNDS }, (_, position) => `${Math.floor(position / 2)} ${position % 2}`),
      );
      expect(await lettersOf(person)).toEqual([]);
    }
    const letters = await lettersOf(unlucky);
    const events = await eventsOf(unlucky);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, position) => position + 1));
    expect(events.length + letters.filter(({ what }) => what === 'event').length).toBe(2 * ROUNDS);
    const reasons = new Map(letters.map(({ id, reason }) => [names.get(id), reason]));
    for (const [name, reason] of Object.entries(DOOMED)) expect(reasons.get(name)).toContain(reason);
    for (const letter of letters) {
      expect(letter).toMatchObject({ attempts: MAX_ATTEMPTS, org_id: unlucky.caller.org_id });
      expect(letter.reason).toMatch(/InvalidMessageContents|BatchRequestTooLong|ValidationException/);
    }
  });
});

describe('while the mail engine and the bucket refuse one organization', () => {
  test('all others get their mails and reports, and dead letters name the reasons', async () => {
    const three = [unlucky, ...lucky.slice(0, 2)];
    const prepared = await Promise.all(
      three.map(async (person) => {
        await tell(person, { user_ids: [await newMember(person, 'Ana')] });
        await deliver(sendMail, (await mailTasks(person))[0]!);
        const mail = (await mailTasks(person)).find(({ data }) => data['what'] === 'digest')!;
        const { id: inspection_id } = await newInspection(person);
        await person.reports.create({ params: { inspection_id }, body: {} });
        const render = (await waitingTasks(person.caller)).find(({ outbox }) => outbox === 'render')!;
        return { person, mail, render };
      }),
    );
    const denied = (name: string) => sdkError(name, { $metadata: { httpStatusCode: 403 } });
    const refuses: Fault = async (sending) => {
      const isMail = sending.client === 'SESv2Client';
      if (isMail && JSON.stringify(sending.input).includes(unlucky.caller.org_id))
        throw denied('SendingPausedException');
      if (sending.client === 'S3Client' && isOf(unlucky, sending)) throw denied('KMSInvalidStateException');
      return sending.send();
    };
    const accepted: boolean[][] = [];
    await withFault(refuses, async () => {
      for (let attempt = 1; attempt <= QUEUE_ATTEMPTS; attempt += 1) {
        const turns = prepared.map(async ({ mail, render }) => [
          await deliver(sendMail, mail, attempt),
          await deliver(renderReport, render, attempt),
        ]);
        accepted.push((await Promise.all(turns)).flat());
      }
    });
    for (const turn of accepted) expect(turn).toEqual([false, false, true, true, true, true]);
    const reasons = (await lettersOf(unlucky)).map(({ what, reason }) => `${what}: ${reason}`).toSorted();
    expect(reasons).toEqual([
      expect.stringContaining('SendingPausedException'),
      expect.stringContaining('KMSInvalidStateException'),
    ]);
    for (const { person } of prepared.slice(1)) expect(await lettersOf(person)).toEqual([]);
  });
});
