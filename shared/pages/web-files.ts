import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { besideCode } from '../base/beside-code.ts';

/** Where the programs of pages are built, before they are copied beside the code of a deployed function. */
export const WEB_FOLDER = join(import.meta.dirname, '../../infra/web/built');

/** The file that names what was built. */
export const MANIFEST = 'manifest.json';

/** The file of each program, by the program's name. */
export type WebManifest = Readonly<Record<string, string>>;

const read = (folder: string, file: string): Buffer => readFileSync(join(folder, file));

const manifestIn = (folder: string): WebManifest =>
  JSON.parse(read(folder, MANIFEST).toString()) as WebManifest;

/** The declaration of an operation that shows a page with a program, or that returns the programs. */
export const HAS_WEB_FILES = {
  assets: {
    web: (): string[] =>
      [MANIFEST, ...Object.values(manifestIn(WEB_FOLDER))].map((file) => join(WEB_FOLDER, file)),
  },
} as const;

const folder = (): string => besideCode('web', WEB_FOLDER);

let manifest: WebManifest | undefined;
const known = (): WebManifest => (manifest ??= manifestIn(folder()));

/** The file of a program. @throws Error when it was not built */
export const programFile = (program: string): string => {
  const file = known()[program];
  if (!file) throw new Error(`the program ${program} was not built`);
  return file;
};

/** The bytes of a program's file; undefined for any name that is none. */
export const readProgramFile = (file: string): Buffer | undefined =>
  Object.values(known()).includes(file) ? read(folder(), file) : undefined;
