import { ApiError, type ErrorKind, listed } from '../api-error.ts';
import type { Problem } from '../problem.ts';

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
  return Object.assign((problems: Problem[]) => new ApiError(kind, listed(problems)), kind);
}
