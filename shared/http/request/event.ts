import type { APIGatewayProxyEvent } from 'aws-lambda';
import { environment } from '../../base/environment.ts';
import * as errors from '../../base/errors.ts';
import { type Language, negotiate } from '../../base/i18n/languages.ts';

/** A header's value; `name` is in lower case. API Gateway keeps the case in which the client sent the header. */
export const header = (event: APIGatewayProxyEvent, name: string): string | undefined => {
  const { headers } = event;
  const key = Object.keys(headers ?? {}).find((candidate) => candidate.toLowerCase() === name);
  return key === undefined ? undefined : headers[key];
};

/** A header that is a list, which may be sent in several lines (RFC 9110, section 5.3). `name` is in lower case. */
export const wholeHeader = (event: APIGatewayProxyEvent, name: string): string | undefined => {
  const lines = Object.entries(event.multiValueHeaders ?? {}).flatMap(([candidate, values]) =>
    candidate.toLowerCase() === name ? (values ?? []) : [],
  );
  return lines.length > 0 ? lines.join(', ') : header(event, name);
};

/** Whether the reply is to have no body. */
export const isHead = ({ httpMethod }: Pick<APIGatewayProxyEvent, 'httpMethod'>): boolean =>
  httpMethod === 'HEAD';

/** Whether a request only reads, by its method (RFC 9110, section 9.2.1). */
export const isSafe = (event: Pick<APIGatewayProxyEvent, 'httpMethod'>): boolean =>
  event.httpMethod === 'GET' || isHead(event);

/**
 * The address before the path that a declaration names: with the host that the request was sent to, and with the stage
 * where the host does not stand for one. The gateway names the host, so no header of a client gets into an address.
 */
export const rootAddress = (event: APIGatewayProxyEvent): string => {
  const { domainName, path } = event.requestContext;
  const stage = path.endsWith(event.path) ? path.slice(0, path.length - event.path.length) : '';
  return `${header(event, 'x-forwarded-proto') ?? 'https'}://${domainName}${stage}`;
};

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Refuses text that is declared as anything but UTF-8, which would be read wrong. @throws ApiError 400 */
export const checkCharset = (contentType: string): void => {
  const [, charset = 'utf-8'] = CHARSET.exec(contentType) ?? [];
  if (!/^utf-?8$/i.test(charset)) throw errors.charsetNotSupported();
};

/** Refuses a compressed body, whose bytes would be taken for broken text. @throws ApiError 400 */
export const checkContentEncoding = (event: APIGatewayProxyEvent): void => {
  const encoding = wholeHeader(event, 'content-encoding')?.trim();
  if (encoding && !/^identity$/i.test(encoding)) throw errors.contentEncodingNotSupported();
};

/** Whether the client accepts a gzip-compressed reply. */
export const acceptsGzip = (event: APIGatewayProxyEvent): boolean =>
  /\bgzip\b/i.test(header(event, 'accept-encoding') ?? '');

const BEARER = /^Bearer +(\S+) *$/i;

/** The key that a request was sent with; undefined when it has none. */
export const bearer = (event: APIGatewayProxyEvent): string | undefined =>
  BEARER.exec(header(event, 'authorization') ?? '')?.[1];

/** Whether the reader is a browser, which asks for HTML by its name; programs that send forms do not. */
export const prefersPage = (event: APIGatewayProxyEvent): boolean =>
  /\btext\/html\b/i.test(wholeHeader(event, 'accept') ?? '');

/** The language of the reader. */
export const readerLanguage = (event: APIGatewayProxyEvent): Language =>
  negotiate(wholeHeader(event, 'accept-language'));

/** The body as it was sent; empty when there is none. */
export const bytesOf = ({ body, isBase64Encoded }: APIGatewayProxyEvent): Buffer =>
  body ? Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') : Buffer.alloc(0);

/** @throws ApiError 400 when it is not JSON in UTF-8 */
export const parseJson = (bytes: Uint8Array): unknown => {
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw errors.bodyNotUtf8();
  }
  try {
    return JSON.parse(text);
  } catch {
    throw errors.bodyNotJson();
  }
};

/*
 * With the prefix `__Host-`, browsers accept a cookie only if it is secure, belongs to this host alone and holds for all
 * paths (RFC 6265bis, section 4.1.3.2). So no other host of the domain can set it. Browsers treat http://localhost as
 * secure.
 */

/** The cookie of a session. */
export const SESSION_COOKIE = '__Host-session';

/** The cookie of a sign-in that is under way. */
export const SIGN_IN_COOKIE = '__Host-sign-in';

type CookieName = typeof SESSION_COOKIE | typeof SIGN_IN_COOKIE;

/** The value of a cookie; undefined when the request has none. */
export const cookie = (event: APIGatewayProxyEvent, name: CookieName): string | undefined =>
  // Several headers become one list, in which commas separate the cookies. No value of ours has a comma.
  (wholeHeader(event, 'cookie') ?? '')
    .split(/[;,]/)
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** The token of the session of a request. */
export const sessionToken = (event: APIGatewayProxyEvent): string | undefined =>
  cookie(event, SESSION_COOKIE);

/**
 * A cookie that no script reads, and that no foreign page sends along with a change (`SameSite`).
 * @param seconds how long the browser keeps it; 0 deletes it
 */
export const setCookie = (name: CookieName, value: string, seconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Lax`;

/** The origins of the service: that of its public URL, and the host that the request was sent to by the same scheme. */
const ownOrigins = (event: APIGatewayProxyEvent): string[] => {
  const { protocol, origin } = new URL(environment('PUBLIC_URL'));
  return [origin, `${protocol}//${header(event, 'host')}`];
};

/**
 * Refuses a change that does not come from a page of this service. Browsers name the origin of every request other
 * than GET (Fetch Standard, "append a request `Origin` header"). A page of ours that hides its address sends the
 * origin `null`. Then the browser says in `Sec-Fetch-Site` whether the origin is the same; a page cannot set that
 * header.
 * @throws ApiError 403
 */
export const checkOrigin = (event: APIGatewayProxyEvent): void => {
  if (isSafe(event)) return;
  const origin = header(event, 'origin') ?? '';
  const isOurs =
    origin === 'null'
      ? header(event, 'sec-fetch-site') === 'same-origin'
      : ownOrigins(event).includes(origin);
  if (!isOurs) throw errors.foreignOrigin();
};
