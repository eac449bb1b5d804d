import { once } from 'node:events';
import { Agent, createServer, request as send } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { requestRefused } from '../../shared/base/errors.ts';
import { errorPage, sendPage } from './gateway/answers.ts';

/** Names of this machine that nobody else can make resolve to it. A container calls it by the last one. */
const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|([\w-]+\.)*localhost|host\.docker\.internal)(:\d{1,5})?$/i;

const isLoopbackOrigin = (origin: string): boolean =>
  /^https?:\/\//.test(origin) && LOOPBACK.test(origin.replace(/^https?:\/\//, ''));

/**
 * Whether a request comes from a web page of somebody else. A browser sends such a page's requests to this machine
 * too: with the page's `Origin`, with `Sec-Fetch-Site: cross-site`, or with a `Host` that the page's owner has made
 * resolve to 127.0.0.1. The local engines ask for no credentials, so they must not answer it.
 * @param isOpen whether the server is meant for other machines, which call it by any name
 */
export const isForeign = (headers: IncomingHttpHeaders, isOpen = false): boolean =>
  (!isOpen && !LOOPBACK.test(headers.host ?? '')) ||
  (headers.origin !== undefined &&
    !isLoopbackOrigin(headers.origin) &&
    !isOwnForm(headers) &&
    !(isOpen && isOwnOrigin(headers))) ||
  headers['sec-fetch-site'] === 'cross-site';

/** Why a request of a foreign page is refused, for the developer of that page. */
export const foreign = ({ origin, host }: IncomingHttpHeaders) =>
  requestRefused(
    `The service on this machine takes no requests of web pages of others (Origin ${origin ?? 'none'}, Host ${host ?? 'none'}). ` +
      'Send it from a page of localhost, or from your own server, which also keeps the API key to itself',
  );

/**
 * Whether a browser has sent the form of one of our own pages. These pages send no referrer, so it names no origin (Fetch
 * Standard, "append a request `Origin` header"); no page can claim the other header.
 */
const isOwnForm = (headers: IncomingHttpHeaders): boolean =>
  headers.origin === 'null' && headers['sec-fetch-site'] === 'same-origin';

/** Whether a page of ours sends it, by the name by which another machine calls this one. */
const isOwnOrigin = ({ origin, host }: IncomingHttpHeaders): boolean =>
  origin?.replace(/^https?:\/\//, '') === host;

/**
 * Whether somebody has followed a link from elsewhere, such as one in a mail. The page that has the link cannot read the
 * answer, and a GET changes nothing.
 */
export const isFollowedLink = ({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean =>
  method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

const refuse = (request: IncomingMessage, response: ServerResponse): void => {
  // The unread rest of a body would be taken for the next request on this connection.
  response.shouldKeepAlive = false;
  request.resume();
  sendPage(response, errorPage(foreign(request.headers)));
};

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Lets a server of this process see no request of a foreign web page. */
export const guardServer = (server: Server): void => {
  const listeners = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (isForeign(request.headers)) refuse(request, response);
    else for (const listener of listeners) listener.call(server, request, response);
  });
};

/** Hop-by-hop headers (RFC 9110, section 7.6.1), which Node sets itself. */
const OWN_HEADERS = ['connection', 'keep-alive', 'transfer-encoding'];

interface Passed {
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Without one, Node's own. */
  agent?: Agent;
  /** Of a request that was read already. */
  body?: Uint8Array;
}

/** Passes a request on to an engine, and its answer back. @param target where the engine listens */
export const passOn = (
  request: IncomingMessage,
  response: ServerResponse,
  target: URL,
  { body, ...options }: Passed,
): void => {
  const { hostname: host, port } = target;
  const passed = send({ host, port, method: request.method, ...options });
  passed.on('response', (answer) => {
    for (const name of OWN_HEADERS) delete answer.headers[name];
    response.writeHead(answer.statusCode!, answer.headers);
    pipeline(answer, response, () => undefined);
  });
  // The client sees a closed connection, as it does when the engine itself ends.
  passed.on('error', () => response.destroy());
  response.on('close', () => passed.destroy());
  if (body) passed.end(body);
  else pipeline(request, passed, () => undefined);
};

/**
 * A server on the loopback interface that passes on to an engine everything but the requests of foreign web pages.
 * @param target where the engine listens
 * @returns the door's own address, and how to close it
 */
export const openDoor = async (target: URL): Promise<{ endpoint: string; close: () => Promise<void> }> => {
  const agent = new Agent({ keepAlive: true });
  const door = createServer((request, response) => {
    passOn(request, response, target, { path: request.url!, headers: request.headers, agent });
  });
  guardServer(door);
  door.keepAliveTimeout = 0;
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    close: async () => {
      door.close();
      door.closeAllConnections();
      agent.destroy();
      await once(door, 'close');
    },
  };
};
