import type { Comparison, Condition } from '../../schemas/templates/content.ts';
import { asText, callOf, type Expression, operationOf } from '../expressions/expression.ts';
import { odkLiteral, operators, type Reference, type Scalar, type Target } from '../expressions/literals.ts';
import { joinedBy } from './constraint-expressions.ts';

/** The question that a reference means, with its name in the form. */
export interface NamedTarget {
  name: string;
  target: Target;
}

/** Whether the answer is the value, or has it among others. */
const hasValue = (target: Target, answer: Expression, value: Scalar): Expression | undefined => {
  const written = odkLiteral(target, value);
  if (!written) return undefined;
  return target.type === 'multi_select'
    ? callOf('selected', answer, written)
    : operationOf('=', answer, written);
};

const hasAny = (target: Target, answer: Expression, values: readonly Scalar[]): Expression | undefined =>
  joinedBy(
    'or',
    values.map((value) => hasValue(target, answer, value)),
  );

const contains = (target: Target, answer: Expression, values: readonly Scalar[]): Expression | undefined => {
  if (target.type === 'multi_select')
    return joinedBy(
      'and',
      values.map((value) => hasValue(target, answer, value)),
    );
  const [part] = values;
  return typeof part === 'string' && values.length === 1
    ? callOf('contains', answer, asText(part))
    : undefined;
};

const comparedWith = (
  target: Target,
  answer: Expression,
  { op, value: given }: Comparison,
): Expression | undefined => {
  const value = given ?? '';
  if (Array.isArray(value) || value === '') return undefined;
  if (target.type === 'multi_select' && op !== 'eq' && op !== 'ne') return hasValue(target, answer, value);
  const operator = Object.keys(operators).find((each) => operators[each] === op)!;
  const written = odkLiteral(target, value);
  return written && operationOf(operator, answer, written);
};

const comparisonExpression = (
  target: Target,
  answer: Expression,
  comparison: Comparison,
): Expression | undefined => {
  const { op, value } = comparison;
  const values = [value ?? []].flat();
  switch (op) {
    case 'empty':
      return operationOf('=', answer, asText(''));
    case 'not_empty':
      return operationOf('!=', answer, asText(''));
    case 'failed':
      return hasAny(target, answer, target.failed ?? []);
    case 'in':
      return hasAny(target, answer, values);
    case 'not_in': {
      const any = hasAny(target, answer, values);
      return any && callOf('not', any);
    }
    case 'contains':
      return contains(target, answer, values);
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return comparedWith(target, answer, comparison);
  }
};

/**
 * The expression of ODK that holds for the same answers as a condition; undefined where there is none.
 * @param find the question that a reference means
 */
export const conditionExpression = (
  condition: Condition,
  find: (reference: Reference) => NamedTarget | undefined,
): Expression | undefined => {
  if ('all' in condition)
    return joinedBy(
      'and',
      condition.all.map((part) => conditionExpression(part, find)),
    );
  if ('any' in condition)
    return joinedBy(
      'or',
      condition.any.map((part) => conditionExpression(part, find)),
    );
  const found = find(condition);
  return found && comparisonExpression(found.target, { kind: 'answer', name: found.name }, condition);
};
