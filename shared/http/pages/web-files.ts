import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { besideCode } from '../../base/beside-code.ts';

/** Where the programs of pages are built, before they are copied beside the code of a deployed function. */
export const WEB_FOLDER = join(import.meta.dirname, '../../../infra/web/built');

/** The file that names what was built. */
export const MANIFEST = 'manifest.json';

/** The files of a program. */
export interface WebProgram {
  /** What the page loads. */
  entry: string;
  /** What the entry loads at once, and when it is needed. */
  first: readonly string[];
  later: readonly string[];
}

/** The files of each program, by the program's name. */
export type WebManifest = Readonly<Record<string, WebProgram>>;

const filesOf = ({ entry, first, later }: WebProgram): string[] => [entry, ...first, ...later];

const read = (folder: string, file: string): Buffer => readFileSync(join(folder, file));

const manifestIn = (folder: string): WebManifest =>
  JSON.parse(read(folder, MANIFEST).toString()) as WebManifest;

/** The declaration of an operation that shows a page with a program, or that returns the programs. */
export const HAS_WEB_FILES = {
  assets: {
    web: (): string[] =>
      [MANIFEST, ...Object.values(manifestIn(WEB_FOLDER)).flatMap(filesOf)].map((file) =>
        join(WEB_FOLDER, file),
      ),
  },
} as const;

const folder = (): string => besideCode('web', WEB_FOLDER);

let manifest: WebManifest | undefined;
const known = (): WebManifest => (manifest ??= manifestIn(folder()));

/** The files that a page loads for a program at once, the entry first. @throws Error when it was not built */
export const firstFiles = (program: string): readonly [entry: string, ...others: string[]] => {
  const found = known()[program];
  if (!found) throw new Error(`the program ${program} was not built`);
  return [found.entry, ...found.first];
};

/** The file of a program that its page loads. @throws Error when it was not built */
export const programFile = (program: string): string => firstFiles(program)[0];

/** The bytes of a program's file; undefined for any name that is none. */
export const readProgramFile = (file: string): Buffer | undefined =>
  Object.values(known()).flatMap(filesOf).includes(file) ? read(folder(), file) : undefined;
