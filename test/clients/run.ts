import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCatalogue } from '../../infra/catalogue.ts';
import { openApiDocument } from '../../infra/openapi/document.ts';

/*
 * Generates clients from the document by the generators that integrators use, each with its own settings, and compiles
 * them under strict TypeScript. `npm run clients -- orval` runs only this one.
 */

const HERE = import.meta.dirname;
/** Below `node_modules`, where neither the compiler nor the linter of the service looks. */
const GENERATED = join(HERE, 'node_modules/.generated');
const DOCUMENT = join(GENERATED, 'openapi.json');
const ENTRY = 'api.ts';

interface Generator {
  /** The command and its arguments. It runs in a folder of its own. */
  command: readonly string[];
  /** What is compiled; nothing where the generator is at fault. */
  entries: readonly string[];
  /** A program that uses the client, from `programs/`. */
  program?: string;
  /** A file of settings, by its name. */
  settings?: readonly [string, string];
}

const KUBB = `import { defineConfig } from '@kubb/core';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
export default defineConfig({
  root: '.',
  input: { path: ${JSON.stringify(DOCUMENT)} },
  output: { path: 'client', clean: true },
  plugins: [pluginOas(), pluginTs()],
});
`;

const GENERATORS: Readonly<Record<string, Generator>> = {
  'openapi-typescript': {
    command: ['openapi-typescript', DOCUMENT, '-o', ENTRY],
    entries: [ENTRY],
    program: 'openapi-typescript',
  },
  'hey-api': {
    command: ['openapi-ts', '-i', DOCUMENT, '-o', 'client', '-c', '@hey-api/client-fetch'],
    entries: ['client/index.ts'],
    program: 'hey-api',
  },
  orval: {
    command: ['orval', '--input', DOCUMENT, '--output', ENTRY, '--client', 'fetch'],
    entries: [ENTRY],
  },
  'swagger-typescript-api': {
    command: ['swagger-typescript-api', 'generate', '-p', DOCUMENT, '-o', '.', '-n', ENTRY],
    entries: [ENTRY],
  },
  'typed-openapi': { command: ['typed-openapi', DOCUMENT, '-o', ENTRY], entries: [ENTRY] },
  // What it writes for files and for recursive schemas does not compile (`max` of a file, uses before declarations).
  'openapi-zod-client': { command: ['openapi-zod-client', DOCUMENT, '-o', ENTRY], entries: [] },
  kubb: {
    command: ['kubb', 'generate', '--config', 'kubb.config.mjs'],
    entries: ['client/index.ts'],
    settings: ['kubb.config.mjs', KUBB],
  },
};

const COMPILER = [
  '--strict --noEmit --skipLibCheck --target es2022 --lib es2022,dom,dom.iterable',
  '--module esnext --moduleResolution bundler --allowImportingTsExtensions --types node',
].flatMap((line) => line.split(' '));

const run = (command: readonly string[], folder: string): boolean => {
  const [name, ...args] = command;
  const { status, stdout, stderr } = spawnSync(join(HERE, 'node_modules/.bin', name!), args, {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) process.stderr.write(stdout + stderr);
  return status === 0;
};

/** Whether the client is generated and compiles. */
const check = (name: string, { command, entries, program, settings }: Generator): boolean => {
  const folder = join(GENERATED, name);
  mkdirSync(folder, { recursive: true });
  if (settings) writeFileSync(join(folder, settings[0]), settings[1]);
  if (program) copyFileSync(join(HERE, 'programs', `${program}.ts.txt`), join(folder, 'program.ts'));
  const files = [...entries, ...(program ? ['program.ts'] : [])];
  const isGood = run(command, folder) && (files.length === 0 || run(['tsc', ...COMPILER, ...files], folder));
  process.stdout.write(`${name}: ${isGood ? 'good' : 'FAILS'}\n`);
  return isGood;
};

const install = () =>
  spawnSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--no-workspaces'], {
    cwd: HERE,
    stdio: 'inherit',
  }).status === 0;

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in GENERATORS));
if (unknown.length > 0) throw new Error(`There is no generator ${unknown.join(', ')}.`);
if (!existsSync(join(HERE, 'node_modules/.bin/tsc')) && !install()) process.exit(1);

rmSync(GENERATED, { recursive: true, force: true });
mkdirSync(GENERATED, { recursive: true });
writeFileSync(DOCUMENT, JSON.stringify(openApiDocument(await loadCatalogue())));
const results = Object.entries(GENERATORS)
  .filter(([name]) => wanted.length === 0 || wanted.includes(name))
  .map(([name, generator]) => check(name, generator));
process.exitCode = results.every(Boolean) ? 0 : 1;
