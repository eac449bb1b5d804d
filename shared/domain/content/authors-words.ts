import type { Problem } from '../../base/problem.ts';
import type { Question } from './content-index.ts';

/**
 * The types of the problems of a value that breaks a limit of its field. A number between two steps has the type
 * `value_error`, and `multiple_of` in its `ctx`.
 */
const LIMITS: ReadonlySet<string> = new Set([
  'greater_than_equal',
  'less_than_equal',
  'string_pattern_mismatch',
  'string_too_long',
]);

const breaksLimit = ({ loc, type, ctx = {} }: Problem): boolean =>
  loc.length === ['body', 'value'].length && (LIMITS.has(type) || 'multiple_of' in ctx);

/** The problems of a value, with the author's message for breaking a limit of the field. */
export const inAuthorsWords = (
  { constraint_message: msg }: Question,
  problems: readonly Problem[],
): Problem[] =>
  msg === undefined
    ? [...problems]
    : problems.map((problem) => (breaksLimit(problem) ? { ...problem, msg } : problem));
