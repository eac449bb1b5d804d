import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isNativeError } from 'node:util/types';

/** What a peer does with a request. `act` passes it on to the engine, and gives the engine's reply. */
export type Behaviour = (given: {
  /** The number of the request, from 1. */
  turn: number;
  /** Whether the connection has carried a request before. */
  isReused: boolean;
  socket: Socket;
  reply: ServerResponse;
  act: () => Promise<{ status: number; headers: Record<string, string>; bytes: Buffer }>;
}) => Promise<void>;

export const answers: Behaviour = async ({ act, reply }) => {
  const { status, headers, bytes } = await act();
  reply.writeHead(status, headers).end(bytes);
};
export const isSilent: Behaviour = async () => {};
/** The request has its effect, but nobody is told. */
export const actsInSilence: Behaviour = async ({ act }) => void (await act());
/** The request has its effect; the reply stops in the middle, and the connection stays open. */
export const answersHalf: Behaviour = async ({ act, reply }) => {
  const { status, headers, bytes } = await act();
  reply.writeHead(status, { ...headers, 'content-length': bytes.length + 10 });
  await new Promise((sent) => reply.write(bytes.subarray(0, bytes.length / 2), sent));
};
/** The same, but the connection ends. */
export const cutsReply: Behaviour = async (given) => {
  await answersHalf(given);
  given.socket.destroy();
};
/** The reply begins, and never ends. */
export const beginsReply: Behaviour = async ({ reply }) =>
  void reply.writeHead(200, { 'content-length': 100 }).write('{');
/** The reply arrives one byte after the other, and never ends. */
export const drips: Behaviour = async ({ reply }) => {
  reply.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
  const timer = setInterval(() => reply.write(' '), 20);
  reply.once('close', () => clearInterval(timer));
};
/** A reply that is no AWS service's own, as of a proxy or a load balancer. */
export const answersWith =
  (status: number, text: string): Behaviour =>
  async ({ reply }) =>
    void reply.writeHead(status, { 'content-type': 'text/html' }).end(text);
/** A second request on the same connection finds it closed, as after a long pause. */
export const resetsReused: Behaviour = async (given) => {
  if (given.isReused) given.socket.resetAndDestroy();
  else await answers(given);
};
/** Behaves from one request on, and answers those before it. */
export const from =
  (first: number, behaviour: Behaviour): Behaviour =>
  (given) =>
    (given.turn < first ? answers : behaviour)(given);

const textOf = async (stream: IncomingMessage): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(stream));

/** Stands between the AWS SDK and an engine. It answers until it is told to behave otherwise. */
export interface Peer {
  url: string;
  /** Changes what the peer does, and counts requests from 1 again. */
  now: (behaviour: Behaviour) => void;
  /** The number of requests since then. */
  turns: () => number;
  /** Closes all connections; new ones are accepted. */
  disconnect: () => void;
  close: () => void;
}

/**
 * Node's own modules are outside the realm of a test file, and so are their errors. The SDK would take them for unknown
 * things and pass on a new error without their code. With this, it recognizes them as it does outside jest.
 */
const recognizeErrors = (): void => {
  const isInstance = Function.prototype[Symbol.hasInstance];
  Object.defineProperty(Error, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      return isInstance.call(this, value) || (this === Error && isNativeError(value));
    },
  });
};

/** Starts a peer on the loopback interface. @param engine the URL of the engine that it stands before, if any */
export const startPeer = async (engine?: string): Promise<Peer> => {
  recognizeErrors();
  let behave = answers;
  let turn = 0;
  const used = new WeakSet<Socket>();
  const passOn = async (incoming: IncomingMessage) => {
    const body = await textOf(incoming);
    const { method, headers } = incoming;
    const outgoing = request(new URL(incoming.url!, engine), { method: method!, headers, agent: false });
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const { connection: _, 'transfer-encoding': __, ...others } = answer.headers;
    return {
      status: answer.statusCode!,
      headers: others as Record<string, string>,
      bytes: await textOf(answer),
    };
  };
  const server = createServer((incoming, reply) => {
    const { socket } = incoming;
    const isReused = used.has(socket);
    used.add(socket);
    turn += 1;
    void behave({ turn, isReused, socket, reply, act: () => passOn(incoming) });
  });
  server.on('connection', (socket) => socket.on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // A name, so that every connection resolves it.
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    now: (behaviour) => {
      behave = behaviour;
      turn = 0;
    },
    turns: () => turn,
    disconnect: () => server.closeAllConnections(),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
