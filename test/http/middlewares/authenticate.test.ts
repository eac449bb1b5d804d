import fc from 'fast-check';
import { handler, operation } from '../../../functions/client-accounts/get-client-account.ts';
import { commands } from '../../../infra/operator/commands.ts';
import { sha256 } from '../../../shared/base/encoding.ts';
import * as errors from '../../../shared/base/errors.ts';
import { SAFE_HEADERS } from '../../../shared/base/headers.ts';
import * as apiKeys from '../../../shared/organizations/api-keys.ts';
import { newApiKey } from '../../../shared/organizations/api-keys.ts';
import {
  authenticateKey,
  isWellFormedKey,
  MAX_REQUESTS_PER_MINUTE,
} from '../../../shared/organizations/authentication.ts';
import { change } from '../../../shared/table/change.ts';
import { keys } from '../../../shared/table/keys.ts';
import { getSystemRows } from '../../../shared/table/rows.ts';
import * as write from '../../../shared/table/writes.ts';
import { systemWrite } from '../../../shared/table/writes.ts';
import { as } from '../../support/call.ts';
import { type Fault, installFaults, sdkError, throttled, timeout, withFault } from '../../support/faults.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { installRecorder, recording } from '../../support/recorder.ts';
import { runs } from '../../support/scale.ts';

// In this order, a command is recorded before a fault makes it fail.
installFaults();
installRecorder();

const endpoint = { operation, handler };
const params = { ca_id: '018f0000-0000-7000-8000-000000000000' };
const MINUTE = 60_000;
const NOON = Date.UTC(2026, 5, 1, 12);

const ADDRESS = '203.0.113.7';
const authenticated = (key: string, now: number) => authenticateKey(key, now, ADDRESS);

const rowOf = async (key: string) => (await getSystemRows([keys.apiKey(sha256(key))]))[0];

/** Sets fields of a key's row, such as its count or its expiry. */
const setRow = async ({ key, caller }: Pick<Person, 'key' | 'caller'>, fields: object): Promise<void> => {
  const row = write.update(keys.apiKey(sha256(key)), { set: { ...fields } });
  await change(caller, () => ({ writes: [systemWrite(row)], reply: undefined }));
};

const tally = (statuses: number[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(statuses, String)).map(([status, all]) => [status, all!.length]),
  );

let person: Person;

beforeEach(async () => {
  person = await newPerson('Counted');
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the rate limit', () => {
  test('429 for exactly the requests beyond 300 in a minute, even if they are concurrent', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(NOON);
    // As many concurrent requests as the client has connections.
    const answers = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const own = [];
        for (let turn = 0; turn < 10; turn += 1) own.push(await as(person).call(endpoint, { params }));
        return own;
      }),
    ).then((all) => all.flat());
    expect(tally(answers.map(({ status }) => status))).toEqual({ 404: MAX_REQUESTS_PER_MINUTE, 429: 100 });
    const { status, headers, body } = answers.find((answer) => answer.status === 429)!;
    expect({ status, headers, body }).toEqual({
      status: 429,
      headers: {
        'content-type': 'application/json',
        'x-error-code': 'rate_limit_exceeded',
        'x-request-id': expect.any(String),
        ...SAFE_HEADERS,
      },
      body: { detail: errors.rateLimitExceeded().detail },
    });
    expect(await rowOf(person.key)).toMatchObject({ count: MAX_REQUESTS_PER_MINUTE });
  });

  test('a minute starts once, and each concurrent request counts once', async () => {
    await authenticated(person.key, NOON);
    await Promise.all(Array.from({ length: 12 }, () => authenticated(person.key, NOON + MINUTE)));
    expect(await rowOf(person.key)).toMatchObject({ minute: NOON / MINUTE + 1, count: 12 });
  });

  test('a request with a late clock counts for the newer minute and does not start it again', async () => {
    const ahead = NOON + MINUTE;
    await setRow(person, { minute: ahead / MINUTE, count: MAX_REQUESTS_PER_MINUTE - 1 });
    await authenticated(person.key, NOON);
    expect(await rowOf(person.key)).toMatchObject({ minute: ahead / MINUTE, count: MAX_REQUESTS_PER_MINUTE });
    await expect(authenticated(person.key, NOON)).rejects.toMatchObject({ status: 429 });
    await expect(authenticated(person.key, ahead)).rejects.toMatchObject({ status: 429 });
  });

  test('a minute does not replace a newer one that another clock has started', async () => {
    await authenticated(person.key, NOON);
    let attempts = 0;
    const overtaken: Fault = async ({ send }) => {
      attempts += 1;
      // The second update starts the minute; before it, another request is two minutes ahead.
      if (attempts === 2) await authenticated(person.key, NOON + 2 * MINUTE);
      return send();
    };
    await withFault(overtaken, () => authenticated(person.key, NOON + MINUTE));
    expect(await rowOf(person.key)).toMatchObject({ minute: NOON / MINUTE + 2, count: 2 });
  });

  test('another key of the organization has its own count', async () => {
    await setRow(person, { minute: NOON / MINUTE, count: MAX_REQUESTS_PER_MINUTE });
    await expect(authenticated(person.key, NOON)).rejects.toMatchObject({ status: 429 });
    await expect(authenticated(person.readOnlyKey, NOON)).resolves.toMatchObject({ access: 'read_only' });
  });
});

describe('the limits that the operator sets for an organization', () => {
  const set = (limits: Partial<Record<`max-requests-${'per-minute' | 'of-all-keys'}`, number>>) =>
    commands['org set'].run({ org: person.caller.org_id, ...limits });
  const used = (count: number) => setRow(person, { minute: NOON / MINUTE, count });
  const limited = { status: 429 };

  test('429 for a key beyond the number that all its keys have, those made or rotated later too', async () => {
    expect(await set({ 'max-requests-per-minute': 1_000 })).toMatchObject({
      requests: { max_per_minute: 1_000, max_of_all_keys: null },
    });
    await used(999);
    await expect(authenticated(person.key, NOON)).resolves.toMatchObject({ org_id: person.caller.org_id });
    await expect(authenticated(person.key, NOON)).rejects.toMatchObject(limited);
    const rotated = await apiKeys.rotate(person.caller, person.caller.key_id, { overlap_hours: 0 });
    const made = await apiKeys.create(person.caller, { name: 'New', access: 'read_write' });
    for (const { key } of [rotated, made])
      expect(await rowOf(key)).toMatchObject({ max_requests_per_minute: 1_000 });
  });

  test('429 for every key beyond the number of all keys together, until the minute ends', async () => {
    await set({ 'max-requests-of-all-keys': 300 });
    const quota = keys.keyRequests(person.caller.org_id, String(NOON / MINUTE));
    const filled = write.update(quota, { set: { count: 299, ttl: 0 } });
    await change(person.caller, () => ({ writes: [systemWrite(filled)], reply: undefined }));
    await authenticated(person.key, NOON);
    for (const key of [person.key, person.readOnlyKey])
      await expect(authenticated(key, NOON)).rejects.toMatchObject(limited);
    await expect(authenticated(person.readOnlyKey, NOON + MINUTE)).resolves.toMatchObject({
      name: expect.any(String),
    });
  });
});

describe('a key that does not authenticate', () => {
  const refusal = { status: 401, detail: expect.any(String) };

  test('401 immediately after its revocation, without counting the request', async () => {
    await authenticated(person.key, NOON);
    await apiKeys.revoke(person.caller, person.caller.key_id);
    await expect(authenticated(person.key, NOON)).rejects.toMatchObject(refusal);
    expect(await rowOf(person.key)).toMatchObject({ count: 1 });
  });

  test('401 from the millisecond it expires', async () => {
    await setRow(person, { valid_until: NOON });
    await authenticated(person.key, NOON - 1);
    await expect(authenticated(person.key, NOON)).rejects.toMatchObject(refusal);
    await expect(authenticated(person.key, NOON + MINUTE)).rejects.toMatchObject(refusal);
  });

  test.each([
    ['30d', 30],
    ['90d', 90],
    ['365d', 365],
  ] as const)('401 for a key of %s, but not before its last day ends', async (expires, days) => {
    const start = Date.now();
    const { key } = await apiKeys.create(person.caller, { name: 'Dated', access: 'read_only', expires });
    const created = Date.now();
    const end = days * 24 * 60 * MINUTE;
    await authenticated(key, start + end - 1);
    await expect(authenticated(key, created + end)).rejects.toMatchObject({ status: 401 });
  });

  test('404, so not 401, for a key without an end after a hundred years', async () => {
    const century = 36_525 * 24 * 60 * MINUTE;
    jest.spyOn(Date, 'now').mockReturnValue(NOON + century);
    expect((await as(person).call(endpoint, { params })).status).toBe(404);
  });

  test('401 for any header that is not a single bearer key', async () => {
    for (const value of [
      '',
      'Bearer',
      person.key,
      `Basic ${person.key}`,
      `Bearer ${person.key} x`,
      'Bearer ak_',
    ]) {
      const { status } = await as(null).call(endpoint, { params, headers: { authorization: value } });
      expect([value, status]).toEqual([value, 401]);
    }
    const { status } = await as(null).call(endpoint, {
      params,
      headers: { AUTHORIZATION: `bearer  ${person.key}` },
    });
    expect(status).toBe(404);
  });

  test('401 without a DynamoDB call for a malformed key', async () => {
    const broken = `${person.key.slice(0, -1)}${person.key.endsWith('x') ? 'y' : 'x'}`;
    for (const key of ['x', 'ak_', broken, `${person.key}0`, 'ak_'.padEnd(5_000, 'a')]) {
      const { result, sent } = await recording(() => as(key).call(endpoint, { params }));
      expect([key, result.status, sent.tableCalls]).toEqual([key, 401, 0]);
    }
  });
});

describe('newApiKey', () => {
  const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-. é';

  test('a single mistyped character is detected at any position', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.constantFrom(...ALPHABET.split('')), (at, character) => {
        const { key } = newApiKey();
        const position = at % key.length;
        const typo = key.slice(0, position) + character + key.slice(position + 1);
        expect([typo, isWellFormedKey(typo)]).toEqual([typo, typo === key]);
      }),
      { numRuns: runs(3_000) },
    );
  });

  test('a key derived from another key never authenticates', async () => {
    const mutation = fc.oneof(
      fc.string().map((text) => () => text),
      fc.nat(60).map((at) => (key: string) => key.slice(0, at) + key.slice(at + 1)),
      fc.tuple(fc.nat(60), fc.nat(60)).map(([a, b]) => (key: string) => {
        const characters = key.split('');
        [characters[a], characters[b]] = [characters[b] ?? '', characters[a] ?? ''];
        return characters.join('');
      }),
      fc.constant((key: string) => key.toUpperCase()),
      fc.constant((key: string) => newApiKey().key.slice(0, 12) + key.slice(12)),
      fc.constant((key: string) => key.slice(0, 12) + newApiKey().key.slice(12)),
    );
    await fc.assert(
      fc.asyncProperty(mutation, async (mutate) => {
        const mutated = mutate(person.key);
        fc.pre(mutated !== person.key);
        await expect(authenticated(mutated, NOON)).rejects.toMatchObject({ status: 401 });
      }),
      { numRuns: runs(1_000) },
    );
    await expect(authenticated(newApiKey().key, NOON)).rejects.toMatchObject({ status: 401 });
  });
});

describe('an outage while authenticating', () => {
  const answerTo = (error: Error) =>
    withFault(
      async () => {
        throw error;
      },
      () => as(person).call(endpoint, { params }),
    );

  test.each([
    ['a timeout', timeout()],
    ['throttling of the table', throttled()],
    ['throttling of the account', sdkError('ThrottlingException', { $metadata: { httpStatusCode: 400 } })],
    ['an outage', sdkError('InternalServerError', { $metadata: { httpStatusCode: 500 } })],
    ['a refused connection', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })],
  ])('503 for %s', async (_, error) => {
    const { result, sent } = await recording(() => answerTo(error));
    expect([result.status, result.body]).toEqual([
      503,
      { detail: errors.unavailable('Authentication').detail },
    ]);
    // If it were sent again, it would count twice.
    expect(sent.stamps).toBe(1);
  });

  test("429 when the key's own partition is throttled", async () => {
    const reasons = [{ reason: 'TableWriteKeyRangeThroughputExceeded', resource: 'arn:…' }];
    const hot = sdkError('ThrottlingException', { ThrottlingReasons: reasons });
    expect((await answerTo(hot)).status).toBe(429);
  });

  test('500 without details for an unexpected error', async () => {
    const { status, body } = await answerTo(new Error('the secret reason'));
    expect([status, body]).toEqual([500, { detail: errors.internalError().detail }]);
  });
});
