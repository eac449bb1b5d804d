import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, STATUS_CODES } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../../shared/base/api-error.ts';
import { REQUEST_ID } from '../../shared/base/request.ts';
import type { OperationEntry } from '../catalogue.ts';
import { GATEWAY_ERRORS } from '../gateway.ts';
import type { Page } from '../openapi/docs.ts';
import { foreign, isFollowedLink, isForeign } from './door.ts';
import { crashed, errorPage, malformed, sendPage } from './gateway/answers.ts';
import { invoke, LIMITS, type Limits, type Listeners } from './gateway/invocation.ts';
import { newRouter } from './gateway/router.ts';
import type { Threads } from './threads.ts';

export interface GatewayOptions extends Partial<Listeners> {
  operations: readonly OperationEntry[];
  /** Pages that are not part of the API, by their exact path. */
  pages?: Record<string, () => Page>;
  limits?: Partial<Limits>;
  /** What only this machine may ask for, by its method and exact path. */
  services?: Record<string, (request: IncomingMessage) => Promise<Page>>;
  /** What answers everything below a path. */
  mounts?: Record<string, (request: IncomingMessage, response: ServerResponse) => void>;
  /** Whether other machines may call it, by any name. */
  isOpen?: boolean;
  /** Where heavy operations run. Without threads they run like all others. */
  threads?: Threads;
}

/** Longer than clients keep idle connections, so that no client writes to a connection that is being closed. */
const KEEP_ALIVE_MILLISECONDS = 65_000;

/** Answers bytes that are not a valid HTTP request. */
const refuseMalformed = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = errorPage(malformed());
  const lines = Object.entries({
    ...headers,
    [REQUEST_ID]: randomUUID(),
    'content-length': body.length,
    connection: 'close',
  });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
};

/**
 * An HTTP server that takes the place of API Gateway: it routes by the declarations, passes real events to the
 * functions' handlers, and has the quotas and the error texts of the deployed API. It refuses the requests of foreign
 * web pages.
 */
export const newGateway = ({
  operations,
  pages = {},
  services = {},
  mounts = {},
  limits,
  isOpen = false,
  threads,
  onChange = () => undefined,
  onFailure = () => undefined,
}: GatewayOptions): Server => {
  const route = newRouter(operations);
  const allPages: typeof pages = {
    '/': () => ({ status: 302, headers: { location: 'docs' }, body: '' }),
    ...pages,
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { 'sec-fetch-site': _, ...linked } = request.headers;
    if (isForeign(isFollowedLink(request) ? linked : request.headers, isOpen)) throw foreign(request.headers);
    const [path = '', ...rest] = request.url!.split('?');
    if (['GET', 'HEAD'].includes(request.method!) && Object.hasOwn(allPages, path)) {
      sendPage(response, allPages[path]!());
      return;
    }
    const service = services[`${request.method} ${path}`];
    if (service) {
      const isHere = /^(::ffff:)?127\.|^::1$/.test(request.socket.remoteAddress ?? '');
      if (!isHere || isForeign(request.headers)) throw foreign(request.headers);
      sendPage(response, await service(request));
      return;
    }
    const mount = Object.entries(mounts).find(([root]) => path === root || path.startsWith(`${root}/`));
    if (mount) {
      mount[1](request, response);
      return;
    }
    const found = route(request.method!, path);
    if (!found) throw GATEWAY_ERRORS.notFound;
    const invocation = { route: found, path, query: rest.join('?'), request, response };
    await invoke(invocation, { ...LIMITS, ...limits }, { onChange, onFailure, threads });
  };

  const server = createServer((request, response) => {
    // A request that reaches a function gets the id of its event instead.
    response.setHeader(REQUEST_ID, randomUUID());
    respond(request, response).catch((error: unknown) => {
      // The unread rest of a body would be taken for the next request on this connection.
      if (!request.complete) {
        response.shouldKeepAlive = false;
        request.resume();
      }
      const isExpected = error instanceof ApiError;
      if (!isExpected && !request.socket.destroyed) onFailure(request.url!, error);
      sendPage(response, errorPage(isExpected ? error : crashed()));
    });
  });
  server.on('clientError', refuseMalformed);
  server.keepAliveTimeout = KEEP_ALIVE_MILLISECONDS;
  return server;
};

/** Accepts no new requests, and waits at most `maxWait` milliseconds until the open ones are answered. */
export const closeServer = async (server: Server, maxWait: number): Promise<void> => {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  // Clients keep their connections open after the last answer. Without this, the server would wait for them.
  const closeIdle = setInterval(() => server.closeIdleConnections(), 10);
  const closeAll = setTimeout(() => server.closeAllConnections(), maxWait);
  await closed;
  clearInterval(closeIdle);
  clearTimeout(closeAll);
};
