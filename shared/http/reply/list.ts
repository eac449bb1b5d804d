import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import { sha256 } from '../../base/encoding.ts';
import * as errors from '../../base/errors.ts';
import { logLine } from '../../base/log.ts';
import { inRequest, type RequestScope } from '../../base/request.ts';
import { beginLongReply, endLongReply } from '../../organizations/long-replies.ts';
import { projectionOf } from '../../schemas/projection.ts';
import type { Listing } from '../../table/listing.ts';
import type { Operation } from '../operation/operation.ts';
import type { ListedText } from '../operation/responses.ts';
import { isAppRoute } from '../operation/surface.ts';
import { acceptsGzip, bearer, rootAddress } from '../request/event.ts';
import { fileHeaders, json, JSON_HEADERS, type Reply, textOf } from './reply.ts';

/** The request that rows are read for: its table calls, and the failure that its log line shows. */
interface ReadingRequest {
  scope: RequestScope;
  failure?: unknown;
  endOfReply?: () => Promise<void>;
}

/** A list's reply: a page with a link to the next one, or the complete list, streamed where `isStreamed`. */
export const list = async (
  operation: Operation,
  { event, internal }: { event: APIGatewayProxyEvent; internal: ReadingRequest },
  result: Listing<unknown> | ListedText,
  isStreamed: boolean,
): Promise<Reply> => {
  if ('page' in result) {
    const link = result.next === undefined ? undefined : `<${nextPage(event, result.next)}>; rel="next"`;
    return json(200, textOf(operation, result.page), link ? { link } : {});
  }
  const [headers, texts] = await textsOf(operation, result);
  if (!isStreamed) {
    return { statusCode: 200, headers, body: (await Array.fromAsync(texts)).join('') };
  }
  const text = Readable.from(inRequestOf(texts, internal), { objectMode: false });
  const isCompressed = acceptsGzip(event);
  // `pipeline` closes both ends: an error ends the reply, and a client that disconnects ends the reading.
  const body = isCompressed ? pipeline(text, createGzip(), () => {}) : text;
  const key = bearer(event);
  if (!isAppRoute(event.resource)) internal.endOfReply = boundReply(body, sha256(key!));
  return {
    statusCode: 200,
    headers: { ...headers, ...(isCompressed && { 'content-encoding': 'gzip' }) },
    body,
  };
};

/**
 * The headers and the text of a complete list. Its first part is read before the status is sent, so that an early
 * failure still gets an error status.
 */
const textsOf = async (
  operation: Operation,
  result: { rows: AsyncIterable<unknown> } | ListedText,
): Promise<[Reply['headers'], AsyncIterable<string>]> => {
  if ('text' in result) {
    const texts = result.text[Symbol.asyncIterator]();
    return [fileHeaders(result), startingWith(await texts.next(), texts)];
  }
  const rows = result.rows[Symbol.asyncIterator]();
  const first = await rows.next();
  const shown = projectionOf((operation.response as z.ZodArray).element);
  return [JSON_HEADERS, arrayText(shown, startingWith(first, rows))];
};

const startingWith = async function* <Value>(
  first: IteratorResult<Value>,
  rest: AsyncIterator<Value>,
): AsyncGenerator<Value> {
  for (let next = first; !next.done; next = await rest.next()) yield next.value;
};

/** The address of the next page. */
const nextPage = (event: APIGatewayProxyEvent, cursor: string): string => {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    for (const value of values ?? []) if (name !== 'cursor') query.append(name, value);
  }
  query.set('cursor', cursor);
  return `${rootAddress(event)}${event.path}?${query.toString()}`;
};

/** Characters. Larger chunks take more memory, smaller ones more writes. */
const CHUNK_SIZE = 64 * 1024;

/**
 * Reads the rest after the handler has returned. Its table calls still count for the request. A failure cannot change
 * the status any more, but the request's log line shows it.
 */
const inRequestOf = async function* (
  texts: AsyncIterable<string>,
  internal: ReadingRequest,
): AsyncGenerator<string> {
  const iterator = texts[Symbol.asyncIterator]();
  const next = () =>
    inRequest(async () => {
      try {
        return await iterator.next();
      } catch (error) {
        internal.failure = (error as Error).cause ?? error;
        throw error;
      }
    }, internal.scope);
  for (let text = await next(); !text.done; text = await next()) yield text.value;
};

const arrayText = async function* (
  shown: (row: unknown) => unknown,
  rows: AsyncIterable<unknown>,
): AsyncGenerator<string> {
  let text = '[';
  let separator = '';
  for await (const row of rows) {
    text += separator + JSON.stringify(shown(row));
    separator = ',';
    if (text.length >= CHUNK_SIZE) {
      yield text;
      text = '';
    }
  }
  yield `${text}]`;
};

/** After how many milliseconds a streamed reply counts as long. */
export const LONG_REPLY = { after: 5_000 };

const logFailure = (error: unknown): void => {
  const { name, message } = error as Error;
  logLine('error', { message: 'a long reply was not counted', error: { name, message } });
};

/**
 * Bounds the long replies of a key at a time. A client that reads slowly keeps a function busy for minutes, and an
 * account has only a few hundred functions. The rate limit already bounds short replies, so they cost nothing here. A
 * reply that lasts longer takes one of its key's leases; without a free lease it is cut off.
 * @param hash of the key
 * @returns a function that ends the count of the reply
 */
export const boundReply = (reply: Readable, hash: string): (() => Promise<void>) => {
  let taken: Promise<string | undefined> | undefined;
  const take = async (): Promise<string | undefined> => {
    try {
      const lease = await beginLongReply(hash, Date.now());
      if (lease === undefined) reply.destroy(errors.rateLimitExceeded());
      return lease;
    } catch (error) {
      logFailure(error);
      return undefined;
    }
  };
  const timer = setTimeout(() => {
    taken = take();
  }, LONG_REPLY.after);
  return async () => {
    clearTimeout(timer);
    const lease = await taken;
    if (lease !== undefined) await endLongReply(hash, lease).catch(logFailure);
  };
};
