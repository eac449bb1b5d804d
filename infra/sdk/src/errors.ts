/** One thing that is wrong with a request. */
export interface InvalidValue {
  /** The place of the value: `body`, `query`, `path` or `header`, followed by the names that lead to it. */
  loc: string[];
  /** What is wrong, for people. */
  msg: string;
  /** What is wrong, for programs. */
  type: string;
}

/** The service refused a request, or failed. */
export class ApiError<Code extends string = string> extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** What went wrong, for programs. */
  readonly code: Code;
  /** What went wrong, for logs; everything that is wrong with the request when the status is 422. */
  readonly detail: string | InvalidValue[];
  /** What the service calls the request in its own logs. */
  readonly requestId: string | undefined;

  constructor(request: string, { status, headers }: Response, detail: string | InvalidValue[]) {
    const text =
      typeof detail === 'string'
        ? detail
        : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
    super(`${request} answered ${status}: ${text}`);
    this.status = status;
    this.code = (headers.get('x-error-code') ?? `http_${status}`) as Code;
    this.detail = detail;
    this.requestId = headers.get('x-request-id') ?? undefined;
  }
}

/** There was no reply: the service was not reached, the connection broke, or the time limit was over. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** What the service was to make, such as a report, has failed. */
export class FailedError extends Error {
  override readonly name = 'FailedError';
}

/** Whether the service answered with an error that has one of these codes, or any when none is named. */
export const isApiError = <Code extends string>(error: unknown, ...codes: Code[]): error is ApiError<Code> =>
  error instanceof ApiError && (codes.length === 0 || codes.includes(error.code as Code));
