import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AppEntry,
  appOperations,
  type KeyEntry,
  keyOperations,
  type OperationEntry,
  ROOT,
} from '../../infra/catalogue.ts';
import { recordedOf } from '../../infra/recorded.ts';
import type { PublicOperation } from '../../shared/http/operation/operation.ts';
import { isPublic } from '../../shared/http/operation/surface.ts';
import type { Worker } from '../../shared/http/worker/worker.ts';

/** Every operation. It is synchronous, because jest needs the names of the tests before it can wait for anything. */
export const allEntries = (): OperationEntry[] =>
  readdirSync(join(ROOT, 'functions'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `functions/${name.replaceAll('\\', '/')}`)
    .toSorted()
    .flatMap((file) => {
      const { operation, handler } = jest.requireActual<OperationEntry>(join(ROOT, file));
      return operation
        ? [{ file, area: file.split('/')[1]!, operation, recorded: recordedOf(operation.id), handler }]
        : [];
    });

/** Every worker. */
export const allWorkers = (): Worker[] =>
  readdirSync(join(ROOT, 'functions/workers')).map(
    (file) => jest.requireActual<{ worker: Worker }>(join(ROOT, 'functions/workers', file)).worker,
  );

/** The operations that are called with an API key. */
export const operationEntries = (): KeyEntry[] => keyOperations(allEntries());

/** The operations that signed-in people call. */
export const appEntries = (): AppEntry[] => appOperations(allEntries());

/** The pages that are opened by a link. */
export const pageEntries = (): OperationEntry<PublicOperation>[] =>
  allEntries().flatMap(({ operation, ...entry }) => (isPublic(operation) ? [{ ...entry, operation }] : []));

/** Whether a path is another one or below it. */
export const isWithin = (path: string, outer: string): boolean =>
  path === outer || path.startsWith(`${outer}/`);
