import { NodeHttpHandler } from '@smithy/node-http-handler';
import { currentRequest } from './request.ts';

/**
 * How long one call of an AWS service may take, from the first byte of the request to the last byte of the reply, and a
 * new connection. In milliseconds.
 */
export const MAX_CALL_MS = {
  connection: 1_000,
  table: 5_000,
  bucket: 15_000,
  queue: 5_000,
  mail: 15_000,
  role: 5_000,
  key: 5_000,
};
type Service = Exclude<keyof typeof MAX_CALL_MS, 'connection'>;

/**
 * How long a call may take when the time of its request is over, in milliseconds. It is enough to release an
 * idempotency key.
 */
const MAX_LATE_CALL_MS = 250;

/** Codes of Node's errors for a connection that the other side has closed. A socket hang-up is an `ECONNRESET`. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);

/**
 * Whether the other side closed the connection before it sent any part of a reply. This is usual for a connection that
 * was idle for a while, and then the request was not carried out. A time-out is something else: the request may still
 * be running.
 */
export const isClosedConnection = (error: unknown): boolean =>
  CLOSED.has((error as NodeJS.ErrnoException).code ?? '') && !Object.hasOwn(error as object, '$response');

type Handle = NodeHttpHandler['handle'];

/**
 * Ends every call after its time limit, and earlier when its request has less time left. The limits of the SDK do not
 * suffice: `requestTimeout` ends when a reply begins, and by itself it only writes a warning.
 */
class TimeLimitedHandler extends NodeHttpHandler {
  readonly #service: Service;

  constructor(service: Service) {
    super({ connectionTimeout: MAX_CALL_MS.connection });
    this.#service = service;
  }

  override async handle(...[request, options]: Parameters<Handle>): ReturnType<Handle> {
    const { deadline = Infinity } = currentRequest() ?? {};
    const left = Math.max(deadline - performance.now(), MAX_LATE_CALL_MS);
    const limit = Math.min(MAX_CALL_MS[this.#service], left);
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), limit).unref();
    try {
      const result = await super.handle(request, { ...options, abortSignal: controller.signal });
      result.response.body.once('close', () => clearTimeout(timer));
      return result;
    } catch (error) {
      clearTimeout(timer);
      if (controller.signal.aborted) throw timeoutError(this.#service, limit);
      if (isClosedConnection(error)) this.#closeIdleConnections();
      throw error;
    }
  }

  /** When one idle connection is closed, the others are too: the next call needs a new one. */
  #closeIdleConnections(): void {
    const { httpAgent, httpsAgent } = this.httpHandlerConfigs();
    for (const agent of [httpAgent, httpsAgent]) {
      if (!agent || !('freeSockets' in agent)) continue;
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
    }
  }
}

const timeoutError = (service: Service, limit: number): Error =>
  Object.assign(new Error(`the ${service} did not answer within ${Math.round(limit)} ms`), {
    name: 'TimeoutError',
    code: 'ETIMEDOUT',
  });

const handlers: Partial<Record<Service, TimeLimitedHandler>> = {};

/**
 * The settings of every client of AWS that the service makes: a time limit, and no retries of the SDK's own. Only
 * `retry.ts` decides whether a call is sent again, because a call may have succeeded although its reply was lost. All
 * clients of one service share its connections.
 */
export const connection = (service: Service) => ({
  maxAttempts: 1,
  requestHandler: (handlers[service] ??= new TimeLimitedHandler(service)),
});
