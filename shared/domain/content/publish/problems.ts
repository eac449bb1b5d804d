import type { Problem, ProblemType } from '../../../base/problem.ts';

/** A problem of a content. @param loc beginning with `content` */
export const problemAt = (
  loc: string[],
  msg: string,
  type: ProblemType = 'value_error',
  ctx?: Problem['ctx'],
): Problem => ({
  loc,
  msg: type === 'value_error' ? `Value error, ${msg}` : msg,
  type,
  ...(ctx && { ctx }),
});

/** The problem of having too many of something; `[]` when there are not too many. */
export const atMost = (loc: string[], what: string, most: number, actual: number): Problem[] =>
  actual <= most
    ? []
    : [
        problemAt(loc, `There should be at most ${most} ${what}, not ${actual}`, 'too_long', {
          max_length: most,
          actual_length: actual,
        }),
      ];

/** One problem for each name that an earlier part has already. */
export const duplicates = (parts: Iterable<[name: string, loc: string[]]>): Problem[] => {
  const seen = new Set<string>();
  const problems: Problem[] = [];
  for (const [name, loc] of parts) {
    if (seen.has(name)) problems.push(problemAt(loc, `${JSON.stringify(name)} is used more than once`));
    seen.add(name);
  }
  return problems;
};
