import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** One invocation of a function. */
export interface Task {
  /** The function's file, from the repository's root. */
  file: string;
  event: unknown;
  functionName: string;
  /** In MB. */
  memory: number;
  /** When the function has to be done, in epoch milliseconds. */
  deadline: number;
}

/** When a task is ended that is not done. */
export interface End {
  /** In epoch milliseconds. */
  at: number;
  /** Makes the error of the task. */
  late: () => Error;
}

/** What a thread reports about a task. */
export type Outcome = { value: unknown } | { error: Error };

/** A task that waits for a thread, or runs in one. */
interface Job {
  task: Task;
  /** Whose task it is. */
  owner: string;
  done: (outcome: Outcome) => void;
}

/** A thread that can run tasks. */
interface Thread {
  worker: Worker;
  job: Job | undefined;
}

/** Threads for functions that compute for seconds, so that the service answers other requests meanwhile. */
export interface Threads {
  /**
   * Runs a task in a thread. A task that is not done in time is ended, with its thread.
   * @param owner an owner's tasks never occupy all threads, so that other owners need not wait for them
   */
  run(task: Task, owner: string, end: End): Promise<unknown>;
  /** Ends all threads. */
  stop(): Promise<void>;
}

/** The fewest threads: one stays free of the owner that occupies the others, and those have one for each of two organizations. */
const MIN_THREADS = 3;

const MAX_THREADS = 4;

/** Memory of a thread's objects, in MB. A task that needs more fails; the service goes on. */
const THREAD_MEMORY = 512;

const THREAD = join(import.meta.dirname, 'threads', 'thread.ts');

/** Starts no thread before there is a task for it. */
export const startThreads = (
  size = Math.min(Math.max(availableParallelism(), MIN_THREADS), MAX_THREADS),
): Threads => {
  const threads = new Set<Thread>();
  const waiting: Job[] = [];

  const settle = (thread: Thread, outcome: Outcome) => {
    const { job } = thread;
    thread.job = undefined;
    job?.done(outcome);
    assign();
  };

  const newThread = (): Thread => {
    const worker = new Worker(THREAD, { resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY } });
    const thread: Thread = { worker, job: undefined };
    worker.on('message', (outcome: Outcome) => settle(thread, outcome));
    let error = new Error('the thread of the function has ended');
    worker.on('error', (cause: Error) => {
      error = cause;
    });
    worker.on('exit', () => {
      threads.delete(thread);
      settle(thread, { error });
    });
    // A thread that waits for tasks does not keep the process running.
    worker.unref();
    threads.add(thread);
    return thread;
  };

  const isAllowed = ({ owner }: Job): boolean =>
    [...threads].filter(({ job }) => job?.owner === owner).length < size - 1;

  const assign = () => {
    for (let job = waiting.find(isAllowed); job; job = waiting.find(isAllowed)) {
      const free =
        [...threads].find((thread) => thread.job === undefined) ??
        (threads.size < size ? newThread() : undefined);
      if (!free) return;
      waiting.splice(waiting.indexOf(job), 1);
      free.job = job;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      free.worker.postMessage(job.task);
    }
  };

  const cancel = (job: Job) => {
    const position = waiting.indexOf(job);
    if (position !== -1) waiting.splice(position, 1);
    const running = [...threads].find((thread) => thread.job === job);
    if (running) {
      // It must not get another task before it has ended.
      threads.delete(running);
      void running.worker.terminate();
    }
  };

  return {
    run: (task, owner, { at, late }) =>
      new Promise((resolve, reject) => {
        const job: Job = {
          task,
          owner,
          done: (outcome) => {
            clearTimeout(timer);
            if ('error' in outcome) reject(outcome.error);
            else resolve(outcome.value);
          },
        };
        const timer = setTimeout(() => {
          cancel(job);
          reject(late());
        }, at - Date.now());
        waiting.push(job);
        assign();
      }),
    stop: async () => {
      waiting.length = 0;
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
};
