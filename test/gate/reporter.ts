import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { FailedTest, TestRun } from './outcome.ts';

/** What jest gives a reporter at the end of a run, as far as it is used here. */
interface RunResults {
  numPassedTests: number;
  testResults: readonly {
    /** Absolute. */
    testFilePath: string;
    /** Of the whole file; there is one as well where it could not be loaded. */
    failureMessage?: string | null;
    testResults: readonly { fullName: string; status: string; failureMessages: readonly string[] }[];
  }[];
}

/** How many lines of a failure are kept. */
const LINES = 4;

/** Colours of a terminal. */
// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001B\[[\d;]*m/g;

const firstLines = (message: string): string[] =>
  message
    .replace(COLOURS, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/^\s+at /.test(line))
    .slice(0, LINES);

/** What a run of jest came to, for the gate. @param root what the paths of files are relative to */
const runOf = ({ testResults, numPassedTests }: RunResults, root: string): TestRun => ({
  passed: numPassedTests,
  failed: testResults.flatMap(({ testFilePath, testResults: tests, failureMessage }): FailedTest[] => {
    const file = relative(root, testFilePath);
    const failed = tests
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => ({
        file,
        name: fullName,
        lines: firstLines(failureMessages.join('\n')),
      }));
    if (failed.length > 0 || !failureMessage) return failed;
    return [{ file, name: 'the file itself', lines: firstLines(failureMessage) }];
  }),
});

/** Writes what each run came to into the folder that the gate names by TEST_RESULTS; does nothing without one. */
export default class Reporter {
  readonly #root: string;

  constructor({ rootDir }: { rootDir: string }) {
    this.#root = rootDir;
  }

  onRunComplete(_contexts: unknown, results: RunResults): void {
    const folder = process.env['TEST_RESULTS'];
    if (folder)
      writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(runOf(results, this.#root)));
  }
}
