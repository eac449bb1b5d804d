import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../infra/catalogue.ts';
import { copyOf } from './copy.ts';
import { MISTAKES } from './list.ts';
import { type Mistake, mistakesNamed, withMistake } from './mistake.ts';
import { runTests } from './run-tests.ts';

/*
 * Makes one mistake after the other in a copy of this checkout, and runs the tests that ought to notice it. It exits
 * with the number of mistakes that they do not notice.
 *
 *   npm run test:mistakes                       all of them, in a quarter of an hour
 *   npm run test:mistakes -- 7 12 certificate   by their numbers, or by what is in their names
 *   npm run test:mistakes -- --list             what they are
 *   npm run test:mistakes -- --unchanged        first whether the tests pass without them
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    unchanged: { type: 'boolean', default: false },
  },
});

/** Ctrl-C and a kill end the tests that run, and then the copy is removed as usual. */
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => stop.abort(new Error('Stopped.')));

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const numbered = (mistake: Mistake): string =>
  `${String(MISTAKES.indexOf(mistake) + 1).padStart(2)}  ${mistake.name}`;

/** @throws Error that names the tests that fail without any mistake, which would be taken for noticing one */
const checkUnchanged = async (folder: string, mistakes: readonly Mistake[]): Promise<void> => {
  const files = [...new Set(mistakes.flatMap(({ tests }) => tests))];
  const { failed, isDone } = await runTests(folder, files, stop.signal);
  stop.signal.throwIfAborted();
  if (!isDone) throw new Error('The tests do not come to an end without a mistake.');
  if (failed.length > 0)
    throw new Error(
      ['Tests fail without a mistake:', ...failed.map(({ file, name }) => `  ${file} › ${name}`)].join('\n'),
    );
};

/** What the tests say of a mistake, and whether that is that they notice it. */
const judge = async (folder: string, mistake: Mistake): Promise<{ isNoticed: boolean; said: string }> => {
  const path = join(folder, mistake.file);
  const text = readFileSync(path, 'utf8');
  try {
    writeFileSync(path, withMistake(text, mistake));
    const { failed, isDone } = await runTests(folder, mistake.tests, stop.signal, '--bail');
    // A file that cannot be loaded says that the edit is broken, not that somebody checks what it does.
    const test = failed.find(({ name }) => name !== 'the file itself');
    if (test) return { isNoticed: true, said: `${test.file} › ${test.name}` };
    if (!isDone) return { isNoticed: false, said: 'the tests did not come to an end' };
    return { isNoticed: false, said: failed[0] ? `${failed[0].file} cannot be loaded` : 'all tests pass' };
  } catch (error) {
    return { isNoticed: false, said: (error as Error).message };
  } finally {
    writeFileSync(path, text);
  }
};

const run = async (mistakes: readonly Mistake[]): Promise<void> => {
  const { folder, remove } = copyOf(ROOT);
  try {
    if (values.unchanged) await checkUnchanged(folder, mistakes);
    let noticed = 0;
    for (const mistake of mistakes) {
      const begin = performance.now();
      const { isNoticed, said } = await judge(folder, mistake);
      stop.signal.throwIfAborted();
      const seconds = String(Math.round((performance.now() - begin) / 1_000)).padStart(4);
      print(`${isNoticed ? 'noticed    ' : 'NOT NOTICED'} ${seconds} s  ${numbered(mistake)}  (${said})`);
      if (isNoticed) noticed += 1;
    }
    print(`${noticed} of ${mistakes.length} noticed`);
    process.exitCode = mistakes.length - noticed;
  } finally {
    remove();
  }
};

try {
  const mistakes = mistakesNamed(MISTAKES, positionals);
  if (values.list) for (const mistake of mistakes) print(`${numbered(mistake)}\n      ${mistake.file}`);
  else await run(mistakes);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
