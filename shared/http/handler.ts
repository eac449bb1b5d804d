import * as z from 'zod';
import type { KeyCaller, PersonCaller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { Session } from '../organizations/people/sessions.ts';
import { atStanding } from '../places/locations/places.ts';
import { following } from '../table/former-locations.ts';
import type { Listing } from '../table/listing.ts';
import { newHandler, answerErrors, fitReply } from './lambda.ts';
import { actForMember, authenticate } from './middlewares/authenticate.ts';
import type { HttpRequest, Middleware } from './middlewares/chain.ts';
import { idempotency } from './middlewares/idempotency.ts';
import { noteRequest } from './note-request.ts';
import type { Input, Operation } from './operation/operation.ts';
import type { FileResponse, ListedText, RepliedFile } from './operation/responses.ts';
import { list } from './reply/list.ts';
import { type Existing, success } from './reply/reply.ts';
import { parseRequest } from './request/parse.ts';

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

/** Who calls, by the surfaces of the operation. A person who has not chosen an organization has no caller. */
type Called<Op extends Operation> = Op extends { surface: 'app' }
  ? Op extends { roles: 'any' }
    ? { session: Session }
    : { session: Session; caller: PersonCaller }
  : {
      caller: Op extends { app: object } | { people: object } | { actsFor: object }
        ? KeyCaller | PersonCaller
        : KeyCaller;
    };

/** The argument of an operation's logic. */
export type LogicInput<Op extends Operation> = Omit<Input<Op>, 'body'> & {
  body: ChangeOf<Input<Op>['body']>;
} & Called<Op> &
  Guard<Op>;

type Rows<Response> = Response extends readonly (infer Element)[] ? Listing<Element> : never;

/** The result of an operation's logic: the response's value, a list's rows, or nothing for 204. */
type Returned<Op extends Operation> = Op['response'] extends z.ZodType
  ? Op extends { list: true }
    ? Rows<z.output<Op['response']>> | (Op extends { alsoAs: FileResponse } ? ListedText : never)
    : Op extends { success: 204 }
      ? void | (Op extends { existing: number } ? Existing<z.output<Op['response']>> : never)
      : Op extends { existing: number }
        ? z.output<Op['response']> | Existing<z.output<Op['response']>>
        : z.output<Op['response']> | (Op extends { alsoAs: FileResponse } ? ListedText : never)
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
  logic: (given: LogicInput<Op>) => Promise<Returned<Op>> | Returned<Op>,
) => {
  const isStreamed = operation.list === true && canStream();
  const run = async (request: HttpRequest) => {
    const { internal } = request;
    const { params, query, body, expectedVersion } = internal.parsed!;
    const { caller, session } = internal;
    const given = { params, query, body };
    const named = caller ? atStanding(caller, given) : given;
    // Most requests wait for nothing before their logic.
    const value = await following(named instanceof Promise ? await named : named, (followed) =>
      logic({ ...followed, expectedVersion, caller, session } as unknown as LogicInput<Op>),
    );
    return operation.list || isText(operation, value)
      ? list(operation, request, value as Listing<unknown> | ListedText, isStreamed)
      : success(operation, value, request);
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
    ended: (request) => noteRequest(operation, request),
  });
};

/** Whether the logic has returned the other format of its reply. */
const isText = ({ alsoAs }: Operation, value: unknown): boolean =>
  alsoAs !== undefined && typeof value === 'object' && value !== null && 'text' in value;

/** Checks the request against the operation's declaration. @throws ApiError 400 or 422 */
const parse = (operation: Operation): Middleware => ({
  before: ({ event, internal }) => {
    internal.parsed = parseRequest(operation, event);
  },
});

/**
 * An operation for signed-in people only. It refuses every API key with 403 before it checks the request, so it
 * declares no body and no response.
 */
export const personOperation = (
  declaration: Pick<Operation, 'id' | 'method' | 'path' | 'summary' | 'params'>,
) => {
  const operation: Operation = {
    ...declaration,
    access: 'person',
    success: 200,
    response: z.null(),
  };
  const handler = createHandler(operation, () => {
    throw errors.personRequired();
  });
  return { operation, handler };
};
