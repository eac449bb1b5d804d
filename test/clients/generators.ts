import type { GeneratorName } from './styles.ts';

/** A generator of clients, with its own settings where its users need them. It runs in a folder of its own. */
interface Generator {
  command: (document: string) => readonly string[];
  /** Files that it reads, by their names. */
  files?: Readonly<Record<string, (document: string) => string>>;
  /** Further programs that only have to compile, from `programs/`. */
  checks?: readonly string[];
}

const KUBB = (document: string): string => `import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
export default defineConfig({
  root: '.',
  input: { path: ${JSON.stringify(document)} },
  output: { path: 'client', clean: true, format: false, lint: false, barrelType: false },
  plugins: [pluginOas({ generators: [] }), pluginTs(), pluginClient({ client: 'fetch' })],
});
`;

const ORVAL = (document: string): string => `module.exports = {
  api: {
    input: ${JSON.stringify(document)},
    output: {
      target: 'api.ts',
      client: 'fetch',
      baseUrl: { getBaseUrlFromSpecification: true },
    },
  },
};
`;

const ENTRY = 'api.ts';

export const GENERATORS: Readonly<Record<GeneratorName, Generator>> = {
  // The slowest one first: several are tried at the same time.
  kubb: {
    command: () => ['kubb', 'generate', '--config', 'kubb.config.mjs'],
    files: { 'kubb.config.mjs': KUBB },
  },
  'openapi-zod-client': { command: (document) => ['openapi-zod-client', document, '-o', ENTRY] },
  'openapi-typescript': {
    command: (document) => ['openapi-typescript', document, '-o', ENTRY],
    checks: ['forms.ts'],
  },
  'hey-api': {
    command: (document) => ['openapi-ts', '-i', document, '-o', 'client', '--no-log-file'],
  },
  orval: { command: () => ['orval', '--config', 'orval.config.cjs'], files: { 'orval.config.cjs': ORVAL } },
  // With its own enums, a value cannot be written as a text.
  'swagger-typescript-api': {
    command: (document) => [
      'swagger-typescript-api',
      'generate',
      '-p',
      document,
      '-o',
      '.',
      '-n',
      ENTRY,
      '--enum-style',
      'union',
    ],
  },
  'typed-openapi': { command: (document) => ['typed-openapi', document, '-o', ENTRY] },
};
