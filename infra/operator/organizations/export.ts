import { createWriteStream } from 'node:fs';
import { access, appendFile, mkdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Caller } from '../../../shared/base/caller.ts';
import { exportedObjects, openWithType } from '../../../shared/files/organization-files.ts';
import type { WalkPosition } from '../../../shared/table/walk.ts';
import { exportedRows } from '../../../shared/upkeep/moving/rows.ts';
import {
  FORMAT,
  hashOf,
  lineOf,
  linesOf,
  type ListedObject,
  MANIFEST,
  type ManifestFile,
  OBJECT_LIST,
  regularFile,
  rowsPath,
  within,
} from './folder.ts';

/** How far an export has come. The files may be longer; what is behind these lengths is written again. */
interface Progress {
  org_id: string;
  /** Undefined before the first row. */
  position?: WalkPosition;
  /** The key of the last object; undefined before the first one. */
  object?: string;
  /** The NDJSON files by their paths: their bytes and lines. */
  files: Record<string, { bytes: number; rows: number }>;
}

const PROGRESS = 'progress.json';

/** Lines that are held in memory before they are written. */
const MAX_HELD_LINES = 200;

/** Files of the bucket after which the progress is noted. */
const OBJECTS_AT_ONCE = 20;

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/** Writes a whole file, or nothing. */
const replaceFile = async (file: string, text: string): Promise<void> => {
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
};

/** The folder while it is filled. */
class Filling {
  readonly #folder: string;
  readonly progress: Progress;
  readonly #held = new Map<string, string[]>();
  #lines = 0;

  constructor(folder: string, progress: Progress) {
    this.#folder = folder;
    this.progress = progress;
  }

  /** Cuts off what a run that was interrupted has written behind its last note. */
  async goOn(): Promise<void> {
    for (const [path, { bytes }] of Object.entries(this.progress.files))
      await truncate(within(this.#folder, path), bytes);
  }

  /** Whether enough lines are held to be written. */
  get isFull(): boolean {
    return this.#lines >= MAX_HELD_LINES;
  }

  add(path: string, line: string): void {
    const held = this.#held.get(path) ?? [];
    held.push(`${line}\n`);
    this.#held.set(path, held);
    this.#lines += 1;
  }

  /** Writes the lines that are held, and notes how far the export has come. */
  async save(reached: Partial<Pick<Progress, 'position' | 'object'>>): Promise<void> {
    const { files } = this.progress;
    for (const [path, lines] of this.#held) {
      const file = within(this.#folder, path);
      const text = Buffer.from(lines.join(''));
      const { bytes, rows } = files[path] ?? { bytes: 0, rows: 0 };
      // A file that is not noted yet was begun by a run that was interrupted.
      await (bytes === 0 ? writeFile(file, text) : appendFile(file, text));
      files[path] = { bytes: bytes + text.length, rows: rows + lines.length };
    }
    this.#held.clear();
    this.#lines = 0;
    Object.assign(this.progress, reached);
    await replaceFile(within(this.#folder, PROGRESS), JSON.stringify(this.progress));
  }
}

const writeRows = async (caller: Caller, filling: Filling): Promise<void> => {
  let position = filling.progress.position;
  for await (const { kind, row, position: reached } of exportedRows(caller, position)) {
    // Rows that belong together have one place, so none of them is left for a run that goes on.
    if (filling.isFull && reached.sk !== position?.sk) await filling.save({ position: position! });
    filling.add(rowsPath(kind), lineOf(row));
    position = reached;
  }
  if (position) await filling.save({ position });
};

const writeObjects = async (caller: Caller, folder: string, filling: Filling): Promise<void> => {
  let object = filling.progress.object;
  let written = 0;
  for await (const key of exportedObjects(caller, object)) {
    const path = `objects/${key}`;
    const file = within(folder, path);
    await mkdir(dirname(file), { recursive: true });
    const { body, contentType } = await openWithType(caller, key);
    await pipeline(body, createWriteStream(file));
    filling.add(OBJECT_LIST, JSON.stringify({ key, content_type: contentType, path } satisfies ListedObject));
    object = key;
    if (++written % OBJECTS_AT_ONCE === 0) await filling.save({ object });
  }
  if (object !== undefined) await filling.save({ object });
};

/** The paths of the files in the list, without holding them all. */
const objectPaths = async function* (folder: string): AsyncGenerator<string> {
  for await (const line of linesOf(within(folder, OBJECT_LIST)))
    yield (JSON.parse(line) as ListedObject).path;
};

/** Writes the manifest, file by file, and counts what it lists. */
const writeManifest = async (folder: string, { org_id, files }: Progress) => {
  const entries = async function* () {
    for (const [path, { rows }] of Object.entries(files)) yield { path, rows };
    if (files[OBJECT_LIST]) for await (const path of objectPaths(folder)) yield { path, rows: 0 };
  };
  const head = {
    format: FORMAT,
    version: packageJson.version,
    org_id,
    exported_at: new Date().toISOString(),
  };
  const counts = { rows: 0, objects: files[OBJECT_LIST]?.rows ?? 0 };
  const text = async function* () {
    yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "files": [`;
    let separator = '';
    for await (const { path, rows } of entries()) {
      const { file, size } = await regularFile(folder, path);
      const sha256 = await hashOf(file);
      yield `${separator}\n    ${JSON.stringify({ path, rows, size, sha256 } satisfies ManifestFile)}`;
      separator = ',';
      if (path !== OBJECT_LIST) counts.rows += rows;
    }
    yield '\n  ]\n}\n';
  };
  const manifest = within(folder, MANIFEST);
  await pipeline(text, createWriteStream(`${manifest}.new`));
  await rename(`${manifest}.new`, manifest);
  return counts;
};

const begun = async (folder: string, org_id: string): Promise<Progress> => {
  if (await exists(within(folder, MANIFEST)))
    throw new Error(`${folder} holds an export that is complete. Choose another folder.`);
  const note = within(folder, PROGRESS);
  if (!(await exists(note))) return { org_id, files: {} };
  const progress = JSON.parse(await readFile(note, 'utf8')) as Progress;
  if (progress.org_id !== org_id) throw new Error(`${folder} holds an export of another organization.`);
  return progress;
};

/**
 * Writes all that belongs to an organization into a folder: its rows without secrets, and its files. A run that was
 * interrupted goes on where it was. Memory holds a page of rows. See `folder.ts` for what is in the folder.
 * @throws Error for a folder with an export that is complete, or of another organization
 */
export const exportOrganization = async (caller: Caller, folder: string) => {
  await mkdir(within(folder, 'rows'), { recursive: true });
  const progress = await begun(folder, caller.org_id);
  const filling = new Filling(folder, progress);
  await filling.goOn();
  // All rows stand before the first file.
  if (progress.object === undefined) await writeRows(caller, filling);
  await writeObjects(caller, folder, filling);
  const counts = await writeManifest(folder, progress);
  await rm(within(folder, PROGRESS), { force: true });
  return { org_id: caller.org_id, folder, ...counts };
};
