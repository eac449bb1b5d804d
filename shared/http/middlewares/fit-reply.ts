import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as errors from '../../base/errors.ts';
import type { Reply } from '../reply/reply.ts';
import { acceptsGzip } from '../request/headers.ts';
import type { Middleware } from './chain.ts';

/** Bytes of a function's reply (AWS Lambda, "Quotas"), minus some for the status and the headers. */
const MAX_BYTES = 6 * 1024 ** 2 - 16 * 1024;

/** Lambda sends the reply as JSON, which escapes quotes and backslashes; a short text fits in any case. */
const fits = (text: string): boolean =>
  3 * text.length <= MAX_BYTES || Buffer.byteLength(JSON.stringify(text)) <= MAX_BYTES;

/**
 * The reply, compressed when it is larger than a function may return.
 * @throws ApiError 409 when it is still too large, or when the client does not accept gzip
 */
export const fitted = (event: APIGatewayProxyEvent, reply: Reply): Reply => {
  if (typeof reply.body !== 'string' || fits(reply.body)) return reply;
  const body = acceptsGzip(event) ? gzipSync(reply.body).toString('base64') : undefined;
  if (body === undefined || reply.isBase64Encoded || !fits(body)) throw errors.replyTooLarge();
  const headers = { ...reply.headers, 'content-encoding': 'gzip' };
  return { ...reply, headers, body, isBase64Encoded: true };
};

/** Makes every reply fit. */
export const fitReply = (): Middleware => ({
  after: (request) => {
    if (request.response) request.response = fitted(request.event, request.response);
  },
});
