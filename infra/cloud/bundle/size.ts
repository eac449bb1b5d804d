import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of the code of one function, unzipped, that Lambda takes: 250 MB. */
const MAX_BYTES = 250 * 2 ** 20;

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

/**
 * Checks that Lambda takes the code of a function: the bundles with native packages and fonts have half of what is
 * allowed.
 * @throws Error with the size
 */
export const checkSize = (file: string, folder: string): void => {
  const bytes = bytesIn(folder);
  if (bytes > MAX_BYTES)
    throw new Error(
      `the code of ${file} is ${Math.ceil(bytes / 2 ** 20)} MB, and Lambda takes ${MAX_BYTES / 2 ** 20} MB; its declaration lists too much in \`native\` or \`assets\``,
    );
};
