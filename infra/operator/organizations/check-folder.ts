import type { Caller } from '../../../shared/base/caller.ts';
import { isFileType } from '../../../shared/files/file-kind.ts';
import { EXPORTS_PREFIX, isOwnKey } from '../../../shared/files/objects.ts';
import { MEDIA_TYPES } from '../../../shared/reports/files.ts';
import type { Stored } from '../../../shared/table/forms.ts';
import { isOwnPartition, keys, kindOf, nameOfKey } from '../../../shared/table/keys.ts';
import { problemsOf } from '../../../shared/upkeep/moving/belonging.ts';
import { CLASSES } from '../../../shared/upkeep/moving/classes.ts';
import { importedRows } from '../../../shared/upkeep/moving/rows.ts';
import {
  hashOf,
  linesOf,
  ListedObject,
  type ManifestFile,
  OBJECT_LIST,
  regularFile,
  rowIn,
  rowsPath,
} from './folder.ts';

/*
 * A folder that is imported comes from somebody else. All of it is looked at before anything is written: the files are
 * those that the manifest lists, and every row and object is one that an export of the organization can hold.
 */

/** Problems that a refusal names. */
const MAX_NAMED = 20;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Why a row has no place in a file of the export. */
const rowProblems = (caller: Caller, path: string, row: Stored): string[] => {
  const kind = kindOf(row);
  if (!kind || CLASSES[kind] !== 'exported' || !isOwnPartition(caller, row.pk))
    return [`an export of this organization has no row ${nameOfKey(row)}`];
  if (rowsPath(kind) !== path) return [`a row of ${kind} is not in this file`];
  const { logo_key } = row;
  const problems = problemsOf(caller, kind, row);
  if (typeof logo_key === 'string' && !isOwnKey(caller, logo_key))
    problems.push('logo_key is no file of this organization');
  if (problems.length > 0) return problems;
  try {
    importedRows(caller, row);
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
};

/** Looks at the lines of a file. @returns their number */
const checkLines = async function* (
  file: string,
  path: string,
  problemsIn: (line: string) => readonly string[],
): AsyncGenerator<string, number> {
  let count = 0;
  for await (const line of linesOf(file)) {
    count += 1;
    let problems: readonly string[];
    try {
      problems = problemsIn(line);
    } catch {
      problems = ['no line of an export'];
    }
    for (const problem of problems) yield `${path}:${count}: ${problem}`;
  }
  return count;
};

const EXPORT_TYPES: ReadonlySet<string> = new Set(Object.values(MEDIA_TYPES));

/**
 * Whether the service stores objects of a media type under a key. A browser opens a file as what the object says, so a
 * page among the documents would run as one of the service.
 */
const isStoredType = (key: string, mimeType: string): boolean =>
  isFileType(mimeType) || (key.startsWith(EXPORTS_PREFIX) && EXPORT_TYPES.has(mimeType));

/** Why an object of the list has no place in the export. @param known the paths that the manifest lists */
const objectProblems = (caller: Caller, known: ReadonlySet<string>, line: string): string[] => {
  const { key, content_type, path } = ListedObject.parse(JSON.parse(line));
  return [
    ...(isOwnKey(caller, key) ? [] : [`${key} is no file of this organization`]),
    ...(path === `objects/${key}` ? [] : [`${path} is not the path of ${key}`]),
    ...(isStoredType(key, content_type) ? [] : [`${content_type} is no media type of this service`]),
    ...(known.has(path) ? [] : [`${path} is not in the manifest`]),
  ];
};

/** What is wrong with the files of a folder, one after the other. */
const problemsIn = async function* (
  caller: Caller,
  folder: string,
  files: readonly ManifestFile[],
): AsyncGenerator<string> {
  const known = new Set<string>();
  for (const { path } of files) {
    if (known.has(path)) yield `the manifest lists ${path} twice`;
    known.add(path);
  }
  const own = rowsPath(kindOf(keys.organization(caller))!);
  for (const { path, rows, size, sha256 } of files) {
    const found = await regularFile(folder, path).catch(messageOf);
    if (typeof found === 'string') {
      yield found.startsWith('ENOENT') ? `${path} is missing` : found;
      continue;
    }
    if (found.size !== size || (await hashOf(found.file)) !== sha256)
      yield `${path} is not as it was exported`;
    const isRows = path.startsWith('rows/');
    if (!isRows && path !== OBJECT_LIST) continue;
    const lines = yield* checkLines(found.file, path, (line) =>
      isRows ? rowProblems(caller, path, rowIn(line)) : objectProblems(caller, known, line),
    );
    if (lines !== rows) yield `${path} has ${lines} lines, and the manifest says ${rows}`;
    if (path === own && lines !== 1) yield `${path} has not the one row of the organization`;
  }
};

/**
 * Looks at all that an import would write, and writes nothing.
 * @throws Error that names the first problems, each with its file and line
 */
export const checkFolder = async (
  caller: Caller,
  folder: string,
  files: readonly ManifestFile[],
): Promise<void> => {
  const problems: string[] = [];
  for await (const problem of problemsIn(caller, folder, files)) {
    if (problems.length === MAX_NAMED) {
      problems.push('and more');
      break;
    }
    problems.push(problem);
  }
  if (problems.length > 0)
    throw new Error(`The folder is no export of ${caller.org_id}:\n${problems.join('\n')}`);
};
