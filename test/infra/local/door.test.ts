import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { guardServer, isFollowedLink, isForeign, openDoor } from '../../../infra/local/door.ts';
import { closeServer, newGateway } from '../../../infra/local/gateway.ts';

const FOREIGN: [string, OutgoingHttpHeaders][] = [
  ['a page of another site', { origin: 'https://evil.example' }],
  ['a page of an address that looks like ours', { origin: 'http://127.0.0.1.evil.example' }],
  ['a sandboxed page or a file', { origin: 'null' }],
  ['a name that its owner made resolve to this machine', { host: 'rebound.evil.example' }],
  ['a picture on a page of another site', { 'sec-fetch-site': 'cross-site' }],
];

const sent = async (url: string, headers: OutgoingHttpHeaders, body = '', method = 'POST') => {
  const outgoing = request(url, { method, headers, agent: false });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const text = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode, headers: response.headers, text };
};

const servers: Server[] = [];
const listen = async (server: Server): Promise<string> => {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** An engine that answers anybody, and counts whom. */
const newEngine = () => {
  const engine = { requests: 0, server: undefined as unknown as Server };
  engine.server = createServer((incoming, response) => {
    engine.requests += 1;
    void incoming.toArray().then((chunks) => {
      response.setHeader('access-control-allow-origin', '*').setHeader('x-path', incoming.url!);
      response.end(Buffer.concat(chunks));
    });
  });
  return engine;
};

afterAll(async () => {
  await Promise.all(servers.map((server) => closeServer(server, 100)));
});

describe('a guarded server of this machine', () => {
  test.each(['localhost:3000', '127.0.0.1:3000', '127.4.5.6', '[::1]:80', 'bucket.localhost:80'])(
    'answers whoever calls it %s',
    (host) => {
      expect(isForeign({ host })).toBe(false);
      expect(isForeign({ host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' })).toBe(false);
    },
  );

  test.each(FOREIGN)('answers 403 to %s, and sees nothing of it', async (_, headers) => {
    const engine = newEngine();
    guardServer(engine.server);
    const url = await listen(engine.server);
    const answer = await sent(url, headers, 'x'.repeat(100_000));
    expect(answer).toMatchObject({
      status: 403,
      text: expect.stringContaining(`Origin ${headers['origin'] ?? 'none'}`),
    });
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    expect(engine.requests).toBe(0);
    expect(await sent(url, {}, 'a')).toMatchObject({ status: 200, text: 'a' });
  });

  test('passes the local gateway’s own test as well; one that other machines reach may have any name', async () => {
    const url = await listen(newGateway({ operations: [] }));
    for (const [, headers] of FOREIGN) expect((await sent(`${url}/v1/org`, headers)).status).toBe(403);
    expect((await sent(`${url}/v1/org`, {})).status).toBe(404);
    const open = await listen(newGateway({ operations: [], isOpen: true }));
    expect((await sent(`${open}/v1/org`, { host: 'build-machine:3000' })).status).toBe(404);
    const ours = { host: 'build-machine:3000', origin: 'http://build-machine:3000' };
    expect((await sent(`${open}/v1/org`, ours)).status).toBe(404);
    expect((await sent(`${url}/v1/org`, ours)).status).toBe(403);
    expect((await sent(`${open}/v1/org`, { origin: 'https://evil.example' })).status).toBe(403);
  });
});

describe('a door', () => {
  test('passes requests on, and none of a foreign web page', async () => {
    const engine = newEngine();
    const door = await openDoor(new URL(await listen(engine.server)));
    for (const [, headers] of FOREIGN) expect((await sent(door.endpoint, headers)).status).toBe(403);
    expect(engine.requests).toBe(0);
    const body = 'é'.repeat(300_000);
    const answers = await Promise.all([1, 2, 3].map((n) => sent(`${door.endpoint}/a%2Fb?n=${n}`, {}, body)));
    expect(answers.map(({ status, headers, text }) => [status, headers['x-path'], text === body])).toEqual(
      [1, 2, 3].map((n) => [200, `/a%2Fb?n=${n}`, true]),
    );
    await closeServer(engine.server, 100);
    await expect(sent(door.endpoint, {})).rejects.toThrow('hang up');
    await door.close();
  });
});

describe('a page of our own that sends no referrer', () => {
  const host = 'localhost:3000';

  test('may send its form, whose origin the browser then leaves out', () => {
    expect(isForeign({ host, origin: 'null', 'sec-fetch-site': 'same-origin' })).toBe(false);
    for (const site of ['same-site', 'cross-site', 'none', undefined]) {
      expect(isForeign({ host, origin: 'null', ...(site && { 'sec-fetch-site': site }) })).toBe(true);
    }
  });

  test('may be opened by a link from elsewhere, and only so', () => {
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect(isFollowedLink({ method: 'GET', headers: link })).toBe(true);
    expect(isFollowedLink({ method: 'POST', headers: link })).toBe(false);
    expect(isFollowedLink({ method: 'GET', headers: { ...link, 'sec-fetch-dest': 'iframe' } })).toBe(false);
    expect(isFollowedLink({ method: 'GET', headers: { ...link, 'sec-fetch-mode': 'no-cors' } })).toBe(false);
  });

  test('is still refused under a name that its owner made resolve to this machine', async () => {
    const url = await listen(newGateway({ operations: [] }));
    const headers = {
      host: 'rebound.evil.example',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect((await sent(url, headers, '', 'GET')).status).toBe(403);
  });
});
