import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What a broken part does with a call: it cuts the connection, or refuses with an error of AWS. */
export type Fault = 'unreachable' | { error: string; of: RegExp };

export interface Door {
  url: string;
  /** Breaks the part behind the door; undefined mends it. */
  break: (fault: Fault | undefined) => void;
  /** Calls that were not let through since this was last asked. */
  refused: () => number;
  close: () => void;
}

/** Headers that hold for one connection alone. */
const OF_CONNECTION = ['connection', 'keep-alive'] as const;

/** A door before an engine of AWS's services, at which the part behind it can be broken and mended. */
export const openDoor = async (engine: string): Promise<Door> => {
  const target = new URL(engine);
  let fault: Fault | undefined;
  let refused = 0;

  const answer = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const action = String(request.headers['x-amz-target'] ?? request.url);
    if (fault === 'unreachable') {
      refused += 1;
      request.socket.destroy();
    } else if (fault?.of.test(action)) {
      refused += 1;
      const type = { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-errortype': fault.error };
      reply.writeHead(400, type).end(JSON.stringify({ __type: fault.error, message: 'broken' }));
    } else {
      const { host: _host, connection: _connection, ...headers } = request.headers;
      const { pathname } = target;
      const path = pathname === '/' ? request.url! : pathname + request.url!;
      const forwarded = send(
        // No connection that an engine ends while a call begins: each call has its own.
        { hostname: target.hostname, port: target.port, path, method: request.method, headers, agent: false },
        (answer) => {
          for (const name of OF_CONNECTION) delete answer.headers[name];
          reply.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(reply);
        },
      );
      forwarded.on('error', () => reply.destroy()).end(body);
    }
  };

  const server = createServer((request, reply) => {
    answer(request, reply).catch(() => reply.destroy());
  });
  // Node's 5 seconds end connections that a busy client is just about to use again.
  server.keepAliveTimeout = 0;
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    break: (next) => (fault = next),
    refused: () => {
      const count = refused;
      refused = 0;
      return count;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
