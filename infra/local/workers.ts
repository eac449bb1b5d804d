import type { WorkerEntry } from '../catalogue.ts';
import type { Threads } from './threads.ts';
import { runOnClock } from './workers/clock.ts';
import { onceAMinute, type Poll, type Polling, startPolling } from './workers/polling.ts';
import { pollQueue, type QueuePolling } from './workers/queue.ts';
import { type OnFailure, runOf } from './workers/run.ts';
import { pollStream } from './workers/stream.ts';

export interface Workers {
  /** Polls now, because there may be new work. */
  nudge(): void;
  /**
   * Resolves when one round over all queues and the stream has found no work. It does not wait for messages that are
   * invisible after a failure or that were sent with a delay.
   */
  idle(): Promise<void>;
  /** Resolves when the current work is done. The next start finds what remains. */
  stop(): Promise<void>;
}

export interface WorkersOptions {
  /** Called with the cause of a failed run, whose messages are retried, and once a minute while pollers find no engine. */
  onFailure?: OnFailure;
  /** Where heavy workers run. Without threads they run like all others. */
  threads?: Threads;
}

/** Starts the workers with their queues, the stream and the clock, as their declarations say. */
export const startWorkers = (
  entries: readonly WorkerEntry[],
  { onFailure = () => undefined, threads }: WorkersOptions = {},
): Workers => {
  const stopping = new AbortController();
  const { signal } = stopping;
  let rounds = 0;

  /** Somebody has worked, so there may be new work. */
  const noteWork = () => {
    rounds += 1;
    nudgeAll();
  };

  const tellOfPoll = onceAMinute((worker: string, error: unknown) => onFailure(worker, String(error)));

  const queues: QueuePolling[] = [];
  const pollOf = (entry: WorkerEntry): Poll | undefined => {
    const { source, batchSize } = entry.worker;
    const run = runOf(entry, onFailure, threads);
    if ('queue' in source) {
      const polling = pollQueue(source.queue, run, entry.worker, noteWork);
      queues.push(polling);
      return polling.poll;
    }
    if ('stream' in source) return pollStream(run, signal, batchSize);
    return undefined;
  };

  const pollings: Polling[] = entries.flatMap((entry) => {
    const poll = pollOf(entry);
    if (!poll) return [];
    const pollAndNudge = async () => {
      const worked = await poll();
      if (worked) noteWork();
      return worked;
    };
    return [
      startPolling(pollAndNudge, signal, (error) => {
        if (!signal.aborted) tellOfPoll(entry.worker.id, error);
      }),
    ];
  });
  const nudgeAll = () => {
    for (const polling of pollings) polling.nudge();
  };

  const clocks = entries.flatMap((entry) => {
    const { id, source } = entry.worker;
    return 'every' in source ? [runOnClock(id, runOf(entry, onFailure, threads), signal)] : [];
  });

  return {
    nudge: nudgeAll,
    idle: async () => {
      let before: number;
      do {
        before = rounds;
        await Promise.all(pollings.map((polling) => polling.pollNow()));
        await Promise.all(queues.map((queue) => queue.settled()));
      } while (rounds !== before);
    },
    stop: async () => {
      stopping.abort();
      nudgeAll();
      await Promise.all([...pollings.map(({ ended }) => ended), ...clocks]);
      await Promise.all(queues.map((queue) => queue.settled()));
    },
  };
};
