import { once } from 'node:events';
import { get as request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type * as dynamodb from '@aws-sdk/client-dynamodb';
import { type KeyEntry, ROOT } from '../../../infra/catalogue.ts';
import { newGateway } from '../../../infra/local/gateway.ts';
import { installAwslambda } from '../../../infra/local/lambda.ts';
import { sha256 } from '../../../shared/base/encoding.ts';
import * as errors from '../../../shared/base/errors.ts';
import type * as lists from '../../../shared/http/reply/list.ts';
import {
  beginLongReply,
  endLongReply,
  longReplies,
  MAX_LONG_REPLIES,
} from '../../../shared/organizations/long-replies.ts';
import { change, workOf } from '../../../shared/table/change.ts';
import { newResource } from '../../../shared/table/collection.ts';
import { keys } from '../../../shared/table/keys.ts';
import { getSystemRows } from '../../../shared/table/rows.ts';
import * as write from '../../../shared/table/writes.ts';
import { as, type Endpoint } from '../../support/call.ts';
import { type Fault, installFaults, on, withFault } from '../../support/faults.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { scaled } from '../../support/scale.ts';

installFaults();

const FILE = 'functions/client-accounts/list-client-accounts.ts';
const ROWS = scaled(600, 3_000);
const NOTES = 'n'.repeat(scaled(2_000, 200));
/** Bytes of one page of a query. */
const MEGABYTE = 1024 ** 2;

/** Imports the file: its replies are streamed if the runtime's global is installed, and buffered if not. */
const load = (): KeyEntry => ({
  file: FILE,
  area: 'client-accounts',
  ...jest.requireActual<Endpoint & Pick<KeyEntry, 'handler'>>(join(ROOT, FILE)),
});

/** Creates client accounts, which are more than a megabyte together. */
const seed = async ({ caller }: Person): Promise<void> => {
  for (let start = 0; start < ROWS; start += 100) {
    const writes = Array.from({ length: 100 }, (_, position) => {
      const account = newResource(workOf(caller), {
        name: `Client ${start + position} – Überwachung`,
        brand_primary: null,
        logo_url: null,
        contact: { name: null, email: null, phone: null },
        notes: NOTES,
        external_ref: null,
        is_active: true,
        digest: null,
        tags: [],
        metadata: {},
      });
      return write.put({ ...keys.one(caller, 'CLIENT', account.id), ...account });
    });
    await change(caller, () => ({ writes, reply: undefined }));
  }
};

let person: Person;
let buffered: KeyEntry;
/** The streamed operation has loaded its own copy. */
let longReply: typeof lists;
let server: Server;
let url: string;
/** The fault that affects the server's calls of the table. */
let fault: Fault | undefined;
const failures: unknown[] = [];

beforeAll(async () => {
  person = await newPerson('Reader');
  await seed(person);
  buffered = load();
  jest.resetModules();
  installAwslambda();
  const streamed = load();
  longReply = jest.requireActual(join(ROOT, 'shared/http/reply/list.ts'));
  // The streamed operation has loaded its own copy of the SDK.
  installFaults(jest.requireActual<typeof dynamodb>('@aws-sdk/client-dynamodb').GetItemCommand);
  const handler = streamed.handler as ((...args: unknown[]) => Promise<unknown>) & object;
  const faulty = Object.assign(
    (...args: unknown[]) => withFault(fault ?? (({ send }) => send()), () => handler(...args)),
    handler,
  );
  server = newGateway({
    operations: [{ ...streamed, handler: faulty }],
    onFailure: (_, cause) => failures.push(cause),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/client-accounts`;
  // DynamoDB Local needs some time for this many rows.
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

afterEach(() => {
  fault = undefined;
  process.env['LOG_LEVEL'] = 'silent';
  jest.restoreAllMocks();
});

/** Returns a function that waits for the one log line of a request, which is written after its reply has ended. */
const logged = (): (() => Promise<Record<string, unknown>>) => {
  process.env['LOG_LEVEL'] = 'info';
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  return async () => {
    while (write.mock.calls.length === 0) await turn();
    expect(write.mock.calls).toHaveLength(1);
    return JSON.parse(String(write.mock.calls[0]![0])) as Record<string, unknown>;
  };
};

const get = (headers: Record<string, string> = {}, query = '') =>
  fetch(url + query, {
    headers: { authorization: `Bearer ${person.key}`, 'accept-encoding': 'identity', ...headers },
  });

/** The bytes as they are sent; `fetch` would decompress them. */
const rawGet = async (headers: Record<string, string>) => {
  const [reply] = (await once(
    request(url, { headers: { authorization: `Bearer ${person.key}`, ...headers } }),
    'response',
  )) as [IncomingMessage];
  return { headers: reply.headers, bytes: Buffer.concat(await Array.fromAsync(reply)) };
};

const eventuallyEqual = async (read: () => Promise<unknown>, expected: unknown): Promise<void> => {
  while ((await read()) !== expected) await turn();
};

/** Fails after the first page has been sent. */
const failOnSecondPage = (): Fault =>
  on(
    ({ command, input }) => command === 'Query' && input['ExclusiveStartKey'] !== undefined,
    () => Promise.reject(new Error('the second page is lost')),
  );

describe('GET /client-accounts, streamed', () => {
  test('200 with the same rows as the buffered reply, and with its table calls logged', async () => {
    const whole = await as(person).call(buffered);
    expect(whole.body).toHaveLength(ROWS);
    const line = logged();
    const reply = await get();
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(isDeepStrictEqual(JSON.parse(await reply.text()), whole.body)).toBe(true);
    // Authentication, the usage counts, and more than one page.
    expect(whole.text.length).toBeGreaterThan(MEGABYTE);
    expect(await line()).toMatchObject({
      level: 'info',
      status: 200,
      ServerError: 0,
      org_id: person.caller.org_id,
    });
    expect((await line())['TableCalls']).toBeGreaterThanOrEqual(4);
  });

  test('200, compressed, when the client accepts gzip', async () => {
    const { headers, bytes } = await rawGet({ 'accept-encoding': 'br, gzip' });
    expect(headers['content-encoding']).toBe('gzip');
    expect(bytes.length).toBeLessThan(MEGABYTE / 4);
    expect(JSON.parse(gunzipSync(bytes).toString())).toHaveLength(ROWS);
  });

  test('200 for a page with its link, and 401 and 422 as in a buffered reply', async () => {
    const page = await get({}, '?limit=2');
    expect(await page.json()).toHaveLength(2);
    const [, next] = /^<(http:.+\?limit=2&cursor=[\w-]+)>; rel="next"$/.exec(page.headers.get('link')!)!;
    const { origin, pathname, search } = new URL(next!);
    expect(origin + pathname).toBe(page.url.split('?')[0]);
    expect(await (await get({}, search)).json()).toHaveLength(2);
    expect((await get({ authorization: 'Bearer none' })).status).toBe(401);
    expect((await get({}, '?limit=0')).status).toBe(422);
  });

  test('500 for a failure before the first row', async () => {
    fault = on(
      ({ command }) => command === 'Query',
      () => Promise.reject(new Error('a bug')),
    );
    const reply = await get();
    expect([reply.status, await reply.json()]).toEqual([500, { detail: errors.internalError().detail }]);
  });

  test.each(['identity', 'gzip'])(
    'a failure in the middle cuts the reply off and is logged (%s)',
    async (encoding) => {
      fault = failOnSecondPage();
      const line = logged();
      const reply = await get({ 'accept-encoding': encoding });
      expect(reply.status).toBe(200);
      await expect(reply.text()).rejects.toThrow('terminated');
      expect(failures.splice(0)).toEqual([expect.objectContaining({ message: 'the second page is lost' })]);
      expect(await line()).toMatchObject({
        level: 'error',
        operation: 'listClientAccounts',
        status: 200,
        ServerError: 1,
        error: { message: 'the second page is lost' },
      });
    },
  );

  describe('that takes long', () => {
    /** Makes a reply long after this time, and delays its second page. */
    const delayed = (after: number, wait: () => Promise<unknown>): void => {
      longReply.LONG_REPLY.after = after;
      fault = on(
        ({ command, input }) => command === 'Query' && input['ExclusiveStartKey'] !== undefined,
        async ({ send }) => {
          await wait();
          return send();
        },
      );
    };
    const begin = (count: number) =>
      Promise.all(Array.from({ length: count }, () => beginLongReply(sha256(person.key), Date.now())));
    const end = async (leases: (string | undefined)[]) => {
      for (const lease of leases) if (lease) await endLongReply(sha256(person.key), lease);
    };
    const counted = async (): Promise<number> => {
      const [row] = await getSystemRows([keys.apiKey(sha256(person.key))]);
      return longReplies(row!, Date.now());
    };

    afterEach(() => {
      longReply.LONG_REPLY.after = 5_000;
    });

    test.each(['identity', 'gzip'])('is counted until it has ended (%s)', async (encoding) => {
      delayed(1, () => eventuallyEqual(counted, 1));
      const reply = await get({ 'accept-encoding': encoding });
      expect(JSON.parse(await reply.text())).toHaveLength(ROWS);
      await eventuallyEqual(counted, 0);
    });

    test('is not counted before it takes long, and needs no further call', async () => {
      const line = logged();
      longReply.LONG_REPLY.after = 3_600_000;
      await (await get()).text();
      const short = (await line())['TableCalls'];
      jest.restoreAllMocks();
      const other = logged();
      delayed(3_600_000, turn);
      await (await get()).text();
      expect((await other())['TableCalls']).toBe(short);
    });

    test('is counted until a client that disconnects has gone', async () => {
      const waiting = Promise.withResolvers<void>();
      delayed(1, () => waiting.promise);
      const leaving = new AbortController();
      const reply = await fetch(url, {
        headers: { authorization: `Bearer ${person.key}` },
        signal: leaving.signal,
      });
      await eventuallyEqual(counted, 1);
      leaving.abort();
      waiting.resolve();
      await expect(reply.text()).rejects.toThrow('aborted');
      await eventuallyEqual(counted, 0);
    });

    test('is cut off when its key has too many of them, and 429 refuses the next one', async () => {
      const leases: (string | undefined)[] = [];
      longReply.LONG_REPLY.after = 1;
      const destroy = jest.spyOn(Readable.prototype, 'destroy');
      const isCutOff = () =>
        destroy.mock.calls.some(
          ([error]) => (error as { code?: string } | undefined)?.code === errors.rateLimitExceeded.code,
        );
      fault = on(
        ({ command }) => command === 'Query',
        async ({ input, send }) => {
          if (input['ExclusiveStartKey'] !== undefined) while (!isCutOff()) await turn();
          // The others begin when the key is authenticated, and before this reply takes long.
          else leases.push(...(await begin(MAX_LONG_REPLIES)));
          return send();
        },
      );
      const reply = await get();
      expect(reply.status).toBe(200);
      await expect(reply.bytes()).rejects.toThrow('terminated');
      expect(failures.splice(0)).toMatchObject([{ code: errors.rateLimitExceeded.code }]);
      const next = await get();
      expect([next.status, await next.json()]).toEqual([429, { detail: 'rate limit exceeded' }]);
      await end(leases);
      fault = undefined;
      const again = await get({}, '?limit=1');
      expect([again.status, await again.json()]).toEqual([200, [expect.any(Object)]]);
    });
  });

  test('a client that disconnects is not logged as a failure', async () => {
    const line = logged();
    const leaving = new AbortController();
    const reply = await fetch(url, {
      headers: { authorization: `Bearer ${person.key}` },
      signal: leaving.signal,
    });
    leaving.abort();
    await expect(reply.text()).rejects.toThrow('aborted');
    expect(await line()).toMatchObject({ status: 200, ServerError: 0 });
    expect(failures).toEqual([]);
  });
});

describe('GET /client-accounts, buffered', () => {
  test('500 for a failure after the first page', async () => {
    const line = logged();
    const { status, body } = await withFault(failOnSecondPage(), () => as(person).call(buffered));
    expect([status, body]).toEqual([500, { detail: errors.internalError().detail }]);
    expect(await line()).toMatchObject({
      level: 'error',
      status: 500,
      error: { message: 'the second page is lost' },
    });
  });
});
