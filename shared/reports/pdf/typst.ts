import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { TYPST } from './runtime.ts';
import type { Job } from './workspace.ts';

/** The part of the compiler that is used here. Its calls cannot be interrupted. */
interface Compiler {
  compile(main: { mainFilePath: string }): {
    result: Drawn | null;
    takeError(): unknown;
  };
  fetchDiagnostics(error: unknown): unknown[];
  query(document: Drawn, of: { selector: string; field: string }): unknown;
  pdf(document: Drawn, options: { pdfStandard?: string; creationTimestamp: number }): Buffer;
  plainSvg(document: Drawn): string;
}

interface Drawn {
  numOfPages: number;
}

interface Typst {
  NodeCompiler: {
    create(settings: { workspace: string; fontArgs: { fontPaths: readonly string[] }[] }): Compiler;
  };
}

/** @throws Error that says what is missing, where there is no native build */
const load = (): Typst => {
  try {
    return createRequire(import.meta.url)(TYPST) as Typst;
  } catch (error) {
    throw new Error(
      `PDF reports are drawn on Linux on x86-64 with glibc, by the package ${TYPST}, which cannot be loaded`,
      { cause: error },
    );
  }
};

const readJob = (folder: string): Job => JSON.parse(readFileSync(join(folder, 'job.json'), 'utf8')) as Job;

/**
 * Typst also finds the fonts of the machine, in the folders that fontconfig names. Here it names one without fonts, so that
 * a report looks the same everywhere, and no time is spent on fonts that it does not use.
 */
const hideMachineFonts = (folder: string): void => {
  const file = join(folder, 'fonts.conf');
  writeFileSync(file, '<fontconfig><dir>/dev/null</dir></fontconfig>');
  process.env['FONTCONFIG_FILE'] = file;
};

/**
 * Lays out the report in a workspace.
 * @throws Error with Typst's diagnostics when the template fails
 */
export const layOut = (folder: string): { compiler: Compiler; document: Drawn; job: Job } => {
  const job = readJob(folder);
  hideMachineFonts(folder);
  const compiler = load().NodeCompiler.create({ workspace: folder, fontArgs: [{ fontPaths: job.fonts }] });
  const compiled = compiler.compile({ mainFilePath: join(folder, 'template', job.main ?? 'main.typ') });
  const { result: document } = compiled;
  if (!document) {
    throw new Error(`Typst: ${JSON.stringify(compiler.fetchDiagnostics(compiled.takeError()))}`);
  }
  return { compiler, document, job };
};
