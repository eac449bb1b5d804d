import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Copies the files of a checkout as they are now, changes that are not committed and new files included, to a folder
 * of its own. It shares the packages of the checkout.
 * @param root the folder of the checkout
 * @returns the folder of the copy, and a function that removes it
 */
export const copyOf = (root: string): { folder: string; remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'mistakes-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    // Git lists a file that is deleted but not committed as well.
    const files = listed.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
    for (const file of files) cpSync(join(root, file), join(folder, file));
    for (const packages of ['node_modules', 'infra/fonts/node_modules'])
      if (existsSync(join(root, packages))) symlinkSync(join(root, packages), join(folder, packages));
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
};
