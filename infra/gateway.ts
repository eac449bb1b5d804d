import * as errors from '../shared/base/errors.ts';
import type { Audience } from '../shared/http/operation/surface.ts';

/** The stage of the deployed API. */
export const STAGE = 'live';

/**
 * The requests that API Gateway admits to each API per second and at once. A flood of one audience leaves the other one
 * its own.
 */
export const THROTTLE = {
  machines: { rate: 1_000, burst: 2_000 },
  people: { rate: 500, burst: 1_000 },
} as const satisfies Record<Audience, object>;

/** Those who have an API of their own. */
export const AUDIENCES = Object.keys(THROTTLE) as Audience[];

/**
 * How many path nodes one API may have, the root included. API Gateway's default quota is 300 resources; AWS raises
 * it on request.
 */
export const MAX_PATH_NODES = 299;

/** The path nodes of paths, the root included. API Gateway calls them resources. */
export const nodesOf = (paths: readonly string[]): Set<string> =>
  new Set(
    paths.flatMap((path) =>
      path.split('/').map((_, position, segments) => segments.slice(0, position + 1).join('/')),
    ),
  );

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
