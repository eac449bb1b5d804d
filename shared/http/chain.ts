import { randomUUID } from 'node:crypto';
import type { MiddlewareObj, Request as MiddyRequest } from '@middy/core';
import { executionModeStandard } from '@middy/core/executionModeStandard';
import { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { KeyCaller } from '../base/caller.ts';
import { inRequest, type RequestScope } from '../base/request.ts';
import type { ParsedRequest } from './parse.ts';
import type { Reply } from './respond.ts';

/** What the chain collects about a request, each middleware its part. */
export interface Collected extends Record<string, unknown> {
  requestId: string;
  /** From `performance.now()`. */
  startedAt: number;
  scope: RequestScope;
  caller?: KeyCaller;
  parsed?: ParsedRequest;
  /** What is behind a 5xx, for the log. */
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
 * Middy's buffered or streaming mode, with two additions: each request runs in a scope of its own, and the
 * handler gets the whole request, so that what the middlewares collected needs no place on the event.
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
