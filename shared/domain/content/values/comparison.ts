import type { Comparison, FailRule, Operand } from '../../../schemas/templates/content.ts';
import type { ContentIndex, Question } from '../content-index.ts';
import { isEmpty } from './answer.ts';
import { chosenOptions } from './choices.ts';
import { comparable } from './times.ts';

/**
 * The order of an answer and an operand.
 * @returns a number below 0 when the answer comes first, above 0 when the operand does, 0 when they are equal, and
 *   NaN when they have no order
 */
export const order = (answer: unknown, operand: unknown): number => {
  const [a, b] = [comparable(answer), comparable(operand)];
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : Number(a > b);
  return Number.NaN;
};

/**
 * Whether a comparison holds for an answer. A list equals a list with the same members in any order, and is `in` a
 * list that shares a member with it. For an empty answer only `empty`, `ne` and `not_in` hold.
 */
export const holds = (
  op: Exclude<Comparison['op'], 'failed'> | FailRule['op'],
  answer: unknown,
  operand?: Operand | null,
): boolean => {
  if (op === 'empty') return isEmpty(answer);
  if (op === 'not_empty') return !isEmpty(answer);
  if (op === 'ne') return !holds('eq', answer, operand);
  if (op === 'not_in') return !holds('in', answer, operand);
  if (isEmpty(answer)) return false;
  const answers = [answer].flat().map(comparable);
  const operands = [operand].flat().map(comparable);
  switch (op) {
    case 'eq':
      return answers.length === operands.length && operands.every((value) => answers.includes(value));
    case 'in':
      return answers.some((value) => operands.includes(value));
    case 'contains':
      return Array.isArray(answer)
        ? operands.every((value) => answers.includes(value))
        : typeof answer === 'string' && typeof operand === 'string' && answer.includes(operand);
    case 'gt':
      return order(answer, operand) > 0;
    case 'gte':
      return order(answer, operand) >= 0;
    case 'lt':
      return order(answer, operand) < 0;
    case 'lte':
      return order(answer, operand) <= 0;
    case 'outside':
      return order(answer, operands[0]) < 0 || order(answer, operands[1]) > 0;
  }
};

/** Whether a checked answer is a failed one, by the option chosen or by the field's `fail_if`. */
export const isFailed = (field: Question, index: ContentIndex, value: unknown): boolean => {
  if (isEmpty(value)) return false;
  if (chosenOptions(field, index, value).some((option) => option.is_failed)) return true;
  const rule = 'fail_if' in field ? field.fail_if : null;
  return rule !== null && holds(rule.op, value, rule.value);
};
