import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import type { Context } from 'aws-lambda';

/** How AWS's runtime marks a handler that writes to a response stream. */
const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

/** What precedes the bytes of a streamed reply. */
interface Prelude {
  statusCode?: number;
  headers?: Record<string, string | number | boolean>;
  multiValueHeaders?: Record<string, string[]>;
}

/**
 * The stream that a streaming handler writes its reply to. Nothing is sent before the first write, so a handler
 * that fails earlier can still be answered as a failure.
 */
export class ResponseStream extends Writable {
  readonly #reply: ServerResponse;
  #prelude: Prelude | undefined;

  constructor(reply: ServerResponse) {
    super();
    this.#reply = reply;
    // A client that has gone is the handler's business only if it still writes.
    this.on('error', () => undefined);
    reply.once('close', () => {
      if (!reply.writableFinished) this.destroy(new Error('the client has disconnected'));
    });
  }

  announce(prelude: Prelude): this {
    this.#prelude = prelude;
    return this;
  }

  // Compression and such may name a type for the raw stream; an API's reply has it in the prelude.
  setContentType(): void {}

  #begin(): Error | undefined {
    if (this.#reply.headersSent) return undefined;
    if (!this.#prelude)
      return new Error('a streamed reply needs HttpResponseStream.from() before its first byte');
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
 * The global by which AWS's runtime offers response streaming. Handlers look for it when they are imported, so it
 * stands there before.
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

/** What the runtime tells a function about its invocation, which must end by `deadline` (epoch, ms). */
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
