import fc from 'fast-check';
import { compute } from '../../../../shared/domain/content/formula/compute.ts';
import { parseFormula } from '../../../../shared/domain/content/formula/parse.ts';
import { effort } from '../../../support/effort.ts';
import { runs } from '../../../support/scale.ts';
import { fault, FIELD, nameOf, result } from './fixtures.ts';

describe('compute', () => {
  const answers = {
    [FIELD]: [7],
    tenth: [0.1],
    fifth: [0.2],
    none: [null],
    blank: ['  '],
    option: ['12'],
    word: ['abc'],
    yes: [true],
    no: [false],
    many: [['red', 'dark blue']],
    chosen_none: [[]],
    doors: [1, 2, null, 3.5],
    notes: ['a', null, 'b'],
    no_doors: [],
    may: ['2024-05-31'],
    june: ['2024-06-01'],
    noon: ['12:00'],
    exactly_noon: ['12:00:00'],
    in_zurich: ['2024-06-01T12:00:00+02:00'],
    in_london: ['2024-06-01T11:00:00+01:00'],
    largest: [1e15],
    photo: [[{ document_id: FIELD }]],
    mixed: [['red', 1]],
    padded: [`${'0'.repeat(999)}1`],
    too_long: [`${'0'.repeat(1_000)}1`],
  };

  test.each<[string, ReturnType<typeof result>]>([
    ['1 + 2 * 3 - 4 div 2', 5],
    ['(1 + 2) * 3', 9],
    ['10 - 3 - 2', 5],
    ['100 / 10 / 5', 2],
    ['2--2', 4],
    ['-2 * -3', 6],
    ['7 mod 4 + 7 % 4', 6],
    ['-7 mod 4', -3],
    ['.5 + 5. + 1e-1', 5.6],
    ['1e308 / 1e308', 1],
    [`{${FIELD}} + \${${FIELD.toUpperCase()}}`, 14],
    ['{tenth} + ${ fifth }', 0.3],
    ['{tenth} + {fifth} = 0.3', true],
    ['1 / 3 * 3 = 1', true],
    ['1 div 3', 0.333333333333333],
    ['2 / 3', 0.666666666666667],
    ['200 / 3', 66.6666666666667],
    ['400 / 3', 133.333333333333],
    ['2 / 15', 0.133333333333333],
    ['{largest} * 10 / 10', 1e15],
    ['{largest} * 10', null],
    ['-{largest} - 1', null],
    ['1e-15', 1e-15],
    ['1e-15 / 2', 0],
    ['0 * -1', 0],
    ['1e-399 * 1e-99 * 1e399 * 1e99', 0],

    ['{may} + 1', '2024-06-01'],
    ['1 + {may}', '2024-06-01'],
    ['{june} - 1', '2024-05-31'],
    ['{june} - {may}', 1],
    ['({june} - {may}) / 2', 0.5],
    ['{may} + 0.5', null],
    ['{may} + {june}', null],
    ['1 - {may}', null],
    ['{may} + 1e7', null],
    ['{june} - 1e6', null],
    ['{in_zurich} - {june}', null],
    ['sum({may})', null],
    ['{june} <= {in_zurich}', true],
    ['{may} < {in_zurich}', true],
    ['{june} = {in_zurich}', false],

    ['1 / 0', null],
    ['1 mod 0', null],
    ['{none} + 1', null],
    ['{blank} + 1', null],
    ['{word} + 1', null],
    ['{photo} + 1', null],
    ['{doors} + 1', null],
    ['{no_doors} + 1', null],
    ['{option} + {yes} - {no}', 13],

    ['{option} = 12', true],
    ["{option} = '12'", true],
    ["'12.0' = '12'", false],
    ['{option} > 5', true],
    ["'10' > '9'", true],
    ['{word} = 5', false],
    ['{word} != 5', true],
    ['{word} < 5', null],
    ['{none} = 5', null],
    ['{none} < 5', null],
    ['{none} != 5', null],
    ['{word} = {none}', null],
    ['{none} = {blank}', null],
    ["{none} = ''", true],
    ["'' = {none}", true],
    ["{blank} = ''", true],
    ["{chosen_none} = ''", true],
    ["{word} = ''", false],
    ["{none} != ''", false],
    ["{word} != ''", true],
    ["{yes} = 'true'", true],
    ['{yes} = true()', true],
    ['{no} = 0', true],
    ["{many} = 'red dark blue'", true],
    ['{may} < {june}', true],
    ['{may} <> {june}', true],
    ['{noon} = {exactly_noon}', true],
    ['{in_zurich} == {in_london}', true],
    ['{in_zurich} >= {in_london}', true],
    ['{may} > 5', null],
    ["{may} < 'soon'", true],
    ["'soon' > {may}", true],
    ["{may} >= '2024-05-31Tea'", false],
    ["{may} >= '2024-05-31Tx12:00'", false],
    ["{in_london} < '2024-06-01T13:00:00+02:00'", true],
    ['1 < 1', false],
    ['1 > 1', false],
    ['2 <= 1', false],
    ['1 >= 2', false],
    ['1 <= 1', true],
    ['1 >= 1', true],
    ['(1 < 2) = (2 < 3)', true],

    ['{yes} and {none}', false],
    ['{yes} && {word}', true],
    ['{no} or {none}', false],
    ['{no} || 1', true],
    ['{yes} or {no} and {no}', true],
    ['not({none})', true],
    ['!{yes}', false],
    ['not({none} = 1)', true],
    ["if({none}, 'a', 'b')", 'b'],
    ["if({tenth} > 0, 'a', 'b')", 'a'],
    ['if(0, 1, {none})', null],

    ['sum({doors})', 6.5],
    ['sum({doors}, {tenth}, {none})', 6.6],
    ['sum({yes}, {no}, {yes})', 2],
    ['sum({doors}, {word})', null],
    ['sum({no_doors})', 0],
    ['sum({doors} + 1)', 0],
    ['count({doors}, {none}, {many})', 4],
    ['count({no_doors})', 0],
    ['count_instances({doors})', 4],
    ['count_instances({no_doors})', 0],
    ['min({doors})', 1],
    ['max({doors}, 9)', 9],
    ["max('10', 9)", 10],
    ['max({no_doors})', null],
    ['max({may}, {june})', '2024-06-01'],
    ['max({june}, {in_zurich})', '2024-06-01'],
    ['max({many})', null],
    ['min({may}, 5)', null],
    ['concat({notes})', null],

    ['round(2.5)', 3],
    ['round(-2.5)', -2],
    ['round(1.005, 2)', 1.01],
    ['round(1250, -2)', 1300],
    ['round(1, 0.5)', null],
    ['round(1, 1e9)', null],
    ['floor(-1.5) + ceiling(-1.5) + ceil(1.2)', -1],
    ['int(-1.5)', -1],
    ['int(1.5)', 1],
    ['abs(-3)', 3],
    ["number('1.50')", 1.5],
    ["number(' -4 ')", -4],
    ["number('0x10')", null],
    ["number('1e3')", 1000],
    ['number({yes})', 1],
    ['number({padded})', 1],
    ['number({too_long})', null],

    ['string(1e-7)', '0.0000001'],
    ['string(1 / 4)', '0.25'],
    ["concat({word}, ' ', {none}, {tenth}, {many})", 'abc 0.1red dark blue'],
    ['concat({none})', null],
    ["concat({blank}, 'a')", 'a'],
    ['coalesce({none}, {blank}, {word}, 1)', 'abc'],
    ['coalesce({none}, 0)', 0],
    ['coalesce({none})', null],
    ["selected({many}, 'red')", true],
    ["selected({many}, 'dark')", false],
    ["selected({word}, 'abc')", true],
    ["selected('a b', 'b')", true],
    ["selected('a  b', '')", false],
    ["selected({none}, '')", false],
    ['count-selected({many})', 2],
    ['count_selected({word})', 1],
    ['count-selected({none})', 0],
    ['count-selected({mixed})', 0],
    ["string-length('é😀')", 2],
    ['string_length({none})', 0],
    ["contains({word}, 'bc')", true],
    ["starts-with({word}, 'bc')", false],
    ["ends_with({word}, 'bc')", true],
    ["substr('😀hello', 1, 3)", 'he'],
    ["substr('hello', -2)", 'lo'],
    ["substr('hello', {none})", null],
    ["substr('hello', 1, {none})", null],
    ['true()', true],
    ['false()', false],
    [`"it's"`, "it's"],
    [`'C:\\new {tenth}'`, 'C:\\new {tenth}'],
    ["' '", null],
    [`'a\u00a0b'`, 'a\u00a0b'],
    ['\u00a01\n=\t1\u2003', true],
    ['{yes}and{yes}', true],
  ])('%s is %j', (text, expected) => expect(result(text, answers)).toEqual(expected));

  test('cuts a text after 1,000 characters, and never within one', () => {
    expect(result("concat({x}, 'more')", { x: ['x'.repeat(1_000)] })).toBe('x'.repeat(1_000));
    expect(result('{x}', { x: ['x'.repeat(999) + '😀'] })).toBe('x'.repeat(999));
  });

  test('reads each operand once', () => {
    const asked: string[] = [];
    compute(parseFormula(`{b} + {a} * {b} - {${FIELD}} + if(false(), {a}, {c})`), (operand) => {
      asked.push(nameOf(operand));
      return [1];
    });
    expect(asked).toEqual(['b', 'a', FIELD, 'c']);
  });

  test('adds up every instance of a large form', () =>
    expect(result('sum({x}) + max({x})', { x: Array.from({ length: 200_000 }, () => 0.1) })).toBe(20_000.1));

  const chain = (start: string, part: string) => start + part.repeat((2_000 - start.length) / part.length);
  test.each([
    chain('{x}', '*{x}'),
    chain('{x}', '/{x}'),
    chain('1', '/7'),
    chain('1', '+1/{x}'),
    chain('1', '*9e399/7e399'),
    chain('1', '*1e99/7*1e-99'),
    chain('1', '+1e399/7-1e-399/{x}'),
    chain('1/{x}', '*3e-99+{x}'),
    chain('1', '+1'),
  ])('takes little time: %s', (text) => {
    const start = effort();
    const formula = parseFormula(text);
    for (let i = 0; i < 5; i += 1) compute(formula, () => [0.123456789012345]);
    expect(effort() - start).toBeLessThan(300);
  });

  test('keeps 15 digits when fractions grow too long to be exact', () =>
    expect(result(`1${'/7'.repeat(60)}${'*7'.repeat(60)}`)).toBe(1));

  // Decimals with up to four places, which BigInt can compute with exactly.
  const decimals = fc.record({ digits: fc.integer({ min: -9_999, max: 9_999 }), places: fc.nat({ max: 4 }) });
  const written = ({ digits, places }: { digits: number; places: number }) => Number(`${digits}e-${places}`);

  test('computes with decimals exactly', () =>
    fc.assert(
      fc.property(decimals, decimals, decimals, (a, b, c) => {
        const [x, y, z] = [a, b, c].map(({ digits, places }) => BigInt(digits) * 10n ** BigInt(4 - places));
        const exact = x! * y! - z! * 10n ** 4n;
        expect(result('{a} * {b} - {c}', { a: [written(a)], b: [written(b)], c: [written(c)] })).toBe(
          Number(`${exact}e-8`),
        );
      }),
    ));

  test('a sum is the same in any order', () =>
    fc.assert(
      fc.property(
        fc
          .array(decimals)
          .chain((list) =>
            fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
          ),
        ([list, shuffled]) =>
          expect(result('sum({x})', { x: list.map(written) })).toBe(
            result('sum({x})', { x: shuffled.map(written) }),
          ),
      ),
    ));

  test('compares as fractions do', () =>
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1 }),
        fc.integer(),
        fc.integer({ min: 1 }),
        (a, b, c, d) => {
          const [left, right] = [BigInt(a) * BigInt(d), BigInt(c) * BigInt(b)];
          expect(result('{a} / {b} < {c} / {d}', { a: [a], b: [b], c: [c], d: [d] })).toBe(left < right);
          expect(result('{a} / {b} = {c} / {d}', { a: [a], b: [b], c: [c], d: [d] })).toBe(left === right);
        },
      ),
    ));

  /** A formula with parentheses around every operation, and the same formula without those it does not need. */
  const pair = fc.letrec<{ sum: [string, string]; product: [string, string]; value: [string, string] }>(
    (tie) => {
      const joined = (of: 'product' | 'value', operators: string[]) =>
        fc
          .tuple(tie(of), fc.array(fc.tuple(fc.constantFrom(...operators), tie(of)), { maxLength: 3 }))
          .map(([first, rest]) =>
            rest.reduce<[string, string]>(
              ([full, short], [operator, [fullNext, shortNext]]) => [
                `( ${full} ${operator}\t${fullNext})`,
                `${short} ${operator} ${shortNext}`,
              ],
              first,
            ),
          );
      return {
        sum: joined('product', ['+', '-']),
        product: joined('value', ['*', 'div', 'mod']),
        value: fc.oneof(
          { maxDepth: 3 },
          fc
            .constantFrom('1', '.25', '30', '{x}', '-{y}', '{none}')
            .map((text): [string, string] => [text, text]),
          tie('sum').map(([full, short]): [string, string] => [full, `(${short})`]),
        ),
      };
    },
  ).sum;

  test('has the precedence of arithmetic, with any white space', () =>
    fc.assert(
      fc.property(pair, ([full, short]) => {
        const answers = { x: [2.5], y: [7] };
        expect(result(short, answers)).toEqual(result(full, answers));
      }),
    ));

  const anyAnswer = fc.oneof(fc.jsonValue(), fc.constantFrom('12', '2024-05-31', '12:00', ['a']));
  const anyCall = fc
    .tuple(
      fc.constantFrom(
        ...'sum count min max round int floor number string concat coalesce if not'.split(' '),
        ...'selected count-selected string-length contains substr'.split(' '),
      ),
      fc.array(fc.constantFrom('{a}', '{b}', '{c}', '2', "''", '{a} + {b}', '{b} = {c}', '{a} < {c}'), {
        maxLength: 3,
      }),
    )
    .map(([name, parts]) => `${name}(${parts.join(',')})`)
    .filter((text) => fault(text) === 'none');

  test('gives a valid answer or nothing, for any answers', () =>
    fc.assert(
      fc.property(anyCall, fc.array(anyAnswer, { maxLength: 3 }), anyAnswer, anyAnswer, (text, a, b, c) => {
        const value = result(text, { a, b: [b], c: [c] });
        if (typeof value === 'number') expect(Math.abs(value)).toBeLessThanOrEqual(1e15);
        else expect(value === null || typeof value === 'boolean' || typeof value === 'string').toBe(true);
      }),
      { numRuns: runs(2_000) },
    ));
});
