import { ApiError } from '../../base/api-error.ts';
import * as errors from '../../base/errors.ts';
import { isTransient } from '../../db/table/retry.ts';
import { json } from '../reply/reply.ts';
import type { HttpRequest, Middleware } from './chain.ts';

/**
 * The error that a failed request is answered with. An unexpected error is a 500 that gives no details; only the log
 * shows them. An outage, throttling or a timeout of a dependency is a 503.
 */
export const errorOf = ({ error, internal }: HttpRequest): ApiError => {
  const answer =
    error instanceof ApiError
      ? error
      : isTransient(error)
        ? errors.unavailable('A dependency', error)
        : errors.internalError();
  if (answer.status >= 500) internal.failure = answer.cause ?? error;
  return answer;
};

/** Writes the reply of every error, with its code as a header. */
export const answerErrors = (): Middleware => ({
  onError: (request) => {
    const { status, code, detail } = errorOf(request);
    request.response = json(status, JSON.stringify({ detail }), { 'x-error-code': code });
  },
});
