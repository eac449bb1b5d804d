import { gzipSync } from 'node:zlib';
import { SAFE_HEADERS } from '../base/headers.ts';
import { newHandler, answerErrors } from './lambda.ts';
import type { HttpRequest } from './middlewares/chain.ts';
import type { AssetOperation } from './operation/operation.ts';
import type { Asset } from './operation/responses.ts';
import type { Reply } from './reply/reply.ts';
import { acceptsGzip } from './request/event.ts';

/** A year, the longest time that caches know (RFC 9111, section 5.2.2.1), without asking again (RFC 8246). */
const FOR_EVER = 'public, max-age=31536000, immutable';

const replyOf = ({ bytes, mediaType }: Asset, isCompressed: boolean): Reply => ({
  statusCode: 200,
  headers: {
    ...SAFE_HEADERS,
    'content-type': mediaType,
    'cache-control': FOR_EVER,
    vary: 'Accept-Encoding',
    ...(isCompressed && { 'content-encoding': 'gzip' }),
  },
  body: Buffer.from(isCompressed ? gzipSync(bytes) : bytes).toString('base64'),
  isBase64Encoded: true,
});

/**
 * The Lambda handler of a file that pages load. It reaches no data and asks nobody who they are.
 * @param logic finds the file by the last part of the path. @throws ApiError 404
 */
export const createAssetHandler = (operation: AssetOperation, logic: (file: string) => Asset) =>
  newHandler(operation, {
    middlewares: [answerErrors()],
    run: ({ event }: HttpRequest): Reply =>
      replyOf(logic(event.pathParameters?.['file'] ?? ''), acceptsGzip(event)),
  });
