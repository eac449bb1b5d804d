import type { APIGatewayProxyEvent } from 'aws-lambda';

/** A header's value; `name` is in lower case. API Gateway keeps the case in which the client sent the header. */
export const header = (event: APIGatewayProxyEvent, name: string): string | undefined => {
  const { headers } = event;
  const key = Object.keys(headers ?? {}).find((candidate) => candidate.toLowerCase() === name);
  return key === undefined ? undefined : headers[key];
};

/** Whether the client accepts a gzip-compressed reply. */
export const acceptsGzip = (event: APIGatewayProxyEvent): boolean =>
  /\bgzip\b/i.test(header(event, 'accept-encoding') ?? '');

const BEARER = /^Bearer +(\S+) *$/i;

/** The key that a request was sent with; undefined when it has none. */
export const bearer = (event: APIGatewayProxyEvent): string | undefined =>
  BEARER.exec(header(event, 'authorization') ?? '')?.[1];
