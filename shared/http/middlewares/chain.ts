import type { MiddlewareObj, Request as MiddyRequest } from '@middy/core';
import { executionModeStandard } from '@middy/core/executionModeStandard';
import { executionModeStreamifyResponse } from '@middy/core/executionModeStreamifyResponse';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Caller, KeyCaller, PersonCaller } from '../../base/caller.ts';
import { inRequest, newScope, REQUEST_ID, type RequestScope } from '../../base/request.ts';
import type { Session } from '../../organizations/people/sessions.ts';
import type { LinkPurpose, LinkTargets } from '../../table/entities/organization.ts';
import { type Reply, withoutBody } from '../reply/reply.ts';
import { isHead } from '../request/event.ts';
import type { ParsedRequest } from '../request/parse.ts';

/** Data about a request, to which each middleware adds its part. */
export interface Collected extends Record<string, unknown> {
  /** From `performance.now()`. */
  startedAt: number;
  scope: RequestScope;
  /** Who acts: the key, the signed-in person, or the person for whom the key acts. */
  caller?: KeyCaller | PersonCaller;
  /**
   * The key by which the request has authenticated. Its rate limit, usage and idempotency keys apply, also when it
   * acts for a member.
   */
  key?: KeyCaller;
  /** Of a request by a signed-in person. */
  session?: Session;
  parsed?: ParsedRequest;
  /** Of a page: the link that was followed, and a caller of its organization. */
  visit?: {
    token: string;
    target: LinkTargets[LinkPurpose];
    caller: Caller;
    /** The name of the link's organization, for whoever has its token; undefined where that must not be shown. */
    organization: string | undefined;
  };
  /** Of a page: the query and the fields of its form, checked. */
  visited?: { query: unknown; form: unknown };
  /** Ends the count of a streamed reply, when all of it is sent or the client has disconnected. */
  endOfReply?: () => Promise<void>;
  /** The cause of a 5xx, for the log. */
  failure?: unknown;
}

export type HttpRequest = MiddyRequest<APIGatewayProxyEvent, Reply, Error, Context, Collected>;
export type Middleware = MiddlewareObj<APIGatewayProxyEvent, Reply, Error, Context, Collected>;

/**
 * Milliseconds before the function's timeout at which the client gets a 503 instead of a closed connection. Until then
 * an idempotency key can still be released.
 */
export const EARLY_TIMEOUT = 1_000;

type RunRequest = (
  request: HttpRequest,
  befores: unknown,
  handler: (request: HttpRequest) => unknown,
  ...rest: unknown[]
) => Promise<Reply>;

type ExecutionMode = (core: { runRequest: RunRequest }, ...rest: unknown[]) => unknown;

/**
 * Middy's buffered or streaming mode with four additions: each request runs in its own scope, its reply has the
 * request's id and the `added` ones as headers, the reply to a HEAD has no body, and the handler gets the whole middy
 * request, so that middlewares can pass on data without adding it to the event. The deadline is that of the whole chain:
 * middy's own early timeout covers the handler alone.
 */
export const executionMode = (isStreamed: boolean, added: Readonly<Record<string, string>>) => {
  const mode = (isStreamed
    ? executionModeStreamifyResponse
    : executionModeStandard) as unknown as ExecutionMode;
  return ((core: { runRequest: RunRequest }, ...plugins: unknown[]) => {
    const runRequest: RunRequest = async (request, befores, handler, ...rest) => {
      const startedAt = performance.now();
      const timeout = request.context.getRemainingTimeInMillis();
      const scope: RequestScope = {
        // Middleware that a test calls by itself may have no request context.
        ...newScope(request.event.requestContext?.requestId),
        deadline: startedAt + timeout - EARLY_TIMEOUT,
      };
      Object.assign(request.internal, { startedAt, scope });
      const { headers, ...reply } = await inRequest(
        () => core.runRequest(request, befores, () => handler(request), ...rest),
        scope,
      );
      const whole = { ...reply, headers: { ...headers, ...added, [REQUEST_ID]: scope.requestId } };
      return isHead(request.event) ? withoutBody(whole) : whole;
    };
    return mode({ ...core, runRequest }, ...plugins);
  }) as unknown as () => void;
};
