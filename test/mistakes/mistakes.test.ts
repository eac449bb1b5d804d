import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../infra/catalogue.ts';
import { MISTAKES } from './list.ts';
import { type Mistake, mistakesNamed, withMistake } from './mistake.ts';

describe('the mistakes that tests ought to notice', () => {
  test.each(MISTAKES)('can be made: $name', (mistake) => {
    const text = readFileSync(join(ROOT, mistake.file), 'utf8');
    expect(withMistake(text, mistake)).not.toBe(text);
    expect(mistake.tests.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(mistake.tests.length).toBeGreaterThan(0);
  });

  test('are sixty, each once', () => {
    expect(MISTAKES).toHaveLength(60);
    expect(new Set(MISTAKES.map(({ name }) => name)).size).toBe(60);
  });
});

describe('a mistake', () => {
  const mistake: Mistake = { name: 'Off by one', file: 'a.ts', find: '< 1', replace: '< $&', tests: [] };

  test('is made where its text stands once, as it is written', () => {
    expect(withMistake('if (a < 1) b();', mistake)).toBe('if (a < $&) b();');
  });

  test.each([
    ['0 times', 'if (a <= 1) b();'],
    ['2 times', 'if (a < 1 && b < 1) c();'],
  ])('is refused by name where its text stands there %s', (times, text) => {
    expect(() => withMistake(text, mistake)).toThrow(
      `"Off by one" does not apply any more: what it replaces is in a.ts ${times}.`,
    );
  });
});

describe('some of the mistakes', () => {
  const mistakes = ['A wrong limit', 'A wrong zone'].map((name) => ({ name })) as Mistake[];

  test('are meant by number or by a text of their names, in their order', () => {
    expect(mistakesNamed(mistakes, [])).toBe(mistakes);
    expect(mistakesNamed(mistakes, ['2'])).toEqual([mistakes[1]]);
    expect(mistakesNamed(mistakes, ['ZONE', '1'])).toEqual(mistakes);
  });

  test('are refused where there is none of that name or number', () => {
    expect(() => mistakesNamed(mistakes, ['3', 'limit', 'clock'])).toThrow('There is no mistake 3, clock.');
  });
});
