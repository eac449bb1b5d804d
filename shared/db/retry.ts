import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../http/errors.ts';

/** Milliseconds. A contended row is won by the seconds budgeted here or reported as 503; never hammered. */
export const RETRY = { base: 20, cap: 1_000, budget: 8_000 } as const;

const TRANSIENT = new Set([
  'InternalServerError',
  'ItemCollectionSizeLimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ServiceUnavailable',
  'ThrottlingException',
  'TimeoutError',
  'TransactionConflictException',
  'TransactionInProgressException',
]);

const NETWORK = new Set(['ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT']);

const TRANSIENT_REASONS = new Set([
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'TransactionConflict',
  'None',
]);

interface SdkError {
  name: string;
  code?: string;
  $metadata?: { httpStatusCode?: number };
  CancellationReasons?: { Code?: string }[];
}

/** Whether the same call may succeed a moment later: a conflict, throttling, a time-out or an outage. */
export const isTransient = (error: unknown): boolean => {
  const { name, code, $metadata, CancellationReasons } = error as SdkError;
  if (name === 'TransactionCanceledException') {
    return (CancellationReasons ?? []).every((reason) => TRANSIENT_REASONS.has(reason.Code ?? 'None'));
  }
  return TRANSIENT.has(name) || NETWORK.has(code ?? '') || ($metadata?.httpStatusCode ?? 0) >= 500;
};

/** Thrown by a unit of work that lost a race and must read again before it can decide again. */
export class Stale extends Error {
  override name = 'Stale';
}

/**
 * The one retry policy: full jitter over an exponentially growing, capped window, within a time budget
 * (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog 2015).
 * @throws ApiError 503 when the budget is used up; any error that is not transient as it is.
 */
export const retrying = async <Result>(what: string, attempt: () => Promise<Result>): Promise<Result> => {
  const deadline = Date.now() + RETRY.budget;
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Stale) && !isTransient(error)) throw error;
      const delay = Math.random() * Math.min(RETRY.cap, RETRY.base * 2 ** tries);
      if (Date.now() + delay > deadline) throw unavailable(what, error);
      await sleep(delay);
    }
  }
};
