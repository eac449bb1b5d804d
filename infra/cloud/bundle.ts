import { cpSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join, relative, resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';
import type { Worker } from '../../shared/http/worker.ts';
import { type Catalogue, ROOT } from '../catalogue.ts';
import { architectureOf, foldersOf } from './native.ts';
import type { Architecture } from './settings.ts';

/** A function's code, ready to be zipped. */
export interface Bundle {
  /** The folder with the handler's module, its chunks, its native packages and its assets. */
  folder: string;
  handler: string;
  architecture: Architecture;
}

/** By file of the catalogue. */
export type Bundles = ReadonlyMap<string, Bundle>;

interface Declared extends Required<Pick<Worker, 'native' | 'assets'>> {
  file: string;
}

/** The kebab-case name that a file, a bundle and a deployed function share. */
export const nameOf = ({ file }: { file: string }): string => basename(file, '.ts');

/**
 * Bundles all functions at once, so that what they share is built once, and gives each a folder of exactly the
 * chunks it imports. The same sources give the same bytes, wherever they are built.
 * @throws Error when a function imports a native package that it does not declare.
 */
export const bundle = async (
  { operations, workers }: Catalogue,
  architecture: Architecture,
  folder: string,
): Promise<Bundles> => {
  const declared: Declared[] = [
    ...operations.map(({ file, operation: { native = [], assets = {} } }) => ({ file, native, assets })),
    ...workers.map(({ file, worker: { native = [], assets = {} } }) => ({ file, native, assets })),
  ];
  rmSync(folder, { recursive: true, force: true });
  const chunks = join(folder, 'chunks');
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(declared.map((entry) => [nameOf(entry), entry.file])),
    outdir: chunks,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // ES modules first: of CommonJS, esbuild can drop nothing.
    mainFields: ['module', 'main'],
    external: declared.flatMap(({ native }) => native),
    // CommonJS packages require Node's own modules, which an ES module can do only by this.
    banner: {
      js: "import{createRequire as nodeCreateRequire}from'node:module';const require=nodeCreateRequire(import.meta.url);",
    },
    // CommonJS packages ask where they are, too.
    define: { __dirname: 'import.meta.dirname' },
    legalComments: 'none',
    logLevel: 'error',
  });
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [resolve(ROOT, path), output]),
  );
  return new Map(
    declared.map(({ file, native, assets }) => {
      const name = nameOf({ file });
      const target = join(folder, name);
      mkdirSync(target, { recursive: true });
      const modules = closureOf(join(chunks, `${name}.mjs`), outputs, { file, native });
      for (const module of modules) linkSync(module, join(target, basename(module)));
      const built = native.length > 0 ? architectureOf(native, architecture) : architecture;
      for (const source of foldersOf(native, built)) copy(source, join(target, relative(ROOT, source)));
      for (const [into, files] of Object.entries(assets)) {
        for (const source of files()) copy(resolve(ROOT, source), join(target, into, basename(source)));
      }
      return [file, { folder: target, handler: `${name}.handler`, architecture: built }];
    }),
  );
};

const copy = (source: string, target: string): void =>
  cpSync(source, target, { recursive: true, dereference: true });

const closureOf = (
  entry: string,
  outputs: ReadonlyMap<string, Metafile['outputs'][string]>,
  { file, native }: Omit<Declared, 'assets'>,
): Set<string> => {
  const modules = new Set<string>();
  const visit = (module: string): void => {
    if (modules.has(module)) return;
    modules.add(module);
    for (const { path, external } of outputs.get(module)!.imports) {
      if (!external) visit(resolve(ROOT, path));
      else if (!isBuiltin(path) && !native.some((name) => path === name || path.startsWith(`${name}/`))) {
        throw new Error(`${file} imports ${path}, which its declaration's \`native\` does not list`);
      }
    }
  };
  visit(entry);
  return modules;
};
