import type { FieldType } from '../../schemas/templates/content.ts';
import { asText, callOf, type Expression, numberOf, operationOf } from '../expressions/expression.ts';
import { type Limits, numeric, textual } from '../form/field-kinds.ts';

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
