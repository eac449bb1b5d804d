import { setTimeout as sleep } from 'node:timers/promises';
import { isThrottlingError, isTransientError } from '@smithy/core/retry';
import { ApiError } from '../base/api-error.ts';
import * as errors from '../base/errors.ts';
import { currentRequest } from '../base/request.ts';

/**
 * In milliseconds. `base` and `cap` bound the first and the longest wait. An outage is answered with 503 after `budget`.
 * A lost race is retried longer, because each time another writer made progress: it is answered with 503 after `races`,
 * before the gateway's own limit.
 */
export const RETRY = { base: 20, cap: 4_000, budget: 8_000, races: 20_000 } as const;

/** Errors that the SDK does not count as transient: two writers met on one row. */
const CONFLICT = 'TransactionConflictException';

/** Every service names throttling in its own way: `Throttling`, `KmsThrottled`, `KMS.ThrottlingException`. */
const THROTTLING = /throttl/i;

/**
 * A key that the platform team has switched off or scheduled for deletion: nothing is wrong with the call, and it
 * succeeds once they have switched the key on again. KMS itself, S3 and SQS name this in their own ways.
 */
const KEY_OFF = /^(KMS\.)?(DisabledException|KMSInvalidStateException)$|^Kms(Disabled|InvalidState)$/;

/** Codes of failed connections that the SDK does not count as transient: failed DNS, and replies that are not HTTP. */
const NETWORK = /^(EAI_|HPE_|ECONNABORTED$|ENETDOWN$|EADDRNOTAVAIL$)/;

const TRANSIENT_REASONS = new Set([
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
  'TransactionConflict',
  'None',
]);

/** An error of the SDK, or of the connection below it. */
type Failure = Parameters<typeof isTransientError>[0] & {
  code?: string;
  $response?: unknown;
  CancellationReasons?: { Code?: string }[];
};

/** A reply that is no reply of AWS, or only a part of one. The SDK gives a fault to every error that it could read. */
const isUnreadable = (error: Failure): boolean => error.$response !== undefined && error.$fault === undefined;

/**
 * Whether the same call may succeed later: after a conflict, throttling, a time-out, a lost connection or an outage, or
 * while a key is switched off. Beside the SDK's own classification, these are failures that it passes on because it
 * never sends them again.
 */
export const isTransient = (error: unknown): boolean => {
  // Its cause may be a transient error, but it was retried already.
  if (error instanceof ApiError) return false;
  const failure = error as Failure;
  const { name, code = '', $metadata, CancellationReasons = [] } = failure;
  // A condition that failed is the answer to the call, even if the SDK corrected its clock by that reply.
  if (name === 'ConditionalCheckFailedException') return false;
  if (name === 'TransactionCanceledException') {
    return CancellationReasons.every((reason) => TRANSIENT_REASONS.has(reason.Code ?? 'None'));
  }
  return (
    name === CONFLICT ||
    THROTTLING.test(name) ||
    KEY_OFF.test(name) ||
    NETWORK.test(code) ||
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    isUnreadable(failure) ||
    isThrottlingError(failure) ||
    isTransientError(failure)
  );
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
 * @throws ApiError 503 when the budget or the time of the request is used up; unchanged, any error that is not transient
 */
export const retrying = async <Result>(what: string, attempt: () => Promise<Result>): Promise<Result> => {
  const started = performance.now();
  const { deadline = Infinity } = currentRequest() ?? {};
  for (let tries = 0; ; tries += 1) {
    const begun = performance.now();
    try {
      return await attempt();
    } catch (error) {
      const isRace = error instanceof Stale;
      if (!isRace && !isTransient(error)) throw error;
      const base = isRace ? Math.max(RETRY.base, performance.now() - begun) : RETRY.base;
      const delay = Math.random() * Math.min(RETRY.cap, base * 2 ** tries);
      const end = Math.min(started + (isRace ? RETRY.races : RETRY.budget), deadline);
      if (performance.now() + delay > end) throw errors.unavailable(what, error);
      await sleep(delay);
    }
  }
};
