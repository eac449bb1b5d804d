import type { ServerResponse } from 'node:http';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { ApiError } from '../../../shared/base/api-error.ts';
import { requestMalformed } from '../../../shared/base/errors.ts';
import { SAFE_HEADERS } from '../../../shared/base/headers.ts';
import { REQUEST_ID } from '../../../shared/base/request.ts';
import { GATEWAY_ERRORS } from '../../gateway.ts';
import type { Page } from '../../openapi/docs.ts';

export const malformed = () => requestMalformed('The request is not valid HTTP');
export const tooLarge = () => requestMalformed('The request is too large');
export const timedOut = () => GATEWAY_ERRORS.unavailable;
export const crashed = () => GATEWAY_ERRORS.internal;

/** API Gateway's own header with the id of a request. */
export const GATEWAY_REQUEST_ID = 'x-amzn-requestid';

/** Headers that stay when a page takes the place of a reply. */
const KEPT = new Set([GATEWAY_REQUEST_ID, REQUEST_ID]);

/** Sends a page; when the response has already begun, cuts the connection instead. */
export const sendPage = (response: ServerResponse, { status, headers, body }: Page): void => {
  if (response.destroyed || response.headersSent) {
    response.destroy();
    return;
  }
  // They remain from a function's reply that could not be sent.
  for (const name of response.getHeaderNames()) if (!KEPT.has(name)) response.removeHeader(name);
  response.statusCode = status;
  response.setHeaders(new Map(Object.entries(headers))).end(body);
};

export const errorPage = ({ status, code, detail }: ApiError): Page => ({
  status,
  headers: { 'content-type': 'application/json', 'x-error-code': code, ...SAFE_HEADERS },
  body: JSON.stringify({ detail }),
});

/** A function's buffered reply. Undefined for a value that API Gateway would refuse as malformed. */
export const parseReply = (value: unknown): APIGatewayProxyResult | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const { statusCode, body } = value as Partial<APIGatewayProxyResult>;
  const hasStatus = Number.isInteger(statusCode) && statusCode! >= 200 && statusCode! < 600;
  return hasStatus && (body === undefined || body === null || typeof body === 'string')
    ? (value as APIGatewayProxyResult)
    : undefined;
};

/** Sends a function's buffered reply. */
export const sendReply = (response: ServerResponse, reply: APIGatewayProxyResult): void => {
  // API Gateway's default. A reply without content has no type.
  if (reply.statusCode !== 204) response.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries({ ...reply.headers, ...reply.multiValueHeaders })) {
    response.setHeader(name, Array.isArray(value) ? value.map(String) : String(value));
  }
  response.statusCode = reply.statusCode;
  response.end(Buffer.from(reply.body ?? '', reply.isBase64Encoded ? 'base64' : 'utf8'));
};
