import * as z from 'zod';
import { fromText, validated } from '../../../shared/http/request/validation.ts';

/** The problems of a value, without their place. */
const said = (schema: z.ZodType, value: unknown, isText?: boolean) => {
  const result = validated('body', z.strictObject({ at: schema }), { at: value }, isText);
  return 'problems' in result
    ? result.problems.map(({ loc: [, , ...inner], ...rest }) => ({
        ...rest,
        ...(inner.length > 0 && { inner }),
      }))
    : [];
};
const none = 'Value error, input matches none of the allowed forms';
const text = z.string();
const circle = z.strictObject({ kind: z.literal('circle'), radius: z.number() });
const square = z.strictObject({ kind: z.literal('square'), side: z.number() });

describe('a problem says what is wrong, the limit, and a short input', () => {
  test.each<[string, z.ZodType, unknown, object]>([
    ['a text', text, 5, { type: 'string_type', msg: 'Input should be a valid string', input: 5 }],
    ['a number', z.number(), '5', { type: 'float_type', msg: 'Input should be a valid number', input: '5' }],
    ['an integer', z.int(), '5', { type: 'int_type', msg: 'Input should be a valid integer', input: '5' }],
    ['no fraction', z.int(), 1.5, { type: 'int_type', msg: 'Input should be a valid integer', input: 1.5 }],
    ['a boolean', z.boolean(), 1, { type: 'bool_type', msg: 'Input should be a valid boolean', input: 1 }],
    ['a list', z.array(text), 'x', { type: 'list_type', msg: 'Input should be a valid list', input: 'x' }],
    [
      'an object',
      z.strictObject({}),
      'x',
      { type: 'dict_type', msg: 'Input should be a valid dictionary', input: 'x' },
    ],
    [
      'a record',
      z.record(text, text),
      'x',
      { type: 'dict_type', msg: 'Input should be a valid dictionary', input: 'x' },
    ],
    ['another type', z.date(), 'x', { type: 'value_error', msg: 'Input should be a valid date', input: 'x' }],
    ['a value', text, undefined, { type: 'missing', msg: 'Field required' }],
    ['null, which is a value', text, null, { type: 'string_type', msg: 'Input should be a valid string' }],
    [
      'one character',
      text.min(1),
      '',
      {
        type: 'string_too_short',
        msg: 'String should have at least 1 character',
        input: '',
        ctx: { min_length: 1 },
      },
    ],
    [
      'two characters',
      text.min(2),
      'a',
      {
        type: 'string_too_short',
        msg: 'String should have at least 2 characters',
        input: 'a',
        ctx: { min_length: 2 },
      },
    ],
    [
      'at most one character',
      text.max(1),
      'ab',
      {
        type: 'string_too_long',
        msg: 'String should have at most 1 character',
        input: 'ab',
        ctx: { max_length: 1 },
      },
    ],
    [
      'a lower limit',
      z.number().min(3),
      2,
      {
        type: 'greater_than_equal',
        msg: 'Input should be greater than or equal to 3',
        input: 2,
        ctx: { ge: 3 },
      },
    ],
    [
      'an upper limit',
      z.int().max(3),
      4,
      { type: 'less_than_equal', msg: 'Input should be less than or equal to 3', input: 4, ctx: { le: 3 } },
    ],
    [
      'more than a limit',
      z.number().gt(3),
      3,
      { type: 'greater_than_equal', msg: 'Input should be greater than 3', input: 3, ctx: { ge: 3 } },
    ],
    [
      'less than a limit',
      z.number().lt(3),
      3,
      { type: 'less_than_equal', msg: 'Input should be less than 3', input: 3, ctx: { le: 3 } },
    ],
    [
      'one item',
      z.array(text).min(1),
      [],
      { type: 'too_short', msg: 'List should have at least 1 item', ctx: { min_length: 1 } },
    ],
    [
      'at most two items',
      z.array(text).max(2),
      ['', '', ''],
      { type: 'too_long', msg: 'List should have at most 2 items', ctx: { max_length: 2 } },
    ],
    [
      'a pattern',
      text.regex(/^a+$/),
      'b',
      {
        type: 'string_pattern_mismatch',
        msg: "String should match pattern '/^a+$/'",
        input: 'b',
        ctx: { pattern: '/^a+$/' },
      },
    ],
    ['a UUID', z.guid(), 'x', { type: 'uuid_parsing', msg: 'Input should be a valid UUID', input: 'x' }],
    [
      'a UUID of a version',
      z.uuid(),
      'x',
      { type: 'uuid_parsing', msg: 'Input should be a valid UUID', input: 'x' },
    ],
    [
      'a date-time',
      z.iso.datetime(),
      'x',
      { type: 'datetime_parsing', msg: 'Input should be a valid ISO 8601 date-time', input: 'x' },
    ],
    [
      'a date',
      z.iso.date(),
      'x',
      { type: 'date_from_datetime_parsing', msg: 'Input should be a valid ISO 8601 date', input: 'x' },
    ],
    [
      'another format',
      z.email(),
      'x',
      { type: 'value_error', msg: 'Input should be a valid email', input: 'x' },
    ],
    [
      'a multiple',
      z.number().multipleOf(5),
      7,
      { type: 'value_error', msg: 'Input should be a multiple of 5', input: 7, ctx: { multiple_of: 5 } },
    ],
    [
      'the only value',
      z.literal(7),
      8,
      { type: 'literal_error', msg: "Input should be '7'", input: 8, ctx: { expected: "'7'" } },
    ],
    [
      'one of two',
      z.enum(['a', 'b']),
      'c',
      { type: 'enum', msg: "Input should be 'a' or 'b'", input: 'c', ctx: { expected: "'a' or 'b'" } },
    ],
    [
      'one of three',
      z.enum(['a', 'b', 'c']),
      'd',
      {
        type: 'enum',
        msg: "Input should be 'a', 'b' or 'c'",
        input: 'd',
        ctx: { expected: "'a', 'b' or 'c'" },
      },
    ],
    [
      'no other member',
      z.strictObject({}),
      { b: 1 },
      { inner: ['b'], type: 'extra_forbidden', msg: 'Extra inputs are not permitted' },
    ],
    [
      'a rule',
      text.refine(() => false, 'not an x'),
      'y',
      { type: 'value_error', msg: 'not an x', input: 'y' },
    ],
    [
      'a rule with a type',
      text.check(
        (context) =>
          void context.issues.push({
            code: 'custom',
            message: 'too short',
            params: { type: 'string_too_short', ctx: { min_length: 3 } },
            input: context.value,
          }),
      ),
      'y',
      { type: 'string_too_short', msg: 'too short', input: 'y', ctx: { min_length: 3 } },
    ],
    [
      'a rule on what is not there',
      z.object({ a: text.optional() }).refine(() => false, { message: 'no b', path: ['a', 'b'] }),
      {},
      { inner: ['a', 'b'], type: 'value_error', msg: 'no b' },
    ],
    [
      'an integer that a number holds exactly',
      z.int(),
      2 ** 53,
      {
        type: 'less_than_equal',
        msg: 'Input should be less than or equal to 9007199254740991',
        input: 2 ** 53,
        ctx: { le: 9_007_199_254_740_991 },
      },
    ],
    [
      'a text of a format',
      z.guid(),
      5,
      { type: 'string_type', msg: 'Input should be a valid string', input: 5 },
    ],
    [
      'a known tag',
      z.discriminatedUnion('kind', [circle, square]),
      { kind: 'line' },
      {
        inner: ['kind'],
        type: 'union_tag_invalid',
        msg: "Input tag at 'kind' does not match any of the expected tags",
        input: 'line',
        ctx: { discriminator: 'kind' },
      },
    ],
  ])('%s', (_, schema, value, expected) => expect(said(schema, value)).toEqual([expected]));

  test('a key that is not valid is the input, and not its value', () =>
    expect(said(z.object({ a: z.record(text.max(1), text) }), { a: { long: 'x' } })).toEqual([
      {
        inner: ['a', 'long'],
        type: 'string_too_long',
        msg: 'String should have at most 1 character',
        input: 'long',
        ctx: { max_length: 1 },
      },
    ]));

  test('a text of at most 200 characters is repeated, and no list or object', () => {
    const input = (value: unknown) => said(z.int(), value)[0]!.input;
    expect([input('x'.repeat(200)), input('x'.repeat(201)), input([1]), input({})]).toEqual([
      'x'.repeat(200),
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test.each<[string, z.ZodType, object]>([
  [
    'an integer',
    z.int(),
    { type: 'int_parsing', msg: 'Input should be a valid integer, unable to parse string' },
  ],
  [
    'a number',
    z.number(),
    { type: 'float_type', msg: 'Input should be a valid number, unable to parse string' },
  ],
  [
    'a boolean',
    z.boolean(),
    { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to parse string' },
  ],
  ['a list', z.array(text), { type: 'list_type', msg: 'Input should be a valid list' }],
])('of a query or a form, a text that is not %s cannot be parsed', (_, schema, expected) =>
  expect(said(schema, 'x', true)).toEqual([{ ...expected, input: 'x' }]),
);

test('of a query or a form, a value that is repeated is no text', () =>
  expect(said(z.int(), ['1', '2'], true)).toEqual([
    { type: 'int_type', msg: 'Input should be a valid integer' },
  ]));

test('a schema that fails in any other way is a bug, and one with more problems than the stack holds is refused', () => {
  const failing = (error: Error) =>
    z.unknown().superRefine(() => {
      throw error;
    });
  expect(said(failing(new RangeError('Maximum call stack size exceeded')), 1)).toEqual([
    { type: 'value_error', msg: 'Value error, there are too many problems to list' },
  ]);
  const bug = new TypeError('x is not a function');
  expect(() => said(failing(bug), 1)).toThrow(bug);
});

describe('a union', () => {
  const target = z.union([
    z.strictObject({ field_id: text }),
    z.strictObject({ start_key: text, more: text }),
  ]);

  test('reports the branch that was meant: the one whose problems are all inside the value', () =>
    expect(said(z.union([text, z.strictObject({ a: text })]), { a: 5 })).toEqual([
      { inner: ['a'], type: 'string_type', msg: 'Input should be a valid string', input: 5 },
    ]));

  test('even where another one has fewer problems', () =>
    expect(
      said(z.union([z.strictObject({ a: text }), z.strictObject({ a: text, b: text, c: text })]), {
        a: 5,
        b: 6,
        c: 7,
      }),
    ).toEqual(
      ['a', 'b', 'c'].map((name, i) => ({
        inner: [name],
        type: 'string_type',
        msg: 'Input should be a valid string',
        input: 5 + i,
      })),
    ));

  const extra = (name: string) => ({
    inner: [name],
    type: 'extra_forbidden',
    msg: 'Extra inputs are not permitted',
  });

  test('or the one with the fewest problems', () => {
    expect(said(target, { field_id: 'x', start_key: 'y' })).toEqual([extra('start_key')]);
    const [none, one] = [z.strictObject({}), z.strictObject({ a: text })];
    const value = { a: 'x', b: 'y', c: 'z' };
    for (const branches of [
      [none, one],
      [one, none],
    ] as const)
      expect(said(z.union(branches), value)).toEqual([extra('b'), extra('c')]);
    expect(said(z.union([none, text, one]), value)).toEqual([extra('b'), extra('c')]);
    expect(said(z.union([text, one]), value)).toEqual([extra('b'), extra('c')]);
  });

  test('or says that none fits', () => {
    expect(said(z.union([text, z.number()]), true)).toEqual([
      { type: 'value_error', msg: none, input: true },
    ]);
    expect(said(z.union([text, z.number()]), undefined)).toEqual([
      { type: 'missing', msg: 'Field required' },
    ]);
  });
});

describe('fromText', () => {
  test.each<[string, z.ZodType, string[], unknown]>([
    ['an integer', z.int(), ['12'], 12],
    ['a negative decimal', z.number(), ['-1.50'], -1.5],
    ['no other spelling of a number', z.number(), ['1e3'], '1e3'],
    ['no empty number', z.number(), [''], ''],
    ['no number with more than 17 digits', z.number(), ['1'.repeat(18)], '1'.repeat(18)],
    ['a number of 17 digits', z.number(), ['1'.repeat(17)], Number('1'.repeat(17))],
    ['a boolean in any case', z.boolean(), ['True'], true],
    ['false', z.boolean(), ['false'], false],
    ['no other boolean', z.boolean(), ['1'], '1'],
    ['a text as it is', text, ['12'], '12'],
    ['a text that spells a boolean', text, ['true'], 'true'],
    ['each item of a list', z.array(z.int()), ['1', 'x'], [1, 'x']],
    ['a list of one', z.array(text), ['a'], ['a']],
    ['what is repeated, as a list', text, ['a', 'b'], ['a', 'b']],
    ['what is optional, nullable or has a default', z.int().nullable().optional().default(1), ['2'], 2],
    ['what is piped', z.int().transform((n) => n), ['2'], 2],
  ])('reads %s', (_, schema, texts, expected) => expect(fromText(schema, texts)).toEqual(expected));
});
