import { build } from 'esbuild';
import { loadCatalogue, ROOT } from '../../infra/catalogue.ts';
import { CODE, folderOf, freeze, RELEASE } from './frozen.ts';

/*
 * The second part of `npm run freeze`: the code of the release, in its folder or the one that is given. The module exports
 * what the file of each operation and worker exports, by the path of the file.
 */

const [folder = folderOf(RELEASE)] = process.argv.slice(2);

const { operations, workers } = await loadCatalogue();
const files = [...operations, ...workers].map(({ file }) => file);
const { outputFiles } = await build({
  absWorkingDir: ROOT,
  stdin: {
    contents: files.map((file) => `exports[${JSON.stringify(file)}] = require('./${file}');`).join('\n'),
    resolveDir: ROOT,
  },
  bundle: true,
  minify: true,
  write: false,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  mainFields: ['module', 'main'],
  external: ['sharp', '@myriaddreamin/*'],
  define: { 'import.meta.dirname': '__dirname', 'import.meta.url': '__filename' },
  // Jest runs modules in a context of their own, in which nothing is imported at run time.
  supported: { 'dynamic-import': false },
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'error',
});
freeze(folder, CODE, [outputFiles[0]!.text]);
