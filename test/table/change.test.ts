import fc from 'fast-check';
import type { Caller } from '../../shared/base/caller.ts';
import * as errors from '../../shared/base/errors.ts';
import { unstorable } from '../../shared/http/request/storable.ts';
import { change } from '../../shared/table/change.ts';
import { type Key, keys } from '../../shared/table/keys.ts';
import { countRows, getRow, getRows, guard, queryRows } from '../../shared/table/rows.ts';
import { nextNumber, writeRow } from '../../shared/table/single-write.ts';
import * as write from '../../shared/table/writes.ts';
import {
  type Fault,
  first,
  impatient,
  installFaults,
  loseReply,
  on,
  sdkError,
  throttled,
  timeout,
  transactionConflict,
  withFault,
} from '../support/faults.ts';
import { newPerson } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { runs } from '../support/scale.ts';

installFaults();
installRecorder();
impatient();

let caller: Caller;

beforeAll(async () => {
  ({ caller } = await newPerson('Changer'));
});

/** The key of a new row, in the partition of documents. */
const newKey = <Row extends object = Record<string, unknown>>(): Key<Row> => ({
  pk: keys.all(caller, 'DOCUMENT'),
  sk: crypto.randomUUID(),
});
const one = (...writes: Parameters<typeof write.create<Record<string, unknown>>>[0][]) => ({
  writes: writes.map((row) => write.create(row)),
  reply: 'done',
});

describe('change', () => {
  test('sends a transaction again with the same token when its reply was lost, so that it is applied once', async () => {
    const sent: unknown[] = [];
    const key = newKey();
    const counter = newKey();
    const seen: Fault = async (sending) => {
      sent.push(sending.input);
      return sent.length < 3 ? loseReply(sending) : sending.send();
    };
    const add = () => write.update(counter, { add: { count: 1 } });
    const reply = await withFault(seen, () =>
      change(caller, () => ({ writes: [write.create({ ...key }), add()], reply: 'done' })),
    );
    expect(reply).toBe('done');
    // AWS applies transactions with the same token once within ten minutes. All retries end within seconds.
    expect(sent).toHaveLength(3);
    expect(
      new Set(sent.map((input) => (input as { ClientRequestToken: string }).ClientRequestToken)).size,
    ).toBe(1);
    expect(sent[1]).toEqual(sent[0]);
    expect(await getRow(caller, counter)).toMatchObject({ count: 1 });
  });

  test('decides again, with another token, when another writer was faster', async () => {
    const key = newKey<{ version: number }>();
    await change(caller, () => one({ ...key, version: 1 }));
    const tokens: unknown[] = [];
    let rival = true;
    const decided: number[] = [];
    await withFault(
      on(
        ({ command }) => command === 'TransactWriteItems',
        ({ input, send }) => {
          tokens.push(input['ClientRequestToken']);
          return send();
        },
      ),
      () =>
        change(caller, async () => {
          const row = (await getRow(caller, key))!;
          decided.push(row.version);
          if (rival) {
            rival = false;
            await change(caller, () => ({
              writes: [write.replace({ ...key, version: 2 }, 1)],
              reply: undefined,
            }));
          }
          return {
            writes: [write.replace({ ...key, version: row.version + 1 }, row.version)],
            reply: undefined,
          };
        }),
    );
    expect(decided).toEqual([1, 2]);
    expect(new Set(tokens).size).toBe(3);
    expect(await getRow(caller, key)).toMatchObject({ version: 3 });
  });

  test('writes all rows or none, and answers with the error of the first failed condition that has one', async () => {
    const [taken, free] = [newKey(), newKey()];
    await change(caller, () => one(taken as never));
    await expect(
      change(caller, () => ({
        writes: [
          write.create({ ...free }),
          write.create({ ...taken }, () => errors.valueInUse('name')),
          write.check(newKey()),
        ],
        reply: undefined,
      })),
    ).rejects.toMatchObject({ status: 409, detail: errors.valueInUse('name').detail });
    expect(await getRow(caller, free)).toBeUndefined();
  });

  test.each([
    ['a conflict', () => transactionConflict(1)],
    ['throttling', throttled],
    ['a time-out', timeout],
    ['an outage', () => sdkError('InternalServerError', { $metadata: { httpStatusCode: 500 } })],
    ['a transaction in progress', () => sdkError('TransactionInProgressException')],
    ['a broken connection', () => Object.assign(new Error('reset'), { code: 'ECONNRESET' })],
  ])('outlasts %s, and is a 503 when it does not end', async (_, failure) => {
    const fail: Fault = () => Promise.reject(failure());
    const write = () => change(caller, () => one(newKey() as never));
    await expect(withFault(first(3, fail), write)).resolves.toBe('done');
    await expect(withFault(fail, write)).rejects.toMatchObject({
      status: 503,
      detail: errors.unavailable('The database').detail,
    });
  });

  test('does not repeat a request that can never succeed', async () => {
    let sent = 0;
    const refuse: Fault = () => {
      sent += 1;
      return Promise.reject(sdkError('AccessDeniedException', { $metadata: { httpStatusCode: 400 } }));
    };
    await expect(withFault(refuse, () => change(caller, () => one(newKey() as never)))).rejects.toThrow(
      'AccessDenied',
    );
    expect(sent).toBe(1);
  });

  test('400 for a row that is larger, or nested more deeply, than a row can be', async () => {
    await expect(change(caller, () => one({ ...newKey(), text: 'x'.repeat(410_000) }))).rejects.toMatchObject(
      {
        status: 400,
      },
    );
    // The message of AWS for a row of a transaction. Not every engine checks the nesting.
    const reason = { Code: 'ValidationError', Message: 'Nesting Levels have exceeded supported limits' };
    const refuse: Fault = () =>
      Promise.reject(sdkError('TransactionCanceledException', { CancellationReasons: [reason] }));
    await expect(withFault(refuse, () => change(caller, () => one(newKey() as never)))).rejects.toMatchObject(
      {
        status: 400,
      },
    );
  });
});

describe('a row', () => {
  test('returns any JSON that a request may hold as it was stored', async () => {
    const numbers = [0, 0.1, 1e20, -1e100, 2 ** 53 + 2, 1e-100, Number.MAX_SAFE_INTEGER];
    const anything = fc.jsonValue({ maxDepth: 4 }).filter((value) => unstorable(value).length === 0);
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        const key = newKey<{ value: unknown; numbers: number[] }>();
        await change(caller, () => one({ ...key, value, numbers }));
        const { value: stored, numbers: same } = (await getRow(caller, key))!;
        // The table does not store the sign of zero.
        expect(JSON.parse(JSON.stringify(stored))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(same).toEqual(numbers);
      }),
      { numRuns: runs(60) },
    );
  });

  test('is not found after its time to live, although it still exists', async () => {
    const key = newKey();
    await change(caller, () => one({ ...key, ttl: Math.floor(Date.now() / 1_000) - 1 }));
    expect(await getRow(caller, key)).toBeUndefined();
    expect(await getRows(caller, [key])).toEqual([undefined]);
    const listed = await Array.fromAsync(queryRows(caller, { partition: key.pk, prefix: key.sk }));
    expect(listed).toEqual([]);
  });

  test('is listed only within the prefix that is asked for, wherever the list continues', async () => {
    const { pk } = newKey();
    const sks = ['A#1', 'B#1', 'B#2', 'C#1'];
    await change(caller, () => ({ writes: sks.map((sk) => write.put({ pk, sk })), reply: undefined }));
    const after = async (sk: string, newestFirst: boolean) =>
      Array.fromAsync(
        queryRows(caller, { partition: pk, prefix: 'B#', after: sk, newestFirst }),
        (row) => row.sk,
      );
    expect(await after('A', false)).toEqual(['B#1', 'B#2']);
    expect(await after('B#1', false)).toEqual(['B#2']);
    expect(await after('D', false)).toEqual([]);
    expect(await after('D', true)).toEqual(['B#2', 'B#1']);
    expect(await after('A', true)).toEqual([]);
  });
});

describe('nextNumber', () => {
  test('never gives a number twice, even when replies are lost', async () => {
    const next = () => nextNumber(caller, keys.sequence(caller, 'FINDING'));
    const numbers = await Promise.all(
      Array.from({ length: 10 }, (_, turn) => withFault(first(turn % 2, loseReply), next)),
    );
    expect(new Set(numbers).size).toBe(10);
  });
});

describe('the separation of organizations', () => {
  const REFUSED = { status: 403, detail: errors.rowLevelSecurity().detail };
  const own = 'ORG#018f0000-0000-7000-8000-000000000001';
  const walled = { ...({ user_id: 'u', name: 'n' } as const), org_id: own.slice(4) };

  const foreign = fc.oneof(
    fc.string(),
    fc.string().map((text) => `ORG#${text}`),
    fc
      .string({ minLength: 1 })
      .filter((text) => !text.startsWith('#'))
      .map((text) => own + text),
    fc.constantFrom(
      '',
      'ORG#',
      own.slice(0, -1),
      own.toLowerCase(),
      ` ${own}`,
      'KEY#0',
      'DUE#00',
      `DUE#${own}`,
    ),
  );

  test('accepts keys of the own organization only', () => {
    fc.assert(
      fc.property(fc.string(), (rest) => expect(() => guard(walled, `${own}#${rest}`)).not.toThrow()),
    );
    fc.assert(
      fc.property(foreign, (pk) => {
        fc.pre(pk !== own && !pk.startsWith(`${own}#`));
        expect(() => guard(walled, pk)).toThrow(expect.objectContaining(REFUSED));
      }),
      { numRuns: runs(1_000) },
    );
  });

  test('is checked before each read and each write, and nothing is sent', async () => {
    const ways: ((pk: string) => Promise<unknown>)[] = [
      (pk) => getRow(walled, { pk, sk: 's' }),
      async (pk) =>
        getRows(walled, [
          { pk: own, sk: 's' },
          { pk, sk: 's' },
        ]),
      (pk) => queryRows(walled, { partition: pk }).next(),
      (pk) => queryRows(walled, { partition: pk, index: 'by_status' }).next(),
      (pk) => countRows(walled, { partition: pk }),
      (pk) => nextNumber(walled, { pk, sk: 's' }),
      ...[
        (pk: string) => write.create({ pk, sk: 's' }),
        (pk: string) => write.replace({ pk, sk: 's' }, 1),
        (pk: string) => write.put({ pk, sk: 's' }),
        (pk: string) => write.remove({ pk, sk: 's' }, 1),
        (pk: string) => write.drop({ pk, sk: 's' }),
        (pk: string) => write.check({ pk, sk: 's' }),
        (pk: string) => write.update({ pk, sk: 's' }, { set: { a: 1 } }),
      ].flatMap((writeTo) => [
        (pk: string) => writeRow(walled, writeTo(pk)),
        (pk: string) =>
          change(walled, () => ({
            writes: [write.put({ pk: own, sk: 's' }), writeTo(pk)],
            reply: undefined,
          })),
      ]),
    ];
    await fc.assert(
      fc.asyncProperty(foreign, fc.constantFrom(...ways), async (pk, way) => {
        fc.pre(pk !== own && !pk.startsWith(`${own}#`));
        const { sent } = await recording(() => expect(way(pk)).rejects.toMatchObject(REFUSED));
        expect(sent.tableCalls).toBe(0);
      }),
      { numRuns: runs(500) },
    );
  });
});
