import { gzipSync } from 'node:zlib';
import * as errors from '../../base/errors.ts';
import { acceptsGzip } from '../request/headers.ts';
import type { Middleware } from './chain.ts';

/** Bytes of a function's reply (AWS Lambda, "Quotas"), minus some for the status and the headers. */
const MAX_BYTES = 6 * 1024 ** 2 - 16 * 1024;

/** Lambda sends the reply as JSON, which escapes quotes and backslashes; a short text fits in any case. */
const fits = (text: string): boolean =>
  3 * text.length <= MAX_BYTES || Buffer.byteLength(JSON.stringify(text)) <= MAX_BYTES;

/**
 * Compresses a reply that is larger than a function may return.
 * @throws ApiError 409 when it is still too large, or when the client does not accept gzip
 */
export const fitReply = (): Middleware => ({
  after: (request) => {
    const { event, response } = request;
    if (typeof response?.body !== 'string' || fits(response.body)) return;
    const body = acceptsGzip(event) ? gzipSync(response.body).toString('base64') : undefined;
    if (body === undefined || response.isBase64Encoded || !fits(body)) {
      throw errors.replyTooLarge();
    }
    const headers = { ...response.headers, 'content-encoding': 'gzip' };
    request.response = { ...response, headers, body, isBase64Encoded: true };
  },
});
