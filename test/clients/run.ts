import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { ROOT } from '../../infra/catalogue.ts';
import type { OpenApiDocument } from '../../infra/openapi/document/types.ts';
import { endServices, start } from '../support/processes/service.ts';
import { GENERATORS } from './generators.ts';
import { PRINTS, programOf } from './program.ts';
import { type GeneratorName, type Route, STYLES } from './styles.ts';

/*
 * Generates clients from the document of a running service by the generators that integrators use. For each, a program from a key to a PDF is compiled under strict TypeScript, and run.
 * `npm run clients -- orval` takes only this one.
 */

const HERE = import.meta.dirname;
const MODULES = join(HERE, 'node_modules');
/** Below `node_modules`, where neither the compiler nor the linter of the service looks. */
const GENERATED = join(MODULES, '.generated');
const COMPILER = join(ROOT, 'node_modules/.bin/tsc');
const OPTIONS = [
  '--strict --noEmit --skipLibCheck --target es2023 --lib es2023,dom,dom.iterable',
  '--module esnext --moduleResolution bundler --allowImportingTsExtensions --types node --ignoreConfig',
].flatMap((line) => line.split(' '));

const run = async (program: string, args: readonly string[], cwd: string, env?: NodeJS.ProcessEnv) => {
  const { stdout } = await promisify(execFile)(program, args, {
    cwd,
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 26,
  });
  return stdout;
};

const install = (): void => {
  const installed = join(MODULES, '.package-lock.json');
  const wanted = join(HERE, 'package.json');
  if (existsSync(installed) && statSync(installed).mtimeMs > statSync(wanted).mtimeMs) return;
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--no-workspaces', '--ignore-scripts'];
  const { status } = spawnSync('npm', ['install', ...quiet], { cwd: HERE, stdio: 'inherit' });
  if (status !== 0) throw new Error('npm cannot install the generators');
};

const routesOf = ({ paths, components }: OpenApiDocument): ReadonlyMap<string, Route> =>
  new Map(
    Object.entries(paths).flatMap(([path, { servers: _servers, ...methods }]) =>
      Object.entries(methods).map(([method, { operationId: id, parameters = [], responses }]) => {
        const success = Number(Object.keys(responses).find((status) => status.startsWith('2')));
        const hasHeaders = parameters.some((one) => {
          const { in: place } = '$ref' in one ? components.parameters[one.$ref.split('/').at(-1)!]! : one;
          return place === 'header';
        });
        return [id, { id, method: method.toUpperCase(), path, success, hasHeaders }];
      }),
    ),
  );

/** What is wrong with a client that is made from a document, and its program, or undefined. */
const problemOf = async (
  generator: GeneratorName,
  document: OpenApiDocument,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> => {
  const folder = join(GENERATED, generator);
  const { command, files = {}, checks = [] } = GENERATORS[generator];
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  for (const [setting, text] of Object.entries(files)) writeFileSync(join(folder, setting), text(file));
  for (const check of checks) copyFileSync(join(HERE, 'programs', `${check}.txt`), join(folder, check));
  writeFileSync(join(folder, 'program.ts'), programOf(STYLES[generator], routesOf(document)));
  const [tool, ...args] = command(file);
  try {
    await run(join(MODULES, '.bin', tool!), args, folder);
    await run(COMPILER, [...OPTIONS, 'program.ts', ...checks], folder);
    const outfile = join(folder, 'program.mjs');
    await build({
      entryPoints: [join(folder, 'program.ts')],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      banner: {
        js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
      logLevel: 'error',
    });
    const said = await run(process.execPath, [outfile], folder, env);
    return said === `${PRINTS.join('\n')}\n` ? undefined : `it prints\n${said}`;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    return `${message}\n${stdout}${stderr}`;
  }
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in GENERATORS));
if (unknown.length > 0) throw new Error(`There is no generator ${unknown.join(', ')}.`);
install();
rmSync(GENERATED, { recursive: true, force: true });
mkdirSync(GENERATED, { recursive: true });
const dataDir = mkdtempSync(join(tmpdir(), 'clients-'));
process.on('exit', () => {
  endServices();
  rmSync(dataDir, { recursive: true, force: true });
});

const { url, said } = await start({ DATA_DIR: dataDir });
// The key of the demo organization follows the addresses.
while (!/ak_\S+\n/.test(said())) await sleep(10);
const env = { URL: `${url}/v1`, KEY: /ak_\S+/.exec(said())![0] };
const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
const clients = (Object.keys(GENERATORS) as GeneratorName[]).filter(
  (name) => wanted.length === 0 || wanted.includes(name),
);

const waiting = [...clients];
let isGood = true;
const work = async (): Promise<void> => {
  for (let client = waiting.shift(); client; client = waiting.shift()) {
    const begin = performance.now();
    const problem = await problemOf(client, document, env);
    const seconds = Math.round((performance.now() - begin) / 1_000);
    process.stdout.write(`${client}: ${problem ?? 'from a key to a PDF'} (${seconds} s)\n`);
    if (problem !== undefined) isGood = false;
  }
};
await Promise.all(Array.from({ length: availableParallelism() }, work));
process.exit(isGood ? 0 : 1);
