import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as errors from '../../base/errors.ts';

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
