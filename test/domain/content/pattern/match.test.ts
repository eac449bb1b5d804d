import fc from 'fast-check';
import { patternFault } from '../../../../shared/domain/content/pattern/compile.ts';
import { patternTest } from '../../../../shared/domain/content/pattern/match.ts';
import { effort } from '../../../support/effort.ts';
import { runs } from '../../../support/scale.ts';

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
      { numRuns: runs(3_000) },
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

  /** The largest number of repetitions of a part that a pattern may have. */
  const most = (part: string, end: string) => {
    let count = 1;
    while (count < 200 && !patternFault(`(?:${part}){${count + 1}}${end}`)) count += 1;
    return `(?:${part}){${count}}${end}`;
  };
  const classes = (count: number, form: (character: string) => string) =>
    Array.from({ length: count }, (_, i) => form(String.fromCodePoint(0x4e00 + i))).join('');

  test.each([
    most('a?', 'b'),
    most('a*', 'b'),
    most('(?=a*)', '.*b'),
    most('(?=.*)', '.*b'),
    most('(?<!a?b)', '.*b'),
    most('(?<=a{20})', 'a*a*a*'),
    most('(?:\\b|\\B)?a*', 'b'),
    most('(?:(?:a?)*a?)*', 'b'),
    most('[ab]?', 'b'),
    most(
      classes(30, (character) => `[^${character}]?`),
      'b',
    ),
    classes(20, (character) => `[^${character}]*`),
    '(a+)+b',
    '(a|a)*b',
  ])('takes little time for 200 answers, %s', (pattern) => {
    const letters = 'a'.repeat(200);
    const different = String.fromCodePoint(...Array.from({ length: 200 }, (_, i) => 0x5e00 + i));
    const begin = effort();
    const matches = patternTest(pattern);
    for (let i = 0; i < 100; i += 1) for (const text of [letters, different]) matches(text);
    // A fifth of a second on a quiet machine, and many times more on a loaded one; before the bound it was minutes.
    expect(effort() - begin).toBeLessThan(400);
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
    ['(?:(?=.*b)){100}.*', /too long to match/],
    ['(?:a*){150}', /too long to match/],
    ['(?:(?:.|a|b)*){45}', /too long to match/],
    ['(?:(?<=a(?:|bc)d{0,2})){40}', /too long to match/],
  ])('%s', (pattern, fault) => expect(patternFault(pattern)).toMatch(fault));

  test.each([
    '[A-Z]{2}-\\d{2,10}',
    '[^]{0,200}',
    '(?=.*\\d)(?=.*[a-z])(?=.*[A-Z])(?=.*[!@#$%^&*]).{8,64}',
    '[\\w.+-]+@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}',
    '.{1,50}( .{1,50}){0,3}',
  ])('finds none in %s', (pattern) => expect(patternFault(pattern)).toBeUndefined());
});
