import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { loadCatalogue, ROOT } from '../catalogue.ts';
import { generate } from './generate.ts';

/*
 * Builds the package of the client: types by a generator, a table of the operations, and the sources in `src/`. `npm pack`
 * in this folder makes a file of it.
 */

const HERE = import.meta.dirname;
const DIST = join(HERE, 'dist');
const GENERATED = join(HERE, 'generated');
const MAX_SIZE = 15_000;

const FORMATS = { esm: 'module', cjs: 'commonjs' } as const;

const run = (command: string, args: readonly string[], cwd = HERE): void => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`);
};

if (!existsSync(join(HERE, 'node_modules/.bin/openapi-ts')))
  run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock', '--no-workspaces']);

for (const folder of [DIST, GENERATED]) rmSync(folder, { recursive: true, force: true });
mkdirSync(GENERATED, { recursive: true });
const { document, index } = generate(await loadCatalogue());
const documentFile = join(GENERATED, 'openapi.json');
writeFileSync(documentFile, JSON.stringify(document));
writeFileSync(join(GENERATED, 'index.ts'), index);
run(join(HERE, 'node_modules/.bin/openapi-ts'), [
  '-i',
  documentFile,
  '-o',
  join(GENERATED, 'types'),
  '-p',
  '@hey-api/typescript',
  '--no-log-file',
]);

const TYPES = [
  '--declaration --emitDeclarationOnly --strict --exactOptionalPropertyTypes --skipLibCheck --erasableSyntaxOnly',
  '--allowImportingTsExtensions --verbatimModuleSyntax --target es2022 --lib es2022,dom,dom.iterable',
  '--module esnext --moduleResolution bundler --noUncheckedIndexedAccess --types --ignoreConfig',
].flatMap((line) => line.split(' '));
const types = join(DIST, 'types');
run(join(ROOT, 'node_modules/.bin/tsc'), [
  ...TYPES,
  '--rootDir',
  '.',
  '--outDir',
  types,
  'generated/index.ts',
]);
for (const name of readdirSync(types, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.d.ts'),
)) {
  const text = readFileSync(join(types, name), 'utf8');
  writeFileSync(join(types, name), text.replaceAll(/(from ')(\.[^']*?)\.ts'/g, "$1$2.js'"));
}

for (const [format, type] of Object.entries(FORMATS)) {
  const folder = join(DIST, format);
  await build({
    entryPoints: [join(GENERATED, 'index.ts')],
    outfile: join(folder, 'index.js'),
    bundle: true,
    format: format as 'esm' | 'cjs',
    platform: 'neutral',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'error',
  });
  cpSync(types, folder, { recursive: true });
  writeFileSync(join(folder, 'index.d.ts'), "export * from './generated/index.js';\n");
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
}
rmSync(types, { recursive: true });
cpSync(join(ROOT, 'LICENSE'), join(HERE, 'LICENSE'));

const size = gzipSync(readFileSync(join(DIST, 'esm/index.js'))).length;
process.stdout.write(`infra/sdk: ${(size / 1_000).toFixed(1)} kB gzipped\n`);
if (size > MAX_SIZE) throw new Error(`The client is larger than ${MAX_SIZE} bytes gzipped.`);
