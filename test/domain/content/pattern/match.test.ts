import fc from 'fast-check';
import { patternFault } from '../../../../shared/domain/content/pattern/compile.ts';
import { patternTest } from '../../../../shared/domain/content/pattern/match.ts';
import { cpuTime } from '../../../support/cpu.ts';

const native = (pattern: string) => new RegExp(`^(?:${pattern})$`, 'u');

const ATOMS = [
  'a', 'b', 'é', '😀', '.', '^', '$', '\\b', '\\B', '\\w', '\\S', '\\p{L}', '\\P{Lu}', '\\u0061', '\\x62', '\\cJ',
  '\\u{1F600}', '\\uD83D\\uDE00', '[ab]', '[^a]', '[^]', '[]', '[\\]a-b]', '[\\u{1F600}-\\u{1F602}é]', '\\$', '-',
]; // prettier-ignore

const QUANTIFIERS = ['*', '+', '?', '*?', '{2}', '{0}', '{1,}', '{1,3}?', '{0,2}'];

const OPENINGS = ['(', '(?:', '(?<name>', '(?=', '(?!', '(?<=', '(?<!', '(?i:', '(?s-i:', '(?im:', '(?-i:'];

/** Patterns of everything but back-references. A name is used once. */
const { patterns } = fc.letrec<{ patterns: string; parts: string }>((tie) => ({
  patterns: fc.array(tie('parts'), { maxLength: 4 }).map((parts) => parts.join('')),
  parts: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...ATOMS),
    fc.tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...QUANTIFIERS)).map((parts) => parts.join('')),
    fc
      .tuple(
        fc.constantFrom(...OPENINGS),
        tie('patterns'),
        fc.constantFrom('', '|a', '|'),
        fc.constantFrom('', ...QUANTIFIERS),
      )
      .map(([opening, inner, other, quantifier]) => `${opening}${inner}${other})${quantifier}`),
  ),
}));

const texts = fc
  .array(fc.constantFrom('a', 'b', 'A', 'B', '-', '\n', ' ', 'é', '😀', '\u2028'), { maxLength: 8 })
  .map((characters) => characters.join(''));

const isValid = (pattern: string) => {
  try {
    return Boolean(native(pattern));
  } catch {
    return false;
  }
};

/** V8 does not always match a group with modifiers as ECMA-262 says: `^(?:((?im:[\u{1F600}é]|a)))$` and `A`. */
const MODIFIERS = /\(\?[ims-]+:/;

describe('patternTest', () => {
  test('has the meaning of an ECMAScript regular expression', () => {
    fc.assert(
      fc.property(
        patterns.filter((pattern) => isValid(pattern) && !MODIFIERS.test(pattern)),
        fc.array(texts, { minLength: 1, maxLength: 5 }),
        (pattern, all) => {
          const matches = patternTest(pattern);
          expect([pattern, all.map(matches)]).toEqual([
            pattern,
            all.map((text) => native(pattern).test(text)),
          ]);
        },
      ),
      { numRuns: 3_000, seed: 20_260_302 },
    );
  });

  test.each([
    ['[A-Z]{3}-\\d{4}', 'ABC-1234', true],
    ['a|b', 'ax', false],
    ['(?=.*\\d)(?=.*[a-z]).{4,}', 'ab1c', true],
    ['(?=.*\\d)(?=.*[a-z]).{4,}', 'abcd', false],
    ['(?:(?!ab).)*', 'aab', false],
    ['.*(?<!\\.exe)', 'a.exe', false],
    ['[\\s\\S]{200}', 'a'.repeat(200), true],
    ['[\\s\\S]{200,}', 'a'.repeat(199), false],
    ['a{0,100000}', 'a'.repeat(200), true],
    ['(?:a?){100000}', 'a'.repeat(200), true],
    ['a{100000}', 'a'.repeat(200), false],
    ['', '', true],
    [`${'(?:'.repeat(50)}${'){200}'.repeat(50)}`, '', true],
  ])('%p on a text', (pattern, text, expected) => expect(patternTest(pattern)(text)).toBe(expected));

  test.each([
    `a*a*a*${'(?<=a{60})'.repeat(7)}`,
    `${'(?=.*b)'.repeat(60)}.*`,
    '(a+)+b',
    '(a|a)*b',
    '(?:.*){50}b',
    '(?:[ab]?){240}b',
    `${'(?:'.repeat(100)}a${')*'.repeat(100)}b`,
    '(.*a){12}',
  ])('does not take long for %s', (pattern) => {
    const begin = cpuTime();
    const matches = patternTest(pattern);
    for (const end of ['', '!', 'b!']) matches('a'.repeat(198) + end);
    expect(cpuTime() - begin).toBeLessThan(2_000);
  });
});

describe('patternFault', () => {
  test.each([
    ['(', /Invalid regular expression/],
    ['a)|(b', /Invalid regular expression/],
    ['(a)\\1', /must not refer back to a group/],
    ['(?<name>a)\\k<name>', /must not refer back to a group/],
    ['(?:a{100}){100}', /at most 500 characters and groups/],
    [`${'(?:'.repeat(50)}a${'{200})'.repeat(50)}`, /at most 500 characters and groups/],
  ])('%s', (pattern, fault) => expect(patternFault(pattern)).toMatch(fault));

  test('finds none in a usual pattern', () => expect(patternFault('[A-Z]{2}-\\d{2,10}')).toBeUndefined());
});
