import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { build, type Metafile, type OutputFile } from 'esbuild';
import {
  MANIFEST,
  WEB_FOLDER,
  type WebManifest,
  type WebProgram,
} from '../../shared/http/pages/web-files.ts';
import { ROOT } from '../catalogue.ts';
import { FIRST_OPERATIONS } from './admin/explore/first-requests.ts';

/** The programs that run in browsers, by their folder beside this file. Each begins with its `main.ts`. */
const PROGRAMS = ['admin', 'issue', 'signature'] as const;

/** Writes a file in one step: another process that builds the same at this moment never reads half of it. */
const writeWhole = async (path: string, bytes: Uint8Array | string): Promise<void> => {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, bytes);
  await rename(draft, path);
};

/** What a program has become: its entry, and the parts that it loads at once or when they are needed. */
const programOf = ({ outputs }: Metafile): WebProgram => {
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint?.endsWith('/main.ts'))!;
  const first = new Set<string>();
  const load = (path: string): void => {
    for (const { path: part, kind } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && !first.has(part)) {
        first.add(part);
        load(part);
      }
  };
  load(entry);
  const later = Object.keys(outputs).filter((path) => path !== entry && !first.has(path));
  return {
    entry: basename(entry),
    first: [...first].map((path) => basename(path)),
    later: later.map((path) => basename(path)),
  };
};

const run = promisify(execFile);

/**
 * What programs know of the API, by the names that they declare. A process of its own reads the declarations: jest, which
 * builds the programs too, cannot load them before its tests.
 */
const constants = async (): Promise<Record<string, string>> => {
  const program = join(ROOT, 'infra/openapi/print-first.ts');
  const { stdout } = await run('node', [program, ...new Set(Object.values(FIRST_OPERATIONS))]);
  return { FIRST_REQUESTS: stdout };
};

/** Builds one program, without the others: what two of them share is in both, so that each loads few files. */
const built = async (
  name: string,
  define: Record<string, string>,
): Promise<{ program: WebProgram; files: OutputFile[] }> => {
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [{ in: `infra/web/${name}/main.ts`, out: name }],
    outdir: WEB_FOLDER,
    entryNames: '[name]-[hash]',
    chunkNames: `${name}-[name]-[hash]`,
    bundle: true,
    // What is imported by `import()` is a file of its own, which browsers load when it is needed.
    splitting: true,
    minify: true,
    metafile: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    // What browsers of the last five years run.
    target: ['es2022', 'chrome100', 'firefox100', 'safari15.4'],
    define,
    legalComments: 'none',
    logLevel: 'error',
  });
  return { program: programOf(metafile), files: outputFiles };
};

/**
 * Builds the programs of the pages, for the local service, the tests and the cloud alike. The name of each file has a
 * hash of its content, so a browser may keep it for ever. What is built already is not written again.
 */
export const buildWeb = async (): Promise<void> => {
  const define = await constants();
  const programs = await Promise.all(
    PROGRAMS.map(async (name) => [name, await built(name, define)] as const),
  );
  await mkdir(WEB_FOLDER, { recursive: true });
  for (const [, { files }] of programs)
    for (const { path, contents } of files) await writeWhole(path, contents);
  const manifest = JSON.stringify(
    Object.fromEntries(programs.map(([name, { program }]) => [name, program])) satisfies WebManifest,
  );
  const path = join(WEB_FOLDER, MANIFEST);
  const before = await readFile(path, 'utf8').catch(() => undefined);
  if (before !== manifest) await writeWhole(path, manifest);
};
