import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as errors from '../../base/errors.ts';
import { type Language, negotiate } from '../../i18n/languages.ts';

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

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Refuses text that is declared as anything but UTF-8, which would be read wrong. @throws ApiError 400 */
export const checkCharset = (contentType: string): void => {
  const [, charset = 'utf-8'] = CHARSET.exec(contentType) ?? [];
  if (!/^utf-?8$/i.test(charset)) throw errors.charsetNotSupported();
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
