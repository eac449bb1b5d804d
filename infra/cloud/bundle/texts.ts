import { basename, dirname, join, resolve } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { ROOT } from '../../catalogue.ts';

/** The folder of a bundle with the texts that people read. */
const FOLDER = 'texts';

const TEXTS = /\/i18n\/(\w+)\/(\w+)\.json$/;

/** Whether a file holds texts in one language. */
export const isTexts = (file: string): boolean => TEXTS.test(file);

/** Where the texts stand in a bundle, such as `texts/ar-pages.json`. */
const placeOf = (file: string): string => join(FOLDER, `${basename(dirname(file))}-${basename(file)}`);

const COMPUTED_ONCE = JSON.stringify(join(import.meta.dirname, 'computed-once.ts'));

/** Code that reads the texts of a language when they are first used. A request needs one of sixteen languages. */
const readLater = (file: string): string => `
  import { readFileSync } from 'node:fs';
  import { computedOnce } from ${COMPUTED_ONCE};
  export default /* @__PURE__ */ computedOnce(() => JSON.parse(readFileSync(__dirname + ${JSON.stringify(`/${placeOf(file)}`)}, 'utf8')));
`;

/** Keeps texts out of the code. A bundle needs them as files beside it: those of `textsIn`. */
export const textsLater: Plugin = {
  name: 'texts later',
  setup: (build) => {
    build.onLoad({ filter: TEXTS }, ({ path }) => ({
      contents: readLater(path),
      resolveDir: dirname(path),
      loader: 'js',
    }));
  },
};

/** The files with texts that a module reads, by where it expects them in its bundle. */
export const textsIn = ({ inputs }: Metafile['outputs'][string]): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(inputs)
      .filter(([file, { bytesInOutput }]) => isTexts(file) && bytesInOutput > 0)
      .map(([file]) => [placeOf(file), resolve(ROOT, file)]),
  );
