/** A test that failed, or a file that could not be run. */
export interface FailedTest {
  /** Its path, from the folder of the project. */
  file: string;
  name: string;
  /** The first lines of what it says. */
  lines: readonly string[];
}

/** What one run of jest came to. */
export interface TestRun {
  passed: number;
  failed: readonly FailedTest[];
}

/** What a lane came to. */
export interface Outcome {
  lane: string;
  /** Tests that passed, those that passed only when repeated included. */
  passed: number;
  /** What failed, also when it was repeated. A command without tests that fails is one. */
  failed: readonly FailedTest[];
  /** What failed at first and passed when its file was repeated. */
  unsteady: readonly FailedTest[];
  seconds: number;
}

/** Joins the runs of a lane, and what repeating its failed files came to. */
export const judge = (
  first: { runs: readonly TestRun[]; isDone: boolean; end: readonly string[] },
  repeated?: { runs: readonly TestRun[]; isDone: boolean },
): Omit<Outcome, 'lane' | 'seconds'> => {
  const passed = first.runs.reduce((sum, run) => sum + run.passed, 0);
  const failed = first.runs.flatMap((run) => run.failed);
  if (first.isDone) return { passed, failed: [], unsteady: [] };
  // It failed outside of its tests, such as in a command that makes what they read.
  if (failed.length === 0)
    return { passed, failed: [{ file: '', name: 'the command', lines: first.end }], unsteady: [] };
  if (!repeated) return { passed, failed, unsteady: [] };
  if (repeated.isDone) return { passed: passed + failed.length, failed: [], unsteady: failed };
  const again = repeated.runs.flatMap((run) => run.failed);
  const isAgain = ({ file, name }: FailedTest): boolean =>
    again.length === 0 || again.some((one) => one.file === file && one.name === name);
  // What passed before and fails now is a failure too.
  const fresh = again.filter(
    ({ file, name }) => !failed.some((one) => one.file === file && one.name === name),
  );
  return {
    passed: passed + failed.filter((one) => !isAgain(one)).length - fresh.length,
    failed: [...failed.filter(isAgain), ...fresh],
    unsteady: failed.filter((one) => !isAgain(one)),
  };
};

const heading = ['lane', 'passed', 'failed', 'seconds', ''];

const linesOf = (title: string, lane: string, tests: readonly FailedTest[]): string[] =>
  tests.flatMap(({ file, name, lines }) => [
    `${title}  ${lane}  ${[file, name].filter(Boolean).join(' › ')}`,
    ...lines.map((line) => `    ${line}`),
  ]);

/**
 * The end of a run of the gate: a table of the lanes, each test that failed or was unsteady with the first lines of what it
 * says and how to repeat it, and the line `N passed, N failed`.
 * @param chance the variables that a run is repeated with, such as `SCALE=small SEED=0`
 */
export const summary = (outcomes: readonly Outcome[], chance: string): string => {
  const rows = outcomes.map(({ lane, passed, failed, unsteady, seconds }) => [
    lane,
    String(passed),
    String(failed.length),
    String(Math.round(seconds)),
    failed.length > 0 ? 'failed' : unsteady.length > 0 ? 'unsteady' : '',
  ]);
  const widths = heading.map((_, column) =>
    Math.max(...[heading, ...rows].map((row) => row[column]!.length)),
  );
  const table = [heading, ...rows].map((row) =>
    row
      .map((cell, column) =>
        column === 0 || column === 4 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
  const told = outcomes.flatMap(({ lane, failed, unsteady }) => {
    const files = [...new Set([...failed, ...unsteady].map(({ file }) => file))].filter(Boolean);
    const again = [`npm run -s ${lane}`, ...(files.length > 0 ? ['-- --runTestsByPath', ...files] : [])];
    return [
      ...linesOf('failed', lane, failed),
      ...linesOf('unsteady, passed when repeated', lane, unsteady),
      ...(failed.length + unsteady.length > 0 ? [`    to repeat: ${chance} ${again.join(' ')}`] : []),
    ];
  });
  const sum = (count: (outcome: Outcome) => number): number =>
    outcomes.reduce((all, one) => all + count(one), 0);
  const closing = `${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed.length)} failed`;
  return [...table, '', ...told, ...(told.length > 0 ? [''] : []), closing, ''].join('\n');
};
