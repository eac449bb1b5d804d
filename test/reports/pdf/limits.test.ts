import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutOfTime } from '../../../shared/base/time-limit.ts';
import { OutOfMemory, runWithin, renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import { item, reportDocument, section } from '../fixtures/documents.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'limits-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const program = (source: string): string => {
  const path = join(folder, 'program.mjs');
  writeFileSync(path, source);
  return path;
};

describe('a drawing process', () => {
  it('is killed at its time limit, also in a call that cannot be interrupted', async () => {
    const endless = program('for (;;);');
    await expect(runWithin(endless, folder, { within: 300 })).rejects.toThrow(OutOfTime);
  });

  it('is killed at its memory limit', async () => {
    const greedy = program('const all = []; for (;;) all.push(Buffer.alloc(2 ** 22, 1));');
    const limits = { within: 20_000, memory: 300 * 2 ** 20 };
    await expect(runWithin(greedy, folder, limits)).rejects.toThrow(OutOfMemory);
  });

  it('fails with its own words', async () => {
    const failing = program("throw new Error('the font is torn');");
    await expect(runWithin(failing, folder, { within: 20_000 })).rejects.toThrow('the font is torn');
  });

  it('knows no variable of its parent', async () => {
    process.env['AWS_SECRET_ACCESS_KEY'] ??= 'secret';
    const telling = program(
      "if (Object.keys(process.env).some((name) => name.startsWith('AWS'))) throw new Error('it knows');",
    );
    await expect(runWithin(telling, folder, { within: 20_000 })).resolves.toBeUndefined();
  });
});

describe('renderPdf beyond its limits', () => {
  const document = reportDocument([
    {
      kind: 'sections',
      heading: { anchor: 'record', text: 'Record' },
      photoColumns: 3,
      comparedWith: null,
      sections: [section(1, [item(1)])],
    },
  ]);

  it.each([
    [OutOfTime, { within: 1 }],
    [OutOfMemory, { within: 20_000, memory: 1 }],
  ])('throws %p and leaves nothing behind', async (error, limits) => {
    const making = jest.spyOn(fs, 'mkdtemp');
    await expect(renderPdf(document, { images: new Map() }, limits)).rejects.toThrow(error);
    const [made] = making.mock.results;
    making.mockRestore();
    const workspace: string = await made!.value;
    expect(workspace).toContain('report-');
    expect(existsSync(workspace)).toBe(false);
  });
});
