import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { AnyOperation, AppOperation, Operation } from '../shared/http/operation/operation.ts';
import {
  isAdminPage,
  isAppOnly,
  isAsset,
  isBrowserStep,
  isProbe,
  isPublic,
} from '../shared/http/operation/surface.ts';
import type { Worker } from '../shared/http/worker/worker.ts';
import { type Recorded, recordedOf } from './recorded.ts';

export const ROOT = join(import.meta.dirname, '..');

// Lambda handlers come in three shapes (buffered, streamed, event source) that differ only in their arguments.
export type AnyHandler = (...args: unknown[]) => Promise<unknown>;

export interface OperationEntry<Op extends AnyOperation = AnyOperation> {
  /** Path from the repository's root, with forward slashes. */
  file: string;
  /** The folder under `functions/`. */
  area: string;
  operation: Op;
  /** Undefined for one that is new. */
  recorded?: Recorded | undefined;
  handler: AnyHandler;
}

export interface WorkerEntry {
  file: string;
  worker: Worker;
  recorded?: Recorded | undefined;
  handler: AnyHandler;
}

export interface Catalogue {
  operations: OperationEntry[];
  workers: WorkerEntry[];
}

/** An operation that is called with an API key. */
export type KeyEntry = OperationEntry<Operation>;

/** All operations that a program calls: not the pages with their files, the steps of the sign-in, or what monitors ask. */
const calledOperations = (entries: readonly OperationEntry[]): KeyEntry[] =>
  entries.flatMap(({ operation, ...entry }) =>
    isPublic(operation) ||
    isAsset(operation) ||
    isBrowserStep(operation) ||
    isAdminPage(operation) ||
    isProbe(operation)
      ? []
      : [{ ...entry, operation }],
  );

/** Those operations that are called with an API key. */
export const keyOperations = (entries: readonly OperationEntry[]): KeyEntry[] =>
  calledOperations(entries).filter(({ operation }) => !isAppOnly(operation));

/** An operation that signed-in people call. */
export type AppEntry = OperationEntry<AppOperation>;

/**
 * Those operations that signed-in people call. One that an API key calls as well appears as it is for them: under its
 * second route and id.
 */
export const appOperations = (entries: readonly OperationEntry[]): AppEntry[] =>
  calledOperations(entries).flatMap(({ operation, ...entry }) => {
    if (isAppOnly(operation)) return [{ ...entry, operation: operation as AppOperation }];
    const { app, people: _people, id, actsFor: _actsFor, ...rest } = operation;
    if (!app) return [];
    const shown = { ...rest, ...app, id: appId(id), surface: 'app' as const };
    return [{ ...entry, operation: shown }];
  });

/** The id of an operation's second route, by which signed-in people call it: `updateOrganization`, `appUpdateOrganization`. */
export const appId = (id: string): string => `app${id.charAt(0).toUpperCase()}${id.slice(1)}`;

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
      operation
        ? [{ file, area: file.split('/')[1]!, operation, recorded: recordedOf(operation.id), handler }]
        : [],
    ),
    workers: modules.flatMap(({ file, exports: { worker, handler } }) =>
      worker ? [{ file, worker, recorded: recordedOf(worker.id), handler }] : [],
    ),
  };
};
