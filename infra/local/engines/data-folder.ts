import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { StartError } from './process.ts';

export interface DataFolder {
  path: string;
  close(): Promise<void>;
}

/**
 * Locks a data folder, so that only one service at a time uses it. The operating system releases the lock however
 * the process ends.
 */
const lock = async (dataDir: string): Promise<() => void> => {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(join(dataDir, 'lock.db'));
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch {
    database.close();
    throw new StartError(`the data folder ${dataDir} is in use by another running service`);
  }
  return () => database.close();
};

/**
 * Creates and locks the data folder; null makes a temporary one that `close()` deletes.
 * @throws StartError when the folder cannot be created, or another service uses it
 */
export const openDataFolder = async (dataDir: string | null): Promise<DataFolder> => {
  if (dataDir === null) {
    const path = await mkdtemp(join(tmpdir(), 'inspections-'));
    return { path, close: () => rm(path, { recursive: true, force: true }) };
  }
  const path = resolve(dataDir);
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw new StartError(`cannot use the data folder ${path}: ${(error as Error).message}`, { cause: error });
  }
  const unlock = await lock(path);
  return { path, close: async () => unlock() };
};
