import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../catalogue.ts';
import { ARCHITECTURES, type Architecture } from './settings.ts';

interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

const CPU = { arm64: 'arm64', x86_64: 'x64' } as const satisfies Record<Architecture, string>;

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The folder of an installed package as Node finds it from another one's, or undefined. */
const find = (name: string, from: string, root: string): string | undefined => {
  const folder = join(from, 'node_modules', name);
  if (existsSync(folder)) return folder;
  return from === root ? undefined : find(name, dirname(from), root);
};

/** @throws Error naming the package that is missing, and for whom. */
const need = (name: string, from: string, root: string): string => {
  const folder = find(name, from, root);
  if (!folder) throw new Error(`${name}, which ${from} needs, is not installed`);
  return folder;
};

// Lambda is Linux with glibc; a package that names no system runs on any.
const runsOn = ({ os, cpu, libc }: Manifest, architecture: Architecture): boolean =>
  (os?.includes('linux') ?? true) &&
  (cpu?.includes(CPU[architecture]) ?? true) &&
  (libc?.includes('glibc') ?? true);

/** The packages that hold a package's builds for Lambda, by their names, with their versions. */
const buildsOf = (folder: string, architecture: Architecture): [string, string][] =>
  Object.entries(manifestOf(folder).optionalDependencies ?? {}).filter(([name]) =>
    name.endsWith(`linux-${CPU[architecture]}`),
  );

/**
 * The architecture that a function with these native packages gets: the wanted one where its builds are
 * installed, else the other. npm by itself installs the builds of the machine it runs on.
 * @throws Error with the command that installs the wanted builds, when neither architecture has all of them.
 */
export const architectureOf = (
  packages: readonly string[],
  wanted: Architecture,
  root = ROOT,
): Architecture => {
  const folders = packages.map((name) => need(name, root, root));
  const isBuilt = (folder: string, architecture: Architecture) => {
    const builds = buildsOf(folder, architecture);
    return builds.length > 0 && builds.every(([name]) => find(name, folder, root));
  };
  const found = [wanted, ...ARCHITECTURES].find((architecture) =>
    folders.every((folder) => isBuilt(folder, architecture)),
  );
  if (found) return found;
  // Named one by one: with npm's `--cpu`, it would exchange the builds of all other packages as well.
  const builds = folders.flatMap((folder) => buildsOf(folder, wanted)).map((build) => build.join('@'));
  throw new Error(
    `no build of ${packages.join(', ')} for Lambda is installed: npm install --no-save --force ${builds.join(' ')}`,
  );
};

/** The folders of these packages and of all they need on the architecture. */
export const foldersOf = (packages: readonly string[], architecture: Architecture, root = ROOT): string[] => {
  const folders = new Set<string>();
  const visit = (folder: string): void => {
    if (folders.has(folder)) return;
    folders.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder);
    for (const name of Object.keys(dependencies)) visit(need(name, folder, root));
    for (const name of Object.keys(optionalDependencies)) {
      const found = find(name, folder, root);
      if (found && runsOn(manifestOf(found), architecture)) visit(found);
    }
  };
  for (const name of packages) visit(need(name, root, root));
  return [...folders].toSorted();
};
