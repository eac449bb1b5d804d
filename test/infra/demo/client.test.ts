import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DemoError, newClient } from '../../../infra/demo/client.ts';
import { createOrganizationWithKey } from '../../../infra/demo/key.ts';

describe('the demo', () => {
  let server: Server;
  /** The `Idempotency-Key` of each request that has arrived. */
  let arrived: unknown[];
  /** The statuses of the next replies; 200 once none is left. */
  let statuses: number[];

  const api = () => newClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'key');

  beforeEach(async () => {
    arrived = [];
    server = createServer((request, response) => {
      arrived.push(request.headers['idempotency-key']);
      const status = statuses.shift() ?? 200;
      response.writeHead(status, { 'retry-after': '0.001' }).end('{"id":"1"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(() => void server.close());

  test('sends a request again that found the service busy, under the same idempotency key', async () => {
    statuses = [503, 429];
    expect(await api().post('/issues', {})).toEqual({ id: '1' });
    expect(arrived).toHaveLength(3);
    expect(arrived[0]).toEqual(expect.any(String));
    expect(new Set(arrived).size).toBe(1);
  });

  test('says what was answered when the service stays busy, and at once when it refuses', async () => {
    statuses = Array<number>(20).fill(503);
    await expect(api().get('/issues')).rejects.toThrow(new DemoError('GET /issues answered 503: {"id":"1"}'));
    expect(arrived).toHaveLength(6);
    statuses = [404];
    await expect(api().get('/issues')).rejects.toThrow('answered 404');
    expect(arrived).toHaveLength(7);
  });

  test('shows what the command line says, without a stack, when no key can be made', async () => {
    const before = { ...process.env };
    // The command works on the table that the environment names, which there is not.
    process.env['TABLE_NAME'] = 'none';
    try {
      await expect(createOrganizationWithKey()).rejects.toThrow(DemoError);
      await expect(createOrganizationWithKey()).rejects.not.toThrow(/ at /);
    } finally {
      process.env = before;
    }
  });
});
