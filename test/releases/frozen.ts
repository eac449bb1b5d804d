import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ROOT } from '../../infra/catalogue.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { Key } from '../../shared/table/keys.ts';

/*
 * The folder of a release, such as `test/releases/1.0/`. `npm run freeze` makes it once, in the commit that makes the
 * release, and nobody changes it afterwards:
 *
 * - `rows.ndjson.br`: organizations as the release has left them in the table, one row a line
 * - `objects.ndjson.br`: their objects in the bucket, one a line
 * - `code.cjs.br`: all its operations and workers as one module
 *
 * What it promises clients is `infra/openapi/released.json`.
 */

/** The release that is being made, without the number of its patch. */
export const RELEASE = manifest.version.split('.').slice(0, 2).join('.');

/** The releases that were frozen. */
export const RELEASES = readdirSync(join(ROOT, 'test/releases'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** A row as DynamoDB has it. */
export type FrozenRow = Record<string, AttributeValue>;

/** An object of the bucket. */
export interface FrozenObject {
  key: string;
  type: string | undefined;
  /** Base64. */
  body: string;
}

/** The folder of a release, or one that a test has made. */
export const folderOf = (release: string): string => join(ROOT, 'test/releases', release);

/** The files of a folder. */
export const ROWS = 'rows.ndjson.br';
export const OBJECTS = 'objects.ndjson.br';
export const CODE = 'code.cjs.br';

/** Compresses a text as far as possible, with a window over the whole of it. */
const packed = (text: string): Buffer =>
  brotliCompressSync(text, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });

/** Writes a file of a release's folder. @throws Error when there is one: a release is frozen once */
export const freeze = (folder: string, name: string, lines: readonly string[]): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), packed(lines.join('\n')), { mode: 0o444, flag: 'wx' });
};

/** A text of a release's folder. */
const unpacked = (folder: string, name: string): string =>
  brotliDecompressSync(readFileSync(join(folder, name))).toString();

export const keyOf = ({ pk, sk }: FrozenRow): Key => ({ pk: pk!.S!, sk: sk!.S! });

/** A row as a line of its file. */
export const lineOf = (row: FrozenRow): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value.B ? { B: Buffer.from(value.B).toString('base64') } : value,
      ]),
    ),
  );

const rowOf = (line: string): FrozenRow =>
  Object.fromEntries(
    Object.entries(JSON.parse(line) as Record<string, { B?: string }>).map(([name, { B, ...value }]) => [
      name,
      (B === undefined ? value : { B: Buffer.from(B, 'base64') }) as AttributeValue,
    ]),
  );

/** The source of a release's code. */
export const frozenCode = (folder: string): string => unpacked(folder, CODE);

/** The rows of a release. */
export const frozenRows = (folder: string): FrozenRow[] => unpacked(folder, ROWS).split('\n').map(rowOf);

/** The objects of a release. */
export const frozenObjects = (folder: string): FrozenObject[] =>
  unpacked(folder, OBJECTS)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as FrozenObject);
