import { setImmediate as turn } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { makeClient } from '../../infra/sdk/src/client.ts';
import { ApiError, ConnectionError, FailedError, isApiError } from '../../infra/sdk/src/errors.ts';
import type { Args, ClientOptions } from '../../infra/sdk/src/send.ts';
import { verifyWebhook } from '../../infra/sdk/src/webhooks.ts';

type Method = (args?: Args) => Promise<unknown>;

interface Api {
  createLocation: Method;
  updateLocation: Method;
  replaceAnswer: Method;
  deleteLocation: Method;
  createDocument: Method;
  getLocation: Method;
  listLocations: Method;
  upload: (file: object) => Promise<unknown>;
  wait: (read: () => Promise<{ status: string; error: string | null }>) => Promise<unknown>;
  each: Record<string, (args?: Args) => AsyncGenerator<{ id: number }>>;
}

const TABLE = {
  createLocation: 'POST /locations i',
  createDocument: 'POST /documents i',
  createUpload: 'POST /documents/uploads i',
  completeUpload: 'POST /documents/uploads/{upload_id}/complete i',
  updateLocation: 'PATCH /locations/{location_id}',
  replaceAnswer: 'PUT /inspections/{inspection_id}/responses',
  deleteLocation: 'DELETE /locations/{location_id}',
  getLocation: 'GET /locations/{location_id}',
  listLocations: 'GET /locations o',
  listFindings: 'GET /inspections/{inspection_id}/findings',
  listMyNotifications: 'GET /me/notifications',
};

const json = (body: unknown, init: ResponseInit = {}): Response => Response.json(body, init);
const failed = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  json({ detail: 'It did not work.' }, { status, headers: { 'X-Error-Code': code, ...headers } });
const lost = (): never => {
  throw new TypeError('fetch failed');
};

interface Sent extends RequestInit {
  url: string;
  headers: Record<string, string>;
}

/** A client whose requests get these replies, one after the other, and what it has sent. */
const answered = (replies: (() => Response | Promise<Response>)[], options: Partial<ClientOptions> = {}) => {
  const sent: Sent[] = [];
  const send = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    sent.push({ ...init, url: String(url), headers: init.headers as Record<string, string> });
    return replies[sent.length - 1]!();
  };
  const api = makeClient<Api>(TABLE, {
    baseUrl: 'https://api.example.org/',
    apiKey: 'ak_key',
    fetch: send,
    ...options,
  });
  return { api, sent };
};

const path = { location_id: 'l 1', inspection_id: 'i1' };

/** Lets all pauses pass at once. @returns how long they were, in milliseconds */
const withoutPauses = async <Value>(work: () => Promise<Value>) => {
  const began = Date.now();
  const state = { isDone: false };
  const done = work().finally(() => (state.isDone = true));
  done.catch(() => {});
  while (!state.isDone) {
    await turn();
    jest.runOnlyPendingTimers();
  }
  return { value: await done, waited: Date.now() - began };
};

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance'] });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a request', () => {
  test('has the key, the address, the query and the body', async () => {
    const { api, sent } = answered([() => json({ id: 1 }), () => json([]), () => json([])]);
    await api.createLocation({ body: { name: 'Crane 7' }, onBehalfOf: 'u1' });
    await api.getLocation({ path, query: { status: ['open', 'closed'], q: undefined } });
    await api.listLocations();
    expect(sent[0]).toMatchObject({
      url: 'https://api.example.org/v1/locations',
      method: 'POST',
      body: '{"name":"Crane 7"}',
      headers: { Authorization: 'Bearer ak_key', 'Content-Type': 'application/json', 'On-Behalf-Of': 'u1' },
    });
    expect(sent[1]!.url).toBe('https://api.example.org/v1/locations/l%201?status=open&status=closed');
    for (const reading of sent.slice(1)) expect(reading.headers).not.toHaveProperty('Idempotency-Key');
  });

  test('with a file is a form', async () => {
    const { api, sent } = answered([() => json({ id: 1 })]);
    await api.createDocument({ body: { title: 'Guard rail', file: new Blob(['x']), tags: ['a', 'b'] } });
    const form = sent[0]!.body as FormData;
    expect([form.get('title'), form.getAll('tags')]).toEqual(['Guard rail', ['a', 'b']]);
    expect(sent[0]!.headers).not.toHaveProperty('Content-Type');
  });
});

describe('a repetition', () => {
  test('of a POST whose reply was lost has the same idempotency key', async () => {
    const { api, sent } = answered([
      lost,
      () => failed(503, 'unavailable'),
      () => failed(409, 'idempotent_request_running'),
      () => json({ id: 1 }),
    ]);
    const { value } = await withoutPauses(() => api.createLocation({ body: {} }));
    expect(value).toEqual({ id: 1 });
    expect(sent).toHaveLength(4);
    expect(new Set(sent.map(({ headers }) => headers['Idempotency-Key'])).size).toBe(1);
  });

  test('waits as long as a 429 asks for, whatever the request', async () => {
    const { api } = answered([
      () => failed(429, 'rate_limit_exceeded', { 'Retry-After': '17' }),
      () => json({}),
    ]);
    const { waited } = await withoutPauses(() => api.updateLocation({ path, body: {} }));
    expect(waited).toBeGreaterThanOrEqual(17_000);
  });

  test('waits for the next minute of the service when its rate limit is reached', async () => {
    const headers = { Date: 'Mon, 02 Mar 2026 09:00:18 GMT' };
    const { api } = answered([() => failed(429, 'rate_limit_exceeded', headers), () => json({})]);
    const { waited } = await withoutPauses(() => api.updateLocation({ path, body: {} }));
    expect(waited).toBeGreaterThanOrEqual(42_000);
    expect(waited).toBeLessThan(43_000);
  });

  test.each([
    ['a PATCH', 'updateLocation', {}],
    ['a PUT that names a version', 'replaceAnswer', { body: { expected_version: 3 } }],
    ['a PUT with If-Match', 'replaceAnswer', { headers: { 'If-Match': '"3"' } }],
  ] as const)('is not made of %s that may have been done', async (_, name, args) => {
    for (const [reply, status] of [
      [() => failed(503, 'unavailable'), 503],
      [lost, undefined],
    ] as const) {
      const { api, sent } = answered([reply]);
      await expect(withoutPauses(() => api[name]({ path, ...args }))).rejects.toMatchObject({
        name: status ? 'ApiError' : 'ConnectionError',
      });
      expect(sent).toHaveLength(1);
    }
  });

  test('of a deletion finds that it is done', async () => {
    const { api } = answered([lost, () => failed(404, 'not_found')]);
    expect((await withoutPauses(() => api.deleteLocation({ path }))).value).toBeUndefined();
  });

  test('has an end', async () => {
    const { api, sent } = answered(Array.from({ length: 9 }, () => () => failed(500, 'internal_error')));
    await expect(withoutPauses(() => api.getLocation({ path }))).rejects.toMatchObject({ status: 500 });
    expect(sent).toHaveLength(5);
  });
});

describe('an error', () => {
  test('is known by its code', async () => {
    const { api } = answered([() => failed(409, 'location_inactive', { 'X-Request-Id': 'r1' })]);
    const error = await api.createLocation({ body: {} }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 409, code: 'location_inactive', requestId: 'r1' });
    expect(isApiError(error, 'location_inactive', 'other')).toBe(true);
    expect(isApiError(error, 'other')).toBe(false);
  });

  test('says everything that is wrong', async () => {
    const detail = [{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }];
    const { api } = answered([() => json({ detail }, { status: 422 })]);
    await expect(api.createLocation({ body: {} })).rejects.toThrow(
      'POST /locations answered 422: body.name: Field required',
    );
  });

  test('is there when a gateway answers with something else', async () => {
    const { api } = answered([() => new Response('<html>', { status: 413 })]);
    await expect(api.createLocation({ body: {} })).rejects.toMatchObject({
      code: 'http_413',
      detail: '<html>',
    });
  });
});

describe('a call ends', () => {
  /** Never answers, and breaks off when it is told to. */
  const silent = async (_: unknown, { signal }: RequestInit): Promise<Response> =>
    new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));

  test('after its time limit', async () => {
    const { api } = answered([], { fetch: silent as typeof fetch, timeout: 5_000, retries: 1 });
    await expect(withoutPauses(() => api.getLocation({ path }))).rejects.toThrow('no reply within 5000 ms');
  });

  test('when it is cancelled, also while it waits', async () => {
    for (const send of [silent, async () => failed(429, 'rate_limit_exceeded', { 'Retry-After': '60' })]) {
      const { api } = answered([], { fetch: send as typeof fetch });
      const controller = new AbortController();
      const call = api.getLocation({ path, signal: controller.signal });
      await turn();
      await turn();
      controller.abort(new Error('the user has left'));
      await expect(call).rejects.toThrow('the user has left');
    }
  });
});

describe('all rows of a list', () => {
  const read = async (rows: AsyncGenerator<{ id: number }>): Promise<number[]> =>
    (await Array.fromAsync(rows)).map(({ id }) => id);
  const link = { Link: '<https://elsewhere.example/v1/x?limit=2&cursor=next%3D>; rel="next"' };

  test('come by the links, by the address that the client knows', async () => {
    const { api, sent } = answered([
      () => json([{ id: 1 }, { id: 2 }], { headers: link }),
      () => json([{ id: 3 }]),
    ]);
    expect(await read(api.each['listFindings']!({ path, query: { status: 'open' } }))).toEqual([1, 2, 3]);
    expect(sent.map(({ url }) => url.replace('https://api.example.org/v1/inspections/i1', ''))).toEqual([
      '/findings?status=open&limit=100',
      '/findings?status=open&limit=100&cursor=next%3D',
    ]);
  });

  test('come by the cursor in the reply', async () => {
    const { api } = answered([
      () => json({ items: [{ id: 1 }], next_cursor: 'c' }),
      () => json({ items: [{ id: 2 }], next_cursor: null }),
    ]);
    expect(await read(api.each['listMyNotifications']!())).toEqual([1, 2]);
  });

  test('come by the offset until a page is short', async () => {
    const { api, sent } = answered([() => json([{ id: 1 }, { id: 2 }]), () => json([{ id: 3 }])]);
    expect(await read(api.each['listLocations']!({ query: { limit: 2 } }))).toEqual([1, 2, 3]);
    expect(sent[1]!.url).toContain('offset=2');
  });
});

describe('files', () => {
  test('are sent to where the service wants them, without the key', async () => {
    const { api, sent } = answered([
      () =>
        json({ upload_id: 'u1', url: 'https://bucket.example/u1', headers: { 'content-type': 'image/png' } }),
      () => new Response('', { status: 500 }),
      lost,
      () => new Response(''),
      () => json({ id: 'u1' }),
    ]);
    const file = new Blob(['x'], { type: 'image/png' });
    const { value } = await withoutPauses(() =>
      api.upload({ file, file_name: 'x.png', title: 'Guard rail' }),
    );
    expect(value).toEqual({ id: 'u1' });
    expect(sent[0]!.body).toBe('{"file_name":"x.png","mime_type":"image/png","size_bytes":1}');
    expect(sent[3]).toMatchObject({
      url: 'https://bucket.example/u1',
      headers: { 'content-type': 'image/png' },
    });
    expect(sent[4]).toMatchObject({ body: '{"title":"Guard rail"}' });
  });

  test('that the service makes are waited for', async () => {
    const { api } = answered([]);
    const states = ['queued', 'running', 'ready'];
    const { value } = await withoutPauses(() =>
      api.wait(async () => ({ status: states.shift()!, error: null })),
    );
    expect(value).toMatchObject({ status: 'ready' });
    await expect(api.wait(async () => ({ status: 'failed', error: 'too large' }))).rejects.toThrow(
      FailedError,
    );
    const never = () => api.wait(async () => ({ status: 'queued', error: null }));
    await expect(withoutPauses(never)).rejects.toThrow(ConnectionError);
  });
});

describe('a webhook', () => {
  const secret = `whsec_${btoa('a secret of twenty-four bytes')}`;
  const body = '{"type":"location.created","data":{"name":"Mühle"}}';
  const now = Date.parse('2026-03-02T09:00:00Z');
  const headers = {
    'webhook-id': 'm1',
    'webhook-timestamp': String(now / 1_000),
    'webhook-signature': `v1,aaaa v2,b ${new Webhook(secret).sign('m1', new Date(now), body)}`,
  };

  test('is read when it was signed with one of the secrets', async () => {
    const event = { type: 'location.created', data: { name: 'Mühle' } };
    expect(await verifyWebhook(body, headers, secret, { now })).toEqual(event);
    const bytes = new TextEncoder().encode(body);
    expect(await verifyWebhook(bytes, new Headers(headers), ['whsec_AAAA', secret], { now })).toEqual(event);
  });

  test.each([
    ['another body', { body: `${body} ` }],
    ['another secret', { secrets: 'whsec_AAAA' }],
    ['another id', { headers: { ...headers, 'webhook-id': 'm2' } }],
    ['no signature', { headers: { ...headers, 'webhook-signature': '' } }],
    ['no time', { headers: { ...headers, 'webhook-timestamp': '' } }],
    ['an old time', { now: now + 301_000 }],
    ['a time to come', { now: now - 301_000 }],
  ])('is refused with %s', async (_, given) => {
    const all = { body, headers, secrets: secret, now, ...given };
    await expect(verifyWebhook(all.body, all.headers, all.secrets, { now: all.now })).rejects.toThrow(
      /webhook/,
    );
  });
});
