import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/*
 * Leaves out one condition of a write after the other, and runs the tests that make such a write: one of them should
 * fail. It prints the conditions that no test misses, and takes hours for all of them.
 *
 *   npm run test:conditions -- test/schedules            the conditions that the tests of a folder reach
 *   npm run test:conditions -- --of SCHEDULE test/db     of these, those that contain a text
 *   npm run test:conditions -- --every 20                each twentieth
 */

const { values, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: { of: { type: 'string', default: '' }, every: { type: 'string', default: '1' } },
});

/** The tests of other processes and of all conditions would take too long. */
const TESTS = ['--testPathIgnorePatterns', '/node_modules/', '/test/infra/', '\\.browser\\.test\\.ts$'];

/** @returns whether all tests pass */
const run = (files: readonly string[], env: Record<string, string>, ...options: string[]): boolean =>
  spawnSync('npx', ['jest', ...TESTS, ...options, '--testPathPatterns', ...files], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  }).status === 0;

const folder = mkdtempSync(join(tmpdir(), 'conditions-'));
const noted = join(folder, 'noted');
try {
  if (!run(folders.length > 0 ? folders : ['test/'], { NOTE_CONDITIONS: noted }) || !existsSync(noted))
    throw new Error('the tests fail with all conditions');
  const filesOf = new Map<string, Set<string>>();
  for (const line of readFileSync(noted, 'utf8').trim().split('\n')) {
    const [file, name] = JSON.parse(line) as [string, string];
    if (name.includes(values.of)) filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file));
  }
  const conditions = [...filesOf].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const chosen = conditions.filter((_, position) => position % Number(values.every) === 0);
  const missed = chosen.filter(([name, files]) => {
    const isMissed = !run([...files], { LEAVE_OUT_CONDITION: name }, '--bail');
    process.stdout.write(`${isMissed ? 'missed    ' : 'NOT MISSED'} ${name}\n`);
    return isMissed;
  });
  process.stdout.write(
    `${missed.length} of ${chosen.length} conditions are missed when they are left out.\n`,
  );
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
