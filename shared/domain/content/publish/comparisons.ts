import type { Problem } from '../../../base/problem.ts';
import type { Comparison, FailRule } from '../../../schemas/templates/content.ts';
import { awaitsOptions, type ContentIndex, isChoice, optionsOf, type Question } from '../content-index.ts';
import { MOMENTS, NUMERIC, TEXTUAL } from '../field-types.ts';
import { checkAnswer } from '../values/check-answer.ts';
import { type Conditional, conditionsOf } from './conditionals.ts';
import { problemAt } from './problems.ts';
import { CONTAINING, ORDERED, STRUCTURED } from './type-groups.ts';

type Operator = Comparison['op'] | FailRule['op'];

const canFail = (index: ContentIndex, field: Question) =>
  ('fail_if' in field && field.fail_if !== null) ||
  awaitsOptions(index, field) ||
  optionsOf(index, field).some(({ is_failed }) => is_failed);

/** Whether an operator can hold for some answers of a field. */
const canCompare = (index: ContentIndex, field: Question, op: Operator): boolean => {
  const { type } = field;
  switch (op) {
    case 'eq':
    case 'ne':
    case 'in':
    case 'not_in':
      return !STRUCTURED.has(type);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return ORDERED.has(type);
    case 'outside':
      return ORDERED.has(type) && !MOMENTS.includes(type);
    case 'contains':
      return CONTAINING.has(type);
    case 'failed':
      return canFail(index, field);
    case 'empty':
    case 'not_empty':
      return true;
  }
};

/** Whether an operator can compare a field with a list of values. */
const takesList = ({ type }: Question, op: Operator): boolean =>
  ['in', 'not_in', 'outside'].includes(op) || type === 'multi_select';

/**
 * Tells which values an answer can be compared with: those that have the form of an answer. The field's limits do
 * not apply, because a comparison with a value beyond them is useful.
 */
const comparableWith = (index: ContentIndex, field: Question): ((value: unknown) => boolean) => {
  if (field.type === 'calculated') return () => true;
  if (NUMERIC.includes(field.type)) return (value) => typeof value === 'number';
  if (TEXTUAL.includes(field.type)) return (value) => typeof value === 'string';
  if (awaitsOptions(index, field)) return (value) => typeof value === 'string';
  if (isChoice(field)) {
    const names = new Set<unknown>(optionsOf(index, field).map(({ value }) => value));
    return (value) => names.has(value);
  }
  return (value) => {
    const checked = checkAnswer(field, index, value);
    return !Array.isArray(checked) && checked.value === value;
  };
};

/** What is wrong with comparing the answers to a field, in a condition or in `fail_if`. */
export function* comparisonProblems(
  index: ContentIndex,
  field: Question,
  { op, value }: Pick<Comparison, 'op' | 'value'> | FailRule,
  loc: string[],
): Generator<Problem> {
  if (!canCompare(index, field, op)) {
    yield problemAt(
      [...loc, 'op'],
      op === 'failed' ? 'an answer to this field cannot fail' : `${op} never holds for a ${field.type} field`,
    );
    return;
  }
  if (Array.isArray(value) && !takesList(field, op)) {
    yield problemAt([...loc, 'value'], `${op} takes a single value for a ${field.type} field, not a list`);
    return;
  }
  const isComparable = comparableWith(index, field);
  for (const operand of [value ?? []].flat())
    if (!isComparable(operand))
      yield problemAt(
        [...loc, 'value'],
        isChoice(field)
          ? `${JSON.stringify(operand)} is not an option of the field`
          : `${JSON.stringify(operand)} is not a possible answer to a ${field.type} field`,
      );
}

/** What is wrong with the conditions of a part: a field that does not exist, or a comparison that never holds. */
export function* conditionProblems(index: ContentIndex, conditional: Conditional): Generator<Problem> {
  for (const { condition, loc } of conditionsOf(conditional)) {
    if (!('op' in condition)) continue;
    const [member, target, missing] =
      'field_id' in condition
        ? (['field_id', index.fields.get(condition.field_id)?.field, 'field with this id'] as const)
        : (['start_key', index.startFields.get(condition.start_key), 'start field with this key'] as const);
    if (!target) yield problemAt([...loc, member], `the content has no ${missing}`);
    else if (target.type === 'instruction') yield problemAt([...loc, member], 'an instruction has no answer');
    else yield* comparisonProblems(index, target, condition, loc);
  }
}
