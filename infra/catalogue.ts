import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Operation } from '../shared/http/operation.ts';
import type { Worker } from '../shared/http/worker.ts';

export const ROOT = join(import.meta.dirname, '..');

// A Lambda handler's three shapes (buffered, streamed, event source) differ in their arguments only.
export type AnyHandler = (...args: unknown[]) => Promise<unknown>;

export interface OperationEntry {
  /** From the repository's root, with forward slashes. */
  file: string;
  area: string;
  operation: Operation;
  handler: AnyHandler;
}

export interface WorkerEntry {
  file: string;
  worker: Worker;
  handler: AnyHandler;
}

export interface Catalogue {
  operations: OperationEntry[];
  workers: WorkerEntry[];
}

/** Every declaration under `functions/`, in the order of their files: the one list that all else is derived from. */
export const loadCatalogue = async (): Promise<Catalogue> => {
  const names = await readdir(join(ROOT, 'functions'), { recursive: true });
  const files = names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `functions/${name.replaceAll('\\', '/')}`)
    .toSorted();
  const modules = await Promise.all(
    files.map(async (file) => ({ file, exports: await import(join(ROOT, file)) })),
  );
  return {
    operations: modules.flatMap(({ file, exports: { operation, handler } }) =>
      operation ? [{ file, area: file.split('/')[1]!, operation, handler }] : [],
    ),
    workers: modules.flatMap(({ file, exports: { worker, handler } }) =>
      worker ? [{ file, worker, handler }] : [],
    ),
  };
};
