import { ApiError, unavailable } from '../base/errors.ts';
import { isTransient } from '../db/table/retry.ts';
import type { Middleware } from './chain.ts';
import { json } from './respond.ts';

const INTERNAL = new ApiError(500, 'internal server error');

/**
 * Writes the only error body there is. What no rule foresaw is the caller's 500 without a word more; the log
 * gets it whole. An outage, throttling or time-out of whatever stands behind the service is a 503.
 */
export const answerErrors = (): Middleware => ({
  onError: (request) => {
    const { error, internal } = request;
    const answer =
      error instanceof ApiError ? error : isTransient(error) ? unavailable('a dependency', error) : INTERNAL;
    if (answer.status >= 500) internal.failure = answer.cause ?? error;
    request.response = json(answer.status, JSON.stringify({ detail: answer.detail }));
  },
});
