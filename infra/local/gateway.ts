import { once } from 'node:events';
import { createServer, STATUS_CODES } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { OperationEntry } from '../catalogue.ts';
import { GATEWAY_TIMEOUT, TIMEOUT_MARGIN } from '../limits.ts';
import type { Page } from '../openapi/docs.ts';
import { newEvent, newRouter } from './event.ts';
import type { Route } from './event.ts';
import { contextOf, isStreaming, ResponseStream } from './lambda.ts';

/** Bytes and milliseconds; the quotas of API Gateway's REST APIs and of Lambda's invocations. */
export const LIMITS = {
  body: 10 * 1024 * 1024,
  event: 6 * 1024 * 1024,
  reply: 6 * 1024 * 1024,
  time: GATEWAY_TIMEOUT.buffered * 1_000,
  streamTime: GATEWAY_TIMEOUT.streamed * 1_000,
  margin: TIMEOUT_MARGIN * 1_000,
};

export interface GatewayOptions {
  operations: readonly OperationEntry[];
  /** What is not part of the API, by exact path. */
  pages?: Record<string, () => Page>;
  limits?: Partial<typeof LIMITS>;
  /** Told about every call that may have changed something, once it is answered. */
  onChange?: () => void;
  /** Told why a call, by its operation's id or its path, was answered 500 or 503. */
  onFailure?: (what: string, cause: unknown) => void;
}

/** The gateway's own answers: what a function has not said. */
class GatewayError extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

const NOT_FOUND = () => new GatewayError(404, 'not found');
const BAD_REQUEST = () => new GatewayError(400, 'malformed request');
const TOO_LARGE = () => new GatewayError(400, 'the request is too large');
const TIMED_OUT = () => new GatewayError(503, 'the service is briefly unavailable, try again');
const CRASHED = () => new GatewayError(500, 'internal server error');

const REQUEST_ID = 'x-amzn-requestid';

const answer = (reply: ServerResponse, { status, headers, body }: Page): void => {
  if (reply.destroyed || reply.headersSent) {
    reply.destroy();
    return;
  }
  // A function's reply that could not be sent may have left some.
  for (const name of reply.getHeaderNames()) if (name !== REQUEST_ID) reply.removeHeader(name);
  reply.statusCode = status;
  reply.setHeaders(new Map(Object.entries(headers))).end(body);
};

const errorPage = (error: GatewayError): Page => ({
  status: error.status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ detail: error.message }),
});

/** @throws GatewayError 400 beyond `limit` bytes, without reading on. */
const readBody = async (request: IncomingMessage, limit: number): Promise<Buffer> => {
  if (Number(request.headers['content-length']) > limit) throw TOO_LARGE();
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop must not cut the connection: the answer is yet to be sent on it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit) throw TOO_LARGE();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** A function's buffered reply; undefined for anything that API Gateway would call malformed. */
const parseReply = (value: unknown): APIGatewayProxyResult | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const { statusCode, body } = value as Partial<APIGatewayProxyResult>;
  const known = Number.isInteger(statusCode) && statusCode! >= 200 && statusCode! < 600;
  return known && (body === undefined || body === null || typeof body === 'string')
    ? (value as APIGatewayProxyResult)
    : undefined;
};

const sendReply = (reply: ServerResponse, result: APIGatewayProxyResult): void => {
  reply.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries({ ...result.headers, ...result.multiValueHeaders })) {
    reply.setHeader(name, Array.isArray(value) ? value.map(String) : String(value));
  }
  reply.statusCode = result.statusCode;
  reply.end(Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8'));
};

/**
 * An HTTP server that stands where API Gateway stands: it routes by the declarations, hands real events to the
 * functions' handlers, and holds to the quotas and the error texts of the deployed API.
 */
export const newGateway = ({
  operations,
  pages = {},
  limits: changedLimits,
  onChange = () => undefined,
  onFailure = () => undefined,
}: GatewayOptions): Server => {
  const limits = { ...LIMITS, ...changedLimits };
  const route = newRouter(operations);
  const documents: typeof pages = {
    '/': () => ({ status: 302, headers: { location: 'docs' }, body: '' }),
    ...pages,
  };

  const invoke = async (
    found: Route,
    request: IncomingMessage,
    reply: ServerResponse,
    path: string,
    query: string,
  ) => {
    const { operation, handler } = found.entry;
    const event = newEvent(found, {
      method: operation.method,
      path,
      query,
      rawHeaders: request.rawHeaders,
      body: await readBody(request, limits.body),
      sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
    });
    if (Buffer.byteLength(JSON.stringify(event)) > limits.event) throw TOO_LARGE();
    reply.setHeader(REQUEST_ID, event.requestContext.requestId);
    const time = isStreaming(handler) ? limits.streamTime : limits.time;
    const context = contextOf(operation.id, operation.memory ?? 512, Date.now() + time - limits.margin);

    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(TIMED_OUT()), time);
    try {
      if (isStreaming(handler)) {
        const stream = new ResponseStream(reply);
        try {
          await Promise.race([handler(event, stream, context), late.promise]);
          if (!stream.writableEnded) throw new Error('the handler ended before its stream');
          await Promise.race([finished(stream), late.promise]);
        } catch (error) {
          stream.destroy();
          throw error;
        }
      } else {
        const value = await Promise.race([handler(event, context), late.promise]);
        const result = parseReply(value);
        if (!result) throw new Error('the handler did not return a reply');
        if (Buffer.byteLength(JSON.stringify(result)) > limits.reply) {
          throw new Error(`the reply is larger than ${limits.reply} bytes`);
        }
        sendReply(reply, result);
      }
    } catch (error) {
      // A client that left in the middle of a stream is no failure of the function's.
      if (!request.socket.destroyed) onFailure(operation.id, error);
      throw error instanceof GatewayError ? error : CRASHED();
    } finally {
      clearTimeout(timer);
      if (operation.method !== 'GET') onChange();
    }
  };

  const respond = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const [path = '', ...rest] = request.url!.split('?');
    if (request.method === 'GET' && Object.hasOwn(documents, path)) {
      answer(reply, documents[path]!());
      return;
    }
    const found = route(request.method!, path);
    if (!found) throw NOT_FOUND();
    await invoke(found, request, reply, path, rest.join('?'));
  };

  const server = createServer((request, reply) => {
    respond(request, reply).catch((error: unknown) => {
      // What is left of an unread body would be taken for the next request.
      if (!request.complete) {
        reply.shouldKeepAlive = false;
        request.resume();
      }
      const isOwn = error instanceof GatewayError;
      if (!isOwn && !request.socket.destroyed) onFailure(request.url!, error);
      answer(reply, errorPage(isOwn ? error : CRASHED()));
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { status, headers, body } = errorPage(BAD_REQUEST());
    const lines = Object.entries({ ...headers, 'content-length': body.length, connection: 'close' });
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
    );
  });
  // Longer than clients keep idle connections, so that none of them sends into one that is being closed.
  server.keepAliveTimeout = 65_000;
  return server;
};

/** Takes no further request, and ends when those that are being answered are, or after `patience` milliseconds. */
export const closeServer = async (server: Server, patience: number): Promise<void> => {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  // A client keeps its connection after the last answer, which nothing else would end.
  const idle = setInterval(() => server.closeIdleConnections(), 10);
  const end = setTimeout(() => server.closeAllConnections(), patience);
  await closed;
  clearInterval(idle);
  clearTimeout(end);
};
