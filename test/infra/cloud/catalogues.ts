import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import {
  type Catalogue,
  functionName,
  loadCatalogue,
  type OperationEntry,
  type WorkerEntry,
} from '../../../infra/catalogue.ts';
import { type Bundles, SMOKE_HOOK } from '../../../infra/cloud/bundle.ts';
import type { Grant } from '../../../infra/grants.ts';
import type { Method, Operation } from '../../../shared/http/operation/operation.ts';
import type { Worker } from '../../../shared/http/worker/worker.ts';

const AREAS = [
  'organization',
  'client-accounts',
  'locations',
  'members',
  'documents',
  'templates',
  'inspections',
  'findings',
  'reports',
  'ai',
];
const METHODS: Method[] = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT'];
const GRANTS: Grant[] = [
  'table:GetItem',
  'table:Query',
  'bucket:PutObject',
  'credential:Decrypt',
  'queue:render:SendMessage',
  'secret:Encrypt',
];

const handler = async () => undefined;

const operationEntry = (area: string, operation: Operation, grants: readonly Grant[]): OperationEntry => ({
  file: `functions/${area}/${operation.id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`,
  area,
  operation,
  recorded: { grants },
  handler,
});

export const workerEntry = (worker: Worker, grants: readonly Grant[] = []): WorkerEntry => ({
  file: `functions/workers/${worker.id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`,
  worker,
  recorded: { grants },
  handler,
});

/** Operations in all areas, with all methods. Some are lists, and the numbers of grants differ. */
export const operationEntries = (count: number): OperationEntry[] =>
  Array.from({ length: count }, (_, position) => {
    const area = AREAS[position % AREAS.length]!;
    const resource = `/${area}-${Math.floor(position / 40)}`;
    const turn = Math.floor(position / AREAS.length) % 4;
    const isList = turn === 0;
    return operationEntry(
      area,
      {
        id: `operation${position}OfArea`,
        method: METHODS[turn]!,
        path: turn < 2 ? resource : `${resource}/{id}`,
        summary: `Operation ${position}`,
        access: 'read',
        success: 200,
        response: z.null(),
        ...(isList && { list: true }),
      },
      GRANTS.slice(0, position % (GRANTS.length + 1)),
    );
  });

export const WORKERS: WorkerEntry[] = [
  workerEntry(
    { id: 'renderReport', summary: 'Renders', source: { queue: 'render' }, batchSize: 1, memory: 1_769 },
    ['table:Query', 'table:UpdateItem', 'bucket:GetObject', 'bucket:PutObject'],
  ),
  workerEntry({ id: 'handOn', summary: 'Passes on', source: { stream: 'outbox' } }, ['table:PutItem']),
  workerEntry({ id: 'sweep', summary: 'Sweeps', source: { every: '5 minutes' } }, [
    'table:Query',
    'credential:Decrypt',
    'secret:Decrypt',
  ]),
];

/** Bundles for functions without source code: one folder for each, with an empty module. */
export const emptyBundles = async (
  { operations, workers }: Catalogue,
  { architecture }: { architecture: 'arm64' | 'x86_64' },
  folder: string,
): Promise<Bundles> =>
  new Map(
    [...operations, ...workers, { file: SMOKE_HOOK }].map((entry) => {
      const target = join(folder, functionName(entry));
      mkdirSync(target, { recursive: true });
      writeFileSync(join(target, `${functionName(entry)}.cjs`), `// ${entry.file}\n`);
      return [entry.file, { folder: target, handler: `${functionName(entry)}.handler`, architecture }];
    }),
  );

/** The worker of `WORKERS` with this id, under another name than those of the service. */
export const sampleWorker = (id: string): WorkerEntry => {
  const { worker, recorded } = WORKERS.find((entry) => entry.worker.id === id)!;
  return workerEntry({ ...worker, id: `${id}Sample` }, recorded!.grants);
};

/** The service's own catalogue, with samples that make sure that there is a worker for each kind of source. */
export const serviceWithSamples = async (): Promise<Catalogue> => {
  const catalogue = await loadCatalogue();
  return {
    ...catalogue,
    workers: [...catalogue.workers, ...WORKERS.map(({ worker }) => sampleWorker(worker.id))],
  };
};
