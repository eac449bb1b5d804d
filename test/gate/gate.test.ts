import { LANES, lanesNamed } from './lanes.ts';
import { type FailedTest, judge, type Outcome, summary } from './outcome.ts';

const failedTest = (name: string, file = 'test/a.chaos.test.ts'): FailedTest => ({
  file,
  name,
  lines: ['expected 1', 'received 2'],
});

const [one, two, three] = ['one', 'two', 'three'].map((name) => failedTest(name)) as [
  FailedTest,
  FailedTest,
  FailedTest,
];

describe('what a lane came to', () => {
  const first = { runs: [{ passed: 7, failed: [one, two] }], isDone: false, end: ['it ended'] };

  test('counts the tests of all its runs of jest', () => {
    const runs = [
      { passed: 7, failed: [] },
      { passed: 5, failed: [] },
    ];
    expect(judge({ runs, isDone: true, end: [] })).toEqual({ passed: 12, failed: [], unsteady: [] });
  });

  test('is the failed tests, where none is repeated', () => {
    expect(judge(first)).toEqual({ passed: 7, failed: [one, two], unsteady: [] });
  });

  test('is one failure with the last lines, where the command failed outside of its tests', () => {
    expect(judge({ ...first, runs: [{ passed: 7, failed: [] }] })).toEqual({
      passed: 7,
      failed: [{ file: '', name: 'the command', lines: ['it ended'] }],
      unsteady: [],
    });
  });

  test('is unsteady, where all pass when repeated', () => {
    const again = { runs: [{ passed: 3, failed: [] }], isDone: true };
    expect(judge(first, again)).toEqual({ passed: 9, failed: [], unsteady: [one, two] });
  });

  test('has each test in its place, where some pass when repeated and others fail', () => {
    const again = { runs: [{ passed: 1, failed: [two, three] }], isDone: false };
    expect(judge(first, again)).toEqual({ passed: 7, failed: [two, three], unsteady: [one] });
  });

  test('stays failed, where the repetition broke before a test ran', () => {
    expect(judge(first, { runs: [], isDone: false })).toEqual({
      passed: 7,
      failed: [one, two],
      unsteady: [],
    });
  });
});

describe('the end of a run', () => {
  const outcome = (lane: string, fields: Partial<Outcome> = {}): Outcome => ({
    lane,
    passed: 0,
    failed: [],
    unsteady: [],
    seconds: 1,
    ...fields,
  });

  test('is a table, what failed with how to repeat it, and the numbers', () => {
    const outcomes = [
      outcome('check', { failed: [{ file: '', name: 'the command', lines: ['a.ts: no'] }], seconds: 99.6 }),
      outcome('test', { passed: 9_382, seconds: 240 }),
      outcome('test:chaos', { passed: 551, failed: [one, { ...two, file: 'b.ts' }], unsteady: [three] }),
      outcome('test:browser', { passed: 84, unsteady: [failedTest('four', 'c.ts')] }),
    ];
    expect(summary(outcomes, 'SCALE=small SEED=5')).toBe(
      `lane          passed  failed  seconds
check              0       1      100  failed
test            9382       0      240
test:chaos       551       2        1  failed
test:browser      84       0        1  unsteady

failed  check  the command
    a.ts: no
    to repeat: SCALE=small SEED=5 npm run -s check
failed  test:chaos  test/a.chaos.test.ts › one
    expected 1
    received 2
failed  test:chaos  b.ts › two
    expected 1
    received 2
unsteady, passed when repeated  test:chaos  test/a.chaos.test.ts › three
    expected 1
    received 2
    to repeat: SCALE=small SEED=5 npm run -s test:chaos -- --runTestsByPath test/a.chaos.test.ts b.ts
unsteady, passed when repeated  test:browser  c.ts › four
    expected 1
    received 2
    to repeat: SCALE=small SEED=5 npm run -s test:browser -- --runTestsByPath c.ts

10017 passed, 3 failed
`,
    );
  });

  test('is the table and the numbers alone, where everything passed', () => {
    expect(summary([outcome('synth')], '')).toBe(
      'lane   passed  failed  seconds\nsynth       0       0        1\n\n0 passed, 0 failed\n',
    );
  });
});

describe('the lanes', () => {
  test('are chosen by name, and keep their order', () => {
    expect(lanesNamed(['test:chaos', 'check']).map(({ script }) => script)).toEqual(['check', 'test:chaos']);
    expect(lanesNamed(['test:any-day']).map(({ script }) => script)).toEqual(['test:any-day']);
    expect(lanesNamed([])).toBe(LANES);
  });

  test('a wrong name is answered with all names', () => {
    expect(() => lanesNamed(['check', 'test:all', 'x'])).toThrow(
      /^There is no lane test:all, x\. The lanes are check, synth, .+, clients, test:any-day\.$/,
    );
  });

  test('repeat neither the check nor what every change runs first', () => {
    const repeated = LANES.filter(({ repeats }) => repeats).map(({ script }) => script);
    expect(repeated).toContain('test:chaos');
    expect(repeated).not.toContain('check');
    expect(repeated).not.toContain('test');
  });
});
