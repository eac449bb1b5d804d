import type { Problem } from '../../base/problem.ts';
import type { Recurrence } from '../../schemas/recurrence.ts';
import { MAX_YEARS } from './calendar.ts';
import { occurrences } from './occurrences.ts';
import { readRule } from './rule.ts';

/**
 * Everything that is wrong with a recurrence and that its schema cannot see: a rule that cannot be read, and one that
 * never occurs. The work for it is bounded, whatever the rule.
 * @param at the path of the recurrence in the request
 */
export const problems = (
  recurrence: Recurrence,
  at: readonly string[] = ['body', 'recurrence'],
): Problem[] => {
  const { rule, problems: found } = readRule(recurrence.rrule);
  const { done } = rule ? occurrences(recurrence, { starts_on: null, ends_on: null }).next() : {};
  const never = done
    ? [`the rule does not occur within ${MAX_YEARS} years after ${recurrence.dtstart_local}`]
    : [];
  return [...found, ...never].map((problem) => ({
    loc: [...at, 'rrule'],
    type: 'value_error',
    msg: `Value error, ${problem}`,
    input: recurrence.rrule,
  }));
};
