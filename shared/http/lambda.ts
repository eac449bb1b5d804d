import { gzipSync } from 'node:zlib';
import middy from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../base/api-error.ts';
import * as errors from '../base/errors.ts';
import { KEY_CHALLENGE } from '../base/headers.ts';
import { isTransient } from '../table/retry.ts';
import { logRequest } from './log.ts';
import { EARLY_TIMEOUT, executionMode, type HttpRequest, type Middleware } from './middlewares/chain.ts';
import { deprecationHeaders } from './operation/deprecation.ts';
import type { AnyOperation } from './operation/operation.ts';
import { isAppRoute } from './operation/surface.ts';
import { json, type Reply } from './reply/reply.ts';
import { acceptsGzip, bearer, SESSION_COOKIE } from './request/event.ts';

/**
 * The Lambda handler of an operation of any surface. It runs the operation within a chain of middlewares and within
 * its time. The log line is written last, after the end of a streamed reply.
 */
export const newHandler = (
  operation: AnyOperation,
  {
    middlewares,
    run,
    isStreamed = false,
    ended,
  }: {
    middlewares: Middleware[];
    run: (request: HttpRequest) => unknown;
    isStreamed?: boolean;
    /** Called when the reply is made, or all of a streamed one is sent. */
    ended?: (request: HttpRequest) => Promise<void>;
  },
) =>
  middy({
    executionMode: executionMode(
      isStreamed,
      deprecationHeaders('deprecated' in operation ? operation.deprecated : undefined),
    ),
    timeoutEarlyInMillis: EARLY_TIMEOUT,
    timeoutEarlyResponse: () => {
      throw errors.unavailable('The service');
    },
    requestEnd: async (request) => {
      await (request as HttpRequest).internal.endOfReply?.();
      logRequest(operation, request as HttpRequest);
      await ended?.(request as HttpRequest);
    },
  })
    .use(middlewares)
    .handler(run as never);

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

/** Says with a 401 how to authenticate (RFC 9110, section 15.5.2): by key (RFC 6750), or by the cookie of a session. */
const challenge = ({ event }: HttpRequest): string => {
  if (isAppRoute(event.resource)) return `Cookie realm="app", cookie-name="${SESSION_COOKIE}"`;
  return bearer(event) === undefined ? KEY_CHALLENGE : `${KEY_CHALLENGE}, error="invalid_token"`;
};

/** Writes the reply of every error, with its code as a header. */
export const answerErrors = (): Middleware => ({
  onError: (request) => {
    const { status, code, detail } = errorOf(request);
    request.response = json(status, JSON.stringify({ detail }), {
      'x-error-code': code,
      ...(status === 401 && { 'www-authenticate': challenge(request) }),
    });
  },
});

/** Bytes of a function's reply (AWS Lambda, "Quotas"), minus some for the status and the headers. */
const MAX_BYTES = 6 * 1024 ** 2 - 16 * 1024;

/** Lambda sends the reply as JSON, which escapes quotes and backslashes; a short text fits in any case. */
const fits = (text: string): boolean =>
  3 * text.length <= MAX_BYTES || Buffer.byteLength(JSON.stringify(text)) <= MAX_BYTES;

/**
 * The reply, compressed when it is larger than a function may return.
 * @throws ApiError 409 when it is still too large, or when the client does not accept gzip
 */
export const fitted = (event: APIGatewayProxyEvent, reply: Reply): Reply => {
  if (typeof reply.body !== 'string' || fits(reply.body)) return reply;
  const body = acceptsGzip(event) ? gzipSync(reply.body).toString('base64') : undefined;
  if (body === undefined || reply.isBase64Encoded || !fits(body)) throw errors.replyTooLarge();
  const headers = { ...reply.headers, 'content-encoding': 'gzip' };
  return { ...reply, headers, body, isBase64Encoded: true };
};

/** Makes every reply fit. */
export const fitReply = (): Middleware => ({
  after: (request) => {
    if (request.response) request.response = fitted(request.event, request.response);
  },
});
