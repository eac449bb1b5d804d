import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod';
import * as errors from '../../../shared/base/errors.ts';
import {
  attemptCookie,
  endOfAttempt,
  readAttempt,
  returnPath,
} from '../../../shared/http/browser-handler.ts';
import {
  cookie,
  SESSION_COOKIE,
  sessionToken,
  setCookie,
  SIGN_IN_COOKIE,
  checkOrigin,
} from '../../../shared/http/request/event.ts';
import { checkedQuery } from '../../../shared/http/request/validation.ts';

const sent = (headers: Record<string, string>, more: object = {}): APIGatewayProxyEvent =>
  ({ httpMethod: 'POST', headers, multiValueHeaders: null, ...more }) as never;

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a cookie', () => {
  test.each([
    ['__Host-session=abc', 'abc'],
    ['a=1; __Host-session=abc; b=2', 'abc'],
    ['a=1,__Host-session=abc', 'abc'],
    ['__Host-session=a=b', 'a=b'],
    ['__Host-session=', ''],
    ['__Host-sessions=abc', undefined],
    ['x__Host-session=abc', undefined],
    ['a=1', undefined],
  ])('of the session in %j is %j', (Cookie, token) => {
    expect(sessionToken(sent({ Cookie }))).toBe(token);
  });

  test('is found by its name alone', () => {
    const event = sent({ cookie: '__Host-sign-in=two; __Host-session=one' });
    expect([cookie(event, SESSION_COOKIE), cookie(event, SIGN_IN_COOKIE)]).toEqual(['one', 'two']);
    expect(cookie(sent({}), SESSION_COOKIE)).toBeUndefined();
  });

  test('is read by no script, sent over TLS alone and with no foreign form', () => {
    expect(setCookie(SESSION_COOKIE, 'abc', 60)).toBe(
      '__Host-session=abc; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Lax',
    );
  });
});

describe('the origin of a change', () => {
  const before = process.env['PUBLIC_URL'];
  beforeAll(() => {
    process.env['PUBLIC_URL'] = 'https://inspections.example.com/v1';
  });
  afterAll(() => {
    if (before === undefined) delete process.env['PUBLIC_URL'];
    else process.env['PUBLIC_URL'] = before;
  });
  const host = 'abc.execute-api.eu-central-1.amazonaws.com';

  test.each<[string, Record<string, string>]>([
    ['the host that was asked', { host, origin: `https://${host}` }],
    ['the host of the service’s own domain', { host, origin: 'https://inspections.example.com' }],
    [
      'a page of ours that keeps its address to itself',
      { host, origin: 'null', 'sec-fetch-site': 'same-origin' },
    ],
  ])('may be %s', (_, headers) => {
    expect(() => checkOrigin(sent(headers))).not.toThrow();
  });

  test.each<[string, Record<string, string>]>([
    ['missing', { host }],
    ['missing, like the host', {}],
    ['no address', { host, origin: 'x' }],
    ['another host', { host, origin: 'https://example.com' }],
    ['another scheme', { host, origin: `http://${host}` }],
    ['another port', { host, origin: `https://${host}:8443` }],
    ['a page of somebody else that keeps its address to itself', { host, origin: 'null' }],
    ['one of the same site', { host, origin: 'null', 'sec-fetch-site': 'same-site' }],
    ['one that claims to be ours', { host, origin: 'https://example.com', 'sec-fetch-site': 'same-origin' }],
  ])('is refused where it is %s', (_, headers) => {
    expect(() => checkOrigin(sent(headers))).toThrow(errors.foreignOrigin());
  });

  test('of a request that changes nothing does not matter', () => {
    const foreign = sent({ host, origin: 'https://example.com' }, { httpMethod: 'GET' });
    expect(() => checkOrigin(foreign)).not.toThrow();
  });
});

describe('a path to return to', () => {
  test.each(['/admin/members', '/s/a-b_c.d?x=1&y=%20~', '/', `/${'a'.repeat(999)}`])('may be %s', (path) => {
    expect(returnPath(path)).toBe(path);
  });

  test.each([
    undefined,
    '',
    'admin',
    'https://example.com',
    'x/admin',
    '/a:b',
    '/a b',
    '/a\\b',
    `/${'a'.repeat(1_000)}`,
  ])('is not %s', (path) => {
    expect(returnPath(path)).toBe('/admin');
  });
});

describe('a sign-in that has begun', () => {
  const attempt = { state: 'S', nonce: 'N', verifier: 'V', returnTo: '/admin/members' };
  const NOW = 1_700_000_000_000;
  const at = (milliseconds: number) => jest.spyOn(Date, 'now').mockReturnValue(milliseconds);
  const begun = (more: { invitation?: string; returnTo?: string } = {}) => {
    at(NOW);
    return attemptCookie({ ...attempt, ...more });
  };
  const read = (header: string) => readAttempt(sent({ cookie: header.split(';')[0]! }));
  const encoded = (value: unknown) =>
    `${SIGN_IN_COOKIE}=${Buffer.from(JSON.stringify(value)).toString('base64url')}`;

  test('goes on within ten minutes, in the browser that has its cookie', () => {
    const header = begun();
    expect(header).toMatch(/^__Host-sign-in=[\w-]+; Path=\/; Max-Age=600; /);
    const until = NOW + 600_000;
    expect(read(header)).toEqual({ ...attempt, until });
    at(until - 1);
    expect(read(header)).toEqual({ ...attempt, until });
    at(until);
    expect(read(header)).toBeUndefined();
  });

  test('keeps the invitation that it began with, if it is one', () => {
    const invitation = 'abcdefghij_ABCDEFGHI-1';
    expect(read(begun({ invitation }))).toMatchObject({ invitation });
    expect(read(begun({ invitation: 'no token' }))).not.toHaveProperty('invitation');
  });

  test('returns to a path of the service, whatever its cookie says', () => {
    expect(read(begun({ returnTo: 'https://example.com' }))).toMatchObject({ returnTo: '/admin' });
  });

  test.each([
    ['no cookie', ''],
    ['another cookie', 'a=1'],
    ['no JSON', `${SIGN_IN_COOKIE}=abc`],
    ['no attempt', encoded(null)],
    ['an attempt without its time', encoded(attempt)],
    ['an attempt without its nonce', encoded({ ...attempt, nonce: undefined, until: NOW * 2 })],
  ])('is not read from %s', (_, header) => {
    expect(read(header)).toBeUndefined();
  });

  test('ends with its cookie', () => {
    expect(endOfAttempt()).toBe('__Host-sign-in=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax');
  });
});

describe('the query of a page', () => {
  const schema = z.object({ page: z.enum(['1', '2']).default('1') });
  const of = (queryStringParameters: object | null, declared?: z.ZodObject) =>
    checkedQuery(declared, sent({}, { queryStringParameters }));

  test('may have more than the page names', () => {
    expect(of({ page: '2', utm_source: 'mail' }, schema)).toEqual({ page: '2' });
    expect(of(null, schema)).toEqual({ page: '1' });
    expect(of({ utm_source: 'mail' })).toEqual({});
  });

  test('is refused with what is wrong', () => {
    expect(() => of({ page: '3' }, schema)).toThrow(
      expect.objectContaining({
        status: 422,
        detail: [expect.objectContaining({ loc: ['query', 'page'], type: 'enum' })],
      }),
    );
  });
});
