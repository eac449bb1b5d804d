import { once } from 'node:events';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import fc from 'fast-check';
import type { OperationEntry } from '../../../infra/catalogue.ts';
import { closeServer, newGateway } from '../../../infra/local/gateway.ts';
import type { GatewayOptions } from '../../../infra/local/gateway.ts';
import { installAwslambda } from '../../../infra/local/lambda.ts';
import type { ResponseStream } from '../../../infra/local/lambda.ts';
import { runs } from '../../support/scale.ts';

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<unknown>;

const entry = (method: string, path: string, handler: unknown): OperationEntry => ({
  file: '',
  area: '',
  operation: { id: 'trial', method, path } as OperationEntry['operation'],
  handler: handler as OperationEntry['handler'],
});

const echo: Handler = async (event) => ({
  statusCode: 201,
  headers: { 'X-Echo': 'yes' },
  multiValueHeaders: { Link: ['<a>', '<b>'] },
  body: JSON.stringify({ ...event.pathParameters, size: Buffer.from(event.body ?? '', 'base64').length }),
});

const gateways: ReturnType<typeof newGateway>[] = [];

const serve = async (handler: unknown, options: Partial<GatewayOptions> = {}) => {
  const gateway = newGateway({
    operations: [entry('GET', '/things', handler), entry('POST', '/things/{thing_id}', handler)],
    ...options,
  });
  gateways.push(gateway.listen(0, '127.0.0.1'));
  await once(gateway, 'listening');
  return `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
};

/** The answer to bytes that Node's own clients would never send. */
const raw = async (url: string, bytes: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.end(bytes);
  let text = '';
  for await (const chunk of socket.setEncoding('latin1')) text += chunk;
  return text;
};

beforeAll(installAwslambda);
afterAll(() => {
  for (const gateway of gateways) gateway.close().closeAllConnections();
});

describe('a buffered operation', () => {
  test('201 with the headers and the body of the handler', async () => {
    const url = await serve(echo);
    const response = await fetch(`${url}/v1/things/a%2Fb`, {
      method: 'POST',
      body: new Uint8Array([0, 255]),
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-echo')).toBe('yes');
    expect(response.headers.get('link')).toBe('<a>, <b>');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({ thing_id: 'a%2Fb', size: 2 });
  });

  test('200 with the bytes of a base64 body', async () => {
    const url = await serve(async () => ({
      statusCode: 200,
      headers: { 'content-type': 'image/png' },
      body: 'AP+A',
      isBase64Encoded: true,
    }));
    const response = await fetch(`${url}/v1/things`);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect([...(await response.bytes())]).toEqual([0, 255, 128]);
  });

  test('400 for a body that is too large, and the next request succeeds', async () => {
    const url = await serve(echo, { limits: { body: 3_000, event: 3_500 } });
    const post = async (size: number) => {
      const response = await fetch(`${url}/v1/things/1`, { method: 'POST', body: 'x'.repeat(size) });
      return [response.status, await response.json()];
    };
    const tooLarge = [400, { detail: 'The request is too large.' }];
    expect(await post(3_001)).toEqual(tooLarge);
    expect(await post(2_900)).toEqual(tooLarge);
    expect(await post(100)).toEqual([201, { thing_id: '1', size: 100 }]);
  });

  test('400 for a body of unknown length that becomes too large', async () => {
    const url = await serve(echo, { limits: { body: 1_000 } });
    const chunk = `320\r\n${'x'.repeat(800)}\r\n`;
    const head = 'POST /v1/things/1 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await raw(url, `${head}${chunk}${chunk}0\r\n\r\n`)).toMatch(/^HTTP\/1.1 400 /);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('secret'))],
    [
      'throws at once',
      () => {
        throw new Error('secret');
      },
    ],
    ['returns nothing', async () => undefined],
    ['returns no status', async () => ({ body: 'secret' })],
    ['returns an object as body', async () => ({ statusCode: 200, body: { secret: 1 } })],
    [
      'returns a header that cannot be sent',
      async () => ({ statusCode: 200, headers: { 'x-a': 'secret\n' } }),
    ],
    ['returns too much', async () => ({ statusCode: 200, body: 'x'.repeat(2_000) })],
  ])('500 when the handler %s', async (_what, handler) => {
    const failures: unknown[] = [];
    const url = await serve(handler, {
      limits: { reply: 1_000 },
      onFailure: (operation, cause) => failures.push([operation, cause]),
    });
    const response = await fetch(`${url}/v1/things`);
    expect([response.status, await response.text()]).toEqual([500, '{"detail":"internal server error"}']);
    expect(failures).toEqual([['trial', expect.objectContaining({ message: expect.any(String) })]]);
  });

  test('503 when the handler exceeds the time limit', async () => {
    const remaining: number[] = [];
    const answered = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const slow: Handler = async (_event, context) => {
      remaining.push(context.getRemainingTimeInMillis());
      await answered.promise;
      remaining.push(context.getRemainingTimeInMillis());
      ended.resolve();
      return { statusCode: 200 };
    };
    const url = await serve(slow, { limits: { time: 100, margin: 20 } });
    const response = await fetch(`${url}/v1/things`);
    expect([response.status, await response.json()]).toEqual([
      503,
      { detail: 'The service is briefly unavailable. Try again.' },
    ]);
    answered.resolve();
    await ended.promise;
    expect(remaining[0]).toBeLessThanOrEqual(80);
    expect(remaining[1]).toBe(0);
  });
});

describe('a streamed operation', () => {
  type Streaming = (event: unknown, stream: ResponseStream, context: Context) => Promise<unknown>;
  const streamify = (handler: Streaming) => awslambda.streamifyResponse(handler as never);
  const begin = (stream: ResponseStream, prelude: Record<string, unknown> = {}) =>
    awslambda.HttpResponseStream.from(stream, { statusCode: 200, ...prelude });

  test('200 arrives while the handler is still writing', async () => {
    const gate = Promise.withResolvers<void>();
    const url = await serve(
      streamify(async (_event, stream) => {
        const body = begin(stream, { headers: { 'content-type': 'application/json', 'x-next': 'n' } });
        body.write('[1');
        await gate.promise;
        body.end(',2]');
      }),
    );
    const response = await fetch(`${url}/v1/things`);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-next')).toBe('n');
    const reader = response.body!.getReader();
    expect(Buffer.from((await reader.read()).value).toString()).toBe('[1');
    gate.resolve();
    expect(Buffer.from((await reader.read()).value).toString()).toBe(',2]');
  });

  test('200 with many megabytes is not kept in memory', async () => {
    let ahead = 0;
    const url = await serve(
      streamify(async (_event, stream) => {
        const chunks = Readable.from(
          (function* () {
            for (let index = 0; index < 2_000; index += 1) {
              ahead = Math.max(ahead, stream.writableLength);
              yield Buffer.alloc(16_384);
            }
          })(),
        );
        await pipeline(chunks, begin(stream));
      }),
    );
    const response = await fetch(`${url}/v1/things`);
    expect((await response.bytes()).length).toBe(2_000 * 16_384);
    expect(ahead).toBeLessThan(200_000);
  });

  test.each([
    ['throws before its first byte', async () => Promise.reject(new Error('secret'))],
    ['ends without a prelude', async (_: unknown, stream: ResponseStream) => stream.end('secret')],
    ['does not end its stream', async (_: unknown, stream: ResponseStream) => begin(stream)],
  ])('500 when the handler %s', async (_what, handler) => {
    const url = await serve(streamify(handler));
    const response = await fetch(`${url}/v1/things`);
    expect([response.status, await response.text()]).toEqual([500, '{"detail":"internal server error"}']);
  });

  test('503 when the first byte exceeds the time limit', async () => {
    const url = await serve(
      streamify(() => new Promise(() => {})),
      { limits: { streamTime: 50 } },
    );
    expect((await fetch(`${url}/v1/things`)).status).toBe(503);
  });

  test('200 is cut off when the handler fails in the middle', async () => {
    const begun = Promise.withResolvers<void>();
    const url = await serve(
      streamify(async (_event, stream) => {
        begin(stream).write('[1');
        await begun.promise;
        throw new Error('secret');
      }),
    );
    const response = await fetch(`${url}/v1/things`);
    begun.resolve();
    await expect(response.text()).rejects.toThrow('terminated');
  });

  test('200 is cut off when the stream exceeds the time limit', async () => {
    const streamTime = 3_600_000;
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const url = await serve(
      streamify(async (_event, stream) => {
        begin(stream).write('[1');
        await new Promise(() => {});
      }),
      { limits: { streamTime } },
    );
    const response = await fetch(`${url}/v1/things`);
    const [timeIsOver] = timers.mock.calls.find(([, milliseconds]) => milliseconds === streamTime)!;
    timers.mockRestore();
    timeIsOver();
    await expect(response.text()).rejects.toThrow('terminated');
  });

  test('200 fails for the handler when the client has disconnected', async () => {
    const outcome = Promise.withResolvers<unknown>();
    const ended = Promise.withResolvers<void>();
    const failures: unknown[] = [];
    const url = await serve(
      streamify(async (_event, stream) => {
        const endless = Readable.from(
          (function* () {
            for (;;) yield Buffer.alloc(65_536);
          })(),
        );
        await pipeline(endless, begin(stream)).catch((error: unknown) => {
          outcome.resolve(error);
          throw error;
        });
      }),
      // What follows a request that may have changed data comes after what follows its failure.
      { onFailure: (_operation, cause) => failures.push(cause), onChange: ended.resolve },
    );
    const leaving = new AbortController();
    const response = await fetch(`${url}/v1/things/1`, { method: 'POST', signal: leaving.signal });
    await response.body!.getReader().read();
    leaving.abort();
    expect(await outcome.promise).toHaveProperty('message');
    await ended.promise;
    expect(failures).toEqual([]);
  });
});

describe('the id of a request', () => {
  test('is that of the event, in both headers', async () => {
    let requestId = '';
    const url = await serve(async (event: APIGatewayProxyEvent) => {
      ({ requestId } = event.requestContext);
      throw new Error('crashed');
    });
    const { status, headers } = await fetch(`${url}/v1/things`);
    expect([status, headers.get('x-request-id'), headers.get('x-amzn-requestid')]).toEqual([
      500,
      requestId,
      requestId,
    ]);
  });

  test('is in an answer that no function gave', async () => {
    const url = await serve(echo);
    const { status, headers } = await fetch(`${url}/v1/nothing`);
    expect([status, headers.get('x-request-id')]).toEqual([404, expect.stringMatching(/^[\da-f-]{36}$/)]);
    expect(await raw(url, 'no request\r\n\r\n')).toMatch(/\r\nx-request-id: [\da-f-]{36}\r\n/);
  });
});

describe('a request without an operation', () => {
  test.each([
    ['GET', '/v1/unknown'],
    ['DELETE', '/v1/things'],
    ['OPTIONS', '/v1/things'],
    ['GET', '/v1'],
    ['GET', '/app/keys'],
    ['POST', '/docs'],
  ])('404 for %s %s', async (method, path) => {
    const url = await serve(echo);
    const response = await fetch(url + path, { method });
    expect([response.status, await response.json()]).toEqual([
      404,
      { detail: 'There is no operation with this method and path.' },
    ]);
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  test('200 for a page, and 302 from the root to the reference', async () => {
    const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' };
    const url = await serve(echo, { pages: { '/docs': () => page } });
    const response = await fetch(url);
    expect([response.url, await response.text()]).toEqual([`${url}/docs`, '<p>']);
  });

  test.each([
    ['a malformed request line', 'nonsense\r\n\r\n'],
    [
      'headers that are too long',
      `GET /v1/things HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    ],
    [
      'two content lengths',
      'POST /v1/things/1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
    ],
  ])('400 for %s', async (_what, bytes) => {
    const answer = await raw(await serve(echo), bytes);
    expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/\r\n\r\n\{"detail":"The request is not valid HTTP\."\}$/);
  });

  test('4xx for whatever a client sends, and the gateway goes on', async () => {
    const url = await serve(echo);
    const token = fc.string({ unit: 'binary-ascii', maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(token, token, token, async (path, name, value) => {
        const answer = await raw(
          url,
          `GET /${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${name}: ${value}\r\n\r\n`,
        );
        expect(answer).toMatch(/^HTTP\/1.1 [234]\d\d /);
      }),
      { numRuns: runs(100) },
    );
    expect((await fetch(`${url}/v1/things`)).status).toBe(201);
  });
});

describe('onChange', () => {
  test('is called after a request that may have changed data', async () => {
    let changes = 0;
    const url = await serve(echo, { onChange: () => (changes += 1) });
    await fetch(`${url}/v1/things`);
    expect(changes).toBe(0);
    await fetch(`${url}/v1/things/1`, { method: 'POST' });
    expect(changes).toBe(1);
  });
});

describe('closeServer', () => {
  test('waits for open requests, also on a connection that is kept alive', async () => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const url = await serve(async (event: APIGatewayProxyEvent) => {
      if (event.queryStringParameters) {
        begun.resolve();
        await gate.promise;
      }
      return { statusCode: 200 };
    });
    await fetch(`${url}/v1/things`);
    const underWay = fetch(`${url}/v1/things?slow`);
    await begun.promise;
    const closed = closeServer(gateways.at(-1)!, 3_600_000);
    gate.resolve();
    expect((await underWay).status).toBe(200);
    await closed;
    await expect(fetch(`${url}/v1/things`)).rejects.toThrow('fetch failed');
  });

  test('cuts requests off after the maximum wait', async () => {
    const begun = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const url = await serve(() => {
      begun.resolve();
      return gate.promise;
    });
    const endless = fetch(`${url}/v1/things`);
    await begun.promise;
    await Promise.all([closeServer(gateways.at(-1)!, 20), expect(endless).rejects.toThrow('fetch failed')]);
    // Its time limit ends with it.
    gate.resolve();
  });
});
