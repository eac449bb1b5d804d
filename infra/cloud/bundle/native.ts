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

/** The names and versions of the packages that contain a package's native builds for Lambda. */
const buildsOf = (folder: string, architecture: Architecture): [string, string][] =>
  Object.entries(manifestOf(folder).optionalDependencies ?? {}).filter(([name]) =>
    name.endsWith(`linux-${CPU[architecture]}`),
  );

/**
 * The architecture for a function with these native packages: the wanted one if its builds are installed, else the
 * other one. npm itself only installs the builds for the machine that it runs on.
 * @throws Error with the command that installs the wanted builds, when neither architecture has all of them.
 */
export const architectureOf = (
  packages: readonly string[],
  wanted: Architecture,
  root = ROOT,
): Architecture => {
  const folders = packages.map((name) => findRequired(name, root, root));
  const isBuilt = (folder: string, architecture: Architecture) => {
    const builds = buildsOf(folder, architecture);
    return builds.length > 0 && builds.every(([name]) => find(name, folder, root));
  };
  const found = [wanted, ...ARCHITECTURES].find((architecture) =>
    folders.every((folder) => isBuilt(folder, architecture)),
  );
  if (found) return found;
  // Each build is named, because npm's `--cpu` would also replace the builds of all other packages.
  const builds = folders.flatMap((folder) => buildsOf(folder, wanted)).map((build) => build.join('@'));
  throw new Error(
    `no build of ${packages.join(', ')} for Lambda is installed; run npm install --no-save --force ${builds.join(' ')}`,
  );
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
