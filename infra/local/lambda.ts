import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import type { Context } from 'aws-lambda';

/** The symbol by which AWS's runtime recognizes a handler that writes to a response stream. */
const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

/** The status and headers that come before the bytes of a streamed response. */
interface Prelude {
  statusCode?: number;
  headers?: Record<string, string | number | boolean>;
  multiValueHeaders?: Record<string, string[]>;
}

/**
 * The stream that a streaming handler writes its response to. Nothing is sent before the first write, so when a
 * handler fails earlier, the client still gets an error status.
 */
export class ResponseStream extends Writable {
  readonly #reply: ServerResponse;
  #prelude: Prelude | undefined;

  constructor(reply: ServerResponse) {
    super();
    this.#reply = reply;
    // Without a listener, an error after the client has disconnected would end the process.
    // A handler that still writes gets the error from its own write.
    this.on('error', () => undefined);
    reply.once('close', () => {
      if (!reply.writableFinished) this.destroy(new Error('the client has disconnected'));
    });
  }

  announce(prelude: Prelude): this {
    this.#prelude = prelude;
    return this;
  }

  // AWS's runtime has this method. An API's content type is in the prelude, so there is nothing to do.
  setContentType(): void {}

  #begin(): Error | undefined {
    if (this.#reply.headersSent) return undefined;
    if (!this.#prelude)
      return new Error('call HttpResponseStream.from() before writing to a streamed response');
    const { statusCode = 200, headers = {}, multiValueHeaders = {} } = this.#prelude;
    for (const [name, value] of Object.entries({ ...headers, ...multiValueHeaders })) {
      this.#reply.setHeader(name, Array.isArray(value) ? value : String(value));
    }
    this.#reply.writeHead(statusCode).flushHeaders();
    return undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const error = this.#begin();
    if (error) done(error);
    else this.#reply.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    const error = this.#begin();
    if (error) done(error);
    else this.#reply.end(() => done());
  }
}

type StreamingHandler = (event: unknown, stream: ResponseStream, context: Context) => Promise<unknown>;

/**
 * Defines the global `awslambda`, through which AWS's runtime offers response streaming. Call it before importing
 * handlers: they look for the global at import.
 */
export const installAwslambda = (): void => {
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: StreamingHandler) => Object.assign(handler, { [STREAMING]: 'response' }),
      HttpResponseStream: { from: (stream: ResponseStream, prelude: Prelude) => stream.announce(prelude) },
    },
  });
};

export const isStreaming = (handler: object): boolean => STREAMING in handler;

/**
 * The context object of one invocation.
 * @param memory in MB
 * @param deadline when the invocation times out, in epoch milliseconds
 */
export const contextOf = (functionName: string, memory: number, deadline: number): Context => ({
  functionName,
  functionVersion: '$LATEST',
  invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
  memoryLimitInMB: String(memory),
  awsRequestId: randomUUID(),
  logGroupName: `/aws/lambda/${functionName}`,
  logStreamName: 'local',
  callbackWaitsForEmptyEventLoop: true,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
});
