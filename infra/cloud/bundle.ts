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
  /** Contains the handler's module, its chunks, its programs, its native packages and its assets. */
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

/** Builds all functions and their programs into one folder of modules. */
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
    splitting: true,
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

/**
 * A function's module and all modules that it imports, directly or not.
 * @throws Error when one of them imports a package that is neither built in nor declared.
 */
const importedModules = (
  entry: string,
  outputs: Outputs,
  { file, native }: Pick<Declared, 'file' | 'native'>,
): Set<string> => {
  const modules = new Set<string>();
  const visit = (module: string): void => {
    if (modules.has(module)) return;
    modules.add(module);
    for (const { path, external } of outputs.get(module)!.imports) {
      if (!external) visit(resolve(ROOT, path));
      else if (!isBuiltin(path) && !native.some((name) => path === name || path.startsWith(`${name}/`))) {
        throw new Error(`${file} imports ${path}, but its declaration does not list it in \`native\``);
      }
    }
  };
  visit(entry);
  return modules;
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
  const imported = [name, ...programs.map(programName)].flatMap((entry) => [
    ...importedModules(join(modules, `${entry}.mjs`), outputs, { file, native }),
  ]);
  for (const module of new Set(imported)) linkSync(module, join(target, basename(module)));
  const built = native.length > 0 ? architectureOf(native, architecture) : architecture;
  for (const source of foldersOf(native, built)) copy(source, join(target, relative(ROOT, source)));
  for (const [into, files] of Object.entries(assets)) {
    for (const source of files()) copy(resolve(ROOT, source), join(target, into, basename(source)));
  }
  return { folder: target, handler: `${name}.handler`, architecture: built };
};

/**
 * Bundles all functions at once, so that shared code is built only once, and gives each function a folder with
 * exactly the modules that it imports. The same sources give the same bytes on every machine.
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
  const modules = join(folder, 'chunks');
  const outputs = await buildModules(declared, modules);
  return new Map(
    declared.map((entry) => {
      const target = join(folder, functionName(entry));
      return [entry.file, collectBundle(entry, outputs, { architecture, modules, target })];
    }),
  );
};
