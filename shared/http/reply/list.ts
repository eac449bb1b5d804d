import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import { inRequest, type RequestScope } from '../../base/request.ts';
import { sha256 } from '../../db/table/keys.ts';
import type { Listing } from '../../db/table/listing.ts';
import type { Operation } from '../operation/operation.ts';
import { isAppRoute } from '../operation/surface.ts';
import { acceptsGzip, bearer } from '../request/headers.ts';
import { ordererOf } from './field-order.ts';
import { boundReply } from './long-reply.ts';
import { json, JSON_HEADERS, type Reply, textOf } from './reply.ts';

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
  result: Listing<unknown>,
  isStreamed: boolean,
): Promise<Reply> => {
  if ('page' in result) {
    const link = result.next === undefined ? undefined : `<${nextPage(event, result.next)}>; rel="next"`;
    return json(200, textOf(operation, result.page), link ? { link } : {});
  }
  // The first row is read before the status is sent, so that an early failure still gets an error status.
  const rows = result.rows[Symbol.asyncIterator]();
  const first = await rows.next();
  const ordered = ordererOf((operation.response as z.ZodArray).element);
  if (!isStreamed) {
    const chunks = await Array.fromAsync(arrayText(ordered, first, rows));
    return { statusCode: 200, headers: JSON_HEADERS, body: chunks.join('') };
  }
  const text = Readable.from(arrayText(ordered, first, inRequestOf(rows, internal)), { objectMode: false });
  const isCompressed = acceptsGzip(event);
  // `pipeline` closes both ends: an error ends the reply, and a client that disconnects ends the reading.
  const body = isCompressed ? pipeline(text, createGzip(), () => {}) : text;
  const key = bearer(event);
  if (!isAppRoute(event.resource)) internal.endOfReply = boundReply(body, sha256(key!));
  return {
    statusCode: 200,
    headers: { ...JSON_HEADERS, ...(isCompressed && { 'content-encoding': 'gzip' }) },
    body,
  };
};

// Relative to the request's URL, because the function does not know whether a stage precedes its path.
const nextPage = (event: APIGatewayProxyEvent, cursor: string): string => {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    for (const value of values ?? []) if (name !== 'cursor') query.append(name, value);
  }
  query.set('cursor', cursor);
  return `?${query.toString()}`;
};

/** Characters. Larger chunks take more memory, smaller ones more writes. */
const CHUNK_SIZE = 64 * 1024;

/**
 * Rows that are read after the handler has returned. Their table calls still count for the request. A failure can
 * no longer change the status, but the request's log line shows it.
 */
const inRequestOf = (
  rows: AsyncIterator<unknown>,
  internal: ReadingRequest,
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
    if (text.length >= CHUNK_SIZE) {
      yield text;
      text = '';
    }
  }
  yield `${text}]`;
};
