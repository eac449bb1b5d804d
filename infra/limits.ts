import { QUEUE_ATTEMPTS } from '../shared/base/queues.ts';

/** How long things may take, here and in the cloud; seconds. */
export const GATEWAY_TIMEOUT = {
  /** Until a reply is there. */
  buffered: 29,
  /** Until a streamed one has ended. */
  streamed: 300,
} as const;

/** A function ends so much before the gateway gives it up, so that the client reads our 503. */
export const TIMEOUT_MARGIN = 1;

/** What each queue is like, here and in the cloud; seconds. */
export const QUEUE = {
  /** Six times the longest worker's time-out, as Lambda asks of a queue that it reads. */
  visibilityTimeout: 360,
  maxReceiveCount: QUEUE_ATTEMPTS,
  deadLetterRetention: 14 * 24 * 3_600,
} as const;
