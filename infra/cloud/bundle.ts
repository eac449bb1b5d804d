import { cpSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join, relative, resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';
import type { Worker } from '../../shared/http/worker/worker.ts';
import { type Catalogue, functionName, ROOT } from '../catalogue.ts';
import { buildWeb } from '../web/build.ts';
import { architectureOf, foldersOf } from './bundle/native.ts';
import type { Architecture } from './settings.ts';

/** The code of one function, ready to be zipped. */
export interface Bundle {
  /** Contains the handler's module, its programs, its native packages and its assets. */
  folder: string;
  handler: string;
  architecture: Architecture;
}

/** Bundles by the function's file in the catalogue. */
export type Bundles = ReadonlyMap<string, Bundle>;

/** A function and what its declaration says about its bundle. */
interface Declared extends Required<Pick<Worker, 'native' | 'programs' | 'assets'>> {
  file: string;
}

const declaredIn = ({ operations, workers }: Catalogue): Declared[] => [
  ...operations.map(({ file, operation: { native = [], programs = [], assets = {} } }) => ({
    file,
    native,
    programs,
    assets,
  })),
  ...workers.map(({ file, worker: { native = [], programs = [], assets = {} } }) => ({
    file,
    native,
    programs,
    assets,
  })),
];

/** What esbuild has written, by absolute path. */
type Outputs = ReadonlyMap<string, Metafile['outputs'][string]>;

/** The name of a program's module, without its extension. */
const programName = (program: string): string => basename(program, '.ts');

/**
 * Builds all functions and their programs into one folder, a module each. Functions share no modules: esbuild leaves out
 * only what nobody uses who shares a module, so that each function would carry what the others use.
 */
const buildModules = async (declared: readonly Declared[], folder: string): Promise<Outputs> => {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries([
      ...declared.map((entry) => [functionName(entry), entry.file]),
      ...declared.flatMap(({ programs }) => programs.map((program) => [programName(program), program])),
    ]),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // esbuild can remove unused code only from ES modules, not from CommonJS.
    mainFields: ['module', 'main'],
    external: declared.flatMap(({ native }) => native),
    // Lets CommonJS packages require Node's built-in modules from inside an ES module.
    banner: {
      js: "import{createRequire as nodeCreateRequire}from'node:module';const require=nodeCreateRequire(import.meta.url);",
    },
    // CommonJS packages use it to find their own files.
    define: { __dirname: 'import.meta.dirname' },
    // Escaped, a letter of most scripts takes six bytes.
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'error',
  });
  return new Map(Object.entries(metafile.outputs).map(([path, output]) => [resolve(ROOT, path), output]));
};

/** @throws Error when a module imports a package that is neither built in nor declared */
const checkImports = (
  module: string,
  outputs: Outputs,
  { file, native }: Pick<Declared, 'file' | 'native'>,
): void => {
  for (const { path, external } of outputs.get(module)!.imports) {
    const isDeclared = native.some((name) => path === name || path.startsWith(`${name}/`));
    if (external && !isBuiltin(path) && !isDeclared) {
      throw new Error(`${file} imports ${path}, but its declaration does not list it in \`native\``);
    }
  }
};

const copy = (source: string, target: string): void =>
  cpSync(source, target, { recursive: true, dereference: true });

/** Puts one function's modules, native packages and assets into a folder of its own. */
const collectBundle = (
  { file, native, programs, assets }: Declared,
  outputs: Outputs,
  { architecture, modules, target }: { architecture: Architecture; modules: string; target: string },
): Bundle => {
  const name = functionName({ file });
  mkdirSync(target, { recursive: true });
  for (const module of new Set([name, ...programs.map(programName)])) {
    const built = join(modules, `${module}.mjs`);
    checkImports(built, outputs, { file, native });
    linkSync(built, join(target, basename(built)));
  }
  const built = native.length > 0 ? architectureOf(native, architecture) : architecture;
  for (const source of foldersOf(native, built)) copy(source, join(target, relative(ROOT, source)));
  for (const [into, files] of Object.entries(assets)) {
    for (const source of files()) copy(resolve(ROOT, source), join(target, into, basename(source)));
  }
  return { folder: target, handler: `${name}.handler`, architecture: built };
};

/**
 * Bundles all functions at once, so that shared code is read only once, and gives each function a folder of its own.
 * The same sources give the same bytes on every machine.
 * @throws Error when a function imports a native package that it does not declare.
 */
export const bundle = async (
  catalogue: Catalogue,
  architecture: Architecture,
  folder: string,
): Promise<Bundles> => {
  rmSync(folder, { recursive: true, force: true });
  await buildWeb();
  const declared = declaredIn(catalogue);
  const modules = join(folder, 'modules');
  const outputs = await buildModules(declared, modules);
  return new Map(
    declared.map((entry) => {
      const target = join(folder, functionName(entry));
      return [entry.file, collectBundle(entry, outputs, { architecture, modules, target })];
    }),
  );
};
