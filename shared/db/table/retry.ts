import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../base/api-error.ts';
import * as errors from '../../base/errors.ts';

/**
 * In milliseconds. `base` and `cap` bound the first and the longest wait. An outage is answered with 503 after `budget`.
 * A lost race is retried longer, because each time another writer made progress: it is answered with 503 after `races`,
 * before the gateway's own limit.
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

/** Whether the same call may succeed a moment later: after a conflict, throttling, a time-out or an outage. */
export const isTransient = (error: unknown): boolean => {
  const { name, code, $metadata, CancellationReasons } = error as SdkError;
  if (name === 'TransactionCanceledException') {
    return (CancellationReasons ?? []).every((reason) => TRANSIENT_REASONS.has(reason.Code ?? 'None'));
  }
  return TRANSIENT.has(name) || NETWORK.has(code ?? '') || ($metadata?.httpStatusCode ?? 0) >= 500;
};

/** Whether an error says nothing about the work itself, because it may succeed later: also after `retrying` gave up. */
export const isOutage = (error: unknown): boolean =>
  error instanceof ApiError ? error.status === 503 : isTransient(error);

/** Thrown by a unit of work when another writer was faster: it must read again and decide again. */
export class Stale extends Error {
  override name = 'Stale';
}

/**
 * The one retry policy: full jitter over a window that doubles up to a cap, within a time budget (Brooker, "Exponential
 * Backoff And Jitter", AWS Architecture Blog 2015). After a lost race the first window is as long as the attempt took,
 * because attempts that overlap fail each other, and more of them take longer.
 * @param what the subject of the 503's message
 * @throws ApiError 503 when the budget is used up; unchanged, any error that is not transient
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
      if (Date.now() + delay > deadline) throw errors.unavailable(what, error);
      await sleep(delay);
    }
  }
};
