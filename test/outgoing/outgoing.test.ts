import { execFile } from 'node:child_process';
import { createSocket as createUdpSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ROOT } from '../../infra/catalogue.ts';
import { inRequest, newScope } from '../../shared/base/request.ts';
import { parseCustomerUrl } from '../../shared/outside/destination.ts';
import { OutgoingError } from '../../shared/outside/outgoing-error.ts';
import { resolveHost } from '../../shared/outside/resolve.ts';
import { callCustomerUrl, callOperatorUrl, type CallLimits } from '../../shared/outside/send.ts';
import { runs } from '../support/scale.ts';

jest.mock('../../shared/outside/resolve.ts');
const resolved = jest.mocked(resolveHost);

/** Milliseconds that no call takes, however busy the machine is. */
const LONG = 3_600_000;
const LIMITS: CallLimits = { connect_ms: LONG, first_byte_ms: LONG, total_ms: LONG, max_bytes: 10_000 };
/** Milliseconds: soon over, where a test waits for the end of it. */
const SOON = 100;

const reasonOf = async (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'answered',
    (error: unknown) => (error instanceof OutgoingError ? error.reason : `another error: ${String(error)}`),
  );

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** What the server at `url` does with a request. */
let answer: Answer;
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  answer(request, response);
});
// An idle connection is closed only by a test.
server.keepAliveTimeout = 0;
let url: string;

/** Accepts connections on any address of this machine, and gives them to `onConnection`. */
let onConnection: (socket: Socket) => void = () => {};
const sockets = createSocketServer((socket) => {
  socket.on('error', () => undefined);
  onConnection(socket);
});
let socketPort: number;
const open = new Set<Socket>();

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  sockets.listen(0, '0.0.0.0');
  await Promise.all([once(server, 'listening'), once(sockets, 'listening')]);
  for (const each of [server, sockets]) each.on('connection', (socket: Socket) => open.add(socket));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  socketPort = (sockets.address() as AddressInfo).port;
});
beforeEach(() => {
  requests = 0;
  answer = (_, response) => void response.end('fine');
  resolved.mockReset().mockResolvedValue([]);
  delete process.env['ALLOW_LOOPBACK_WEBHOOKS'];
});
afterAll(() => {
  for (const socket of open) socket.destroy();
  server.close();
  sockets.close();
});

const get = (limits: Partial<CallLimits> = {}, path = url) =>
  callOperatorUrl({ url: path, method: 'GET', headers: {} }, { ...LIMITS, ...limits });
const getForCustomer = (url: string, limits: Partial<CallLimits> = {}) =>
  callCustomerUrl({ url, method: 'POST', headers: {}, body: '{}' }, { ...LIMITS, ...limits });

/** The first address and the last of blocks that are not on the internet, and the addresses that matter most. */
const PRIVATE_IPV4 = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.0',
  '10.255.255.255',
  '100.64.0.0',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.0.0',
  '169.254.169.254',
  '172.16.0.0',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.0',
  '192.168.255.255',
  '198.18.0.0',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.0',
  '239.255.255.255',
  '240.0.0.0',
  '255.255.255.255',
];
const PRIVATE_IPV6 = [
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b:1::a00:1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
];
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.0.1',
  '172.32.0.1',
  '2606:4700::1111',
];

const literal = (address: string): string => (address.includes(':') ? `[${address}]` : address);
const isRefused = (text: string): boolean => {
  try {
    parseCustomerUrl(text);
    return false;
  } catch (error) {
    return (error as OutgoingError).reason === 'refused';
  }
};

describe("a customer's URL", () => {
  test.each([...PRIVATE_IPV4, ...PRIVATE_IPV6])('is refused at %s', (address) => {
    expect(isRefused(`https://${literal(address)}/hook`)).toBe(true);
    process.env['ALLOW_LOOPBACK_WEBHOOKS'] = '1';
    expect(isRefused(`https://${literal(address)}/hook`)).toBe(!/^(127\.|::1$)/.test(address));
  });

  test.each(PUBLIC)('is accepted at %s', (address) => {
    expect(isRefused(`https://${literal(address)}:8443/hook`)).toBe(false);
  });

  test('is refused at a private address in every spelling', () => {
    const base = fc.constantFrom(10, 8, 16);
    const spell = (value: number, radix: number): string =>
      ({ 8: '0', 10: '', 16: '0x' })[radix]! + value.toString(radix);
    const wide = (text: string) =>
      text.replaceAll(/[\d.]/g, (sign) =>
        sign === '.' ? '。' : String.fromCharCode(sign.charCodeAt(0) + 0xfee0),
      );
    fc.assert(
      fc.property(
        fc.constantFrom(...PRIVATE_IPV4),
        fc.array(base, { minLength: 4, maxLength: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(
          (text: string) => text,
          wide,
          encodeURIComponent,
          (text: string) => `${text}.`,
        ),
        (address, bases, parts, disguise) => {
          const bytes = address.split('.').map(Number);
          const rest = bytes.slice(parts - 1).reduce((sum, byte) => sum * 256 + byte, 0);
          const numbers = [...bytes.slice(0, parts - 1), rest];
          const spelled = numbers.map((value, index) => spell(value, bases[index]!)).join('.');
          return isRefused(`https://${disguise(spelled)}/`);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  test.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user@example.com/',
    'https://:secret@example.com/',
    'https://example.com@127.0.0.1/',
    String.raw`https://127.0.0.1\@example.com/`,
    'https://example.com:22/',
    'https://example.com:80/',
    'https://example.com:1023/',
    'https://example.com:99999/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://ⓛocalhost/',
    'https://metadata.google.internal/',
    'https://printer.local/',
    'https://router.home.arpa/',
    'https://intranet/',
    'https://[fe80::1%25eth0]/',
    'https://exa mple.com/',
    'not a URL',
  ])('is refused as %s', (text) => expect(isRefused(text)).toBe(true));

  test.each([
    'https://hooks.example.com/a?b=c',
    'https://hooks.example.com.:443/',
    'https://hooks.example.com:1024/',
    'https://bücher.example.com/',
    'https://example.com/#@127.0.0.1',
    'https://localhost.example.com/',
  ])('is accepted as %s', (text) => expect(isRefused(text)).toBe(false));

  test('may be http on the same machine where a developer has allowed it, and only there', () => {
    expect(isRefused('http://localhost:4000/')).toBe(true);
    process.env['ALLOW_LOOPBACK_WEBHOOKS'] = '1';
    for (const host of ['localhost', 'a.localhost', '127.0.0.1', '[::1]']) {
      expect(isRefused(`http://${host}:4000/`)).toBe(false);
    }
    for (const host of ['example.com', '10.0.0.1', '[::ffff:127.0.0.1]', 'intranet']) {
      expect(isRefused(`http://${host}:4000/`)).toBe(true);
    }
  });
});

describe("a call of a customer's URL", () => {
  test.each([...PRIVATE_IPV4, ...PRIVATE_IPV6])(
    'goes nowhere when one address of the host is %s',
    async (address) => {
      let connections = 0;
      onConnection = () => (connections += 1);
      resolved.mockResolvedValue(['8.8.8.8', address]);
      const call = getForCustomer(`https://hooks.example.com:${socketPort}/`);
      expect(await reasonOf(call)).toBe('refused');
      expect(connections).toBe(0);
    },
  );

  test('goes to the address that was checked, although the name leads elsewhere a moment later', async () => {
    process.env['ALLOW_LOOPBACK_WEBHOOKS'] = '1';
    resolved.mockResolvedValueOnce(['127.0.0.2']).mockResolvedValue(['127.0.0.3']);
    const seen = new Promise<{ address: string | undefined; hello: Buffer }>((resolve) => {
      onConnection = (socket) =>
        socket.once('data', (hello) => {
          resolve({ address: socket.localAddress, hello });
          socket.destroy();
        });
    });
    expect(await reasonOf(getForCustomer(`https://hooks.example.com:${socketPort}/`))).toBe('failed');
    const { address, hello } = await seen;
    expect(address).toBe('127.0.0.2');
    // A TLS handshake (RFC 8446, section 5.1), which names the host that the certificate must be for.
    expect(hello[0]).toBe(22);
    expect(hello.includes('hooks.example.com')).toBe(true);
    expect(resolved).toHaveBeenCalledTimes(1);
  });

  test('fails when the host has no address, and ends when none is found in time', async () => {
    expect(await reasonOf(getForCustomer('https://hooks.example.com/'))).toBe('failed');
    resolved.mockRejectedValue(new Error('ENOTFOUND'));
    expect(await reasonOf(getForCustomer('https://hooks.example.com/'))).toBe('failed');
    resolved.mockImplementation(
      (_, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('cancelled')));
        }),
    );
    const call = getForCustomer('https://hooks.example.com/', { connect_ms: SOON });
    expect(await reasonOf(call)).toBe('timeout');
  });

  test('reaches the same machine where a developer has allowed it', async () => {
    process.env['ALLOW_LOOPBACK_WEBHOOKS'] = '1';
    const { status, body } = await getForCustomer(url.replace('127.0.0.1', 'localhost'));
    expect([status, String(body)]).toEqual([200, 'fine']);
    expect(resolved).not.toHaveBeenCalled();
  });

  test('tells no path and no query, which may hold a secret', async () => {
    resolved.mockResolvedValue(['127.0.0.1']);
    const error: unknown = await getForCustomer('https://hooks.example.com/s3cret?t=s3cret').catch(
      (thrown: unknown) => thrown,
    );
    expect(JSON.stringify([String(error), error])).not.toContain('s3cret');
  });
});

describe('the name servers', () => {
  const { resolveHost } = jest.requireActual<{ resolveHost: typeof resolved }>(
    '../../shared/outside/resolve.ts',
  );
  /** Answers a question for IPv4 (type 1) with 192.0.2.7, and any other with no address (RFC 1035, section 4). */
  const reply = (question: Buffer): Buffer => {
    const isIpv4 = question.at(question.indexOf(0, 12) + 2) === 1;
    const header = Buffer.from([...question.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isIpv4 ? 1 : 0, 0, 0, 0, 0]);
    const asked = question.subarray(12, question.indexOf(0, 12) + 5);
    const address = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]);
    return Buffer.concat([header, asked, ...(isIpv4 ? [address] : [])]);
  };

  test('are asked for all addresses, and no longer than the call waits', async () => {
    const nameServer = createUdpSocket('udp4');
    const call = new AbortController();
    let answers = true;
    nameServer.on('message', (question, { port }) => {
      if (answers) nameServer.send(reply(question), port, '127.0.0.1');
      else call.abort();
    });
    nameServer.bind(0, '127.0.0.1');
    await once(nameServer, 'listening');
    const resolve4 = Resolver.prototype.resolve4 as (this: Resolver, host: string) => Promise<string[]>;
    const spy = jest.spyOn(Resolver.prototype, 'resolve4').mockImplementation(function (
      this: Resolver,
      host: string,
    ) {
      this.setServers([`127.0.0.1:${nameServer.address().port}`]);
      return resolve4.call(this, host);
    });
    expect(await resolveHost('hooks.example.com', call.signal)).toEqual(['192.0.2.7']);
    answers = false;
    const search = resolveHost('hooks.example.com', call.signal);
    await expect(search).rejects.toThrow('ECANCELLED');
    spy.mockRestore();
    nameServer.close();
  });
});

describe('a call', () => {
  test('does not follow a redirect', async () => {
    answer = (request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/elsewhere' }).end();
      else response.end('elsewhere');
    };
    const { status, headers } = await get();
    expect([status, headers.location, requests]).toEqual([302, '/elsewhere', 1]);
  });

  test('ends when nothing is answered, when the reply stops, and when the request has no time left', async () => {
    answer = () => {};
    expect(await reasonOf(get({ first_byte_ms: SOON }))).toBe('timeout');
    answer = (_, response) => void response.writeHead(200, { 'content-length': 100 }).write('{');
    expect(await reasonOf(get({ total_ms: SOON }))).toBe('timeout');
    const scope = { ...newScope(), deadline: performance.now() + SOON };
    expect(await reasonOf(inRequest(() => get(), scope))).toBe('timeout');
  });

  test('ends when a connection is accepted and no TLS follows', async () => {
    onConnection = () => {};
    const silent = `https://127.0.0.1:${socketPort}/`;
    expect(await reasonOf(get({ connect_ms: SOON }, silent))).toBe('timeout');
  });

  test('ends although the reply never does, byte by byte', async () => {
    let timer: NodeJS.Timeout;
    answer = (_, response) => {
      timer = setInterval(() => response.write(' '), 5);
      response.once('close', () => clearInterval(timer));
    };
    expect(await reasonOf(get({ total_ms: SOON, first_byte_ms: SOON }))).toBe('timeout');
  });

  test('keeps the first bytes of a body that is too large, and stops its sender', async () => {
    let sent = 0;
    const stopped = new Promise((resolve) => {
      answer = (_, response) => {
        response.once('close', () => resolve('stopped'));
        const more = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x'))) sent += 65_536;
        };
        response.on('drain', more);
        more();
      };
    });
    const { body, isCut } = await get();
    expect([body.length, isCut]).toEqual([10_000, true]);
    expect(await stopped).toBe('stopped');
    expect(sent).toBeLessThan(50_000_000);
  });

  test('unpacks a body, and no more of it than it keeps', async () => {
    const packed = (bytes: Buffer) => {
      answer = (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes);
    };
    packed(gzipSync('hello'));
    expect(String((await get()).body)).toBe('hello');
    packed(gzipSync(Buffer.alloc(50_000_000)));
    const { body, isCut } = await get();
    expect([body.length, isCut]).toEqual([10_000, true]);
    packed(gzipSync('x'.repeat(10_000)));
    expect((await get()).isCut).toBe(false);
    packed(gzipSync('hello'.repeat(500)).subarray(0, 30));
    expect(await reasonOf(get())).toBe('failed');
    packed(Buffer.from('not packed'));
    expect(await reasonOf(get())).toBe('failed');
  });

  test('fails when the reply is cut, or is no HTTP', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{"data"', () => response.destroy());
    };
    expect(await reasonOf(get())).toBe('failed');
    onConnection = (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n');
    expect(await reasonOf(get({}, `http://127.0.0.1:${socketPort}/`))).toBe('failed');
    onConnection = (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(50_000)}\r\n\r\n`);
    expect(await reasonOf(get({}, `http://127.0.0.1:${socketPort}/`))).toBe('failed');
  });

  test('is repeated when an idle connection was closed meanwhile, and not when a new one is', async () => {
    const used = new WeakSet<Socket>();
    answer = ({ socket }, response) => {
      if (used.has(socket)) socket.resetAndDestroy();
      else response.end('fine');
      used.add(socket);
    };
    await get();
    expect((await get()).status).toBe(200);
    expect(requests).toBe(3);
    answer = ({ socket }) => void socket.resetAndDestroy();
    requests = 0;
    // By another name there is no connection yet.
    expect(await reasonOf(get({}, url.replace('127.0.0.1', 'localhost')))).toBe('failed');
    expect(requests).toBe(1);
  });

  test('takes no proxy from the environment', async () => {
    const script = `import { callOperatorUrl } from '${join(ROOT, 'shared/outside/send.ts')}';
      const limits = ${JSON.stringify(LIMITS)};
      const request = { url: '${url}direct', method: 'GET', headers: {} };
      console.log(String((await callOperatorUrl(request, limits)).body));
      process.exit(0);`;
    const paths: unknown[] = [];
    answer = (request, response) => {
      paths.push(request.url);
      response.end('fine');
    };
    const proxy = `http://127.0.0.1:${socketPort}`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      env: { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy },
    });
    expect([stdout.trim(), paths]).toEqual(['fine', ['/direct']]);
  });
});
