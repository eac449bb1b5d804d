import type { WorkerEntry } from '../../catalogue.ts';
import { DEFAULT_MEMORY, DEFAULT_WORKER_TIMEOUT } from '../../limits.ts';
import { startDeadline } from '../deadline.ts';
import { contextOf } from '../lambda.ts';
import type { Threads } from '../threads.ts';

/** Runs a worker's handler with one event; rejects when the handler does, or when it exceeds the timeout. */
export type Run = (event: unknown) => Promise<unknown>;

/** Called with the worker's id and the cause of every failed run. */
export type OnFailure = (worker: string, cause: unknown) => void;

/** The region and account that events name; the emulators accept any. */
export const LOCATION = { region: 'us-east-1', account: '000000000000' };

/** Runs a worker as Lambda does: with a context and a timeout. */
export const runOf =
  ({ file, worker, handler }: WorkerEntry, onFailure: OnFailure, threads?: Threads): Run =>
  async (event) => {
    const { id, memory = DEFAULT_MEMORY } = worker;
    const time = (worker.timeout ?? DEFAULT_WORKER_TIMEOUT) * 1_000;
    const end = Date.now() + time;
    const late = () => new Error(`it took longer than ${time / 1_000} s`);
    const deadline = startDeadline(time, late);
    try {
      return await deadline.limit(
        threads && worker.heavy
          ? threads.run({ file, event, functionName: id, memory, deadline: end }, id, { at: end, late })
          : handler(event, contextOf(id, memory, end)),
      );
    } catch (error) {
      onFailure(worker.id, error);
      throw error;
    } finally {
      deadline.clear();
    }
  };

/**
 * The ids of a batch that must be retried (AWS Lambda, "Reporting batch item failures"). These are all of them when
 * the run fails, or when it reports an id that is not in the batch.
 */
export const failedIds = async (run: Promise<unknown>, ids: string[]): Promise<Set<string>> => {
  try {
    const reply = (await run) as { batchItemFailures?: { itemIdentifier: string }[] } | null | undefined;
    const failed = (reply?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
    return new Set(failed.every((id) => ids.includes(id)) ? failed : ids);
  } catch {
    return new Set(ids);
  }
};

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
