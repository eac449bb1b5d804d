import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { FONT_FILES, fontFaces } from '../../shared/reports/fonts.ts';

describe('fontFaces', () => {
  const paths = (): string[] => [
    ...new Set(Object.values(fontFaces()).flatMap((styles) => Object.values(styles))),
  ];

  afterEach(() => {
    delete process.env['LAMBDA_TASK_ROOT'];
  });

  it('finds every font file in the npm packages', () => {
    expect(paths().filter((path) => !existsSync(path))).toEqual([]);
    expect(paths()).toHaveLength(FONT_FILES.length);
  });

  it('finds the files beside the code of a deployed function', () => {
    process.env['LAMBDA_TASK_ROOT'] = '/var/task';
    expect(paths().toSorted()).toEqual(
      FONT_FILES.map((file) => join('/var/task/fonts', basename(file))).toSorted(),
    );
  });
});
