import { randomUUID } from 'node:crypto';
import {
  handler as createHandler,
  operation as create,
} from '../../functions/client-accounts/create-client-account.ts';
import type { Caller } from '../../shared/base/caller.ts';
import { documentKey, getObject, putObject } from '../../shared/files/objects.ts';
import { change } from '../../shared/table/change.ts';
import { type Key, keys } from '../../shared/table/keys.ts';
import { dueRows } from '../../shared/table/outbox/due.ts';
import { leftBehind } from '../../shared/table/outbox/outbox.ts';
import { isTransient } from '../../shared/table/retry.ts';
import { countRows, getRow, getRows, queryRows } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { as } from '../support/call.ts';
import {
  type Fault,
  first,
  impatient,
  installFaults,
  on,
  sdkError,
  shortPages,
  unprocessedKeys,
  withFault,
} from '../support/faults.ts';
import { notedEvent } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';

// What AWS answers now and then, and the local engines never.
installFaults();
impatient();

let person: Person;
let caller: Caller;
let rowKeys: Key<Record<string, unknown>>[];

beforeAll(async () => {
  person = await newPerson('Cloud');
  ({ caller } = person);
  rowKeys = Array.from({ length: 5 }, () => ({
    pk: keys.all(caller, 'DOCUMENT'),
    sk: randomUUID(),
  })).toSorted((a, b) => (a.sk < b.sk ? -1 : 1));
  await change(caller, () => ({ writes: rowKeys.map((key) => write.create({ ...key })), reply: undefined }));
});

/** The number of commands that `work` sends through a fault. */
const counted = async <Result>(fault: Fault, work: () => Promise<Result>) => {
  let sent = 0;
  const result = await withFault((sending) => {
    sent += 1;
    return fault(sending);
  }, work);
  return { sent, result };
};

const sortKeys = (rows: readonly (Key | undefined)[]) => rows.map((row) => row?.sk);

describe('a query of several pages', () => {
  const query = () => ({ partition: keys.all(caller, 'DOCUMENT') });

  test('gives all rows once and in order, in both directions', async () => {
    for (const newestFirst of [false, true]) {
      const { sent, result } = await counted(shortPages, () =>
        Array.fromAsync(queryRows(caller, { ...query(), newestFirst })),
      );
      const expected = sortKeys(rowKeys);
      expect(sortKeys(result)).toEqual(newestFirst ? expected.toReversed() : expected);
      expect(sent).toBeGreaterThanOrEqual(rowKeys.length);
    }
  });

  test('counts all rows', async () => {
    expect((await counted(shortPages, () => countRows(caller, query()))).result).toBe(rowKeys.length);
  });

  test('finds all rows that are due, whichever page they are on', async () => {
    // Long ago, so that no row of another test is due as well.
    const longAgo = new Date('2001-01-01T00:00:00.000Z');
    const rows = Array.from({ length: 40 }, () => notedEvent(caller, 'Due'));
    for (const { item } of rows) item.Put!.Item!['by_due_at'] = longAgo.toISOString();
    const ids = rows.map(({ item }) => item.Put!.Item!['id']);
    await change(caller, () => ({ writes: rows, reply: undefined }));
    // 40 rows in 16 shards: at least one shard has several.
    for (const find of [() => dueRows('OUTBOX', longAgo), () => leftBehind(longAgo)]) {
      const { result: pages } = await counted(shortPages, () => Array.fromAsync(find()));
      const result = pages.flat();
      expect(new Set(result.map(({ id }) => id))).toEqual(new Set([...result.map(({ id }) => id), ...ids]));
    }
  });
});

describe('a BatchGetItem with unprocessed keys', () => {
  test('is asked for again, and gives each row in its place', async () => {
    const wanted = [...rowKeys.toReversed(), { ...rowKeys[0]!, sk: randomUUID() }];
    const { sent, result } = await counted(unprocessedKeys, () => getRows(caller, wanted));
    expect(sortKeys(result)).toEqual([...sortKeys(rowKeys).toReversed(), undefined]);
    expect(sent).toBe(wanted.length);
  });

  test('is asked for again when it has read nothing at all', async () => {
    const nothing: Fault = first(1, async ({ input }) => ({ UnprocessedKeys: input['RequestItems'] }));
    const { sent, result } = await counted(nothing, () => getRows(caller, rowKeys));
    expect([sent, sortKeys(result)]).toEqual([2, sortKeys(rowKeys)]);
  });
});

const failing =
  (error: Error): Fault =>
  async () => {
    throw error;
  };
const status = (name: string, httpStatusCode: number) => sdkError(name, { $metadata: { httpStatusCode } });

describe('a failure that passes', () => {
  test.each<[string, Error]>([
    ['a 500 without a name', status('UnknownError', 500)],
    ['a 502 of something in between', status('SyntaxError', 502)],
    ['a 503 without a name', status('Error', 503)],
    ['a time limit of the client', sdkError('TimeoutError')],
    ['throttling', status('ThrottlingException', 400)],
    ['a hot partition', status('ProvisionedThroughputExceededException', 400)],
    ['the limit of an account', status('RequestLimitExceeded', 400)],
    ['a conflict', status('TransactionConflictException', 400)],
    ...['ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT'].map(
      (code): [string, Error] => [code, Object.assign(new Error(code), { code })],
    ),
  ])('is tried again: %s', async (_, error) => {
    const { sent, result } = await counted(first(1, failing(error)), () => getRow(caller, rowKeys[0]!));
    expect([sent, result?.sk]).toEqual([2, rowKeys[0]!.sk]);
  });

  test('is a 503 when it does not pass', async () => {
    const outage = failing(status('UnknownError', 500));
    await expect(counted(outage, () => getRow(caller, rowKeys[0]!))).rejects.toMatchObject({ status: 503 });
  });
});

describe('a failure that stays', () => {
  test.each([
    ['a malformed request', status('ValidationException', 400)],
    ['a missing table', status('ResourceNotFoundException', 400)],
    ['a grant that is missing', status('AccessDeniedException', 400)],
    ['an error of our own', new TypeError('x is not a function')],
  ])('is sent once: %s', async (_, error) => {
    let sent = 0;
    const fault: Fault = (sending) => {
      sent += 1;
      return failing(error)(sending);
    };
    await expect(withFault(fault, () => getRow(caller, rowKeys[0]!))).rejects.toBe(error);
    expect(sent).toBe(1);
  });

  test('a transaction is refused for good when one of its conditions failed', () => {
    const cancelled = (...codes: string[]) =>
      sdkError('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });
    expect(isTransient(cancelled('None', 'TransactionConflict'))).toBe(true);
    expect(isTransient(cancelled('ThrottlingError', 'None'))).toBe(true);
    expect(isTransient(cancelled('TransactionConflict', 'ConditionalCheckFailed'))).toBe(false);
    expect(isTransient(cancelled('ValidationError', 'None'))).toBe(false);
  });
});

/** The key of the table and the bucket has a policy of its own. */
describe('a key of KMS that refuses', () => {
  const message = (action: string) =>
    `User: arn:aws:sts::1:assumed-role/r/f is not authorized to perform: ${action} on resource: arn:aws:x`;
  const denied = (name: string, action: string) =>
    Object.assign(status(name, 403), { message: message(action) });

  test('500 without details for the table, and no change', async () => {
    const refused = on(
      ({ command }) => command === 'TransactWriteItems',
      failing(denied('AccessDeniedException', 'kms:Decrypt')),
    );
    const endpoint = { operation: create, handler: createHandler };
    const answer = await withFault(refused, () => as(person).call(endpoint, { body: { name: 'Acme' } }));
    expect([answer.status, answer.text]).not.toContain('kms');
    expect(answer.status).toBe(500);
    expect(await person.clientAccounts.list()).toEqual([]);
  });

  test('is no missing file, which S3 refuses in nearly the same words', async () => {
    const key = documentKey(caller, randomUUID());
    await putObject(caller, key, Buffer.from('a'), 'text/plain');
    const toS3 = (error: Error): Fault => on(({ client }) => client === 'S3Client', failing(error));
    const read = (error: Error) => withFault(toS3(error), () => getObject(caller, key));
    for (const action of ['kms:Decrypt', 's3:GetObject']) {
      await expect(read(denied('AccessDenied', action))).rejects.toMatchObject({ name: 'AccessDenied' });
    }
    // Without the right to list the bucket, this is how S3 answers for a key that does not exist.
    expect(await read(denied('AccessDenied', 's3:ListBucket'))).toBeUndefined();
    expect(
      await read(Object.assign(status('AccessDenied', 403), { message: 'Access Denied' })),
    ).toBeUndefined();
    expect(await read(status('NoSuchKey', 404))).toBeUndefined();
  });
});
