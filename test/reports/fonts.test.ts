import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { familiesFor, FONT_FILES, fontPath } from '../../shared/reports/pdf/runtime.ts';

describe('the fonts of reports', () => {
  afterEach(() => {
    delete process.env['LAMBDA_TASK_ROOT'];
  });

  it('are all in the npm packages', () => {
    expect(FONT_FILES.map(fontPath).filter((path) => !existsSync(path))).toEqual([]);
  });

  it('are beside the code of a deployed function, each under a name of its own', () => {
    process.env['LAMBDA_TASK_ROOT'] = '/var/task';
    const paths = FONT_FILES.map(fontPath);
    expect(paths).toEqual(FONT_FILES.map((file) => join('/var/task/fonts', basename(file))));
    expect(new Set(paths).size).toBe(paths.length);
  });

  it.each([
    ['消火器', 'ja', 'Noto Sans Japanese'],
    ['消火器', 'zh', 'Noto Sans S Chinese'],
    ['消火器', 'en', 'Noto Sans S Chinese'],
    ['消火器の圧力', 'en', 'Noto Sans Japanese'],
    ['소화기의 압력', 'en', 'Noto Sans Korean'],
    ['消火器の圧力', 'zh', 'Noto Sans S Chinese'],
  ])('draw the Han characters of "%s" in a report in %s in %s', (text, language, family) => {
    const families = familiesFor(text, language).map(({ name }) => name);
    expect(families.find((name) => /Chinese|Japanese|Korean/.test(name))).toBe(family);
    expect(new Set(families).size).toBe(families.length);
    expect(families[0]).toBe('Noto Sans');
  });
});
