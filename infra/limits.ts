import { QUEUE_DELIVERIES } from '../shared/base/queues.ts';

/** Memory of a function whose declaration names none, in MB. */
export const DEFAULT_MEMORY = 512;

/** Timeout of a worker whose declaration names none, in seconds. */
export const DEFAULT_WORKER_TIMEOUT = 60;

/** How many messages or records a worker gets at once, unless its declaration says otherwise. */
export const DEFAULT_BATCH_SIZE = { queue: 10, stream: 100 } as const;

/** Settings of every queue, locally and in the cloud. Durations are in seconds. */
export const QUEUE = {
  /**
   * How long a message is hidden that Lambda has received but not yet given to its worker; when its work begins, the
   * worker hides it itself. Six times a usual timeout, as AWS recommends for a queue that Lambda reads.
   */
  visibilityTimeout: 360,
  maxReceiveCount: QUEUE_DELIVERIES,
  deadLetterRetention: 14 * 24 * 3_600,
} as const;
