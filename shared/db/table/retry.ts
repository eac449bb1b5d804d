import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../../base/errors.ts';

/**
 * Milliseconds. An outage is told as 503 after `budget`. A lost race is worth more patience, for each one was
 * won by somebody: whoever still loses after `races` is told 503 before the gateway's time is up.
 */
export const RETRY = { base: 20, cap: 4_000, budget: 8_000, races: 20_000 } as const;

const TRANSIENT = new Set([
  'InternalServerError',
  'ItemCollectionSizeLimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestTimeout',
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
 * (Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog 2015). Attempts that lose a race start from
 * a window as long as they took: those that overlap defeat each other, and the more there are the longer it is.
 * @throws ApiError 503 when the budget is used up; any error that is not transient as it is.
 */
export const retrying = async <Result>(what: string, attempt: () => Promise<Result>): Promise<Result> => {
  const started = Date.now();
  for (let tries = 0; ; tries += 1) {
    const begun = Date.now();
    try {
      return await attempt();
    } catch (error) {
      const isRace = error instanceof Stale;
      if (!isRace && !isTransient(error)) throw error;
      const base = isRace ? Math.max(RETRY.base, Date.now() - begun) : RETRY.base;
      const delay = Math.random() * Math.min(RETRY.cap, base * 2 ** tries);
      const deadline = started + (isRace ? RETRY.races : RETRY.budget);
      if (Date.now() + delay > deadline) throw unavailable(what, error);
      await sleep(delay);
    }
  }
};
