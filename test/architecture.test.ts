import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { ROOT } from '../infra/catalogue.ts';
import type { Operation } from '../shared/http/operation.ts';
import type { Worker } from '../shared/http/worker.ts';
import { type Room, ROOMS } from '../shared/rooms.ts';

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

/** What dependency-cruiser finds in a folder, by the rules that are made from the list of rooms. */
const cruise = (cwd: string) => {
  const report = execFileSync(
    join(ROOT, 'node_modules/.bin/depcruise'),
    ['functions', 'shared', 'infra', '--config', join(ROOT, '.dependency-cruiser.mjs'), '--output-type=json'],
    { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 * 1024 ** 2 },
  );
  const { summary } = JSON.parse(report) as {
    summary: {
      totalCruised: number;
      violations: { from: string; to: string; rule: { name: string } }[];
      ruleSetUsed: { forbidden: { name: string }[] };
    };
  };
  return summary;
};

/** A global by which a program reaches an address, being called. */
const GLOBAL_CALL = /\b(fetch|new (WebSocket|EventSource))\(/;
const isOutgoing = (file: string): boolean =>
  ROOMS.some((room) => room.isOutgoing && file.startsWith(`shared/${room.name}/`));
const callsOut = (file: string, text: string): boolean => !isOutgoing(file) && GLOBAL_CALL.test(text);

/** The sources of a house in which every rule is broken once. */
const faultySources = (): Record<string, string> => {
  const importing = (...names: string[]) => names.map((name) => `import '${name}';\n`).join('');
  const rooms = ROOMS.flatMap(({ name, aws = [] }, floor) => {
    const up = relative(`shared/${name}`, 'shared');
    const above = ROOMS[floor + 1];
    const foreign = aws.includes('client-sqs') ? 'client-s3' : 'client-sqs';
    const upward = above ? [`${up}/${above.name}/fault.ts`] : [];
    return [
      [
        `shared/${name}/fault.ts`,
        importing(...upward, `@aws-sdk/${foreign}`, 'sharp', 'node:https'),
      ] as const,
    ];
  });
  return {
    ...Object.fromEntries(rooms),
    'functions/area/fault.ts': importing('sharp'),
    'infra/fault.ts': importing('./nowhere.ts'),
    'shared/homeless.ts': importing('./base/fault.ts'),
    'shared/base/circle.ts': importing('./circle-back.ts', '../../infra/fault.ts', 'esbuild'),
    'shared/base/circle-back.ts': importing('./circle.ts'),
  };
};

describe('the rooms', () => {
  test('import only what their place in the list allows', () => {
    const { violations, totalCruised } = cruise(ROOT);
    expect(violations.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
    // A parser that does not understand the sources finds nothing wrong with them either.
    expect(totalCruised).toBeGreaterThan(functions.length + shared.length);
  });

  test('are held to each rule: a house that breaks them all breaks every one', () => {
    const house = fs.mkdtempSync(join(tmpdir(), 'house-'));
    try {
      for (const [file, text] of Object.entries(faultySources())) {
        fs.mkdirSync(join(house, dirname(file)), { recursive: true });
        fs.writeFileSync(join(house, file), text);
      }
      fs.copyFileSync(join(ROOT, 'package.json'), join(house, 'package.json'));
      fs.symlinkSync(join(ROOT, 'node_modules'), join(house, 'node_modules'));
      const { violations, ruleSetUsed } = cruise(house);
      const broken = new Set(violations.map(({ rule }) => rule.name));
      expect(ruleSetUsed.forbidden.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
    } finally {
      fs.rmSync(house, { recursive: true });
    }
  });

  test('stand on the disk, but for the doors to come', () => {
    const isEmpty = ({ name }: Room) => !shared.some((file) => file.startsWith(`shared/${name}/`));
    expect(ROOMS.filter((room) => isEmpty(room) && !room.isOutgoing)).toEqual([]);
  });

  test('call nobody outside, but by the two doors', () => {
    expect(wrong([...functions, ...shared], (file) => callsOut(file, textOf(file)))).toEqual([]);
    expect(callsOut('shared/domain/fault.ts', "await fetch('https://example.com')")).toBe(true);
    expect(callsOut('shared/integrations/door.ts', "await fetch('https://example.com')")).toBe(false);
  });
});

describe('a module', () => {
  test('imports zod as a namespace', () => {
    const importing = /^import (?!type\b)(?!\* as z from 'zod').*from 'zod'/m;
    expect(wrong([...functions, ...shared], (file) => importing.test(textOf(file)))).toEqual([]);
  });

  test('reads the environment in few places alone', () => {
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
