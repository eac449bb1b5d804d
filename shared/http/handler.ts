import type * as z from 'zod';
import type { KeyCaller, PersonCaller } from '../base/caller.ts';
import type { Session } from '../db/people/sessions.ts';
import type { Listing } from '../db/table/listing.ts';
import { newHandler } from './lambda.ts';
import { actForMember } from './middlewares/act-for-member.ts';
import { answerErrors } from './middlewares/answer-errors.ts';
import { authenticate } from './middlewares/authenticate.ts';
import type { HttpRequest } from './middlewares/chain.ts';
import { fitReply } from './middlewares/fit-reply.ts';
import { idempotency } from './middlewares/idempotency.ts';
import { parse } from './middlewares/parse.ts';
import type { FileResponse, ListedText, RepliedFile } from './operation/file.ts';
import type { Input, Operation } from './operation/operation.ts';
import { list } from './reply/list.ts';
import { type Existing, success } from './reply/reply.ts';

type ChangeOf<Body> = Body extends { expected_version?: unknown } ? Omit<Body, 'expected_version'> : Body;

/** Only operations that take a version have it. */
type Guard<Op extends Operation> = Op extends { guarded: true }
  ? Expected
  : 'expected_version' extends keyof Input<Op>['body']
    ? Expected
    : unknown;

interface Expected {
  /** From `If-Match` or the body's `expected_version`; undefined when the client sent none. */
  expectedVersion: number | undefined;
}

/** Who calls, by the surfaces of the operation. Somebody who has chosen no organization is no caller in any. */
type Called<Op extends Operation> = Op extends { surface: 'app' }
  ? Op extends { roles: 'any' }
    ? { session: Session }
    : { session: Session; caller: PersonCaller }
  : { caller: Op extends { app: object } | { actsFor: object } ? KeyCaller | PersonCaller : KeyCaller };

/** The argument of an operation's logic. */
export type Given<Op extends Operation> = Omit<Input<Op>, 'body'> & {
  body: ChangeOf<Input<Op>['body']>;
} & Called<Op> &
  Guard<Op>;

type Rows<Response> = Response extends readonly (infer Element)[] ? Listing<Element> : never;

/** The result of an operation's logic: the response's value, a list's rows, or nothing for 204. */
type Returned<Op extends Operation> = Op['response'] extends z.ZodType
  ? Op extends { list: true }
    ? Rows<z.output<Op['response']>> | (Op extends { alsoAs: FileResponse } ? ListedText : never)
    : Op extends { success: 204 }
      ? void
      : Op extends { existing: number }
        ? z.output<Op['response']> | Existing<z.output<Op['response']>>
        : z.output<Op['response']>
  : RepliedFile;

// The AWS runtime and the local gateway can stream replies. SAM offers the same function, but does not stream.
const canStream = (): boolean => {
  const { awslambda } = globalThis as { awslambda?: { streamifyResponse?: unknown } };
  return typeof awslambda?.streamifyResponse === 'function' && !process.env['AWS_SAM_LOCAL'];
};

/**
 * The Lambda handler of an operation: its logic within the chain of middlewares.
 *
 * errors → authenticate and count → access → person → parse → idempotency → logic → reply → fit.
 */
export const createHandler = <const Op extends Operation>(
  operation: Op,
  logic: (given: Given<Op>) => Promise<Returned<Op>> | Returned<Op>,
) => {
  const isStreamed = operation.list === true && canStream();
  const run = async (request: HttpRequest) => {
    const { internal } = request;
    const { params, query, body, expectedVersion, knownReplies } = internal.parsed!;
    const value = await logic({
      params,
      query,
      body,
      expectedVersion,
      caller: internal.caller,
      session: internal.session,
    } as unknown as Given<Op>);
    return operation.list
      ? list(operation, request, value as Listing<unknown> | ListedText, isStreamed)
      : success(operation, value, knownReplies);
  };
  return newHandler(operation, {
    middlewares: [
      answerErrors(),
      ...(isStreamed ? [] : [fitReply()]),
      authenticate(operation, isStreamed),
      actForMember(operation),
      parse(operation),
      idempotency(operation),
    ],
    run,
    isStreamed,
  });
};
