import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import recorded from '../functions/recorded.json' with { type: 'json' };
import { ROOT } from '../infra/catalogue.ts';
import { derivedStatuses } from '../infra/openapi/document/replies.ts';
import type { Operation } from '../shared/http/operation/operation.ts';
import type { Worker } from '../shared/http/worker/worker.ts';
import { type Room, ROOMS } from '../shared/rooms.ts';
import OPERATIONS from './support/calls.json' with { type: 'json' };

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

/** The files that break a rule. A test expects none. */
const wrong = (files: readonly string[], isWrong: (file: string) => boolean): string[] =>
  files.filter(isWrong);

describe('the import of a function', () => {
  test('needs no environment, reads no file and sends nothing', () => {
    const report = execFileSync('node', [join(ROOT, 'test/support/processes/import-functions.ts')], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    expect(JSON.parse(report)).toEqual({ modules: functions.length, done: [] });
  });
});

describe('the declaration of an operation', () => {
  test.each(operations)('%s names no error that follows from its form', (file) => {
    const { operation } = load(file);
    const derived: number[] = derivedStatuses(operation!);
    expect((operation!.errors ?? []).filter((status) => derived.includes(status))).toEqual([]);
  });
});

test('functions/recorded.json has every function, and no other', () => {
  const ids = functions.map(load).map(({ operation, worker }) => (operation ?? worker)!.id);
  expect(Object.keys(recorded).toSorted()).toEqual(ids.toSorted());
});

/** How the client of the tests calls an operation, such as `.locations.create(`. */
const callOf = (file: string): string => {
  for (const [area, names] of Object.entries(OPERATIONS))
    for (const [name, each] of Object.entries(names)) if (each === file) return `.${area}.${name}(`;
  throw new Error(`the client of the tests lacks ${file}`);
};

describe('the name of a function', () => {
  test.each(operations)('%s has the name of its operation', (file) => {
    const { operation, handler } = load(file);
    expect(basename(file, '.ts')).toBe(kebab(operation!.id));
    expect(typeof handler).toBe('function');
    expect(Object.keys(load(file)).toSorted()).toEqual(['handler', 'operation']);
    // The name of a Lambda function has at most 64 characters, and begins with the prefix of the deployment.
    expect(operation!.id.length).toBeLessThanOrEqual(48);
  });

  test.each(functions.filter((file) => !operations.includes(file)))(
    '%s has the name of its worker',
    (file) => {
      const { worker } = load(file);
      expect(basename(file, '.ts')).toBe(kebab(worker!.id));
      expect(Object.keys(load(file)).toSorted()).toEqual(['handler', 'worker']);
    },
  );

  test('occurs in a test of its area', () => {
    const untested = wrong(operations, (file) => {
      const { id, method, path, rows } = load(file).operation!;
      // Batches may be tested together, because one function carries all of them out. The same holds for upserts.
      const areas = [
        `test/${file.split('/')[1]}/`,
        ...(rows ? ['test/http/batch'] : []),
        ...(path.includes('/by-external-ref/') ? ['test/http/upserts'] : []),
      ];
      return !tests.some((test) => {
        if (!areas.some((area) => test.startsWith(area))) return false;
        const text = textOf(test);
        return (
          basename(test, '.test.ts') === kebab(id) ||
          [`${method} ${path}`, id, callOf(file)].some((named) => text.includes(named))
        );
      });
    });
    expect(untested).toEqual([]);
  });
});

/** The violations that dependency-cruiser finds in a project. Its rules are made from the list of rooms. */
const cruise = (cwd: string) => {
  const report = execFileSync(
    join(ROOT, 'node_modules/.bin/depcruise'),
    ['functions', 'shared', 'infra', '--config', join(ROOT, '.dependency-cruiser.mjs'), '--output-type=json'],
    { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 * 1024 ** 2 },
  );
  const { summary } = JSON.parse(report) as {
    summary: {
      violations: { from: string; to: string; rule: { name: string } }[];
      ruleSetUsed: { forbidden: { name: string }[] };
    };
  };
  return summary;
};

/** A call of a global function that can reach any address. */
const NETWORK_CALL = /\b(fetch|new (WebSocket|EventSource))\(/;
const isOutgoing = (file: string): boolean =>
  ROOMS.some((room) => room.isOutgoing && file.startsWith(`shared/${room.name}/`));
const callsOut = (file: string, text: string): boolean => !isOutgoing(file) && NETWORK_CALL.test(text);

/** The sources of a project that breaks every rule once. */
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
  // `npm run layers` holds the project itself to the rules.
  test('are checked by every rule: a project that breaks each rule has a violation of each', () => {
    const project = fs.mkdtempSync(join(tmpdir(), 'project-'));
    try {
      for (const [file, text] of Object.entries(faultySources())) {
        fs.mkdirSync(join(project, dirname(file)), { recursive: true });
        fs.writeFileSync(join(project, file), text);
      }
      fs.copyFileSync(join(ROOT, 'package.json'), join(project, 'package.json'));
      fs.symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
      const { violations, ruleSetUsed } = cruise(project);
      const broken = new Set(violations.map(({ rule }) => rule.name));
      expect(ruleSetUsed.forbidden.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
    } finally {
      fs.rmSync(project, { recursive: true });
    }
  });

  test('exist as folders, except for outgoing rooms that are not built yet', () => {
    const isEmpty = ({ name }: Room) => !shared.some((file) => file.startsWith(`shared/${name}/`));
    expect(ROOMS.filter((room) => isEmpty(room) && !room.isOutgoing)).toEqual([]);
  });

  test('call no other address, except for the outgoing rooms', () => {
    expect(wrong([...functions, ...shared], (file) => callsOut(file, textOf(file)))).toEqual([]);
    expect(callsOut('shared/domain/fault.ts', "await fetch('https://example.com')")).toBe(true);
    expect(callsOut('shared/outside/door.ts', "await fetch('https://example.com')")).toBe(false);
  });
});

/** A reading of the clock. */
const CLOCK = /\bnew Date\(\)|\b(Date|performance)\.now\(|\bTemporal\.Now\b/;

/** The folders that keep rows. */
const ROW_KEEPERS = [
  'table',
  'organizations',
  'files',
  'places',
  'notices',
  'templates',
  'inspections',
  'issues',
  'schedules',
  'reports/rows',
  'webhooks',
  'integrations/rows',
  'upkeep',
];

/** Their files that read the clock, and why. All else happens at the time of its change. */
const CLOCK_READERS: Record<string, string> = {
  'shared/files/logo.ts': 'shows who is asked now to take an organization over',
  'shared/files/pending-uploads.ts': 'an upload is signed, and completed in time, outside changes',
  'shared/files/uploads.ts': 'signs an upload until its end, outside changes',
  'shared/inspections/answers/signature-links.ts': 'shows the form of a link that is open now',
  'shared/inspections/certificates/certificates.ts': 'shows whether a certificate has expired now',
  'shared/inspections/certificates/lists.ts': 'shows which certificates have expired now',
  'shared/inspections/corrective-actions/contact.ts': 'shows the form of a link that is open now',
  'shared/inspections/corrective-actions/lists.ts': 'shows which actions are overdue now',
  'shared/inspections/lists.ts': 'shows which inspections are overdue now',
  'shared/inspections/numbers/summaries.ts': 'what is overdue, the present month, and how far numbers are',
  'shared/integrations/rows/connections.ts': 'notes when a connection was imported, in one write',
  'shared/integrations/rows/synced-rows.ts': 'stops in time',
  'shared/issues/issues.ts': 'shows which issues are overdue now',
  'shared/issues/public-links.ts': 'shows which links have expired now',
  'shared/issues/report.ts': 'shows the form of a link that is open now',
  'shared/notices/waiting-mails.ts': 'counts the mails of today, one write at a time',
  'shared/organizations/addresses/addresses.ts': 'shows whether an address may be asked now',
  'shared/organizations/addresses/reputation.ts': 'counts the mails of today, one write at a time',
  'shared/organizations/api-keys.ts': 'shows which keys have expired by now',
  'shared/organizations/members/members.ts': 'a key that has expired by now can do nothing',
  'shared/reports/rows/bulk-exports.ts': 'shows which files have expired now',
  'shared/reports/rows/exports.ts': 'sums what is stored now, and shows which files have expired',
  'shared/reports/rows/parts.ts': 'an inspection that is not completed is compared with those before now',
  'shared/reports/rows/share-links.ts':
    'a link is made before the change that stores its row, and shown as expired from its end on',
  'shared/schedules/calendar.ts': 'shows what is ahead from now on',
  'shared/table/change.ts': 'gives each change its time',
  'shared/table/idempotency.ts': 'the lease of a key, and how long a reply is kept, begin beside the change',
  'shared/table/outbox/dead-letters.ts': 'lists what is due by now',
  'shared/table/outbox/sweep.ts': 'measures how long a sweep has lasted',
  'shared/table/retry.ts': 'measures how long it has tried',
  'shared/table/rows.ts': 'a row past its time to live counts as deleted',
  'shared/upkeep/bulk-changes/requesters.ts': 'a key that has expired by now can do nothing',
  'shared/upkeep/bulk-changes/continue.ts':
    'stops in time, and notes when a row was looked at outside its change',
  'shared/upkeep/consistency/row-checks.ts': 'checks against what is stored now',
  'shared/upkeep/migration.ts': 'measures how long a page took',
  'shared/upkeep/remains.ts': 'measures how long it has deleted',
  'shared/webhooks/deliver.ts': 'stops in time',
  'shared/webhooks/disable.ts': 'stops in time',
  'shared/webhooks/records.ts': 'the secret before a rotation signs until its end',
  'shared/webhooks/send.ts': 'notes when an attempt was made, and how long it took',
  'shared/webhooks/turns.ts': 'sends what is due by now',
};

describe('a module', () => {
  test('imports zod as a namespace', () => {
    const importing = /^import (?!type\b)(?!\* as z from 'zod').*from 'zod'/m;
    expect(wrong([...functions, ...shared], (file) => importing.test(textOf(file)))).toEqual([]);
  });

  test('of a function is summarized in the 256 characters of a Lambda description', () => {
    const tooLong = (file: string) => {
      const [, single, double] = /^  summary:\s*(?:'([^\n]*)'|"([^\n]*)"),$/m.exec(textOf(file)) ?? [];
      return (single ?? double ?? '').length > 256;
    };
    expect(wrong(functions, tooLong)).toEqual([]);
  });

  test('makes clients of AWS only with a time limit', () => {
    const client = /new \w+Client\((?!connection\(|\{\s*\.\.\.connection\()/;
    expect(wrong([...functions, ...shared], (file) => client.test(textOf(file)))).toEqual([]);
    expect(client.test("new STSClient({ region: 'x' })")).toBe(true);
  });

  test('that keeps rows reads the clock only for a reason', () => {
    const keepsRows = (file: string) => ROW_KEEPERS.some((folder) => file.startsWith(`shared/${folder}/`));
    const reading = shared.filter((file) => keepsRows(file) && CLOCK.test(textOf(file)));
    expect(reading).toEqual(Object.keys(CLOCK_READERS).toSorted());
    expect(CLOCK.test('const at = new Date(now);')).toBe(false);
  });

  test('reads the environment only if it is listed here', () => {
    const allowed = new Set([
      'shared/base/environment.ts',
      'shared/base/tenancy.ts',
      // These read the variables of the Lambda runtime.
      'shared/http/handler.ts',
      'shared/base/log.ts',
      'shared/base/beside-code.ts',
      'shared/files/objects.ts',
      // This says where Typst finds fonts, in the process that draws.
      'shared/reports/pdf/typst.ts',
    ]);
    const reading = wrong([...functions, ...shared], (file) => textOf(file).includes('process.env'));
    expect(reading.filter((file) => !allowed.has(file))).toEqual([]);
  });
});
