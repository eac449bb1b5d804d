import { marshall } from '@aws-sdk/util-dynamodb';
import { handler as streamWorker } from '../../functions/workers/hand-on-outbox.ts';
import { handler as sweep } from '../../functions/workers/sweep-outbox.ts';
import { handOn } from '../../shared/outside/hand-on.ts';
import { change, workOf } from '../../shared/table/change.ts';
import type { DeadLetter, OutboxEvent, OutboxRow } from '../../shared/table/entities/machinery.ts';
import { keys } from '../../shared/table/keys.ts';
import { MAX_ATTEMPTS } from '../../shared/table/outbox/dead-letters.ts';
import { enqueue, eventData } from '../../shared/table/outbox/outbox.ts';
import { getRow } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import type { Write } from '../../shared/table/writes.ts';
import { useClock } from '../support/clock.ts';
import type { Sending } from '../support/commands.ts';
import { type Fault, impatient, installFaults, on, sdkError, timeout, withFault } from '../support/faults.ts';
import { lettersLogged } from '../support/logged.ts';
import { notedEvent, outboxOf } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';

installFaults();
impatient(100);
const clock = useClock();

let person: Person;
let other: Person;

beforeEach(async () => {
  [person, other] = await Promise.all([newPerson('Ash'), newPerson('Birch')]);
});

const commit = async ({ caller }: Person, ...writes: Write[]): Promise<OutboxRow[]> => {
  await change(caller, () => ({ writes, reply: undefined }));
  return writes.map(({ item }) => item.Put!.Item as OutboxRow);
};

const event = ({ caller }: Person, number = 0) => notedEvent(caller, number);
const task = ({ caller }: Person, address = '') =>
  enqueue(workOf(caller), 'mail', { what: 'question', address });

/** Delivers rows as the stream does. It would deliver them again, and hold up all others, if the worker failed. */
const stream = (rows: readonly OutboxRow[]) => {
  const Records = rows.map((row) => ({
    dynamodb: { NewImage: marshall(row, { removeUndefinedValues: true }) },
  }));
  // AWS Lambda receives JSON, and so binary attributes in base64.
  const base64 = (_: string, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
  return streamWorker(JSON.parse(JSON.stringify({ Records }, base64)) as never);
};

const numbersOf = async (follower: Person): Promise<unknown[]> =>
  (await follower.events.list()).map(({ data }: { data: { note: string } }) => Number(data.note));

const letterOf = ({ caller }: Person, { id }: OutboxRow) => getRow(caller, keys.deadLetter(caller, id));

/** Sweeps when all rows of these organizations are due again, and no row of another test is. */
const sweepLater = async (): Promise<void> => {
  const by_due_at = new Date(Date.now() - 600_000).toISOString();
  for (const { caller } of [person, other]) {
    for (const { id } of await outboxOf(caller)) {
      const due = write.update(keys.outbox(caller, id), { set: { by_due_at } });
      await change(caller, () => ({ writes: [due], reply: undefined }));
    }
  }
  await sweep();
};

interface Entry {
  Id: string;
  MessageBody: string;
}

/** The queue refuses the entries of a batch that this finds, and accepts the others. */
const refusing = (isRefused: (entry: Entry) => boolean): Fault =>
  on(
    ({ client }) => client === 'SQSClient',
    async ({ input }) => ({
      Failed: (input['Entries'] as Entry[]).filter(isRefused).map(({ Id }) => ({
        Id,
        SenderFault: true,
        Code: 'InvalidMessageContents',
        Message: 'no such text',
      })),
    }),
  );

/** A command that concerns an organization. */
const concerns =
  ({ caller }: Person) =>
  ({ input }: Sending) =>
    JSON.stringify(input).includes(caller.org_id);

const down: Fault = () => Promise.reject(timeout());

describe('handOnOutbox', () => {
  test.each(['\uFFFF', '\uFFFE', '\u{1FFFE}', '\uFDD0', '\u0000', '\u007F', 'é', '💥'])(
    'hands on a task whose text has %j, and the events beside it',
    async (text) => {
      const bodies: string[] = [];
      const heard = on(
        ({ client }) => client === 'SQSClient',
        ({ input, send }) => {
          bodies.push(...(input['Entries'] as Entry[]).map(({ MessageBody }) => MessageBody));
          return send();
        },
      );
      const rows = await commit(person, task(person, text), event(person));
      await withFault(heard, () => stream(rows));
      expect(await outboxOf(person.caller)).toEqual([]);
      expect(bodies).toEqual([expect.stringMatching(/^[\u0020-\u007e]*$/)]);
      expect(JSON.parse(bodies[0]!)).toMatchObject({ data: { address: text } });
      expect(await numbersOf(person)).toEqual([0]);
    },
  );

  test('leaves one refused task of three in the outbox, and hands on the others and the events', async () => {
    const rows = await commit(
      person,
      ...['a', 'b', 'c'].map((address) => task(person, address)),
      event(person),
    );
    await withFault(
      refusing(({ Id }) => Id === rows[1]!.id),
      () => stream(rows),
    );
    expect(await outboxOf(person.caller)).toEqual([
      expect.objectContaining({ id: rows[1]!.id, attempts: 1 }),
    ]);
    expect(await numbersOf(person)).toEqual([0]);
  });

  test('hands on more tasks and events than one call takes, each once and in their order', async () => {
    const numbers = Array.from({ length: 120 }, (_, number) => number);
    const rows: OutboxRow[] = [];
    for (const start of [0, 60]) {
      const some = numbers.slice(start, start + 60);
      rows.push(...(await commit(person, ...some.map((number) => event(person, number)))));
      rows.push(...(await commit(person, ...some.map((number) => task(person, String(number))))));
    }
    const addresses: number[] = [];
    const queue = on(
      ({ client }) => client === 'SQSClient',
      async ({ input }) => {
        for (const { MessageBody } of input['Entries'] as Entry[])
          addresses.push(Number((JSON.parse(MessageBody) as { data: { address: string } }).data.address));
        return {};
      },
    );
    await withFault(queue, () => stream(rows));
    expect(addresses).toEqual(numbers);
    expect(await numbersOf(person)).toEqual(numbers);
    expect(await outboxOf(person.caller)).toEqual([]);
  });

  test('keeps a task whose queue is away, and sends it once when it is back', async () => {
    const rows = await commit(person, task(person));
    const away = on(({ client }) => client === 'SQSClient', down);
    await withFault(away, () => stream(rows));
    expect((await outboxOf(person.caller)).map(({ id }) => id)).toEqual([rows[0]!.id]);
    await sweepLater();
    expect(await outboxOf(person.caller)).toEqual([]);
  });

  test('sends tasks one by one when the queue refuses a batch as a whole', async () => {
    const rows = await commit(person, ...['a', 'b', 'c'].map((address) => task(person, address)));
    const tooLong = sdkError('BatchRequestTooLong', { $metadata: { httpStatusCode: 400 } });
    const refuses = on(
      ({ client, input }) => client === 'SQSClient' && JSON.stringify(input).includes(rows[2]!.id),
      () => Promise.reject(tooLong),
    );
    await withFault(refuses, () => stream(rows));
    expect((await outboxOf(person.caller)).map(({ id }) => id)).toEqual([rows[2]!.id]);
  });

  test('hands on all other organizations when one has no queue, no table or no time', async () => {
    const third = await newPerson('Cedar');
    const rows = [
      ...(await commit(person, task(person), event(person))),
      ...(await commit(other, task(other), event(other))),
      ...(await commit(third, task(third), event(third))),
    ];
    const noQueue = on((sending) => sending.client === 'SQSClient' && concerns(person)(sending), down);
    const noTable = on((sending) => sending.client === 'DynamoDBClient' && concerns(other)(sending), down);
    await withFault(
      (sending) => noQueue({ ...sending, send: () => noTable(sending) }),
      () => stream(rows),
    );
    expect((await outboxOf(person.caller)).map(({ outbox }) => outbox)).toEqual(['mail']);
    expect((await outboxOf(other.caller)).map(({ outbox }) => outbox)).toEqual(['mail', 'event']);
    expect(await outboxOf(third.caller)).toEqual([]);
    expect(await numbersOf(third)).toEqual([0]);
    await sweepLater();
    expect(await numbersOf(other)).toEqual([0]);
    expect(await outboxOf(other.caller)).toEqual([]);
  });

  test('continues the sequence when one event cannot be stored', async () => {
    const rows = await commit(person, ...[1, 2, 3].map((number) => event(person, number)));
    const invalid = sdkError('ValidationException', { $metadata: { httpStatusCode: 400 } });
    const refuses = on(
      ({ command, input }) =>
        command === 'TransactWriteItems' &&
        JSON.stringify(input).includes(`"id":"${rows[1]!.id}","sequence"`),
      () => Promise.reject(invalid),
    );
    await withFault(refuses, async () => {
      await stream(rows);
      expect(await numbersOf(person)).toEqual([1, 3]);
      for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) await sweepLater();
    });
    expect(await outboxOf(person.caller)).toEqual([]);
    const letter = await letterOf(person, rows[1]!);
    expect(letter).toMatchObject<Partial<DeadLetter>>({
      what: 'event',
      reason: expect.stringContaining('ValidationException'),
      attempts: MAX_ATTEMPTS,
    });
    expect(eventData(letter!.work as unknown as OutboxEvent)).toMatchObject({ note: '2' });
    await stream(await commit(person, event(person, 4)));
    expect((await person.events.list()).map(({ sequence }: { sequence: number }) => sequence)).toEqual([
      1, 2, 3,
    ]);
  });
});

describe('sweepOutbox', () => {
  test.each([
    [59, 1],
    [61, 0],
  ])('leaves a row to the stream for a minute: after %d s there are %d', async (seconds, left) => {
    await commit(person, task(person));
    clock.pass(seconds);
    await sweep();
    expect(await outboxOf(person.caller)).toHaveLength(left);
  });

  test('puts a task that the queue refuses at every attempt among the dead letters, with the reason', async () => {
    const rows = await commit(person, task(person, 'refused'), task(person, 'welcome'));
    const refuses = refusing(({ Id }) => Id === rows[0]!.id);
    await withFault(refuses, async () => {
      await stream(rows);
      for (let attempt = 2; attempt < MAX_ATTEMPTS; attempt += 1) await sweepLater();
      expect(await letterOf(person, rows[0]!)).toBeUndefined();
      expect(await lettersLogged(sweepLater)).toEqual([rows[0]!.id]);
    });
    expect(await outboxOf(person.caller)).toEqual([]);
    expect(await letterOf(person, rows[0]!)).toMatchObject<Partial<DeadLetter>>({
      id: rows[0]!.id,
      what: 'mail',
      reason: 'the queue mail refused the message: InvalidMessageContents no such text',
      attempts: MAX_ATTEMPTS,
    });
  });

  test('waits longer after each refusal, so that refused rows do not take the turn of others', async () => {
    const rows = await commit(person, task(person));
    const minutes: number[] = [];
    const refuses = refusing(({ Id }) => Id === rows[0]!.id);
    await withFault(refuses, async () => {
      await stream(rows);
      for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
        const [{ by_due_at } = rows[0]!] = await outboxOf(person.caller);
        minutes.push(Math.round((Date.parse(by_due_at) - Date.now()) / 60_000));
        await sweepLater();
      }
    });
    expect(minutes).toEqual([1, 3, 9, 27, 81]);
  });

  test('counts no outage as a refusal, and fails so that an alarm is raised', async () => {
    const rows = await commit(person, task(person), event(person));
    await commit(other, event(other));
    const outage = on(({ client }) => client === 'SQSClient', down);
    await withFault(outage, async () => {
      await handOn(rows);
      for (let turn = 0; turn <= MAX_ATTEMPTS; turn += 1) {
        await expect(sweepLater()).rejects.toThrow('wait');
      }
    });
    expect(await numbersOf(other)).toEqual([0]);
    const [left] = await outboxOf(person.caller);
    expect(left).toMatchObject({ id: rows[0]!.id });
    expect(left!.attempts).toBeUndefined();
  });
});
