import { QUEUES, type QueueName } from '../base/queues.ts';
import type { Grant } from './grants.ts';

/** What wakes a worker. A stream worker sees only the outbox's rows: the filter is part of the source. */
export type WorkerSource = { queue: QueueName } | { stream: 'outbox' } | { every: `${number} minutes` };

/** All that is said about a worker, once; the function, its event source and its grants are derived from it. */
export interface Worker<Source extends WorkerSource = WorkerSource> {
  /** camelCase; the file's name is the same in kebab-case. */
  id: string;
  summary: string;
  source: Source;
  grants: readonly Grant[];
  /** MB. */
  memory?: number;
  /** Seconds. */
  timeout?: number;
  /** Messages handed over at once; 1 for slow work. */
  batchSize?: number;
  native?: readonly string[];
  /** Files copied beside the bundle, into the folder of this name. */
  assets?: Readonly<Record<string, () => readonly string[]>>;
}

/** Checks a declaration's types; adds nothing at run time. */
export const defineWorker = <const Source extends WorkerSource>(worker: Worker<Source>) => worker;

/** What handing the outbox on takes: numbering events, and sending to every queue, for it may meet any task. */
export const HAND_ON_GRANTS: readonly Grant[] = [
  'table:GetItem',
  'table:BatchGetItem',
  'table:PutItem',
  'table:UpdateItem',
  'table:DeleteItem',
  ...QUEUES.map((queue): Grant => `queue:${queue}:SendMessage`),
];
