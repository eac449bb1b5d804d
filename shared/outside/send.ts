import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { isClosedConnection } from '../base/connection.ts';
import { currentRequest } from '../base/request.ts';
import { customerAddresses, parseCustomerUrl } from './destination.ts';
import { OutgoingError } from './outgoing-error.ts';

export interface OutgoingRequest {
  url: string;
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string | Buffer | undefined;
}

/** How long a call may take, and how much of its reply is kept. */
export interface CallLimits {
  /** Until there is a connection, the search for the host's addresses included. Milliseconds. */
  connect_ms: number;
  /** From the connection until the reply begins. Milliseconds. */
  first_byte_ms: number;
  /** From the beginning to the last byte of the reply. Milliseconds. */
  total_ms: number;
  /** Bytes of the reply's body that are kept, after it is unpacked. */
  max_bytes: number;
}

export interface OutgoingReply {
  /** Redirects are not followed: they are replies like all others. */
  status: number;
  /** By their names in lower case. */
  headers: http.IncomingHttpHeaders;
  /** At most `max_bytes` of it. */
  body: Buffer;
  /** Whether there was more. */
  isCut: boolean;
}

/** A URL that is allowed, and how to connect to it. */
interface Destination {
  url: URL;
  agent: http.Agent;
  /** The call connects only to these addresses. Without them, the system resolves the host. */
  addresses?: readonly string[];
}

/** `autoSelectFamily`: where one of a host's addresses cannot be reached, the next one is tried. */
const agents = (options: http.AgentOptions) => ({
  http: new http.Agent({ autoSelectFamily: true, ...options }),
  https: new https.Agent({ autoSelectFamily: true, ...options }),
});

/** Connections to a vendor are kept between calls. An agent of our own takes no proxy from the environment. */
const KEPT = agents({ keepAlive: true });
/** Each call of a customer's endpoint opens a new connection, to an address that was checked for this call. */
const FRESH = agents({});

const schemeOf = (url: URL): 'http' | 'https' => (url.protocol === 'https:' ? 'https' : 'http');

/** A lookup that gives the checked addresses, so that a name server cannot give others for the connection. */
const checkedLookup =
  (addresses: readonly string[]): LookupFunction =>
  (_host, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    );

/** Ends the call when one of its phases takes too long. */
class Stopwatch {
  /** Set when a phase took too long. */
  failure: OutgoingError | undefined;
  readonly #host: string;
  readonly #controller = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(host: string) {
    this.#host = host;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Begins a phase. @param limit in milliseconds @returns a function that ends the phase */
  begin(limit: number): () => void {
    const timer = setTimeout(() => {
      this.failure ??= new OutgoingError('timeout', `${this.#host} did not answer in time.`);
      this.#controller.abort();
    }, limit);
    this.#timers.push(timer);
    return () => clearTimeout(timer);
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

/** Sends the request, and waits for the reply's head. */
const reply = (
  { url, agent, addresses }: Destination,
  { method, headers, body }: OutgoingRequest,
  stopwatch: Stopwatch,
  limits: Pick<CallLimits, 'first_byte_ms'>,
  onConnection: () => void,
): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const request = { http, https }[schemeOf(url)].request(url, {
      method,
      headers: { 'accept-encoding': 'gzip', ...headers },
      agent,
      signal: stopwatch.signal,
      rejectUnauthorized: true,
      ...(addresses && { lookup: checkedLookup(addresses) }),
    });
    let onEnd = () => {};
    const connected = () => {
      onConnection();
      onEnd = stopwatch.begin(limits.first_byte_ms);
    };
    request.on('socket', (socket) => {
      if (!socket.connecting) connected();
      else socket.once(schemeOf(url) === 'https' ? 'secureConnect' : 'connect', connected);
    });
    request.on('response', (message) => {
      onEnd();
      resolve(message);
    });
    request.on('error', (error) => {
      onEnd();
      // The other side may have closed an idle connection. Then the request was not carried out, and can be sent again.
      reject(Object.assign(error, { wasIdle: request.reusedSocket && isClosedConnection(error) }));
    });
    request.end(body);
  });

/** Reads a body up to a number of bytes, then stops its sender. @returns the body, and whether there was more */
const readBody = async (message: http.IncomingMessage, max: number): Promise<[Buffer, boolean]> => {
  const isPacked = message.headers['content-encoding'] === 'gzip';
  const stream = isPacked ? pipeline(message, createGunzip(), () => undefined) : message;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > max) break;
  }
  return [Buffer.concat(chunks).subarray(0, max), bytes > max];
};

/** Sends a request once, and reads its reply. @param destinationOf finds where it goes, within the time to connect */
const send = async (
  outgoing: OutgoingRequest,
  limits: CallLimits,
  host: string,
  destinationOf: (signal: AbortSignal) => Promise<Destination> | Destination,
): Promise<OutgoingReply> => {
  const stopwatch = new Stopwatch(host);
  const left = (currentRequest()?.deadline ?? Infinity) - performance.now();
  stopwatch.begin(Math.max(Math.min(limits.total_ms, left), 0));
  const onConnection = stopwatch.begin(limits.connect_ms);
  try {
    const destination = await destinationOf(stopwatch.signal);
    const attempt = () => reply(destination, outgoing, stopwatch, limits, onConnection);
    const message = await attempt().catch((error: unknown) => {
      if ((error as { wasIdle?: boolean }).wasIdle) return attempt();
      throw error;
    });
    const [body, isCut] = await readBody(message, limits.max_bytes);
    return { status: message.statusCode!, headers: message.headers, body, isCut };
  } catch (error) {
    if (stopwatch.failure) throw stopwatch.failure;
    if (error instanceof OutgoingError) throw error;
    throw new OutgoingError('failed', `The connection to ${host} failed.`, { cause: error });
  } finally {
    stopwatch.stop();
  }
};

/**
 * Calls an address that the operator has set, such as a vendor's. It is not checked.
 * @throws OutgoingError
 */
export const callOperatorUrl = async (
  request: OutgoingRequest,
  limits: CallLimits,
): Promise<OutgoingReply> => {
  const url = new URL(request.url);
  return send(request, limits, url.host, () => ({ url, agent: KEPT[schemeOf(url)] }));
};

/**
 * Calls an address that a customer has given: only by https, only on the internet, and exactly the checked address.
 * @throws OutgoingError
 */
export const callCustomerUrl = async (
  request: OutgoingRequest,
  limits: CallLimits,
): Promise<OutgoingReply> => {
  const url = parseCustomerUrl(request.url);
  return send(request, limits, url.host, async (signal) => ({
    url,
    agent: FRESH[schemeOf(url)],
    addresses: await customerAddresses(url, signal),
  }));
};
