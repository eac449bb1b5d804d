import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { newForm } from '../../../infra/demo/form-3a.ts';
import { exportForm } from '../../../shared/domain/xlsform/export.ts';
import { isFormSheet } from '../../../shared/domain/xlsform/form/columns.ts';
import { FormError } from '../../../shared/domain/xlsform/import/diagnostics.ts';
import { importForm } from '../../../shared/domain/xlsform/import/import.ts';
import { readWorkbook } from '../../../shared/domain/xlsform/workbook/read.ts';
import { writeWorkbook } from '../../../shared/domain/xlsform/workbook/write.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { runs } from '../../support/scale.ts';
import { anyContent } from '../contents.ts';
import { sampleBytes, SAMPLES } from '../sample-forms.ts';

/** How many made-up contents are exported. */
const GENERATED = 300;

/** Makes the generated contents the same in each run. */
const SEED = 7;

/** A content that is to be exported, and what it is. */
interface Case {
  what: string;
  content: Content;
}

const NEEDED = `pyxform is not installed for python3, so no export was checked.
Install it with "pip install pyxform", or put it on PYTHONPATH together with openpyxl, xlrd, defusedxml and lark
(Debian: python3-openpyxl, python3-xlrd, python3-defusedxml, python3-lark).`;

const say = (line: string): boolean => process.stdout.write(`${line}\n`);

const importOf = async (what: string, bytes: Uint8Array): Promise<Case[]> => {
  const { sheets, others } = await readWorkbook(bytes, isFormSheet);
  try {
    return [{ what, content: importForm(sheets, others, { name: what }).content }];
  } catch (error) {
    if (!(error instanceof FormError)) throw error;
    say(`${what} cannot be imported: ${error.message}`);
    return [];
  }
};

const casesOf = async (files: readonly string[]): Promise<Case[]> => {
  const imports = [
    ...SAMPLES.map((name) => importOf(name, sampleBytes(name))),
    ...files.map((path) => importOf(basename(path), new Uint8Array(readFileSync(path)))),
  ];
  return [
    { what: 'the form of the demo', content: Content.parse(newForm().content) },
    ...(await Promise.all(imports)).flat(),
    ...fc
      .sample(anyContent, { numRuns: runs(GENERATED), seed: SEED })
      .map((content, i) => ({ what: `generated content ${i}`, content })),
  ];
};

const python = (args: readonly string[], input = '') =>
  spawnSync('python3', args, { input, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });

/** Exports each content and prints the exports that pyxform refuses. Returns whether it accepts all of them. */
const check = async (files: readonly string[], folder: string): Promise<boolean> => {
  const cases = await casesOf(files);
  const paths = cases.map((_, i) => join(folder, `form${i}.xlsx`));
  for (const [i, { content }] of cases.entries())
    writeFileSync(
      paths[i]!,
      await writeWorkbook(
        exportForm(content, { title: 'Form', id: 'form', version: '1' }),
        '2026-03-02T10:00:00Z',
      ),
    );
  const { stdout, stderr, status } = python([join(import.meta.dirname, 'convert.py')], paths.join('\n'));
  if (status !== 0) throw new Error(stderr);
  const refusals = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string | null);
  for (const [i, refusal] of refusals.entries()) if (refusal !== null) say(`${cases[i]!.what}: ${refusal}`);
  const accepted = refusals.filter((refusal) => refusal === null).length;
  say(`pyxform accepts ${accepted} of ${cases.length} exports`);
  return accepted === cases.length;
};

const main = async (): Promise<void> => {
  if (python(['-c', 'import pyxform.xls2xform']).status !== 0) {
    say(NEEDED);
    process.exitCode = 1;
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'pyxform-'));
  try {
    if (!(await check(process.argv.slice(2), folder))) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

await main();
