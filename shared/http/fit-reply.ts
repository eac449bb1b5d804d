import { gzipSync } from 'node:zlib';
import { conflict } from '../base/errors.ts';
import type { Middleware } from './chain.ts';
import { acceptsGzip } from './respond.ts';

/** Bytes of a function's reply (Lambda quotas), less some for its status and headers. */
const MOST_BYTES = 6 * 1024 ** 2 - 16 * 1024;

/** The reply's own JSON escapes quotes and backslashes; short texts need not be counted. */
const fits = (text: string): boolean =>
  3 * text.length <= MOST_BYTES || Buffer.byteLength(JSON.stringify(text)) <= MOST_BYTES;

/** Compresses a reply that is too large for a function. @throws ApiError 409 where that is no help, or the client takes none */
export const fitReply = (): Middleware => ({
  after: (request) => {
    const { event, response } = request;
    if (typeof response?.body !== 'string' || fits(response.body)) return;
    const body = acceptsGzip(event) ? gzipSync(response.body).toString('base64') : undefined;
    if (body === undefined || response.isBase64Encoded || !fits(body)) {
      throw conflict('the reply is larger than 6 MB, which only fits where gzip is accepted');
    }
    const headers = { ...response.headers, 'content-encoding': 'gzip' };
    request.response = { ...response, headers, body, isBase64Encoded: true };
  },
});
