import * as errors from '../shared/base/errors.ts';

/** The stage of the deployed API. */
export const STAGE = 'live';

/** How long API Gateway waits for a function, in seconds. */
export const GATEWAY_TIMEOUT = {
  /** Until the whole response has arrived. */
  buffered: 29,
  /** Until a streamed response has ended. */
  streamed: 300,
} as const;

/** A function times out this many seconds before the gateway does, so that the client gets our own 503. */
export const TIMEOUT_MARGIN = 1;

/** The errors that the gateway answers itself, locally and in the cloud. */
export const GATEWAY_ERRORS = {
  unauthorized: errors.apiKeyUnknown(),
  notFound: errors.operationNotFound(),
  refused: errors.requestRefused(),
  rateLimit: errors.rateLimitExceeded(),
  internal: errors.internalError(),
  unavailable: errors.unavailable('The service'),
} as const;
