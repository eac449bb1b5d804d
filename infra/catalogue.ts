import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { AnyOperation, Operation } from '../shared/http/operation/operation.ts';
import { isKeyed } from '../shared/http/operation/surface.ts';
import type { Worker } from '../shared/http/worker/worker.ts';

export const ROOT = join(import.meta.dirname, '..');

// Lambda handlers come in three shapes (buffered, streamed, event source) that differ only in their arguments.
export type AnyHandler = (...args: unknown[]) => Promise<unknown>;

export interface OperationEntry<Op extends AnyOperation = AnyOperation> {
  /** Path from the repository's root, with forward slashes. */
  file: string;
  /** The folder under `functions/`. */
  area: string;
  operation: Op;
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

/** An operation that is called with an API key. */
export type KeyEntry = OperationEntry<Operation>;

/** Those operations that are called with an API key: all but the pages and their files. */
export const keyOperations = (entries: readonly OperationEntry[]): KeyEntry[] =>
  entries.flatMap(({ operation, ...entry }) => (isKeyed(operation) ? [{ ...entry, operation }] : []));

/** The kebab-case name of a function: its file and its bundle have it, and the deployed Lambda between the prefix and a code of its area. */
export const functionName = ({ file }: { file: string }): string => basename(file, '.ts');

/**
 * Loads every declaration under `functions/`, sorted by file. The stacks, the OpenAPI document and the local
 * service are all derived from this list.
 */
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
