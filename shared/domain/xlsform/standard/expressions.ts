import type { Comparison, Condition, FieldType } from '../../../schemas/templates/content.ts';
import { asText, callOf, type Expression, operationOf, numberOf } from '../expressions/expression.ts';
import { odkLiteral, operators, type Reference, type Scalar, type Target } from '../expressions/literals.ts';
import { cellText, type Limits, numeric, textual } from '../form/sheets.ts';

/**
 * A text as a cell can hold it. pyxform replaces `${name}` by an answer and refuses a form in which there is no such
 * name, so every other `${` gets a space.
 * @param nameOf the name in the form for what a `${…}` of the text refers to; undefined for an ordinary text
 */
export const shownText = (text: string, nameOf: (reference: string) => string | undefined): string =>
  cellText(text).replaceAll(/\$\{(?:([^{}]*)\})?/g, (whole, reference: string | undefined) => {
    const name = reference === undefined ? undefined : nameOf(reference);
    return name === undefined ? whole.replace('${', '$ {') : `\${${name}}`;
  });

/** A text for a comparison with the text of a cell: it has no changes that `shownText` makes. */
export const comparableText = (text: string): string => cellText(text).replaceAll('$ {', '${');

/** The question that a reference means, with its name in the form. */
export interface NamedTarget {
  name: string;
  target: Target;
}

/** The expression for an answer that is the value, or contains it. */
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

const self: Expression = { kind: 'self' };

const bound = (operator: string, subject: Expression, value: number | null): Expression[] => {
  const written = value === null ? undefined : numberOf(value);
  return written ? [operationOf(operator, subject, written)] : [];
};

/** The limits of a field as the parts of a constraint of ODK. */
export const limitExpressions = (type: FieldType, limits: Limits): Expression[] => {
  const { min, max } = numeric.has(type) ? limits : { min: null, max: null };
  const { pattern, max_length } = textual.has(type) ? limits : { pattern: null, max_length: null };
  const isQuotable = pattern !== null && !(pattern.includes("'") && pattern.includes('"'));
  return [
    ...bound('>=', self, min),
    ...bound('<=', self, max),
    ...(isQuotable ? [callOf('regex', self, asText(pattern))] : []),
    ...bound('<=', callOf('string-length', self), max_length),
  ];
};

/** Joins expressions by an operator; undefined for none, and where one of them is undefined. */
export const joinedBy = (
  operator: string,
  parts: readonly (Expression | undefined)[],
): Expression | undefined =>
  parts.length === 0
    ? undefined
    : parts.reduce((left, right) => left && right && operationOf(operator, left, right));
