import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { ROOT } from '../../infra/catalogue.ts';
import { type Language, LANGUAGES } from '../../infra/chapters/chapter.ts';
import { CHAPTERS } from '../../infra/chapters/chapters.ts';
import { programOf, type Routes, routesOf } from '../../infra/chapters/programs.ts';
import { makeClient } from '../../infra/sdk/src/client.ts';
import { allEntries } from '../support/catalogue.ts';
import { plainEnvironment } from '../support/processes/environment.ts';
import { endServices, start } from '../support/processes/service.ts';

const SDK = join(ROOT, 'infra/sdk');
const COMPILER = join(SDK, 'node_modules/typescript/bin/tsc');
const OPTIONS = '--strict --skipLibCheck --target es2023 --lib es2023 --module nodenext --types node'.split(
  ' ',
);

const folder = mkdtempSync(join(tmpdir(), 'chapters-'));
const root = join(folder, 'program');
const dataDir = join(folder, 'data');

let routes: Routes;
let url: string;
const keys = {} as Record<Language, string>;

/** Runs a program without the variables of this test run, such as the addresses of its engines. */
const run = async (program: string, args: readonly string[], cwd: string, env: Record<string, string>) => {
  return (await promisify(execFile)(program, args, { cwd, env: { ...plainEnvironment(), ...env } })).stdout;
};

const operator = async (...args: string[]): Promise<Record<string, string>> =>
  JSON.parse(
    await run(process.execPath, ['infra/operator/cli.ts', ...args, '--json'], ROOT, { DATA_DIR: dataDir }),
  );

/** An organization with an inspector, and its key, which may act for members. */
const newKey = async (name: string): Promise<string> => {
  const { org_id } = await operator('org', 'create', '--name', name, '--admin-email', 'admin@example.com');
  const org = ['--org', org_id!];
  const person = ['--name', 'Ana Silva', '--email', 'ana@example.com', '--role', 'inspector'];
  await operator('member', 'add', ...org, ...person);
  const access = ['--name', 'Chapters', '--access', 'read_write', '--expires', '30d'];
  return (await operator('key', 'create', ...org, ...access, '--act-for-members'))['key']!;
};

/** The program as CommonJS has it: without `await` outside a function. */
const commonJs = (program: string): string => {
  const lines = program.split('\n');
  const isImport = (line: string) => line.startsWith('import ');
  return [
    ...lines.filter(isImport),
    'const main = async (): Promise<void> => {',
    ...lines.filter((line) => !isImport(line)),
    '};',
    'main().catch((error: unknown) => {\n  console.error(error);\n  process.exitCode = 1;\n});',
  ].join('\n');
};

/** Packs the client, installs it in an empty folder, and compiles the programs there. */
const install = (): void => {
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{}');
  const npm = (args: string[], cwd: string) => spawnSync('npm', args, { cwd, encoding: 'utf8' });
  const packed = npm(['pack', '--pack-destination', folder, '--json'], SDK);
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  const types = join(ROOT, 'node_modules/@types/node');
  const quiet = ['--no-audit', '--no-fund', '--offline', '--install-links=false'];
  const installed = npm(['install', ...quiet, join(folder, filename), types], root);
  expect(installed).toMatchObject({ status: 0 });
  for (const chapter of CHAPTERS) {
    const program = programOf(chapter, 'typescript', routes);
    writeFileSync(join(root, `${chapter.name}.mts`), program);
    writeFileSync(join(root, `${chapter.name}.cts`), commonJs(program));
    writeFileSync(join(root, `${chapter.name}.py`), programOf(chapter, 'python', routes));
    writeFileSync(
      join(root, `${chapter.name}.sh`),
      `set -euo pipefail\n${programOf(chapter, 'curl', routes)}`,
    );
  }
  const files = CHAPTERS.flatMap(({ name }) => [`${name}.mts`, `${name}.cts`]);
  const compiled = spawnSync(process.execPath, [COMPILER, ...OPTIONS, ...files], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(compiled.stdout).toBe('');
};

beforeAll(async () => {
  routes = routesOf({ operations: allEntries(), workers: [] });
  install();
  const service = await start({ DATA_DIR: dataDir });
  ({ url } = service);
  for (const language of Object.keys(LANGUAGES) as Language[])
    keys[language] = await newKey(LANGUAGES[language]);
});

afterAll(() => {
  endServices();
  rmSync(folder, { recursive: true, force: true });
});

const SECRET = `whsec_${btoa('a secret of twenty-four bytes')}`;
const BODY = '{"type":"location.created","data":{"name":"Mühle"}}';

/** A webhook as it arrives at this moment. */
const webhook = (): Record<string, string> => {
  const now = new Date();
  return {
    BODY,
    WEBHOOK_ID: 'msg_1',
    WEBHOOK_TIMESTAMP: String(Math.floor(now.getTime() / 1_000)),
    WEBHOOK_SIGNATURE: new Webhook(SECRET).sign('msg_1', now, BODY),
    WEBHOOK_SECRET: SECRET,
  };
};

const WAYS: readonly [string, Language, (name: string) => [string, string]][] = [
  ['curl', 'curl', (name) => ['bash', `${name}.sh`]],
  ['TypeScript', 'typescript', (name) => [process.execPath, `${name}.mjs`]],
  ['TypeScript as CommonJS', 'typescript', (name) => [process.execPath, `${name}.cjs`]],
  ['Python', 'python', (name) => ['python3', `${name}.py`]],
];

describe.each(CHAPTERS)('the chapter $title', ({ name, prints }) => {
  test.each(WAYS)('prints the same in %s', async (_, language, command) => {
    const [program, file] = command(name);
    const cwd = mkdtempSync(join(folder, 'run-'));
    const env = { API_URL: url, API_KEY: keys[language], ...webhook() };
    const said = await run(program, [join(root, file)], cwd, env);
    expect(said.trimEnd().split('\n')).toEqual(prints);
  });
});

test('a POST whose reply is lost makes one resource', async () => {
  let isLost = false;
  const api = makeClient<{
    createLocation: (args: object) => Promise<{ id: string }>;
    listLocations: (args: object) => Promise<{ id: string }[]>;
  }>(
    { createLocation: 'POST /locations i', listLocations: 'GET /locations' },
    {
      baseUrl: url,
      apiKey: keys.typescript,
      fetch: async (...request) => {
        const reply = await fetch(...request);
        if (isLost) return reply;
        isLost = true;
        throw new TypeError('the connection broke');
      },
    },
  );
  const { id } = await api.createLocation({ body: { name: 'Lost reply' } });
  expect(await api.listLocations({ query: { q: 'Lost reply' } })).toMatchObject([{ id }]);
});

test('the client needs nothing else at run time', () => {
  const { dependencies } = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8')) as {
    dependencies?: object;
  };
  expect(dependencies).toBeUndefined();
});
