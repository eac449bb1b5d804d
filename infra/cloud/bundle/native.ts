import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../catalogue.ts';
import { ARCHITECTURES, type Architecture } from '../settings.ts';

interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

const CPU = { arm64: 'arm64', x86_64: 'x64' } as const satisfies Record<Architecture, string>;

/** The architecture of the machine that builds. */
export const architectureHere = (): Architecture | undefined =>
  ARCHITECTURES.find((architecture) => CPU[architecture] === process.arch);

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The folder of a package, as Node resolves it from the folder `from`. Undefined when it is not installed. */
const find = (name: string, from: string, root: string): string | undefined => {
  const folder = join(from, 'node_modules', name);
  if (existsSync(folder)) return folder;
  return from === root ? undefined : find(name, dirname(from), root);
};

/** @throws Error when the package is not installed; it names the package and what needs it. */
const findRequired = (name: string, from: string, root: string): string => {
  const folder = find(name, from, root);
  if (!folder) throw new Error(`${from} needs the package ${name}, which is not installed`);
  return folder;
};

// Lambda runs on Linux with glibc. A package that names no system runs on every one.
const runsOn = ({ os, cpu, libc }: Manifest, architecture: Architecture): boolean =>
  (os?.includes('linux') ?? true) &&
  (cpu?.includes(CPU[architecture]) ?? true) &&
  (libc?.includes('glibc') ?? true);

/** The names and versions of a package's native builds for an architecture, as the package itself lists them. */
const buildsOf = ({ optionalDependencies = {} }: Manifest, architecture: Architecture): [string, string][] =>
  Object.entries(optionalDependencies).filter(([name]) => name.includes(`linux-${CPU[architecture]}`));

/**
 * Whether a package can run on an architecture, as it is installed. A package that is itself a native build is named
 * by its platform, and is not installed on another one.
 */
const isBuilt = (name: string, architecture: Architecture, root: string): boolean => {
  const folder = find(name, root, root);
  if (!folder) return false;
  const manifest = manifestOf(folder);
  if (manifest.cpu) return runsOn(manifest, architecture);
  const builds = buildsOf(manifest, architecture);
  return builds.length > 0 && builds.every(([build]) => find(build, folder, root));
};

/** The native builds that these packages need on an architecture; undefined where one of them has none for it. */
const wantedBuilds = (
  packages: readonly string[],
  architecture: Architecture,
  root: string,
): [string, string][] | undefined => {
  const { optionalDependencies = {} } = manifestOf(root);
  const builds = packages.map((name): [string, string][] => {
    // npm leaves out an optional dependency that is not for this machine.
    const version = optionalDependencies[name];
    if (version) return name.includes(`linux-${CPU[architecture]}`) ? [[name, version]] : [];
    return buildsOf(manifestOf(findRequired(name, root, root)), architecture);
  });
  return builds.every((each) => each.length > 0) ? builds.flat() : undefined;
};

/**
 * Checks that the builds of native packages for an architecture are installed. npm itself only installs those for the
 * machine that it runs on.
 * @throws Error with the command that installs them, or with the setting where there are none
 */
export const checkBuilt = (packages: readonly string[], architecture: Architecture, root = ROOT): void => {
  if (packages.every((name) => isBuilt(name, architecture, root))) return;
  const missing = `no build of ${packages.join(', ')} for Lambda on ${architecture}`;
  const builds = wantedBuilds(packages, architecture, root);
  if (!builds) {
    const other = ARCHITECTURES.find((each) => each !== architecture);
    throw new Error(`there is ${missing}; deploy with -c nativeArchitecture=${other}`);
  }
  // Each build is named, because npm's `--cpu` would also replace the builds of all other packages.
  const named = builds.map((build) => build.join('@')).join(' ');
  throw new Error(`${missing} is installed; run npm install --no-save --force ${named}`);
};

/** The folders of these packages and of everything they depend on, for one architecture. */
export const foldersOf = (packages: readonly string[], architecture: Architecture, root = ROOT): string[] => {
  const folders = new Set<string>();
  const visit = (folder: string): void => {
    if (folders.has(folder)) return;
    folders.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder);
    for (const name of Object.keys(dependencies)) visit(findRequired(name, folder, root));
    for (const name of Object.keys(optionalDependencies)) {
      const found = find(name, folder, root);
      if (found && runsOn(manifestOf(found), architecture)) visit(found);
    }
  };
  for (const name of packages) visit(findRequired(name, root, root));
  return [...folders].toSorted();
};
