import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../infra/catalogue.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { LANES, NIGHT_LANES } from '../gate/lanes.ts';

const FOLDER = join(ROOT, '.github/workflows');
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

describe('the workflows', () => {
  test.each(readdirSync(FOLDER))('%s takes each action by its hash, with its release beside it', (file) => {
    const used = [...read(file).matchAll(/uses: *(.+)$/gm)].map(([, action]) => action!);
    expect(used).not.toEqual([]);
    expect(used.filter((action) => !/^(\.\/|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d)/.test(action))).toEqual([]);
  });

  test('run the lanes that admit a change', () => {
    const [, matrix] = /lane:\s*\[([^\]]+)\]/.exec(read('lanes.yml'))!;
    expect(matrix!.match(/[\w:-]+/g)).toEqual(LANES.map(({ script }) => script));
  });

  test('start the service with the oldest Node.js that it takes, and with one that is newer than its own', () => {
    const [, oldest, newest] = /node: \[(\d+), (\d+)\]/.exec(read('check.yml'))!.map(Number);
    expect(packageJson.engines.node).toBe(`>=${oldest}`);
    expect(newest).toBeGreaterThan(Number.parseInt(packageJson.devDependencies.node));
    expect(read('check.yml')).toMatch(
      /container: node:\$\{\{ matrix\.node \}\}-trixie\n(.*\n)*.+run: \.ci\/first-start\n/,
    );
  });

  test('run them at night in full, each night with another seed', () => {
    const night = read('nightly.yml');
    expect(night).toMatch(/schedule:\n\s+- cron: '\d+ \d+ \* \* \*'/);
    expect(night).toMatch(/uses: \.\/\.github\/workflows\/lanes\.yml\n\s+with:\n\s+scale: full\n/);
    expect(night).toMatch(/seed: \$\{\{ github\.run_number \}\}/);
    expect(night).toMatch(/SEED: \$\{\{ github\.run_number \}\}/);
    const own = [...night.matchAll(/\.ci\/run --lanes (\S+)/g)].map(([, lane]) => lane);
    expect(own).toEqual(NIGHT_LANES.map(({ script }) => script));
    expect(read('lanes.yml')).toMatch(
      /env:\n\s+SCALE: \$\{\{ inputs\.scale \}\}\n\s+SEED: \$\{\{ inputs\.seed \}\}/,
    );
  });

  test('raise the packages each week, and try the branch with all lanes before somebody is asked to look', () => {
    const upgrade = read('upgrade.yml');
    expect(upgrade).toMatch(/schedule:\n\s+- cron: '\d+ \d+ \* \* [0-6]'/);
    const [, command, branch] = /run: npm run -s (\w+) >[^]+HEAD:refs\/heads\/(\w+)/.exec(upgrade)!;
    expect(Object.keys(packageJson.scripts)).toContain(command);
    expect(upgrade).toMatch(
      new RegExp(`uses: \\./\\.github/workflows/lanes\\.yml\n\\s+with:\n\\s+ref: ${branch}\n`),
    );
    expect(read('lanes.yml')).toMatch(/actions\/checkout@.+\n\s+with:\n\s+ref: \$\{\{ inputs\.ref \}\}\n/);
    expect(upgrade).toMatch(
      new RegExp(`needs: \\[raise, lanes\\]\n\\s+if: always\\(\\)[^]+gh pr create --head ${branch} `),
    );
    // What may write runs no code of a package.
    const [, raising] = /\n {2}raise:\n([^]+?)\n {2}\w+:\n/.exec(upgrade)!;
    expect(raising).toContain('contents: write');
    expect(raising).not.toMatch(/npm (ci|install)|npx|\.ci\/run/);
  });
});
