import middy from '@middy/core';
import type * as z from 'zod';
import type { KeyCaller } from '../base/caller.ts';
import { unavailable } from '../base/errors.ts';
import type { Listing } from '../db/table/listing.ts';
import { answerErrors } from './answer-errors.ts';
import { authenticate } from './authenticate.ts';
import { executionMode, type HttpRequest, type Middleware } from './chain.ts';
import type { RepliedFile } from './file.ts';
import { fitReply } from './fit-reply.ts';
import { idempotency } from './idempotency.ts';
import { logRequest } from './observe.ts';
import type { Input, Operation } from './operation.ts';
import { parseRequest } from './parse.ts';
import { type Existing, list, success } from './respond.ts';

type ChangeOf<Body> = Body extends { expected_version?: unknown } ? Omit<Body, 'expected_version'> : Body;

/** Of operations that take a version; the others have nothing that it could guard. */
type Guard<Op extends Operation> = Op extends { guarded: true }
  ? Expected
  : 'expected_version' extends keyof Input<Op>['body']
    ? Expected
    : unknown;

interface Expected {
  /** The version the client read, from `If-Match` or `expected_version`; undefined when it does not mind. */
  expectedVersion: number | undefined;
}

/** What an operation's logic is given. */
export type Given<Op extends Operation> = Omit<Input<Op>, 'body'> & {
  body: ChangeOf<Input<Op>['body']>;
  caller: KeyCaller;
} & Guard<Op>;

type Rows<Response> = Response extends readonly (infer Element)[] ? Listing<Element> : never;

/** What an operation's logic returns: the response's value, a list's rows, or nothing for 204. */
type Returned<Op extends Operation> = Op['response'] extends z.ZodType
  ? Op extends { list: true }
    ? Rows<z.output<Op['response']>>
    : Op extends { success: 204 }
      ? void
      : Op extends { existing: number }
        ? z.output<Op['response']> | Existing<z.output<Op['response']>>
        : z.output<Op['response']>
  : RepliedFile;

/** Milliseconds before the function's own end at which the client is told 503 rather than cut off. */
const TIMEOUT_EARLY = 500;

// AWS's runtime offers it, and so does the local gateway; SAM's does not stream.
const canStream = (): boolean => {
  const { awslambda } = globalThis as { awslambda?: { streamifyResponse?: unknown } };
  return typeof awslambda?.streamifyResponse === 'function' && !process.env['AWS_SAM_LOCAL'];
};

/**
 * The Lambda handler of an operation: the one chain around its logic.
 *
 * errors → authenticate and count → access → parse → idempotency → logic → respond → fit. The log line comes last,
 * after a streamed reply's end.
 */
export const createHandler = <const Op extends Operation>(
  operation: Op,
  logic: (given: Given<Op>) => Promise<Returned<Op>> | Returned<Op>,
) => {
  const isStreamed = operation.list === true && canStream();
  const run = async (request: HttpRequest) => {
    const { internal } = request;
    const { params, query, body, expectedVersion } = internal.parsed!;
    const value = await logic({
      params,
      query,
      body,
      expectedVersion,
      caller: internal.caller!,
    } as unknown as Given<Op>);
    return operation.list
      ? list(operation, request, value as Listing<unknown>, isStreamed)
      : success(operation, value);
  };
  return middy({
    executionMode: executionMode(isStreamed),
    timeoutEarlyInMillis: TIMEOUT_EARLY,
    timeoutEarlyResponse: () => {
      throw unavailable('the service');
    },
    requestEnd: (request) => logRequest(operation, request as HttpRequest),
  })
    .use([
      answerErrors(),
      ...(isStreamed ? [] : [fitReply()]),
      authenticate(operation),
      parse(operation),
      idempotency(operation),
    ])
    .handler(run as never);
};

const parse = (operation: Operation): Middleware => ({
  before: ({ event, internal }) => {
    internal.parsed = parseRequest(operation, event);
  },
});
