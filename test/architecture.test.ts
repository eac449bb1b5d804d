import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../infra/catalogue.ts';
import type { Operation } from '../shared/http/operation.ts';
import type { Worker } from '../shared/http/worker.ts';

interface Exports {
  operation?: Operation;
  worker?: Worker;
  handler: unknown;
}

const filesIn = (folder: string): string[] =>
  fs
    .readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts'))
    .toSorted();

const textOf = (file: string): string => fs.readFileSync(join(ROOT, file), 'utf8');
const load = (file: string): Exports => jest.requireActual(join(ROOT, file));

const functions = filesIn('functions');
const operations = functions.filter((file) => !file.startsWith('functions/workers/'));
const shared = filesIn('shared');
const tests = filesIn('test').filter((file) => file.endsWith('.test.ts'));

const kebab = (id: string): string => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Files by what is wrong with them; none is right. */
const wrong = (files: readonly string[], isWrong: (file: string) => boolean): string[] =>
  files.filter(isWrong);

describe('a function’s import', () => {
  test('needs no environment, reads no file and sends nothing', () => {
    const report = execFileSync('node', [join(ROOT, 'test/support/import-functions.ts')], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    expect(JSON.parse(report)).toEqual({ modules: functions.length, done: [] });
  });
});

describe('a function’s names', () => {
  test.each(operations)('%s is called what its operation is called', (file) => {
    const { operation, handler } = load(file);
    expect(basename(file, '.ts')).toBe(kebab(operation!.id));
    expect(typeof handler).toBe('function');
    expect(Object.keys(load(file)).toSorted()).toEqual(['handler', 'operation']);
    // A Lambda function's name has 64 characters, and starts with the deployment's prefix.
    expect(operation!.id.length).toBeLessThanOrEqual(48);
  });

  test.each(functions.filter((file) => !operations.includes(file)))(
    '%s is called what its worker is called',
    (file) => {
      const { worker } = load(file);
      expect(basename(file, '.ts')).toBe(kebab(worker!.id));
      expect(Object.keys(load(file)).toSorted()).toEqual(['handler', 'worker']);
    },
  );

  test('stand in the tests of their area', () => {
    const untested = wrong(operations, (file) => {
      const { id, method, path } = load(file).operation!;
      const area = `test/${file.split('/')[1]}/`;
      return !tests.some((test) => {
        if (!test.startsWith(area)) return false;
        const text = textOf(test);
        return (
          basename(test, '.test.ts') === kebab(id) || text.includes(`${method} ${path}`) || text.includes(id)
        );
      });
    });
    expect(untested).toEqual([]);
  });
});

describe('the layers', () => {
  test('are imported in one direction', () => {
    // Its rules stand in the configuration, which `npm run check` reads too.
    const report = execFileSync(
      join(ROOT, 'node_modules/.bin/depcruise'),
      ['functions', 'shared', 'infra', '--config', '.dependency-cruiser.cjs', '--output-type', 'json'],
      { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 * 1024 ** 2 },
    );
    const { summary } = JSON.parse(report) as {
      summary: { totalCruised: number; violations: { from: string; to: string; rule: { name: string } }[] };
    };
    expect(summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
    // A parser that does not understand the sources finds nothing wrong with them either.
    expect(summary.totalCruised).toBeGreaterThan(functions.length + shared.length);
  });

  test('zod is imported as a namespace', () => {
    const importing = /^import (?!type\b)(?!\* as z from 'zod').*from 'zod'/m;
    expect(wrong([...functions, ...shared], (file) => importing.test(textOf(file)))).toEqual([]);
  });

  test('the environment is read in few places', () => {
    const allowed = new Set([
      'shared/base/environment.ts',
      'shared/base/tenancy.ts',
      // What the runtime says of itself.
      'shared/http/handler.ts',
      'shared/http/observe.ts',
      'shared/reports/fonts.ts',
      'shared/storage/objects.ts',
    ]);
    const reading = wrong([...functions, ...shared], (file) => textOf(file).includes('process.env'));
    expect(reading.filter((file) => !allowed.has(file))).toEqual([]);
  });
});
