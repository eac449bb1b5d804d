import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Advisory,
  advisoriesIn,
  type Audit,
  changesOf,
  describeUpgrade,
  EXACT,
  type Lock,
  newestNear,
  type Published,
} from './changes.ts';

/*
 * Raises the packages of the project, and those that they need, to the newest versions that break nothing by their
 * numbers, and prints as Markdown what that brings. It changes the manifests and the lock alone: it installs nothing and
 * runs no code of a package, so it needs none of them either.
 */

const USAGE = `Usage: npm run upgrade -- [<folder>]
Changes package.json and package-lock.json in the folder, or in this checkout.`;

const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'] as const;

type Manifest = { workspaces?: string[] } & Partial<
  Record<(typeof DEPENDENCIES)[number], Record<string, string>>
>;

const [folder = join(import.meta.dirname, '../..'), ...others] = process.argv.slice(2);

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** What npm prints as JSON. It fails where it finds something, too. */
const npm = <Reply>(...command: string[]): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const options = { cwd: folder, maxBuffer: 2 ** 28 };
    execFile('npm', [...command, '--json'], options, (error, stdout, stderr) => {
      const reply = JSON.parse(stdout || '{}') as Reply & { error?: { summary: string }; message?: string };
      const failure = reply.error?.summary || reply.message;
      if (error && (reply.error || stdout === ''))
        reject(new Error(`npm ${command.join(' ')}: ${failure ?? stderr}`));
      else resolve(reply);
    });
  });

/** The advisories of the lock, or why npm cannot say. */
const audit = async (): Promise<Advisory[] | string> => {
  try {
    return advisoriesIn(await npm<Audit>('audit', '--package-lock-only'));
  } catch (error) {
    return (error as Error).message;
  }
};

/** Raises what a manifest names. @returns the names, and the latest versions that are not near */
const raise = async (
  file: string,
  left: Map<string, { version: string; latest: string }>,
): Promise<string[]> => {
  let text = readFileSync(file, 'utf8');
  const manifest = JSON.parse(text) as Manifest;
  const named = DEPENDENCIES.flatMap((kind) => Object.entries(manifest[kind] ?? {}));
  for (const [name, version] of named.filter(([, each]) => EXACT.test(each))) {
    const published = await npm<Published>('view', name, 'versions', 'dist-tags');
    const newest = newestNear(version, published);
    const { latest } = published['dist-tags'];
    if (latest !== newest) left.set(name, { version: newest, latest });
    text = text.replace(`"${name}": "${version}"`, `"${name}": "${newest}"`);
  }
  writeFileSync(file, text);
  return named.map(([name]) => name);
};

const upgrade = async (): Promise<string> => {
  const lock = () => read(join(folder, 'package-lock.json')) as Lock;
  const [former, before] = [lock(), await audit()];
  const { workspaces = [] } = read(join(folder, 'package.json')) as Manifest;
  const left = new Map<string, { version: string; latest: string }>();
  const direct = new Set<string>();
  for (const place of ['', ...workspaces])
    for (const name of await raise(join(folder, place, 'package.json'), left)) direct.add(name);
  await npm('update', '--package-lock-only', '--ignore-scripts');
  const after = await audit();
  const advisories =
    typeof before === 'string' ? before : typeof after === 'string' ? after : { before, after };
  return describeUpgrade({ changes: changesOf(former, lock()), direct, advisories, left });
};

if (others.length > 0 || folder.startsWith('-')) {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 2;
} else {
  try {
    process.stdout.write(await upgrade());
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
