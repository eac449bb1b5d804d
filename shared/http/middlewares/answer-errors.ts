import { ApiError } from '../../base/api-error.ts';
import * as errors from '../../base/errors.ts';
import { isTransient } from '../../db/table/retry.ts';
import { json } from '../reply/reply.ts';
import type { Middleware } from './chain.ts';

/**
 * Writes the reply of every error, with its code as a header. An unexpected error is a 500 that gives no details;
 * only the log shows them. An outage, throttling or a timeout of a dependency is a 503.
 */
export const answerErrors = (): Middleware => ({
  onError: (request) => {
    const { error, internal } = request;
    const answer =
      error instanceof ApiError
        ? error
        : isTransient(error)
          ? errors.unavailable('A dependency', error)
          : errors.internalError();
    if (answer.status >= 500) internal.failure = answer.cause ?? error;
    request.response = json(answer.status, JSON.stringify({ detail: answer.detail }), {
      'x-error-code': answer.code,
    });
  },
});
