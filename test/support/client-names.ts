import { basename, dirname } from 'node:path';

type Names = Record<string, Record<string, string>>;

const camelCase = (name: string): string =>
  name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const singular = (noun: string): string => noun.replace(/ies$/, 'y').replace(/s$/, '');

/**
 * What the operations are called in the client of the tests, with their files: by the folder of an operation its id,
 * without the folder's noun. So `createLocation` of `locations` is `locations.create`.
 */
export const clientNames = (entries: readonly { file: string; operation: { id: string } }[]): Names => {
  const names: Names = {};
  for (const { file, operation } of entries) {
    const area = camelCase(basename(dirname(file)));
    const noun = `${area[0]!.toUpperCase()}${area.slice(1)}`;
    const name = operation.id.replace(new RegExp(`(?<=[a-z])(${noun}|${singular(noun)})(?![a-z])`), '');
    (names[area] ??= {})[name] = file;
  }
  return names;
};
