import type { QueueName } from '../../base/queues.ts';

/** What starts a worker. A stream worker gets only rows of the outbox, because its event source filters them. */
export type WorkerSource = { queue: QueueName } | { stream: 'outbox' } | { every: `${number} minutes` };

/** The one declaration of a worker. Its function and event source are derived from it. */
export interface Worker<Source extends WorkerSource = WorkerSource> {
  /** camelCase; the file's name is the same in kebab-case. */
  id: string;
  summary: string;
  source: Source;
  /** The function's memory in MB. */
  memory?: number;
  /** The function's timeout in seconds. */
  timeout?: number;
  /** Its work can need seconds of computing. The local service runs it in a thread of its own. */
  heavy?: true;
  /** Messages per run; 1 for slow work. */
  batchSize?: number;
  /** Packages with native builds, which are installed beside the bundle instead of in it. */
  native?: readonly string[];
  /** Modules that it runs as processes of their own, by their paths in this repository. Each is bundled beside it. */
  programs?: readonly string[];
  /** Files that are copied beside the bundle, by the name of their folder there. */
  assets?: Readonly<Record<string, () => readonly string[]>>;
}

/** Checks a declaration's types; does nothing at run time. */
export const defineWorker = <const Source extends WorkerSource>(worker: Worker<Source>) => worker;
