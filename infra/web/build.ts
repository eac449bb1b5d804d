import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { MANIFEST, WEB_FOLDER, type WebManifest } from '../../shared/pages/web-files.ts';
import { ROOT } from '../catalogue.ts';

/** The programs that run in browsers, by their folder beside this file. Each begins with its `main.ts`. */
const PROGRAMS = ['admin', 'issue', 'signature'] as const;

/** Writes a file in one step: another process that builds the same at this moment never reads half of it. */
const writeWhole = async (path: string, bytes: Uint8Array | string): Promise<void> => {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, bytes);
  await rename(draft, path);
};

/** The file that each program has become. */
const manifestOf = ({ outputs }: Metafile): WebManifest =>
  Object.fromEntries(
    Object.entries(outputs).flatMap(([path, { entryPoint }]) =>
      entryPoint ? [[basename(dirname(entryPoint)), basename(path)]] : [],
    ),
  );

/**
 * Builds the programs of the pages, for the local service, the tests and the cloud alike. The name of each file has a
 * hash of its content, so a browser may keep it for ever. What is built already is not written again.
 */
export const buildWeb = async (): Promise<void> => {
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: PROGRAMS.map((name) => ({ in: `infra/web/${name}/main.ts`, out: name })),
    outdir: WEB_FOLDER,
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    metafile: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    // What browsers of the last five years run.
    target: ['es2022', 'chrome100', 'firefox100', 'safari15.4'],
    legalComments: 'none',
    logLevel: 'error',
  });
  await mkdir(WEB_FOLDER, { recursive: true });
  for (const { path, contents } of outputFiles) await writeWhole(path, contents);
  const manifest = JSON.stringify(manifestOf(metafile));
  const path = join(WEB_FOLDER, MANIFEST);
  const before = await readFile(path, 'utf8').catch(() => undefined);
  if (before !== manifest) await writeWhole(path, manifest);
};
