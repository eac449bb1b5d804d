import fc from 'fast-check';
import * as z from 'zod';
import {
  handler as create,
  operation as createOperation,
} from '../../../functions/client-accounts/create-client-account.ts';
import {
  handler as listHandler,
  operation as list,
} from '../../../functions/client-accounts/list-client-accounts.ts';
import { newEvent } from '../../../infra/local/event.ts';
import { openApiDocument } from '../../../infra/openapi/document.ts';
import { ApiError } from '../../../shared/base/api-error.ts';
import * as errors from '../../../shared/base/errors.ts';
import type { Problem } from '../../../shared/base/problem.ts';
import { multipart } from '../../../shared/http/operation/multipart.ts';
import { defineOperation, isMultipart, type Operation } from '../../../shared/http/operation/operation.ts';
import { parseRequest } from '../../../shared/http/request/parse.ts';
import { validationProblems } from '../../../shared/http/request/problems.ts';
import { unstorable } from '../../../shared/http/request/storable.ts';
import { as } from '../../support/call.ts';
import { operationEntries } from '../../support/catalogue.ts';
import { newPerson, type Person } from '../../support/people.ts';

/** The contract's error types, with Pydantic v2's names. */
const TYPES = [
  'missing',
  'extra_forbidden',
  'string_type',
  'string_too_short',
  'string_too_long',
  'string_pattern_mismatch',
  'int_type',
  'int_parsing',
  'float_type',
  'bool_type',
  'bool_parsing',
  'uuid_parsing',
  'enum',
  'literal_error',
  'list_type',
  'too_short',
  'too_long',
  'dict_type',
  'greater_than_equal',
  'less_than_equal',
  'datetime_parsing',
  'date_from_datetime_parsing',
  'union_tag_invalid',
  'value_error',
];

const Problems = z
  .array(
    z.strictObject({
      loc: z.array(z.string()).min(1),
      msg: z.string().min(1),
      type: z.enum(TYPES),
      input: z.unknown().optional(),
      ctx: z.record(z.string(), z.unknown()).optional(),
    }),
  )
  .min(1);

const expectProblems = (problems: unknown, sources: string[]) => {
  // In the form that the client reads.
  const read = Problems.safeParse(JSON.parse(JSON.stringify(problems)));
  if (!read.success) throw new Error(`${z.prettifyError(read.error)}\n${JSON.stringify(problems)}`);
  for (const { loc } of read.data) expect(sources).toContain(loc[0]);
};

/** Any schema that a declaration may contain. */
const { schema: anySchema } = fc.letrec<{ schema: z.ZodType }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<z.ZodType>(
      z.string(),
      z.string().trim().min(2).max(3),
      z.string().regex(/^a+$/),
      z.int(),
      z.int().min(1).max(3),
      z.number().positive(),
      z.number().multipleOf(5),
      z.boolean(),
      z.guid(),
      z.email(),
      z.url(),
      z.iso.datetime({ offset: true }),
      z.iso.date(),
      z.iso.time(),
      z.enum(['a', 'b']),
      z.literal(7),
      z.null(),
      z.unknown(),
      z.never(),
      z.string().refine((text) => text === 'x', 'not an x'),
      z
        .string()
        .transform((text) => text.length)
        .pipe(z.int().min(2)),
    ),
    fc.tuple(tie('schema'), fc.nat(2), fc.nat(2)).map(([element, min, more]) =>
      z
        .array(element)
        .min(min)
        .max(min + more),
    ),
    fc
      .array(tie('schema'), { maxLength: 3 })
      .map((fields) => z.strictObject(Object.fromEntries(fields.entries()))),
    fc.array(tie('schema'), { maxLength: 3 }).map((fields) => z.object(Object.fromEntries(fields.entries()))),
    tie('schema').map((value) => z.record(z.string(), value)),
    tie('schema').map((value) => z.record(z.enum(['a', 'b']), value)),
    tie('schema').map((value) => z.record(z.string().max(1), value)),
    fc.tuple(tie('schema'), tie('schema')).map((options) => z.union(options)),
    fc.tuple(tie('schema'), tie('schema')).map(([a, b]) => z.tuple([a, b])),
    fc
      .tuple(tie('schema'), tie('schema'))
      .map(([a, b]) =>
        z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('a'), a }),
          z.object({ kind: z.literal('b'), b }),
        ]),
      ),
    tie('schema').map((inner) => inner.nullable()),
    tie('schema').map((inner) => inner.optional()),
  ),
}));

const anyJson = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }).map((value) => value as unknown);

describe('validationProblems', () => {
  test('reports the problems of any schema with any JSON in the contract’s form', () => {
    fc.assert(
      fc.property(
        anySchema,
        anyJson,
        fc.constantFrom('body' as const, 'query' as const),
        (schema, value, source) => {
          const { error } = schema.safeParse(value);
          if (error) expectProblems(validationProblems(source, error.issues, value), [source]);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

/** A declaration with a field of each kind, in the body and in the query. */
const KINDS = {
  text: z.string().min(2).max(3).optional(),
  code: z.string().regex(/^a+$/).optional(),
  whole: z.int().min(1).max(3).optional(),
  part: z.number().min(0).optional(),
  yes: z.boolean().optional(),
  id: z.guid().optional(),
  at: z.iso.datetime().optional(),
  day: z.iso.date().optional(),
  one: z.enum(['a', 'b']).optional(),
  all: z.array(z.int()).max(1).optional(),
};

const kinds = defineOperation({
  id: 'sendKinds',
  method: 'POST',
  path: '/kinds',
  summary: 'Send kinds',
  access: 'write',
  query: z.strictObject(KINDS),
  body: z.strictObject({ ...KINDS, needed: z.string(), inner: z.strictObject(KINDS).optional() }),
  success: 200,
  response: z.null(),
  grants: [],
  calls: 1,
});

const refusedBy = (operation: Operation, given: Parameters<typeof eventOf>[1]): unknown => {
  try {
    parseRequest(operation, eventOf(operation, given));
    return [];
  } catch (error) {
    return (error as ApiError).detail;
  }
};

describe('a request with very many problems', () => {
  const operation = defineOperation({
    id: 'sendRows',
    method: 'POST',
    path: '/rows',
    summary: 'Send rows',
    access: 'write',
    body: z.strictObject({ rows: z.array(z.strictObject({ name: z.string() })) }),
    success: 200,
    response: z.null(),
    grants: [],
    calls: 1,
  });
  const problemsOf = (body: object) =>
    refusedBy(operation, { body: Buffer.from(JSON.stringify(body)) }) as Problem[];
  const MAX_BYTES = 4_500_000;

  test('is 422 with as many problems as fit into a reply, and the number of the others', () => {
    const problems = problemsOf({ rows: Array.from({ length: 60_000 }, () => ({ name: 0 })) });
    expect(JSON.stringify(problems).length).toBeLessThan(MAX_BYTES);
    expect(problems.at(-1)).toEqual({
      loc: ['body'],
      type: 'value_error',
      msg: `Value error, ${60_000 - problems.length + 1} more problems are not listed`,
    });
  });

  test.each([
    ['there are too many problems to count', { rows: Array.from({ length: 300_000 }, () => 0) }],
    ['one problem is longer than a reply', { ['x'.repeat(4_000_000)]: 0 }],
  ])('is 422 when %s', (_, body) => {
    const problems = problemsOf(body);
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems).length).toBeLessThan(MAX_BYTES);
  });
});

describe('a 422', () => {
  test.each([
    [{ text: 1 }, 'text', 'string_type'],
    [{ text: 'a' }, 'text', 'string_too_short'],
    [{ text: 'aaaa' }, 'text', 'string_too_long'],
    [{ code: 'b' }, 'code', 'string_pattern_mismatch'],
    [{ whole: '1' }, 'whole', 'int_type'],
    [{ whole: 1.5 }, 'whole', 'int_type'],
    [{ whole: 0 }, 'whole', 'greater_than_equal'],
    [{ whole: 4 }, 'whole', 'less_than_equal'],
    [{ part: '1' }, 'part', 'float_type'],
    [{ yes: 'true' }, 'yes', 'bool_type'],
    [{ id: 'x' }, 'id', 'uuid_parsing'],
    [{ at: 'x' }, 'at', 'datetime_parsing'],
    [{ day: '2026-02-30' }, 'day', 'date_from_datetime_parsing'],
    [{ one: 'c' }, 'one', 'enum'],
    [{ all: {} }, 'all', 'list_type'],
    [{ all: [1, 2] }, 'all', 'too_long'],
    [{ all: ['1'] }, 'all.0', 'int_type'],
    [{ inner: [] }, 'inner', 'dict_type'],
    [{ inner: { whole: null } }, 'inner.whole', 'int_type'],
    [{ inner: { other: 1 } }, 'inner.other', 'extra_forbidden'],
    [{ needed: undefined }, 'needed', 'missing'],
  ])('for the body %j is %s: %s', (fields, loc, type) => {
    const body = Buffer.from(JSON.stringify({ needed: 'n', ...fields }));
    expect(refusedBy(kinds, { body })).toEqual([
      expect.objectContaining({ loc: ['body', ...loc.split('.')], type, msg: expect.any(String) }),
    ]);
  });

  test.each([
    ['whole=x', 'whole', 'int_parsing'],
    ['whole=', 'whole', 'int_parsing'],
    ['part=x', 'part', 'float_type'],
    ['yes=x', 'yes', 'bool_parsing'],
    ['yes=0', 'yes', 'bool_parsing'],
    ['yes=1', 'yes', 'bool_parsing'],
    ['yes=', 'yes', 'bool_parsing'],
    ['id=x', 'id', 'uuid_parsing'],
    ['one=x', 'one', 'enum'],
    ['all=x', 'all.0', 'int_parsing'],
    ['text=aa&text=aa', 'text', 'string_type'],
  ])('for the query %s is %s: %s', (query, loc, type) => {
    expect(refusedBy(kinds, { query, body: Buffer.from('{"needed": "n"}') })).toEqual([
      expect.objectContaining({ loc: ['query', ...loc.split('.')], type, msg: expect.any(String) }),
    ]);
  });

  test('reports every problem of the request at once', () => {
    const body = Buffer.from('{"text": 1, "inner": {"whole": 9}, "other": 1}');
    const problems = refusedBy(kinds, { query: 'yes=x', body }) as { loc: string[] }[];
    expect(problems.map(({ loc }) => loc.join('.')).toSorted()).toEqual([
      'body.inner.whole',
      'body.needed',
      'body.other',
      'body.text',
      'query.yes',
    ]);
  });
});

describe('a boolean in a query', () => {
  test.each(['true', 'false', 'True', 'FALSE'])('is accepted as %s', (text) => {
    expect(refusedBy(kinds, { query: `yes=${text}`, body: Buffer.from('{"needed": "n"}') })).toEqual([]);
  });
});

describe('a body in another charset', () => {
  const form = defineOperation({
    id: 'sendForm',
    method: 'POST',
    path: '/form',
    summary: 'Send a form',
    access: 'write',
    body: multipart(z.strictObject({ title: z.string() }), {}),
    success: 200,
    response: z.null(),
    grants: [],
    calls: 1,
  });
  const part = (type: string) =>
    Buffer.from(
      `--b\r\nContent-Disposition: form-data; name="title"\r\nContent-Type: ${type}\r\n\r\nx\r\n--b--\r\n`,
    );
  const json = Buffer.from('{"needed": "n"}');
  const REFUSED = errors.charsetNotSupported().detail;

  test.each([
    ['application/json; charset=utf-16', REFUSED],
    ['application/json;charset="ISO-8859-1"', REFUSED],
    ['application/json; charset=', REFUSED],
    ['application/json; charset=UTF-8', []],
    ['application/json; charset="utf8"; other=1', []],
  ])('is refused: %s', (type, detail) => {
    expect(refusedBy(kinds, { type, body: json })).toEqual(detail);
  });

  test.each([
    ['multipart/form-data; boundary=b; charset=utf-16', 'text/plain', REFUSED],
    ['multipart/form-data; boundary=b', 'text/plain; charset=latin1', REFUSED],
    ['multipart/form-data; boundary=b', 'text/plain; charset=utf-8', []],
  ])('is refused: %s with a part of %s', (type, partType, detail) => {
    expect(refusedBy(form, { type, body: part(partType) })).toEqual(detail);
  });
});

describe('unstorable', () => {
  test.each([
    ['an infinite number', '[1e400]', ['body', '0']],
    ['a number that is too large for the table', '{"a": -1e200}', ['body', 'a']],
    ['a number that is too small for the table', '{"a": 1e-200}', ['body', 'a']],
    ['half a character', String.raw`{"a": "\ud800"}`, ['body', 'a']],
    ['half a character in a key', String.raw`{"\ud800": 1}`, ['body']],
    ['the prototype', '{"__proto__": {"isAdmin": true}}', ['body']],
    ['a key without a name', '{"": 1}', ['body']],
  ])('finds %s', (_, json, loc) => {
    expect(unstorable(JSON.parse(json))).toEqual([{ loc, type: 'value_error', msg: expect.any(String) }]);
  });

  test('reports deep nesting without recursion', () => {
    expect(unstorable(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)))).toHaveLength(1);
  });

  test('reports nothing for a value that the table can store', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
        fc.pre(
          !/"(__proto__)?":/.test(JSON.stringify(value)) && !/e[+-][1-9]\d\d/.test(JSON.stringify(value)),
        );
        expect(unstorable(value)).toEqual([]);
      }),
    );
  });
});

const eventOf = (
  operation: Operation,
  { body = Buffer.alloc(0), type = 'application/json', query = '', params = {} },
) =>
  newEvent(
    { resource: operation.path, params },
    {
      method: operation.method,
      path: operation.path,
      query,
      rawHeaders: ['Content-Type', type],
      body,
      sourceIp: '127.0.0.1',
    },
  );

/** Reads a request or refuses it with an ApiError; any other error is a crash. */
const readOrRefuse = (operation: Operation, given: Parameters<typeof eventOf>[1]): void => {
  try {
    parseRequest(operation, eventOf(operation, given));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect([400, 422]).toContain(error.status);
    if (error.status === 422) expectProblems(error.detail, ['body', 'query', 'path', 'header']);
  }
};

/** JSON texts that only an attacker would send. */
const HOSTILE = [
  '1e400',
  '-1e400',
  '1e200',
  '1e-200',
  '9007199254740993',
  '-0',
  String.raw`"\ud800"`,
  String.raw`"\u0000"`,
  '{"__proto__": 1}',
  '{"constructor": {"prototype": 1}}',
  '{"toString": 1}',
  '{"": 1}',
  '['.repeat(10_000) + ']'.repeat(10_000),
  '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000),
  `"${'x'.repeat(20_000)}"`,
];

/** A JSON text in which a hostile text replaces one of the values. */
const poisoned = (value: unknown, place: number, poison: string): string => {
  let places = 0;
  const text = JSON.stringify({ value }, (_, inner: unknown) => {
    places += 1;
    return inner;
  });
  let at = 0;
  const marked = JSON.stringify({ value }, (_, inner: unknown) => {
    at += 1;
    return at - 1 === 1 + (place % Math.max(1, places - 1)) ? '@poison@' : inner;
  });
  return (marked ?? text).replace('"@poison@"', () => poison).slice('{"value":'.length, -1);
};

describe('every declared request', () => {
  const entries = operationEntries().filter(({ operation }) => operation.access !== 'person');

  test.each(entries.map((entry) => [entry.operation.id, entry] as const))(
    '%s refuses a request that it cannot read',
    (_, entry) => {
      const { operation } = entry;
      const params = Object.fromEntries(
        Object.keys(operation.params?.shape ?? {}).map((name) => [name, 'x']),
      );
      const documented = openApiDocument({ operations: [entry], workers: [] }).paths[operation.path]!;
      const { requestBody } = documented[operation.method.toLowerCase() as 'post']!;
      const example = requestBody?.content['application/json']?.example ?? {};
      const names = Object.keys(operation.query?.shape ?? { any: 1 });
      fc.assert(
        fc.property(fc.constantFrom(...names), fc.string(), fc.string(), (name, a, b) =>
          readOrRefuse(operation, {
            query: new URLSearchParams([
              [name, a],
              [name, b],
            ]).toString(),
            params: { ...params },
          }),
        ),
        { numRuns: 100 },
      );
      if (isMultipart(operation.body)) return;
      fc.assert(
        fc.property(
          fc.nat(60),
          fc.oneof(fc.constantFrom(...HOSTILE), fc.json({ maxDepth: 2 })),
          (place, poison) =>
            readOrRefuse(operation, { body: Buffer.from(poisoned(example, place, poison)), params }),
        ),
        { numRuns: 60 },
      );
    },
  );
});

describe('POST /client-accounts', () => {
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Hostile');
  });

  const post = (raw: Buffer) => as(person).call({ operation: createOperation, handler: create }, { raw });

  test.each(HOSTILE.map((text) => [text.slice(0, 30), text]))(
    '201 or 4xx for %s, never 5xx',
    async (_, text) => {
      for (const json of [text, `{"name": ${text}}`, `{"name": "a", "contact": ${text}}`]) {
        const { status } = await post(Buffer.from(json));
        expect([201, 400, 422]).toContain(status);
      }
    },
  );

  test.each([
    '__proto__=1',
    'constructor=1',
    'limit=1&limit=2',
    'limit=1e1',
    'limit=%00',
    'is_active=%FF',
    'updated_since=9',
  ])('422 for the query %s', async (text) => {
    const query = Object.fromEntries(
      [...new URLSearchParams(text).keys()].map((name) => [name, new URLSearchParams(text).getAll(name)]),
    );
    const { status } = await as(person).call({ operation: list, handler: listHandler }, { query });
    expect(status).toBe(422);
  });
});

describe('a form', () => {
  const operation = defineOperation({
    id: 'sendForm',
    method: 'POST',
    path: '/forms',
    summary: 'Send a form',
    access: 'write',
    body: multipart(
      z.strictObject({ title: z.string(), tags: z.array(z.string()).optional(), count: z.int().optional() }),
      {
        file: { required: true, maxBytes: 1_000, description: 'A file.' },
      },
    ),
    success: 201,
    response: z.null(),
    grants: [],
    calls: 1,
  });
  const type = 'multipart/form-data; boundary=b';
  const part = (headers: string, content: string) => `--b\r\n${headers}\r\n\r\n${content}\r\n`;
  const valid = `${part('Content-Disposition: form-data; name="title"', 'T')}${part(
    'Content-Disposition: form-data; name="file"; filename="../a\\b/c.txt"\r\nContent-Type: text/plain',
    'bytes',
  )}--b--\r\n`;

  test('is read, and its file’s name has no path', () => {
    const { body } = parseRequest(operation, eventOf(operation, { body: Buffer.from(valid), type }));
    expect(body).toEqual({ title: 'T', file: { name: 'c.txt', bytes: expect.any(Uint8Array) } });
  });

  test('is refused and never crashes, whatever its bytes are', () => {
    const pieces = fc.constantFrom(
      '--b',
      '--b--',
      '\r\n',
      '\r\n\r\n',
      '\n',
      'Content-Disposition: form-data; name="title"',
      'Content-Disposition: form-data; name="__proto__"',
      'Content-Disposition: form-data; name="file"; filename=""',
      'Content-Disposition: form-data; filename="a"',
      'content-disposition:',
      'Content-Disposition: form-data; name="file"; filename*=utf-8\'\'%ff',
      ':',
      '"',
      '\u0000',
      'x'.repeat(9_000),
    );
    const soup = fc
      .array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 20 })
      .map((all) => Buffer.from(all.join('')));
    const cut = fc
      .tuple(fc.nat(valid.length), fc.nat(20), fc.uint8Array({ maxLength: 8 }))
      .map(([at, length, bytes]) =>
        Buffer.concat([Buffer.from(valid.slice(0, at)), bytes, Buffer.from(valid.slice(at + length))]),
      );
    const types = fc.constantFrom(
      type,
      'multipart/form-data; boundary="b"',
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'multipart/form-data; boundary=b; boundary=c',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          soup,
          cut,
          fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        ),
        types,
        (body, type) => readOrRefuse(operation, { body, type }),
      ),
      { numRuns: 2_000 },
    );
  });

  test('is refused when it has ten thousand parts', () => {
    const body = Buffer.from(`${part('Content-Disposition: form-data; name="a"', '').repeat(10_000)}--b--`);
    expect(() => parseRequest(operation, eventOf(operation, { body, type }))).toThrow(
      expect.objectContaining({ status: 400 }),
    );
  });

  test.each([
    ['its file is missing', part('Content-Disposition: form-data; name="title"', 'T'), 'file', 'missing'],
    [
      'a field appears twice',
      valid.replace('--b--\r\n', '') + part('Content-Disposition: form-data; name="title"', 'U'),
      'title',
      'string_type',
    ],
    [
      'a number is malformed',
      valid.replace('--b--\r\n', '') + part('Content-Disposition: form-data; name="count"', '1x'),
      'count',
      'int_parsing',
    ],
  ])('is 422 when %s', (_, parts, name, problem) => {
    const body = Buffer.from(`${parts.replace(/--b--\r\n$/, '')}--b--\r\n`);
    expect(() => parseRequest(operation, eventOf(operation, { body, type }))).toThrow(
      expect.objectContaining({
        status: 422,
        detail: expect.arrayContaining([expect.objectContaining({ loc: ['body', name], type: problem })]),
      }),
    );
  });
});
