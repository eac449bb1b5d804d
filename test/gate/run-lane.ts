import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Lane } from './lanes.ts';
import { judge, type Outcome, type TestRun } from './outcome.ts';

/** How many of the last lines of a command without tests are told when it fails. */
const LINES = 30;

/** Above so many failed files a lane is broken rather than unsteady, and is not repeated. */
const MOST_REPEATED = 5;

interface Ran {
  runs: TestRun[];
  isDone: boolean;
  /** The last lines that the command printed. */
  end: string[];
}

/** Runs a script of `package.json`. @param folder where that file is @param shown gets what it prints as it comes */
const run = async (
  folder: string,
  script: string,
  shown: Writable,
  rest: readonly string[] = [],
): Promise<Ran> => {
  const results = await mkdtemp(join(tmpdir(), 'lane-'));
  try {
    const child = spawn('npm', ['run', script, ...(rest.length > 0 ? ['--', ...rest] : [])], {
      cwd: folder,
      env: { ...process.env, TEST_RESULTS: results },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    const keep = (bytes: Buffer): void => {
      said = (said + bytes.toString()).slice(-10_000);
    };
    child.stdout.on('data', keep).pipe(shown, { end: false });
    child.stderr.on('data', keep).pipe(shown, { end: false });
    const [code] = await once(child, 'close');
    const files = await readdir(results);
    const runs = files.map(
      async (file) => JSON.parse(await readFile(join(results, file), 'utf8')) as TestRun,
    );
    return {
      runs: await Promise.all(runs),
      isDone: code === 0,
      end: said.trimEnd().split('\n').slice(-LINES),
    };
  } finally {
    await rm(results, { recursive: true, force: true });
  }
};

/**
 * Runs a lane, and once more its files that failed, if the lane allows it and they are few.
 * @param folder where its `package.json` is
 * @param shown gets what its commands print, as it comes
 */
export const runLane = async (
  folder: string,
  { script, repeats }: Lane,
  shown: Writable = process.stdout,
): Promise<Outcome> => {
  const begin = performance.now();
  const first = await run(folder, script, shown);
  const files = [...new Set(first.runs.flatMap(({ failed }) => failed.map(({ file }) => file)))];
  const isRepeated = repeats && files.length > 0 && files.length <= MOST_REPEATED;
  const again = isRepeated ? await run(folder, script, shown, ['--runTestsByPath', ...files]) : undefined;
  return { lane: script, ...judge(first, again), seconds: (performance.now() - begin) / 1_000 };
};
