import middy from '@middy/core';
import * as errors from '../base/errors.ts';
import { logRequest } from './log.ts';
import { EARLY_TIMEOUT, executionMode, type HttpRequest, type Middleware } from './middlewares/chain.ts';
import type { AnyOperation } from './operation/operation.ts';

/**
 * The Lambda handler of an operation of any surface: what it runs within a chain of middlewares, in time and with its log
 * line, which is written last, after the end of a streamed reply.
 */
export const newHandler = (
  operation: AnyOperation,
  {
    middlewares,
    run,
    isStreamed = false,
  }: { middlewares: Middleware[]; run: (request: HttpRequest) => unknown; isStreamed?: boolean },
) =>
  middy({
    executionMode: executionMode(isStreamed),
    timeoutEarlyInMillis: EARLY_TIMEOUT,
    timeoutEarlyResponse: () => {
      throw errors.unavailable('The service');
    },
    requestEnd: async (request) => {
      const ended = request as HttpRequest;
      await ended.internal.endOfReply?.();
      logRequest(operation, ended);
    },
  })
    .use(middlewares)
    .handler(run as never);
