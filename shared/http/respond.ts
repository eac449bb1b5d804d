import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import { inRequest, type RequestScope } from '../base/request.ts';
import type { Listing } from '../db/table/listing.ts';
import { fileHeaders, type RepliedFile } from './file.ts';
import { isFile, type Operation } from './operation.ts';
import { ordererOf } from './order.ts';
import { header } from './parse.ts';

export interface Reply {
  statusCode: number;
  headers: Record<string, string>;
  body: string | Readable;
  isBase64Encoded?: boolean;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** A reply of JSON. */
export const json = (statusCode: number, text: string, headers: Record<string, string> = {}): Reply => ({
  statusCode,
  headers: { ...JSON_TYPE, ...headers },
  body: text,
});

/** The text of an operation's reply; no value is `null`. */
export const textOf = ({ response }: Operation, value: unknown): string =>
  JSON.stringify(isFile(response) ? value : ordererOf(response)(value ?? null));

/** The reply of a file, as it is also stored for an idempotency key. */
const fileReply = (file: RepliedFile): Reply => ({
  statusCode: 200,
  headers: fileHeaders(file),
  body: Buffer.from(file.bytes).toString('base64'),
  isBase64Encoded: true,
});

/** What logic returns where the reply stood already, of an operation that declares `existing`. */
export class Existing<Value> {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

/** The success reply of an operation: its status, its value, and the version as an ETag where it has one. */
export const success = (operation: Operation, returned: unknown): Reply => {
  if (isFile(operation.response)) return fileReply(returned as RepliedFile);
  if (operation.success === 204) return { statusCode: 204, headers: {}, body: '' };
  const [status, value] =
    returned instanceof Existing
      ? [operation.existing ?? operation.success, returned.value as unknown]
      : [operation.success, returned];
  const version = (value as { version?: unknown } | null | undefined)?.version;
  const etag = typeof version === 'number' ? { etag: `"${version}"` } : {};
  return json(status, textOf(operation, value), etag);
};

/** Whether the client reads what is compressed. */
export const acceptsGzip = (event: APIGatewayProxyEvent): boolean =>
  /\bgzip\b/i.test(header(event, 'accept-encoding') ?? '');

/** Where a reply that is still being read puts what it costs and why it broke off. */
interface Attribution {
  scope: RequestScope;
  failure?: unknown;
}

/** The reply of a list: a page with a link to the next one, or the whole as a stream where replies are streamed. */
export const list = async (
  operation: Operation,
  { event, internal }: { event: APIGatewayProxyEvent; internal: Attribution },
  result: Listing<unknown>,
  isStreamed: boolean,
): Promise<Reply> => {
  if ('page' in result) {
    const link = result.next === undefined ? undefined : `<${nextPage(event, result.next)}>; rel="next"`;
    return json(200, textOf(operation, result.page), link ? { link } : {});
  }
  // The first row is read before the status is sent, so that what fails at once is told as it should be.
  const rows = result.rows[Symbol.asyncIterator]();
  const first = await rows.next();
  const ordered = ordererOf((operation.response as z.ZodArray).element);
  if (!isStreamed) {
    const chunks = await Array.fromAsync(arrayText(ordered, first, rows));
    return { statusCode: 200, headers: JSON_TYPE, body: chunks.join('') };
  }
  const text = Readable.from(arrayText(ordered, first, attributed(rows, internal)), { objectMode: false });
  if (!acceptsGzip(event)) {
    return { statusCode: 200, headers: JSON_TYPE, body: text };
  }
  // Either end takes the other with it: an error ends the reply, a client that left ends the reading.
  const body = pipeline(text, createGzip(), () => {});
  return { statusCode: 200, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body };
};

// Relative to the request's own URL: the function does not know what stands before its path, a stage or none.
const nextPage = (event: APIGatewayProxyEvent, cursor: string): string => {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    for (const value of values ?? []) if (name !== 'cursor') query.append(name, value);
  }
  query.set('cursor', cursor);
  return `?${query}`;
};

/** Characters per chunk: few enough to keep memory flat, enough that no row is a write of its own. */
const CHUNK = 64 * 1024;

/**
 * Rows that are read after the handler has returned. What they cost still counts as the request's, and what
 * fails then cannot change its status any more, but is its failure in the log.
 */
const attributed = (
  rows: AsyncIterator<unknown>,
  internal: Attribution,
): Pick<AsyncIterator<unknown>, 'next'> => ({
  next: () =>
    inRequest(async () => {
      try {
        return await rows.next();
      } catch (error) {
        internal.failure = (error as Error).cause ?? error;
        throw error;
      }
    }, internal.scope),
});

const arrayText = async function* (
  ordered: (row: unknown) => unknown,
  first: IteratorResult<unknown>,
  rows: Pick<AsyncIterator<unknown>, 'next'>,
): AsyncGenerator<string> {
  let text = '[';
  let separator = '';
  for (let row = first; !row.done; row = await rows.next()) {
    text += separator + JSON.stringify(ordered(row.value));
    separator = ',';
    if (text.length >= CHUNK) {
      yield text;
      text = '';
    }
  }
  yield `${text}]`;
};
