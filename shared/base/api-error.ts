import type { Problem } from './problem.ts';

/** What describes one kind of error, beside the function that makes it. */
export interface ErrorKind {
  status: number;
  /** Stable and unique: the value of `X-Error-Code`. */
  code: string;
  /** Two sentences for the API reference: when a request gets this error, and what the client can do. */
  meaning: string;
}

/**
 * The one way to answer a request with a failure. `detail` is the body's only field: a text, or for 422 the
 * list of every problem found (contract, "Errors"). It reaches the client's logs, so it carries no secret and
 * nothing about another organization.
 */
export class ApiError<Detail extends string | Problem[] = string | Problem[]> extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly detail: Detail;

  constructor({ status, code }: Pick<ErrorKind, 'status' | 'code'>, detail: Detail, options?: ErrorOptions) {
    super(typeof detail === 'string' ? detail : `${detail.length} validation problem(s)`, options);
    this.status = status;
    this.code = code;
    this.detail = detail;
  }
}

/** Bytes of JSON that a list of problems may have: a reply holds 6 MB (Lambda quotas), its quotes escaped. */
const MAX_PROBLEM_BYTES = 4_000_000;

/**
 * The first problems of a list. If some do not fit, a last problem counts them.
 * @param maxBytes bytes of JSON that they may have
 */
export const firstProblems = <Each extends Omit<Problem, 'input' | 'ctx'>>(
  problems: readonly Each[],
  maxBytes: number,
): (Each | Pick<Problem, 'loc' | 'msg' | 'type'>)[] => {
  let bytes = 0;
  const end = problems.findIndex((problem) => {
    bytes += Buffer.byteLength(JSON.stringify(problem));
    return bytes > maxBytes;
  });
  if (end === -1) return [...problems];
  const msg = `Value error, ${problems.length - end} more problems are not listed`;
  return [...problems.slice(0, end), { loc: problems[end]!.loc.slice(0, 1), type: 'value_error', msg }];
};

/** Makes the errors of one kind, and says what the kind is. */
export type ErrorMaker<Args extends unknown[], Detail extends string | Problem[]> = ErrorKind &
  ((...args: Args) => ApiError<Detail>);

/**
 * A kind of error with a text.
 * @param message the text, from what the error is about
 */
export function defineError<Args extends unknown[]>(
  status: number,
  code: string,
  meaning: string,
  message: (...args: Args) => string,
): ErrorMaker<Args, string> {
  const kind: ErrorKind = { status, code, meaning };
  return Object.assign((...args: Args) => new ApiError(kind, message(...args)), kind);
}

/** A kind of 422, whose `detail` is the list of every problem. */
export function defineProblems(code: string, meaning: string): ErrorMaker<[problems: Problem[]], Problem[]> {
  const kind: ErrorKind = { status: 422, code, meaning };
  return Object.assign(
    (problems: Problem[]) => new ApiError(kind, firstProblems(problems, MAX_PROBLEM_BYTES)),
    kind,
  );
}
