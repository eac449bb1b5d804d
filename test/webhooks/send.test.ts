import type { ServerResponse } from 'node:http';
import type { StoredDelivery } from '../../shared/table/entities/webhooks.ts';
import { sendDelivery } from '../../shared/webhooks/send.ts';
import { answers, type Behaviour, isSigned, type Receiver, useReceiver } from './fixtures.ts';

const receiverOf = useReceiver();
let receiver: Receiver;

beforeEach(() => {
  receiver = receiverOf();
});

const SECRETS = ['a', 'b'].map((letter) => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`);
const BODY = '{"type":"client_account.created","data":{"name":"Café \u2028 \u{1F4A5}"}}';
const due = { delivery: { event_id: 'event-1', attempts: [] } as unknown as StoredDelivery, body: BODY };

const send = (secrets = SECRETS) => sendDelivery(receiver.url, secrets, {}, due);

describe('a call of an endpoint', () => {
  test('has these headers and no others, and a signature for each secret', async () => {
    const { request } = await send();
    const [message] = receiver.received;
    const { host, connection, ...headers } = message!.headers;
    expect(headers).toEqual({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(BODY)),
      'accept-encoding': 'gzip',
      'user-agent': 'InspectionService-Webhooks/1.0',
      'webhook-id': 'event-1',
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/),
    });
    expect([host, connection]).toEqual([new URL(receiver.url).host, 'close']);
    expect(message!.body).toBe(BODY);
    expect(headers).toMatchObject(request.headers);
    expect(SECRETS.map((secret) => isSigned(message!, secret))).toEqual([true, true]);
    const changed = { ...message!, headers: { ...message!.headers, 'webhook-id': 'event-2' } };
    expect(isSigned(changed, SECRETS[0]!)).toBe(false);
  });

  test.each([
    [199, false],
    [200, true],
    [204, true],
    [299, true],
    [300, false],
    [399, false],
    [400, false],
    [503, false],
  ])('that is answered with %d succeeds: %s', async (status, isSuccess) => {
    // Node.js takes what is below 200 for the announcement of a reply.
    if (status < 200) receiver.behave((request) => void request.socket.end(`HTTP/1.1 ${status} x\r\n\r\n`));
    else receiver.behave(answers(status));
    expect((await send()).attempt.error === null).toBe(isSuccess);
  });

  test('follows no redirect', async () => {
    receiver.behave(answers(302, { location: receiver.url }));
    expect((await send()).attempt).toMatchObject({ status_code: 302, error: expect.any(String) });
    expect(receiver.received).toHaveLength(1);
  });

  test('keeps thirty headers of the reply, and a kilobyte of its body', async () => {
    const headers = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`x-${n}`, 'y'.repeat(300)]));
    receiver.behave((_, response) => void response.writeHead(200, headers).end('z'.repeat(1_025)));
    const { attempt } = await send();
    const kept = Object.entries(attempt.reply_headers);
    expect(kept).toHaveLength(30);
    expect(kept[0]).toEqual(['x-0', 'y'.repeat(200)]);
    expect(attempt.reply_body).toBe('z'.repeat(1_024));
  });
});

describe('an endpoint that does not come to an end', () => {
  beforeEach(
    () =>
      void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] }),
  );
  afterEach(() => void jest.useRealTimers());

  const hangs: [string, Behaviour, (response: ServerResponse) => void][] = [
    ['answers nothing', () => {}, () => {}],
    [
      'drips',
      (_, response) => void response.writeHead(200).write('.'),
      (response) => void response.write('.'),
    ],
  ];
  test.each(hangs)('because it %s is left after ten seconds', async (_, behaviour, each) => {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    receiver.behave((request, response, body) => {
      behaviour(request, response, body);
      resolve(response);
    });
    let isOver = false;
    const sent = send().finally(() => {
      isOver = true;
    });
    const response = await promise;
    for (let second = 0; second < 9; second += 1) {
      await jest.advanceTimersByTimeAsync(1_000);
      each(response);
    }
    await jest.advanceTimersByTimeAsync(999);
    expect(isOver).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    expect((await sent).attempt).toMatchObject({
      status_code: null,
      error: expect.stringMatching(/did not answer in time\.$/),
    });
  });
});
