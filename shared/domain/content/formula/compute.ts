import type { Formula, Given, Operand } from './parse.ts';
import { type Result, resultOf, type Value, valueOf } from './values.ts';

/**
 * Computes a formula over answers. It never throws: what cannot be computed is null, which means no answer.
 *
 * - Arithmetic is exact, with decimals and fractions; a result has 15 significant digits. A result beyond ±1e15 is
 *   null, and one nearer to zero than 1e-15 is 0. The same happens to intermediate results beyond 1e±400. A fraction
 *   whose parts have more than 80 digits together is rounded to 40 significant digits.
 * - Where a number is needed, a boolean counts as 1 or 0, and a text counts when it writes a decimal number, as the
 *   value of an option may. Nothing, any other text, and a division by zero give null.
 * - `=` compares numbers when one side is a number, and `<` when both sides can be numbers. Otherwise they compare
 *   texts, and dates and times by time. A date and a date-time compare by the date in the latter. A comparison with
 *   nothing is null, but `= ''` and `!= ''` tell whether there is an answer.
 * - `+` and `-` move a date by whole days, and `-` gives the days between two dates.
 * - `sum`, `count`, `min` and `max` take every instance of an operand and skip missing answers. Without any answer,
 *   `sum` and `count` are 0, and `min` and `max` are null. `concat` and `coalesce` skip missing answers, too.
 * - `count_instances` counts missing answers too, so it gives the number of instances of a repeat section.
 * - In `if`, `and`, `or` and `not`, nothing, 0, `''` and false count as false.
 * - `round` rounds half up, to `digits` after the decimal point. `int` rounds towards zero. `substr(text, start, end)`
 *   counts characters from 0 and leaves out the one at `end`; negative numbers count from the end.
 * - The answer to a multi_select is a list for `selected` and `count_selected`. For all others it is a text of its
 *   options, joined by spaces. In a text, `selected` finds the whole text or one of its words.
 * - A result is cut after 1,000 characters; an empty text is null.
 *
 * @param read the stored answers of an operand, one per instance in scope, null for a missing one. It is called once
 *   for each operand, before anything is computed.
 * @param given what else the expression refers to, in the form of a stored answer
 */
export const compute = (
  { operands, steps }: Formula,
  read: (operand: Operand) => readonly unknown[],
  given: (name: Given) => unknown = () => null,
): Result => {
  const answers = new Map(operands.map((operand) => [operand, read(operand).map(valueOf)]));
  const results: (readonly Value[])[] = [];
  for (const step of steps)
    if ('routine' in step)
      results.push([step.routine.apply(results.splice(results.length - step.arity).flat())]);
    else if ('value' in step) results.push([step.value]);
    else if ('given' in step) results.push([valueOf(given(step.given))]);
    else {
      const given = answers.get(step.operand)!;
      results.push(step.isAggregated ? given : [given.length === 1 ? given[0]! : null]);
    }
  return resultOf(results[0]![0]!);
};
