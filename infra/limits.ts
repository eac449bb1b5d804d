import { QUEUE_DELIVERIES } from '../shared/base/queues.ts';

/** Memory of a function whose declaration names none, in MB. */
export const DEFAULT_MEMORY = 512;

/** Timeout of a worker whose declaration names none, in seconds. */
export const DEFAULT_WORKER_TIMEOUT = 60;

/** How many messages or records a worker gets at once, unless its declaration says otherwise. */
export const DEFAULT_BATCH_SIZE = { queue: 10, stream: 100 } as const;

/**
 * How many instances of a worker run at once, by its source. This concurrency is reserved: workers go on when requests
 * use up the rest of the account's, and a busy queue leaves that rest to the requests. A worker on the stream has an
 * instance for each shard. One on the clock has a single instance, so that no run begins before the last has ended.
 *
 * The queues are fair: their messages name the organization (`shared/outside/queues.ts`), and SQS holds back those of one
 * that takes more than a tenth of the working time. What already runs is not interrupted, so work of minutes has so few
 * slots (`shared/schemas/slots.ts`) that one organization fills half of the instances at most.
 */
export const MAX_CONCURRENCY = { queue: 20, stream: 50, clock: 1 } as const;

/**
 * Messages that the local service works on at once, for each that a worker gets at once; of a worker that computes, the
 * number. An organization has half of them at most, so that another one never waits for its work to end.
 */
export const LOCAL_CONCURRENCY = { light: 4, heavy: 2 } as const;

/** Settings of every queue, locally and in the cloud. Durations are in seconds. */
export const QUEUE = {
  /**
   * How long a message is hidden that Lambda has received but not yet given to its worker; when its work begins, the
   * worker hides it itself. Six times a usual timeout, as AWS recommends for a queue that Lambda reads.
   */
  visibilityTimeout: 360,
  maxReceiveCount: QUEUE_DELIVERIES,
  /** The longest that SQS keeps a message: an outage may last for days. */
  retention: 14 * 24 * 3_600,
} as const;

/**
 * What pages may send to the bucket from a browser (Fetch Standard, "CORS protocol"). A signed URL decides what is
 * stored, and no cookie is sent, so it does not matter whose page it is.
 */
export const UPLOADS_FROM_PAGES = {
  method: 'PUT',
  headers: ['content-type', 'if-none-match'],
  /** How long a browser remembers this, in seconds. */
  maxAge: 3_600,
} as const;

/** How requests move to the new versions of functions, the first unless a setting says otherwise. */
export const ROLLOUTS = [
  'all-at-once',
  'canary-5-minutes',
  'canary-15-minutes',
  'canary-30-minutes',
  'linear-10-minutes',
  'linear-30-minutes',
] as const;

/** What CloudFormation takes of one stack (AWS CloudFormation, "Understand CloudFormation quotas"). Nobody can raise it. */
export const MAX_TEMPLATE = { resources: 500, bytes: 1_000_000 } as const;

/** How much of that a stack has at most, so that there is room to grow. */
export const MAX_STACK_PERCENT = 60;
