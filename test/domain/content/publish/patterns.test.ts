import { waysToMatch } from '../../../../shared/domain/content/publish/patterns.ts';

describe('waysToMatch', () => {
  test.each<[string, number]>([
    ['abc', 1],
    ['a|b|c', 3],
    ['a?', 2],
    ['a*', 201],
    ['a+?', 200],
    ['a{3}', 1],
    ['a{1,3}', 3],
    ['a{199,}', 2],
    ['a+b+', 200 ** 2],
    ['(?:a+|b)c?', 201 * 2],
    ['(?<year>\\d{4})(?=-)', 1],
    ['(\\.\\d{1,3}){3}', 3 ** 3],
    ['[)(*|+\\]]', 1],
    ['\\(\\|\\*', 1],
    ['\\p{L}+\\u{61}+', 200 ** 2],
    ['(a+)+', Infinity],
    ['(a|b)*', 2 ** 200 * 2],
  ])('%s: %p', (pattern, ways) => expect(waysToMatch(pattern, 200)).toBe(ways));

  test.each(['a*a*a*b', 'a{0,23}a{0,23}a{0,23}a{0,23}a{0,23}b', '(.+)(.+)(.+)\\1\\2\\3x'])(
    'a pattern with an allowed number of ways matches in time: %s',
    (pattern) => {
      expect(waysToMatch(pattern, 200)).toBeLessThanOrEqual(8.2e6);
      const start = performance.now();
      RegExp(`^(?:${pattern})$`, 'u').test('a'.repeat(200));
      expect(performance.now() - start).toBeLessThan(2_000);
    },
  );
});
