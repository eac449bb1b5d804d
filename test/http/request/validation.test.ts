import fc from 'fast-check';
import * as z from 'zod';
import * as errors from '../../../shared/base/errors.ts';
import type { Problem } from '../../../shared/base/problem.ts';
import { multipart } from '../../../shared/http/operation/forms.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { unstorable } from '../../../shared/http/request/storable.ts';
import { validationProblems } from '../../../shared/http/request/validation.ts';
import { runs } from '../../support/scale.ts';
import { expectProblems, refusedBy } from './reading.ts';

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
      { numRuns: runs(500) },
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
});

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

  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

  test.each<[string, unknown, object[]]>([
    [
      'a number out of range',
      { a: [0, 1e200] },
      [{ loc: ['body', 'a', '1'], msg: 'Value error, number is out of range' }],
    ],
    ['the largest and the smallest numbers', [1e125, -1e125, 1e-130, -1e-130, 0], []],
    [
      'half a character',
      ['\ud800'],
      [
        {
          loc: ['body', '0'],
          msg: 'Value error, string contains a control character or is not valid Unicode',
        },
      ],
    ],
    [
      'a key that is not allowed',
      { a: { '': 1 } },
      [{ loc: ['body', 'a'], msg: 'Value error, a key is not allowed' }],
    ],
    ['64 levels', nested(64), []],
    [
      '65 levels',
      nested(65),
      [{ loc: ['body', ...Array(7).fill('0')], msg: 'Value error, nested deeper than 64 levels' }],
    ],
    ['300,000 values', Array(299_999).fill(0), []],
    [
      'more than 300,000 values',
      Array(300_000).fill(0),
      [{ loc: ['body'], msg: 'Value error, there are more than 300,000 values' }],
    ],
  ])('says of %s what is wrong', (_, value, expected) =>
    expect(unstorable(value)).toEqual(expected.map((problem) => ({ type: 'value_error', ...problem }))),
  );

  test('reports a hundred problems at most, in the part of the request that has them', () => {
    const problems = unstorable(Array(150).fill('\ud800'), 'query');
    expect([problems.length, problems[0]!.loc]).toEqual([100, ['query', '0']]);
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
