import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { ApiError } from '../../../shared/base/api-error.ts';
import { REQUEST_ID } from '../../../shared/base/request.ts';
import type { AnyHandler } from '../../catalogue.ts';
import { GATEWAY_TIMEOUT, TIMEOUT_MARGIN } from '../../gateway.ts';
import { DEFAULT_MEMORY } from '../../limits.ts';
import { type Deadline, startDeadline } from '../deadline.ts';
import { newEvent } from '../event.ts';
import { contextOf, isStreaming, ResponseStream } from '../lambda.ts';
import type { Threads } from '../threads.ts';
import { crashed, GATEWAY_REQUEST_ID, parseReply, sendReply, timedOut, tooLarge } from './answers.ts';
import type { Route } from './router.ts';

/** The quotas of API Gateway's REST APIs and of Lambda invocations. Sizes in bytes, times in milliseconds. */
export const LIMITS = {
  body: 10 * 1024 * 1024,
  event: 6 * 1024 * 1024,
  reply: 6 * 1024 * 1024,
  time: GATEWAY_TIMEOUT.buffered * 1_000,
  streamTime: GATEWAY_TIMEOUT.streamed * 1_000,
  margin: TIMEOUT_MARGIN * 1_000,
};
export type Limits = typeof LIMITS;

/** A request that has found its operation. */
export interface Invocation {
  route: Route;
  /** Still URL-encoded, without the query. */
  path: string;
  /** Still URL-encoded, without the question mark. */
  query: string;
  request: IncomingMessage;
  response: ServerResponse;
}

export interface Listeners {
  /** Called after every request that may have changed data. */
  onChange: () => void;
  /** Called with the cause of every 500 and 503, and with the operation's id or the path. */
  onFailure: (what: string, cause: unknown) => void;
}

/** @throws ApiError 400 as soon as the body exceeds `limit` bytes; the rest is not read. */
const readBody = async (request: IncomingMessage, limit: number): Promise<Buffer> => {
  if (Number(request.headers['content-length']) > limit) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop early must not close the connection: the answer still has to be sent on it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** @throws ApiError 400 when the body or the whole event is too large. */
const readEvent = async (
  { route, path, query, request }: Invocation,
  limits: Limits,
): Promise<APIGatewayProxyEvent> => {
  const event = newEvent(route, {
    method: request.method!,
    path,
    query,
    rawHeaders: request.rawHeaders,
    body: await readBody(request, limits.body),
    sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
  });
  if (Buffer.byteLength(JSON.stringify(event)) > limits.event) throw tooLarge();
  return event;
};

/** One call of a handler. */
interface Call {
  handler: AnyHandler;
  event: APIGatewayProxyEvent;
  context: Context;
  response: ServerResponse;
  deadline: Deadline;
}

/** Runs a handler that writes to a stream, and waits until everything is sent. */
const runStreaming = async ({ handler, event, context, response, deadline }: Call): Promise<void> => {
  const stream = new ResponseStream(response);
  try {
    await deadline.limit(handler(event, stream, context));
    if (!stream.writableEnded) throw new Error('the handler returned without ending its response stream');
    await deadline.limit(finished(stream));
  } catch (error) {
    stream.destroy();
    throw error;
  }
};

/** Runs a handler that returns its whole reply, and sends that. */
const runBuffered = async (
  { handler, event, context, response, deadline }: Call,
  maxBytes: number,
): Promise<void> => {
  const reply = parseReply(await deadline.limit(handler(event, context)));
  if (!reply) throw new Error('the handler did not return a valid reply');
  if (Buffer.byteLength(JSON.stringify(reply)) > maxBytes) {
    throw new Error(`the reply is larger than ${maxBytes} bytes`);
  }
  sendReply(response, reply);
};

/**
 * Invokes an operation's function and sends what it answers.
 * @throws ApiError when there is no answer to send: 400 too large, 500 crashed, 503 timed out.
 */
export const invoke = async (
  invocation: Invocation,
  limits: Limits,
  { onChange, onFailure, threads }: Listeners & { threads?: Threads | undefined },
): Promise<void> => {
  const { route, request, response } = invocation;
  const { operation, handler: ownHandler, file } = route.entry;
  const event = await readEvent(invocation, limits);
  const { requestId } = event.requestContext;
  response.setHeader(GATEWAY_REQUEST_ID, requestId).setHeader(REQUEST_ID, requestId);
  const { memory = DEFAULT_MEMORY } = operation;
  const handler: AnyHandler =
    threads && operation.heavy
      ? () =>
          threads.run(
            {
              file,
              event,
              functionName: operation.id,
              memory,
              deadline: Date.now() + limits.time - limits.margin,
            },
            request.headers.authorization ?? '',
            { at: Date.now() + limits.time, late: timedOut },
          )
      : ownHandler;
  const time = isStreaming(handler) ? limits.streamTime : limits.time;
  const context = contextOf(operation.id, memory, Date.now() + time - limits.margin);
  const deadline = startDeadline(time, timedOut);
  const call: Call = { handler, event, context, response, deadline };
  try {
    await (isStreaming(handler) ? runStreaming(call) : runBuffered(call, limits.reply));
  } catch (error) {
    // When the client has disconnected, the function did not fail.
    if (!request.socket.destroyed) onFailure(operation.id, error);
    throw error instanceof ApiError ? error : crashed();
  } finally {
    deadline.clear();
    if (operation.method !== 'GET') onChange();
  }
};
