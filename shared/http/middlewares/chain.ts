import { randomUUID } from 'node:crypto';
import type { MiddlewareObj, Request as MiddyRequest } from '@middy/core';
import { executionModeStandard } from '@middy/core/executionModeStandard';
import { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { KeyCaller } from '../../base/caller.ts';
import { inRequest, type RequestScope } from '../../base/request.ts';
import type { Reply } from '../reply/reply.ts';
import type { ParsedRequest } from '../request/parse.ts';

/** Data about a request, to which each middleware adds its part. */
export interface Collected extends Record<string, unknown> {
  requestId: string;
  /** From `performance.now()`. */
  startedAt: number;
  scope: RequestScope;
  caller?: KeyCaller;
  parsed?: ParsedRequest;
  /** Ends the count of a streamed reply, when all of it is sent or the client has disconnected. */
  endOfReply?: () => Promise<void>;
  /** The cause of a 5xx, for the log. */
  failure?: unknown;
}

export type HttpRequest = MiddyRequest<APIGatewayProxyEvent, Reply, Error, Context, Collected>;
export type Middleware = MiddlewareObj<APIGatewayProxyEvent, Reply, Error, Context, Collected>;

type RunRequest = (
  request: HttpRequest,
  befores: unknown,
  handler: (request: HttpRequest) => unknown,
  ...rest: unknown[]
) => Promise<unknown>;

type ExecutionMode = (core: { runRequest: RunRequest }, ...rest: unknown[]) => unknown;

/**
 * Middy's buffered or streaming mode with two additions: each request runs in its own scope, and the handler gets
 * the whole middy request, so that middlewares can pass on data without adding it to the event.
 */
export const executionMode = (isStreamed: boolean) => {
  const mode = (isStreamed
    ? executionModeStreamifyResponse
    : executionModeStandard) as unknown as ExecutionMode;
  return ((core: { runRequest: RunRequest }, ...plugins: unknown[]) => {
    const runRequest: RunRequest = (request, befores, handler, ...rest) => {
      const scope: RequestScope = { tableCalls: 0 };
      Object.assign(request.internal, { requestId: randomUUID(), startedAt: performance.now(), scope });
      return inRequest(() => core.runRequest(request, befores, () => handler(request), ...rest), scope);
    };
    return mode({ ...core, runRequest }, ...plugins);
  }) as unknown as () => void;
};
