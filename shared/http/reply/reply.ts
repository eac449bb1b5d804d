import { Readable } from 'node:stream';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { contentDisposition, SAFE_HEADERS } from '../../base/headers.ts';
import { projectionOf } from '../../schemas/projection.ts';
import { isFile, type Operation } from '../operation/operation.ts';
import type { RepliedFile } from '../operation/responses.ts';
import { isAppRoute, routeOf } from '../operation/surface.ts';
import { rootAddress } from '../request/event.ts';
import type { ParsedRequest } from '../request/parse.ts';
import { entityTagOf, isKnown } from '../versions.ts';

export interface Reply {
  statusCode: number;
  headers: Record<string, string>;
  /** Headers that are sent more than once. */
  multiValueHeaders?: Record<string, string[]>;
  body: string | Readable;
  isBase64Encoded?: boolean;
}

/** The same reply to a HEAD (RFC 9110, section 9.3.2). What a list has not read yet is not read. */
export const withoutBody = (reply: Reply): Reply => {
  if (reply.body instanceof Readable) reply.body.destroy();
  return { ...reply, body: '' };
};

/** The headers of every JSON reply. */
export const JSON_HEADERS = { 'content-type': 'application/json', ...SAFE_HEADERS };

/** A JSON reply; `text` is the JSON. */
export const json = (statusCode: number, text: string, headers: Record<string, string> = {}): Reply => ({
  statusCode,
  headers: { ...JSON_HEADERS, ...headers },
  body: text,
});

/** The value of an operation's reply: exactly what its schema declares; null for undefined. */
const shown = ({ response }: Operation, value: unknown): unknown =>
  isFile(response) ? value : projectionOf(response)(value ?? null);

/** The JSON text of an operation's reply; undefined is written as `null`. */
export const textOf = (operation: Operation, value: unknown): string =>
  JSON.stringify(shown(operation, value));

const fileReply = (file: RepliedFile): Reply => ({
  statusCode: 200,
  headers: fileHeaders(file),
  body: Buffer.from(file.bytes).toString('base64'),
  isBase64Encoded: true,
});

/** An operation that declares `existing` returns this when the resource existed already. */
export class Existing<Value> {
  readonly value: Value;

  constructor(value: Value) {
    this.value = value;
  }
}

/** The request that a reply answers. */
interface Answered {
  event: APIGatewayProxyEvent;
  internal: { parsed?: ParsedRequest };
}

/**
 * Where the reply of a 201 or 202 can be read again, as the header that says it. A path of the app has none.
 * @param reply as it is sent
 */
export const locationHeader = (
  { location }: Operation,
  { event, internal: { parsed } }: Answered,
  reply: unknown,
): { location?: string } => {
  if (location === undefined || isAppRoute(event.resource)) return {};
  const params = parsed?.params as Record<string, string> | undefined;
  const filled = location
    .replace(/\{\w+\}$/, () => (reply as { id: string }).id)
    .replaceAll(
      /\{(\w+)\}/g,
      (_, name: string) => params?.[name] ?? (reply as Record<string, string>)[name]!,
    );
  return { location: rootAddress(event) + routeOf({ path: filled }) };
};

/**
 * An operation's success reply, with an ETag where the value is a resource with a version. 304 when the client has the
 * reply already.
 */
export const success = (operation: Operation, returned: unknown, request: Answered): Reply => {
  if (isFile(operation.response)) return fileReply(returned as RepliedFile);
  if (operation.success === 204 && !(returned instanceof Existing))
    return { statusCode: 204, headers: { ...SAFE_HEADERS }, body: '' };
  const [status, value] =
    returned instanceof Existing
      ? [operation.existing ?? operation.success, returned.value as unknown]
      : [operation.success, returned];
  const reply = shown(operation, value);
  const tag = entityTagOf(operation, reply);
  const etag = tag && { etag: `"${tag}"` };
  if (tag && isKnown(tag, request.internal.parsed?.knownReplies))
    return { statusCode: 304, headers: { ...SAFE_HEADERS, ...etag }, body: '' };
  const where = status === operation.success ? locationHeader(operation, request, reply) : {};
  return json(status, JSON.stringify(reply), { ...etag, ...where });
};

/**
 * An HTML page may run no script, load nothing from elsewhere, send nothing and stand in no other page, because it
 * shows texts of customers.
 */
const PAGE_POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/** The headers of a reply that is a file. */
export const fileHeaders = ({
  media_type,
  file_name,
}: Pick<RepliedFile, 'media_type' | 'file_name'>): Record<string, string> => ({
  'content-type': media_type,
  'content-disposition': contentDisposition('inline', file_name),
  ...(media_type.startsWith('text/html') && {
    'content-security-policy': PAGE_POLICY,
    'referrer-policy': 'no-referrer',
  }),
  ...SAFE_HEADERS,
});
