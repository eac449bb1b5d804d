import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../infra/catalogue.ts';
import { copyOf } from '../mistakes/copy.ts';
import { plainEnvironment } from '../support/processes/environment.ts';
import { SCALE } from '../support/scale.ts';

const [, page = ''] =
  /\n### A first change\n(.*?)\n## /s.exec(readFileSync(join(ROOT, '.github/CONTRIBUTING.md'), 'utf8')) ?? [];
const [, diff = ''] = /```diff\n(.*?)```/s.exec(page) ?? [];
const commands = [...page.matchAll(/`(npx [^`]+)`/g)].map(([, command]) => command!.split(' '));

/** What a command prints. @throws Error with all that it has printed, unless it succeeds */
const run = async (folder: string, [name, ...options]: readonly string[]): Promise<string> => {
  try {
    const { stdout, stderr } = await promisify(execFile)(name!, options, {
      cwd: folder,
      env: plainEnvironment(),
      maxBuffer: 2 ** 26,
    });
    return stdout + stderr;
  } catch (error) {
    const failed = error as Error & { stdout: string; stderr: string };
    failed.message = [failed.message, failed.stdout, failed.stderr].join('\n');
    throw failed;
  }
};

/**
 * In a small run the types are checked of the files that change, and of what these use: the check of the whole service
 * costs several times as much, and the gate makes it once already, without the change.
 */
const narrowTypes = (folder: string, files: readonly string[]): void => {
  const file = join(folder, 'tsconfig.json');
  const { include: _include, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...rest, files }));
};

test('the first change of CONTRIBUTING applies to a copy of the checkout, and what proves it passes there', async () => {
  expect(commands.map(([, command]) => command)).toEqual(['tsc', 'jest']);
  const { folder, remove } = copyOf(ROOT);
  try {
    execFileSync('git', ['apply', '-'], { cwd: folder, input: diff });
    const files = diff.match(/(?<=^\+\+\+ b\/).+$/gm)!;
    for (const file of files) expect(readFileSync(join(folder, file), 'utf8')).toMatch(/\bfloor\b/);
    if (SCALE === 'small') narrowTypes(folder, files);
    for (const command of commands) await run(folder, command);
  } finally {
    remove();
  }
});
