import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readFile, realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { canonicalJson } from '../../../shared/base/encoding.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import type { Stored } from '../../../shared/table/forms.ts';
import { withOwnNames } from '../../../shared/table/own-names.ts';

/*
 * The folder of an export:
 *
 * - `manifest.json`: what is in it. It is written last, so a folder without one is not complete.
 * - `rows/<kind>.ndjson`: the rows of a kind, one a line, as DynamoDB's own exports have them.
 * - `objects.ndjson`: the files, one a line: the key of the object, its media type, and its path.
 * - `objects/…`: the files.
 */

export const MANIFEST = 'manifest.json';
export const OBJECT_LIST = 'objects.ndjson';

/** The form of the folder. Another release refuses a form that it does not know. */
export const FORMAT = 1;

const ManifestFile = z.object({
  path: z.string(),
  /** Lines of an NDJSON file; 0 for any other file. */
  rows: z.int().min(0),
  /** Bytes. */
  size: z.int().min(0),
  sha256: z.string().regex(/^[\da-f]{64}$/),
});
export type ManifestFile = z.output<typeof ManifestFile>;

export const Manifest = z.object({
  format: z.literal(FORMAT),
  /** The release that has made the export. */
  version: z.string(),
  org_id: Uuid,
  exported_at: z.string(),
  files: z.array(ManifestFile),
});

/** The manifest of a folder. @throws Error that says what is wrong with the folder */
export const readManifest = async (folder: string): Promise<z.output<typeof Manifest>> => {
  const { file } = await regularFile(folder, MANIFEST).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT'
      ? new Error(
          `${folder} holds no complete export: ${MANIFEST} is missing. If org export was interrupted, call it again.`,
        )
      : error;
  });
  const text = await readFile(file, 'utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error(`${MANIFEST} is no JSON. Export again.`);
  }
  const { data, error } = Manifest.safeParse(json);
  if (error) {
    const problems = error.issues.map(({ path, message }) =>
      [path.join('.'), message].filter(Boolean).join(': '),
    );
    throw new Error(`${MANIFEST} is no manifest of this release: ${problems.join('; ')}`);
  }
  return data;
};

/** A file of the bucket, as a line of the list. */
export const ListedObject = z.object({ key: z.string(), content_type: z.string(), path: z.string() });
export type ListedObject = z.output<typeof ListedObject>;

/** The path of a file in a folder. @throws Error for a path that leads out of it */
export const within = (folder: string, path: string): string => {
  const root = resolve(folder);
  const file = resolve(root, path);
  if (!file.startsWith(root + sep)) throw new Error(`${path} leads out of the folder`);
  return file;
};

/**
 * The path of a regular file in a folder, and its bytes. The file, and every folder on the way to it, is in the folder
 * itself: a link could lead to any file of this machine.
 * @throws Error for anything else
 */
export const regularFile = async (folder: string, path: string): Promise<{ file: string; size: number }> => {
  const file = within(folder, path);
  const found = await lstat(file);
  if (!found.isFile() || (await realpath(file)) !== join(await realpath(folder), path))
    throw new Error(`${path} is no regular file of the folder`);
  return { file, size: found.size };
};

export const rowsPath = (kind: string): string => `rows/${kind}.ndjson`;

/** The lines of a file, one after the other. */
export const linesOf = (file: string): AsyncIterable<string> =>
  createInterface({ input: createReadStream(file), crlfDelay: Infinity });

/** The SHA-256 of a file, in hexadecimal digits. */
export const hashOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

const withText = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withText);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withText(each)]));
};

/** Characters that JSON takes as they are, and readers of lines take for the end of one. */
const LINE_ENDS = /[\u2028\u2029]/g;
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16)}`;

/** A row as a line of its file, the same text each time. */
export const lineOf = (row: Stored): string => {
  const Item = marshall(withOwnNames(row), { removeUndefinedValues: true, allowImpreciseNumbers: true });
  return canonicalJson({ Item: withText(Item) }).replaceAll(LINE_ENDS, escaped);
};

/** DynamoDB's JSON has binary values in base64, and the SDK has them as bytes. */
const withBytes = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withBytes);
  const [[type, content] = [], ...others] = Object.entries(value);
  if (others.length === 0 && type === 'B' && typeof content === 'string')
    return { B: Buffer.from(content, 'base64') };
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withBytes(each)]));
};

const RowLine = z.strictObject({
  Item: z.looseObject({ pk: z.object({ S: z.string() }), sk: z.object({ S: z.string() }) }),
});

/** A row from its line. @throws Error for a line that holds none */
export const rowIn = (line: string): Stored => {
  const { Item } = RowLine.parse(JSON.parse(line));
  return unmarshall(withBytes(Item) as Parameters<typeof unmarshall>[0]) as Stored;
};
