import fc from 'fast-check';
import { parseFormula, scalarOperands } from '../../../../shared/domain/content/formula/parse.ts';
import { runs } from '../../../support/scale.ts';
import { fault, FIELD, nameOf, result } from './fixtures.ts';

describe('parseFormula', () => {
  test.each<[string, string | RegExp]>([
    ['', 'the formula is incomplete, at character 1'],
    ['1 +', 'the formula is incomplete, at character 4'],
    ['(1', 'the formula is incomplete, at character 3'],
    ['1)', 'unexpected ), at character 2'],
    ['()', 'unexpected ), at character 2'],
    ['1 2', 'unexpected 2, at character 3'],
    ['1, 2', 'unexpected ,'],
    ['(1, 2)', 'unexpected ,'],
    ['1; 2', 'unexpected ;'],
    ['{x}{x}', 'unexpected {, at character 4'],
    ['max(1 2)', 'unexpected 2'],
    ['max(1,)', 'unexpected )'],
    ['max(, 1)', 'unexpected ,'],
    ['max()', 'max takes 1 or more arguments, not 0, at character 1'],
    ['1 + if(1, 2)', 'if takes 3 arguments, not 2, at character 5'],
    ['round(1, 2, 3)', 'round takes 1 to 2 arguments, not 3'],
    ['not()', 'not takes 1 argument, not 0'],
    ['1 < 2 < 3', 'comparisons cannot be chained: join them with "and", at character 9'],
    ['1 = 2 > 3', 'comparisons cannot be chained'],
    ['total', 'total is not valid here'],
    ['{x}.b', '. is not valid here'],
    ['{x}[0]', '[ is not valid here'],
    ['. > 5', '. is not valid here'],
    ['../x', '. is not valid here'],
    ['/data/x', '/ is not valid here'],
    ['today()', 'today() is not available'],
    ['now() - {x}', 'now() is not available'],
    ["pulldata('a')", 'the function pulldata() is not available; the functions are sum,'],
    ['constructor()', 'the function constructor() is not available'],
    ['__proto__', '__proto__ is not valid here'],
    ['{__proto__}', "{__proto__} is neither a field's id nor a start field's key"],
    ['{a b}', '{a b} is neither'],
    ['{}', '{} is neither'],
    [`{${FIELD}0}`, 'is neither'],
    ['{x', 'unexpected {'],
    ['`${x}`', 'unexpected `'],
    ["'abc", "unexpected '"],
    ['1.2.3', 'unexpected 1'],
    ['2abc', '2abc is not valid here'],
    ['1e999', '1e999 is out of range'],
    ['2 ** 3', 'unexpected *, at character 4'],
    ['1 | 2', 'unexpected |'],
    ['{x} ? 1 : 2', 'unexpected ?'],
    ['+1', 'unexpected +'],
    ['~1', 'unexpected ~'],
    ['1 ≤ 2', 'unexpected ≤'],
    ['{x} AND {x}', 'AND is not valid here'],
    ['this', 'this is not valid here'],
    ['😀', 'unexpected 😀, at character 1'],
    ['('.repeat(2_000), 'nested more than 50 levels deep'],
    ['-'.repeat(2_000), 'nested more than 50 levels deep'],
    [`${'not('.repeat(400)}1${')'.repeat(400)}`, 'nested more than 50 levels deep'],
    ['9'.repeat(2_000), /^9{50} is out of range/],
    [`{${'A'.repeat(500)}}`, /^\{A{50}\} is neither/],
    [`${'x'.repeat(500)}()`, /^the function x{50}\(\) is not available/],
  ])('refuses %s: %s', (text, message) => expect(fault(text)).toMatch(message));

  test.each(['('.repeat(49) + '1' + ')'.repeat(49), `1${'+1'.repeat(999)}`, `1${'<1 and 1'.repeat(249)}`])(
    'takes %s',
    (text) => expect(fault(text)).toBe('none'),
  );

  const pieces = fc.array(
    fc.constantFrom(
      ..."{x} ${x} ( ) , + - = < and or not( sum( if( 1 .5 'a' \" . [ ] { } $ e ? : ; ` \\ é 😀 __proto__".split(
        ' ',
      ),
      ' ',
      '\u00a0',
    ),
    { maxLength: 40 },
  );

  test('refuses any text with a FormulaError, or computes it without throwing', () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 200 }),
          pieces.map((list) => list.join('')),
        ),
        (text) => {
          if (fault(text) === 'none') result(text, { x: [1] });
        },
      ),
      { numRuns: runs(5_000) },
    ));
});

describe('scalarOperands', () => {
  test('are the operands that are not a direct argument of an aggregate', () => {
    const formula = parseFormula('sum({a}, {b} + 1, max({c})) + {d} * count({d}, {e}) + concat({f})');
    expect(formula.operands.map(nameOf)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(scalarOperands(formula).map(nameOf)).toEqual(['b', 'd', 'f']);
  });
});
