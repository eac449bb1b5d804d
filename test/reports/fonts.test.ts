import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { drawingProgram, familiesFor, FONT_FILES, fontPath } from '../../shared/reports/pdf/runtime.ts';

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
    ['one that a report has', true, true],
    ['one that only the machine has', false, false],
  ])('draw a character: %s', async (_name, isGiven, isDrawn) => {
    const folder = mkdtempSync(join(tmpdir(), 'fonts-'));
    const file = fontPath(FONT_FILES.find((name) => name.endsWith('NotoSansHans-Regular.otf'))!);
    try {
      const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
      write('machine.conf', `<fontconfig><dir>${dirname(file)}</dir></fontconfig>`);
      write('job.json', JSON.stringify({ fonts: isGiven ? [file] : [], createdAt: 0 }));
      mkdirSync(join(folder, 'template'));
      write('template/main.typ', '#set document(title: "A")\n#text(font: "Noto Sans S Chinese")[消]');
      const env = { FONTCONFIG_FILE: join(folder, 'machine.conf') };
      await promisify(execFile)(process.execPath, [drawingProgram(), folder], { env });
      const { notArchival } = JSON.parse(readFileSync(join(folder, 'drawn.json'), 'utf8'));
      expect(notArchival === null).toBe(isDrawn);
    } finally {
      rmSync(folder, { recursive: true });
    }
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
