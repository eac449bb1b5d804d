import type { Problem } from './problem.ts';

/**
 * The one way to answer a request with a failure. `detail` is the body's only field: a text, or for 422 the
 * list of every problem found (contract, "Errors"). It reaches the client's logs, so it carries no secret and
 * nothing about another organization.
 */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly detail: string | Problem[];

  constructor(status: number, detail: string | Problem[], options?: ErrorOptions) {
    super(typeof detail === 'string' ? detail : `${detail.length} validation problem(s)`, options);
    this.status = status;
    this.detail = detail;
  }
}

/** 400: a malformed request, or a well-formed reference to something the organization does not have. */
export const badRequest = (detail: string) => new ApiError(400, detail);

/** 401: no key, or one that no longer (or never did) authenticate. */
export const unauthorized = (detail: string) => new ApiError(401, detail);

/** 403: the key is known but may not do this. */
export const forbidden = (detail: string) => new ApiError(403, detail);

/** 403: what only a signed-in person may use (contract, "Authentication", rule 6). */
export const personNeeded = () =>
  forbidden('AI features need a signed-in person; an API key cannot use them');

/** 403 in the contract's words: a key of the table outside the caller's organization was about to be used. */
export const forbiddenByRowLevelSecurity = () => forbidden('forbidden by row-level security');

/** 404: does not exist, or belongs to another organization; the two are not told apart. */
export const notFound = (what: string) => new ApiError(404, `${what} not found`);

/** 409: the request contradicts the current state, which the text names. */
export const conflict = (detail: string) => new ApiError(409, detail);

/** Bytes of JSON that a list of problems may have: a reply holds 6 MB (Lambda quotas), its quotes escaped. */
const MOST_LISTED = 4_000_000;

/** As many of the problems as a reply holds, and a last one that counts the others. */
const listed = (problems: Problem[]): Problem[] => {
  let bytes = 0;
  const end = problems.findIndex((problem) => {
    bytes += Buffer.byteLength(JSON.stringify(problem));
    return bytes > MOST_LISTED;
  });
  if (end === -1) return problems;
  const msg = `Value error, ${problems.length - end} more problems are not listed`;
  return [...problems.slice(0, end), { loc: problems[end]!.loc.slice(0, 1), type: 'value_error', msg }];
};

/** 422: every problem of the request at once. */
export const unprocessable = (problems: Problem[]) => new ApiError(422, listed(problems));

/** 429: without Retry-After or rate-limit headers (contract, "Limits"). */
export const tooManyRequests = () => new ApiError(429, 'rate limit exceeded');

/** 503: a dependency is throttled, timed out or down; the client retries with exponential backoff. */
export const unavailable = (what: string, cause?: unknown) =>
  new ApiError(503, `${what} is briefly unavailable, try again`, { cause });
