import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Listing } from '../db/listing.ts';
import { currentRequest, inRequest } from '../request.ts';
import type { Operation } from './operation.ts';
import { header } from './parse.ts';

export interface Reply {
  statusCode: number;
  headers: Record<string, string>;
  body: string | Readable;
  isBase64Encoded?: boolean;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** A reply of JSON; `undefined` has no body. */
export const json = (statusCode: number, value: unknown, headers: Record<string, string> = {}): Reply =>
  value === undefined
    ? { statusCode, headers, body: '' }
    : { statusCode, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(value) };

/** The success reply of an operation: its status, its value, and the version as an ETag where it has one. */
export const success = (operation: Operation, value: unknown): Reply => {
  if (operation.success === 204) return json(204, undefined);
  const version = (value as { version?: unknown } | null | undefined)?.version;
  return json(operation.success, value ?? null, typeof version === 'number' ? { etag: `"${version}"` } : {});
};

/** The reply of a list: a page with a link to the next one, or the whole as a stream where replies are streamed. */
export const list = async (
  event: APIGatewayProxyEvent,
  result: Listing<unknown>,
  isStreamed: boolean,
): Promise<Reply> => {
  if ('page' in result) {
    const link = result.next === undefined ? undefined : `<${nextPath(event, result.next)}>; rel="next"`;
    return json(200, result.page, link ? { link } : {});
  }
  // The first row is read before the status is sent, so that what fails at once is told as it should be.
  const rows = result.rows[Symbol.asyncIterator]();
  const first = await rows.next();
  const chunks = arrayText(first, rows);
  if (!isStreamed)
    return { statusCode: 200, headers: JSON_TYPE, body: (await Array.fromAsync(chunks)).join('') };
  const text = Readable.from(chunks, { objectMode: false });
  if (!/\bgzip\b/i.test(header(event, 'accept-encoding') ?? '')) {
    return { statusCode: 200, headers: JSON_TYPE, body: text };
  }
  const body = createGzip();
  text.on('error', (error) => body.destroy(error)).pipe(body);
  return { statusCode: 200, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body };
};

const nextPath = (event: APIGatewayProxyEvent, cursor: string): string => {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    for (const value of values ?? []) if (name !== 'cursor') query.append(name, value);
  }
  query.set('cursor', cursor);
  return `${event.path}?${query}`;
};

/** Characters per chunk: few enough to keep memory flat, enough that no row is a write of its own. */
const CHUNK = 64 * 1024;

const arrayText = async function* (
  first: IteratorResult<unknown>,
  rows: AsyncIterator<unknown>,
): AsyncGenerator<string> {
  // The stream is read after the handler has returned; what it reads still counts as this request's.
  const scope = currentRequest();
  const next = () => (scope ? inRequest(() => rows.next(), scope) : rows.next());
  let text = '[';
  let separator = '';
  for (let row = first; !row.done; row = await next()) {
    text += separator + JSON.stringify(row.value);
    separator = ',';
    if (text.length >= CHUNK) {
      yield text;
      text = '';
    }
  }
  yield `${text}]`;
};
