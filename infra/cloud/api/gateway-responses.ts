import type { ApiError } from '../../../shared/base/api-error.ts';
import { requestMalformed } from '../../../shared/base/errors.ts';
import { KEY_CHALLENGE, SAFE_HEADERS } from '../../../shared/base/headers.ts';
import { REQUEST_ID } from '../../../shared/base/request.ts';
import { GATEWAY_ERRORS } from '../../gateway.ts';

const MESSAGE_OF_GATEWAY = '$context.error.messageString';

/** Fixed headers, as API Gateway takes them. */
const headersOf = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, `'${value}'`]),
  );

const response = (code: string, detail: string) => ({
  responseTemplates: { 'application/json': `{"detail": ${detail}}` },
  responseParameters: {
    ...headersOf({ 'X-Error-Code': code, ...SAFE_HEADERS }),
    [`gatewayresponse.header.${REQUEST_ID}`]: 'context.requestId',
  },
});

const fixed = ({ status, code, detail }: ApiError) => ({
  statusCode: status,
  ...response(code, JSON.stringify(detail)),
});

const malformed = {
  statusCode: requestMalformed.status,
  ...response(requestMalformed.code, MESSAGE_OF_GATEWAY),
};
// On an unknown route, API Gateway takes a Bearer header for an AWS signature. Its own text would be misleading and
// may repeat the header.
const unknownRoute = fixed(GATEWAY_ERRORS.notFound);
const withoutKey = fixed(GATEWAY_ERRORS.unauthorized);
const unauthorized = {
  ...withoutKey,
  responseParameters: {
    ...withoutKey.responseParameters,
    ...headersOf({ 'WWW-Authenticate': KEY_CHALLENGE }),
  },
};
const overLimit = fixed(GATEWAY_ERRORS.rateLimit);
const unavailable = fixed(GATEWAY_ERRORS.unavailable);

/** What the gateway answers itself: the statuses of the contract, with its one error body (contract, "Errors"). */
export const GATEWAY_RESPONSES = {
  DEFAULT_4XX: response(GATEWAY_ERRORS.refused.code, MESSAGE_OF_GATEWAY),
  UNAUTHORIZED: unauthorized,
  // The default for a crashed function is 502, which is not a status of the contract.
  DEFAULT_5XX: fixed(GATEWAY_ERRORS.internal),
  MISSING_AUTHENTICATION_TOKEN: unknownRoute,
  INVALID_SIGNATURE: unknownRoute,
  ACCESS_DENIED: unknownRoute,
  RESOURCE_NOT_FOUND: unknownRoute,
  REQUEST_TOO_LARGE: malformed,
  UNSUPPORTED_MEDIA_TYPE: malformed,
  BAD_REQUEST_BODY: malformed,
  THROTTLED: overLimit,
  QUOTA_EXCEEDED: overLimit,
  INTEGRATION_TIMEOUT: unavailable,
  INTEGRATION_FAILURE: unavailable,
} as const;
