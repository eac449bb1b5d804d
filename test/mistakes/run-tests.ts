import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FailedTest, TestRun } from '../gate/outcome.ts';

/** After which time a test that waits for something that a mistake prevents has failed, in milliseconds. */
const TEST_LIMIT_MS = 120_000;

/** After which time the tests of one mistake are ended, in milliseconds. */
const LIMIT_MS = 600_000;

/** What the tests said. */
export interface Tested {
  failed: readonly FailedTest[];
  /** Whether they came to their end, whatever it is. */
  isDone: boolean;
}

/**
 * Runs files of tests in one process.
 * @param folder where their `package.json` is
 * @param stop ends them at once
 * @param options of jest
 */
export const runTests = async (
  folder: string,
  files: readonly string[],
  stop: AbortSignal,
  ...options: readonly string[]
): Promise<Tested> => {
  const results = mkdtempSync(join(tmpdir(), 'tested-'));
  try {
    const jest = [join(folder, 'node_modules/jest/bin/jest.js'), '--maxWorkers', '1', '--silent', ...options];
    const limits = ['--testTimeout', String(TEST_LIMIT_MS), '--testPathIgnorePatterns', '/node_modules/'];
    const child = spawn(process.execPath, [...jest, ...limits, '--runTestsByPath', ...files], {
      cwd: folder,
      env: { ...process.env, TEST_RESULTS: results },
      stdio: 'ignore',
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    });
    const end = (): boolean => child.kill('SIGKILL');
    stop.addEventListener('abort', end);
    await once(child, 'close');
    stop.removeEventListener('abort', end);
    const runs = readdirSync(results).map(
      (file) => JSON.parse(readFileSync(join(results, file), 'utf8')) as TestRun,
    );
    return { failed: runs.flatMap(({ failed }) => failed), isDone: runs.length > 0 };
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
};
