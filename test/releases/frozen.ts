import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { ROOT } from '../../infra/catalogue.ts';
import type { OpenApiDocument } from '../../infra/openapi/document/types.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { Key } from '../../shared/db/table/keys.ts';

/*
 * The folder of a release, such as `test/releases/1.0/`. `npm run freeze` makes it once, in the commit that makes the
 * release, and nobody changes it afterwards:
 *
 * - `rows.ndjson.br`: organizations as the release has left them in the table, one row a line
 * - `objects.ndjson.br`: their objects in the bucket, one a line
 * - `code.cjs.br`: all its operations and workers as one module
 * - `openapi.json.br`: its document
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

const fileOf = (release: string, name: string): string => join(ROOT, 'test/releases', release, name);

/** The files of a folder. */
export const ROWS = 'rows.ndjson.br';
export const OBJECTS = 'objects.ndjson.br';
export const CODE = 'code.cjs.br';
export const DOCUMENT = 'openapi.json.br';

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
export const freeze = (release: string, name: string, lines: readonly string[]): void => {
  const file = fileOf(release, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, packed(lines.join('\n')), { mode: 0o444, flag: 'wx' });
};

/** A text of a release's folder. */
const unpacked = (release: string, name: string): string =>
  brotliDecompressSync(readFileSync(fileOf(release, name))).toString();

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
export const frozenCode = (release: string): string => unpacked(release, CODE);

/** The OpenAPI document of a release. */
export const frozenDocument = (release: string): OpenApiDocument => JSON.parse(unpacked(release, DOCUMENT));

/** The rows of a release. */
export const frozenRows = (release: string): FrozenRow[] => unpacked(release, ROWS).split('\n').map(rowOf);

/** The objects of a release. */
export const frozenObjects = (release: string): FrozenObject[] =>
  unpacked(release, OBJECTS)
    .split('\n')
    .map((line) => JSON.parse(line) as FrozenObject);
