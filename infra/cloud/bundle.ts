import { execFile } from 'node:child_process';
import { cpSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build, type Metafile } from 'esbuild';
import type { Worker } from '../../shared/http/worker/worker.ts';
import { type Catalogue, functionName, ROOT } from '../catalogue.ts';
import { buildWeb } from '../web/build.ts';
import { rareBuiltinsLater } from './bundle/builtins.ts';
import { lazyConstants } from './bundle/lazy.ts';
import { architectureHere, checkBuilt, foldersOf } from './bundle/native.ts';
import { checkSize } from './bundle/size.ts';
import { textsIn, textsLater } from './bundle/texts.ts';
import { isGradual } from './functions/rollout.ts';
import type { Architecture, Settings } from './settings.ts';

/** The code of one function, ready to be zipped. */
export interface Bundle {
  /** Contains the function's code, its programs, its native packages and its assets. */
  folder: string;
  handler: string;
  architecture: Architecture;
}

/** Of the functions without native packages, and of those with some. */
type Architectures = Pick<Settings, 'architecture' | 'nativeArchitecture'>;

/** What the settings say of the bundles. */
type Bundling = Architectures & Partial<Pick<Settings, 'rollout' | 'smokeKey'>>;

/** The function that tries the service at the end of a rollout. It is no operation and no worker. */
export const SMOKE_HOOK = 'infra/smoke/hook.ts';

/** Whether the deployment has the function that tries the service at the end of a rollout. */
export const hasSmokeHook = ({ rollout = 'all-at-once', smokeKey }: Partial<Settings>): boolean =>
  smokeKey !== undefined && isGradual({ rollout });

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
 * Builds all functions and their programs into one folder, a CommonJS file each, because V8's code cache works for such
 * files only. Functions share no files: a shared one contains all that any of its functions uses, so each function would
 * carry code for others.
 */
const buildModules = async (declared: readonly Declared[], folder: string): Promise<Outputs> => {
  // esbuild starts with it: collecting garbage would take a fifth of the time that all functions take.
  process.env['GOGC'] ??= '400';
  await buildWeb();
  const entryPoints: Record<string, string> = Object.fromEntries([
    ...declared.map((entry) => [functionName(entry), entry.file]),
    ...declared.flatMap(({ programs }) => programs.map((program) => [programName(program), program])),
  ]);
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints,
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minify: true,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    // esbuild can remove unused code only from ES modules, not from CommonJS.
    mainFields: ['module', 'main'],
    external: declared.flatMap(({ native }) => native),
    define: { 'import.meta.dirname': '__dirname', 'import.meta.url': '__filename' },
    // Escaped, a letter of most scripts takes six bytes.
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'error',
    plugins: [
      lazyConstants(Object.values(entryPoints).map((file) => resolve(ROOT, file))),
      textsLater,
      rareBuiltinsLater,
    ],
  });
  return new Map(Object.entries(metafile.outputs).map(([path, output]) => [resolve(ROOT, path), output]));
};

/** KB of the code of each function, by its file: what an instance reads when it starts. */
export const codeSizes = async (catalogue: Catalogue): Promise<ReadonlyMap<string, number>> => {
  const folder = mkdtempSync(join(tmpdir(), 'code-sizes-'));
  try {
    const declared = declaredIn(catalogue);
    const outputs = await buildModules(declared, folder);
    return new Map(
      declared.map(({ file }) => {
        const { bytes } = outputs.get(join(folder, `${functionName({ file })}.cjs`))!;
        return [file, bytes / 1_024];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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

/** The file with a function's code. The file that Lambda loads has the function's name alone. */
const codeOf = (name: string): string => `${name}.code.cjs`;

const START = join(import.meta.dirname, 'bundle/start.cjs');
const MAKE_CACHES = join(import.meta.dirname, 'bundle/make-caches.cjs');

/** Puts one function's code, native packages and assets into a folder of its own. */
const collectBundle = (
  { file, native, programs, assets }: Declared,
  outputs: Outputs,
  { architectures, modules, target }: { architectures: Architectures; modules: string; target: string },
): Bundle => {
  const name = functionName({ file });
  mkdirSync(target, { recursive: true });
  const put = (module: string, as: string): void => {
    const built = join(modules, `${module}.cjs`);
    checkImports(built, outputs, { file, native });
    linkSync(built, join(target, as));
    for (const [place, source] of textsIn(outputs.get(built)!)) copy(source, join(target, place));
  };
  put(name, codeOf(name));
  for (const program of new Set(programs.map(programName))) put(program, `${program}.cjs`);
  copy(START, join(target, basename(START)));
  writeFileSync(
    join(target, `${name}.cjs`),
    `require('./${basename(START)}').run(module, __dirname + '/${codeOf(name)}');\n`,
  );
  const built = native.length > 0 ? architectures.nativeArchitecture : architectures.architecture;
  checkBuilt(native, built);
  for (const source of foldersOf(native, built)) copy(source, join(target, relative(ROOT, source)));
  for (const [into, files] of Object.entries(assets)) {
    for (const source of files()) copy(resolve(ROOT, source), join(target, into, basename(source)));
  }
  checkSize(file, target);
  return { folder: target, handler: `${name}.handler`, architecture: built };
};

/**
 * Bundles all functions at once, so that shared code is read only once, and gives each function a folder of its own. The
 * same sources give the same bytes on every machine.
 * @throws Error when a function imports a native package that it does not declare, or whose build is not installed, or is
 *   larger than Lambda allows
 */
export const bundle = async (
  catalogue: Catalogue,
  architectures: Bundling,
  folder: string,
): Promise<Bundles> => {
  rmSync(folder, { recursive: true, force: true });
  const declared = [
    ...declaredIn(catalogue),
    ...(hasSmokeHook(architectures) ? [{ file: SMOKE_HOOK, native: [], programs: [], assets: {} }] : []),
  ];
  const modules = join(folder, 'modules');
  const outputs = await buildModules(declared, modules);
  return new Map(
    declared.map((entry) => {
      const target = join(folder, functionName(entry));
      return [entry.file, collectBundle(entry, outputs, { architectures, modules, target })];
    }),
  );
};

/** Number of functions that one process loads. Each takes some ten megabytes. */
const FUNCTIONS_A_PROCESS = 12;

/**
 * Stores V8's code cache beside the code of each function, which then starts in about half the time. Functions of
 * another architecture than this machine's get none, because their V8 may not be able to use it.
 */
const compile = async (bundles: Bundles): Promise<void> => {
  const left = [...bundles.values()]
    .filter(({ architecture }) => architecture === architectureHere())
    .map(({ folder, handler }) => join(folder, codeOf(basename(handler, '.handler'))));
  const compileSome = async (): Promise<void> => {
    while (left.length > 0)
      await promisify(execFile)(process.execPath, [MAKE_CACHES, ...left.splice(0, FUNCTIONS_A_PROCESS)]);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, compileSome));
};

/** Bundles all functions as `bundle` does, and compiles them. */
export const bundleCompiled: typeof bundle = async (...of) => {
  const bundles = await bundle(...of);
  await compile(bundles);
  return bundles;
};

/** A table of the functions of each architecture, for whoever deploys them. Those with native packages are named. */
export const describeArchitectures = ({ operations, workers }: Catalogue, bundles: Bundles): string => {
  const natives = new Set(
    [
      ...operations.map(({ file, operation }) => ({ file, native: operation.native })),
      ...workers.map(({ file, worker }) => ({ file, native: worker.native })),
    ]
      .filter(({ native = [] }) => native.length > 0)
      .map(({ file }) => file),
  );
  const row = (what: string, files: string[], names: string): string => {
    const [architecture = '–', ...others] = new Set(files.map((file) => bundles.get(file)!.architecture));
    return [
      what.padEnd(24),
      [architecture, ...others].join(', ').padEnd(8),
      String(files.length).padStart(4),
      names,
    ]
      .join('  ')
      .trimEnd();
  };
  const [native, others] = [true, false].map((isNative) =>
    [...bundles.keys()].filter((file) => natives.has(file) === isNative),
  ) as [string[], string[]];
  return [
    row('functions', others, ''),
    row('with native packages', native, native.map((file) => functionName({ file })).join(', ')),
  ].join('\n');
};
