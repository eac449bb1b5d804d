import type { APIGatewayProxyEvent } from 'aws-lambda';
import {
  bytesOf,
  parseJson,
  acceptsGzip,
  bearer,
  checkCharset,
  header,
  prefersPage,
  readerLanguage,
  wholeHeader,
} from '../../../shared/http/request/event.ts';
import { expectedVersionOf, withoutExpectedVersion, knownRepliesOf } from '../../../shared/http/versions.ts';

/** A request with these headers, the last of several lines of each as the gateway gives it. */
const sent = (headers: Record<string, string | string[]>): APIGatewayProxyEvent =>
  ({
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value].flat().at(-1)]),
    ),
    multiValueHeaders: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value].flat()]),
    ),
  }) as never;

describe('header', () => {
  test('is found whatever the case in which it was sent', () => {
    expect(header(sent({ 'Content-TYPE': 'a/b' }), 'content-type')).toBe('a/b');
    expect(header(sent({ 'x-content-type': 'a/b' }), 'content-type')).toBeUndefined();
    expect(header({ headers: null } as never, 'content-type')).toBeUndefined();
  });

  test('as a list, has the values of all its lines', () => {
    expect(wholeHeader(sent({ Accept: ['a/b', 'c/d'], Other: 'x' }), 'accept')).toBe('a/b, c/d');
    expect(wholeHeader({ headers: { Accept: 'a/b' }, multiValueHeaders: null } as never, 'accept')).toBe(
      'a/b',
    );
    expect(wholeHeader(sent({}), 'accept')).toBeUndefined();
    expect(
      wholeHeader({ headers: {}, multiValueHeaders: { Accept: undefined } } as never, 'accept'),
    ).toBeUndefined();
  });
});

test.each([
  ['Bearer k1', 'k1'],
  ['bearer   k1  ', 'k1'],
  ['Bearer', undefined],
  ['Bearer k1 k2', undefined],
  ['Basic k1', undefined],
  ['x Bearer k1', undefined],
  [undefined, undefined],
])('bearer: the key in %j is %j', (authorization, key) =>
  expect(bearer(sent(authorization === undefined ? {} : { Authorization: authorization }))).toBe(key),
);

test.each([
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['br', false],
  ['xgzipx', false],
])('acceptsGzip: %s', (value, expected) => {
  expect(acceptsGzip(sent({ 'Accept-Encoding': value }))).toBe(expected);
  expect(acceptsGzip(sent({}))).toBe(false);
});

test('prefersPage: a browser asks for HTML, a program does not', () => {
  expect(prefersPage(sent({ Accept: ['image/png', 'TEXT/HTML,*/*'] }))).toBe(true);
  for (const headers of [{ Accept: '*/*' }, { Accept: 'xtext/htmlx' }, {}])
    expect(prefersPage(sent(headers as never))).toBe(false);
});

test.each([
  [['de-CH,fr;q=0.9'], 'de'],
  [['xx', 'fr'], 'fr'],
  [['fr;q=0.4, es;q=0.8, it;q=0'], 'es'],
  [['it;q=0'], 'en'],
  [[], 'en'],
])('readerLanguage: %j is %s', (lines, language) =>
  expect(readerLanguage(sent(lines.length > 0 ? { 'accept-language': lines } : {}))).toBe(language),
);

test.each(['', 'text/plain', 'a/b; charset=utf-8', 'a/b;charset="UTF8"', 'a/b; charset = utf-8; x=y'])(
  'checkCharset takes %j',
  (type) => expect(() => checkCharset(type)).not.toThrow(),
);
test.each([
  'a/b; charset=latin1',
  'a/b; charset = latin1',
  'a/b; charset=utf-16',
  'a/b; CHARSET="xutf-8"',
  'a/b; charset=utf-88',
])('checkCharset refuses %j', (type) =>
  expect(() => checkCharset(type)).toThrow(expect.objectContaining({ status: 400 })),
);

describe('a body', () => {
  const body = (text: string | null, isBase64Encoded = false) =>
    bytesOf({ body: text, isBase64Encoded } as never);

  test('is read as it was sent', () => {
    expect(body('é').toString('hex')).toBe('c3a9');
    expect(body('w6k=', true).toString('hex')).toBe('c3a9');
    expect(body(null)).toHaveLength(0);
  });

  test('is refused when it is no UTF-8, or no JSON', () => {
    expect(parseJson(Buffer.from('{"a": "é"}'))).toEqual({ a: 'é' });
    const refusal = (bytes: Buffer) => {
      try {
        return parseJson(bytes);
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(refusal(Buffer.from([0x22, 0xff, 0x22]))).toBe('body_not_utf8');
    expect(refusal(Buffer.from('{'))).toBe('body_not_json');
  });
});

describe('expectedVersionOf', () => {
  const found = (ifMatch: string | undefined, body?: unknown) =>
    expectedVersionOf(sent(ifMatch === undefined ? {} : { 'If-Match': ifMatch }), body);

  test.each<[string | undefined, object | undefined, number | undefined]>([
    [undefined, undefined, undefined],
    [undefined, { expected_version: 3 }, 3],
    ['*', undefined, undefined],
    ['*', { expected_version: 3 }, 3],
    ['"12"', {}, 12],
    ['12', {}, 12],
    [' "12-aB_9-x" ', {}, 12],
    ['"3"', { expected_version: 3 }, 3],
  ])('If-Match %j with the body %j names %j', (ifMatch, body, version) =>
    expect(found(ifMatch, body)).toEqual({ data: version }),
  );

  test.each<[string, object?]>([
    ['"x"'],
    ['"1", "2"'],
    ['""'],
    ['"1234567890123456"'],
    ['x"1"'],
    ['W/"12"'],
    ['"1-"'],
    ['"12'],
    ['"3"', { expected_version: 4 }],
  ])('refuses If-Match %j', (ifMatch, ...[body]) =>
    expect(found(ifMatch, body)).toEqual({
      problems: [
        {
          loc: ['header', 'if-match'],
          type: 'value_error',
          msg: 'Value error, If-Match should be one version in quotes, such as "3", or one ETag that is not weak; with expected_version in the body, both should name the same version',
        },
      ],
    }),
  );

  test('is no part of the change', () => {
    expect(withoutExpectedVersion({ expected_version: 3, name: 'a' })).toEqual({ name: 'a' });
    for (const body of [{ name: 'a' }, [1], null, undefined, 'x'])
      expect(withoutExpectedVersion(body)).toBe(body);
  });
});

describe('knownRepliesOf', () => {
  const found = (...lines: string[]) =>
    knownRepliesOf(sent(lines.length > 0 ? { 'If-None-Match': lines } : {}));

  test.each<[string[], unknown]>([
    [[], undefined],
    [['*'], '*'],
    [['"1-a"'], ['1-a']],
    [['W/"1-a", "2"'], ['1-a', '2']],
    [
      ['"1"', '"2"'],
      ['1', '2'],
    ],
    [['""'], ['']],
    [[' , "1" ,, "2", '], ['1', '2']],
    [['"a,b"'], ['a,b']],
    [['"aW/b"'], ['aW/b']],
    [[' * '], '*'],
  ])('in %j are %j', (lines, data) => expect(found(...lines)).toEqual({ data }));

  test.each(['x', '12', '"1', '"1" "2"', '"a b"', '* , "1"', '', 'w/"1"'])('refuses %j', (text) =>
    expect(found(text)).toEqual({
      problems: [
        {
          loc: ['header', 'if-none-match'],
          type: 'value_error',
          msg: 'Value error, If-None-Match should be * or a list of quoted entity tags',
        },
      ],
    }),
  );
});
