import type { Comparison, Condition, Operand } from '../../../../schemas/templates/content.ts';
import { type Expression, mirrored } from '../../expressions/expression.ts';
import {
  answerValue,
  isNumber,
  literalOf,
  operators,
  type Scalar,
  type Target,
} from '../../expressions/literals.ts';
import { boolean, choice, numeric, textual } from '../../form/sheets.ts';

type Op = Comparison['op'];

/** The most parts of an `all` or `any` (`Condition`). */
const MAX_PARTS = 100;

const opposite: Partial<Record<Op, Op>> = {
  eq: 'ne',
  ne: 'eq',
  in: 'not_in',
  not_in: 'in',
  empty: 'not_empty',
  not_empty: 'empty',
  gt: 'lte',
  gte: 'lt',
  lt: 'gte',
  lte: 'gt',
};

/**
 * Operators that treat an empty answer as XPath does. The others are false for an empty answer, although the negation
 * of an expression may be true for it.
 */
const COVERS_EMPTY = new Set<Op>(['eq', 'ne', 'in', 'not_in', 'empty', 'not_empty']);

const comparison = ({ reference }: Target, op: Op, value?: Operand): Condition => ({
  ...reference,
  op,
  ...(value !== undefined && { value }),
});

const joined = (by: 'all' | 'any', parts: readonly (Condition | undefined)[]): Condition | undefined => {
  const known = parts.flatMap((part) => {
    if (!part) return [];
    const inner = (part as Partial<Record<'all' | 'any', Condition[]>>)[by];
    return inner ?? [part];
  });
  if (parts.includes(undefined) || known.length > MAX_PARTS) return undefined;
  return { [by]: known } as unknown as Condition;
};

/** The opposite of a comparison; undefined where there is none. */
const negated = (target: Target, condition: Condition | undefined): Condition | undefined => {
  if (!condition || !('op' in condition)) return undefined;
  const op = opposite[condition.op];
  // With several answers, a comparison holds if it holds for any of them. No comparison says that it holds for none.
  if (!op || !target.isOnce) return undefined;
  const turned = { ...condition, op };
  return COVERS_EMPTY.has(op) ? turned : joined('any', [comparison(target, 'empty'), turned]);
};

/**
 * The other form of a result that XPath takes for equal: the text of a number, or the number or boolean that a text
 * says.
 */
const equalResult = (value: string | number): Scalar | undefined => {
  if (typeof value === 'number') return String(value);
  if (isNumber(value)) return Number(value);
  return value === 'true' || value === 'false' ? value === 'true' : undefined;
};

/** `answer operator literal` */
const compared = (target: Target, operator: string, literal: Scalar): Condition | undefined => {
  const op = operators[operator]!;
  const isEquality = op === 'eq' || op === 'ne';
  if (literal === '') return isEquality ? comparison(target, op === 'eq' ? 'empty' : 'not_empty') : undefined;
  if (target.type === 'multi_select' && isEquality && typeof literal === 'string' && literal.includes(' ')) {
    const values = literal.split(/\s+/).map((name) => String(answerValue(target, name)));
    return comparison(target, op, values);
  }
  const value = answerValue(target, literal);
  if (value === undefined) return undefined;
  const hasOrder = !choice.has(target.type) && !textual.has(target.type) && typeof value !== 'boolean';
  if (!isEquality) return hasOrder ? comparison(target, op, value) : undefined;
  const other = target.type === 'calculated' && typeof value !== 'boolean' ? equalResult(value) : undefined;
  return other === undefined
    ? comparison(target, op, value)
    : comparison(target, op === 'eq' ? 'in' : 'not_in', [value, other]);
};

/** `selected(answer, literal)` */
const selected = (target: Target, literal: Scalar): Condition | undefined => {
  const value = answerValue(target, literal);
  if (value === undefined || literal === '') return undefined;
  if (target.type === 'multi_select') return comparison(target, 'contains', value);
  return choice.has(target.type) || boolean.has(target.type) ? comparison(target, 'eq', value) : undefined;
};

/** A bare answer. XPath takes it for true if it is not empty. */
const answered = (target: Target): Condition | undefined => {
  if (numeric.has(target.type) || target.type === 'calculated') return undefined;
  return boolean.has(target.type) ? comparison(target, 'eq', true) : comparison(target, 'not_empty');
};

/** `string-length(answer) operator count` and the like, if it only asks whether there is an answer. */
const measured = (target: Target, operator: string, count: Scalar): Condition | undefined => {
  const isAny =
    (operator === '>' && count === 0) ||
    (operator === '>=' && count === 1) ||
    (operator === '!=' && count === 0);
  const isNone = (operator === '=' && count === 0) || (operator === '<' && count === 1);
  return isAny || isNone ? comparison(target, isAny ? 'not_empty' : 'empty') : undefined;
};

const MEASURES = new Set(['string-length', 'count-selected']);

type TargetOf = (name: string) => Target;
type Operation = Expression & { kind: 'operation' };
type Call = Expression & { kind: 'call' };

/** The target of a comparison, with the condition if there is one; undefined where the target is not known. */
type Compared = { target: Target; condition: Condition | undefined } | undefined;

const callCondition = ({ name, parts }: Call, targetOf: TargetOf): Compared => {
  const [first, second] = parts;
  const literal = second && literalOf(second);
  if (parts.length !== 2 || first?.kind !== 'answer' || literal === undefined) return undefined;
  const target = targetOf(first.name);
  if (name === 'selected') return { target, condition: selected(target, literal) };
  return name === 'contains' && textual.has(target.type) && literal !== ''
    ? { target, condition: comparison(target, 'contains', String(literal)) }
    : undefined;
};

const comparisonCondition = ({ operator, left, right }: Operation, targetOf: TargetOf): Compared => {
  if (!operators[operator]) return undefined;
  const [subject, other, turned] =
    literalOf(left) === undefined ? [left, right, operator] : [right, left, mirrored[operator]!];
  const literal = literalOf(other);
  if (literal === undefined) return undefined;
  if (subject.kind === 'answer') {
    const target = targetOf(subject.name);
    return { target, condition: compared(target, turned, literal) };
  }
  const [answer] = subject.kind === 'call' && subject.parts.length === 1 ? subject.parts : [];
  if (subject.kind !== 'call' || answer?.kind !== 'answer' || !MEASURES.has(subject.name)) return undefined;
  const target = targetOf(answer.name);
  return { target, condition: measured(target, turned, literal) };
};

/** The condition of an expression that refers to a single answer. */
const singleCondition = (expression: Expression, targetOf: TargetOf): Compared => {
  switch (expression.kind) {
    case 'answer': {
      const target = targetOf(expression.name);
      return { target, condition: answered(target) };
    }
    case 'call':
      return callCondition(expression, targetOf);
    case 'operation':
      return comparisonCondition(expression, targetOf);
    case 'number':
    case 'text':
    case 'self':
    case 'column':
    case 'minus':
      return undefined;
  }
};

/**
 * The condition that holds for the same answers as an expression; undefined where there is none, as for a
 * comparison of two answers or for a sum.
 * @param targetOf the question that a name refers to; throws where the content does not have it
 * @param isNegated whether the condition holds where the expression does not
 */
export const conditionOf = (
  expression: Expression,
  targetOf: TargetOf,
  isNegated = false,
): Condition | undefined => {
  if (expression.kind === 'call' && expression.parts.length === 1) {
    const [inner] = expression.parts;
    if (expression.name === 'not') return conditionOf(inner!, targetOf, !isNegated);
    if (expression.name === 'boolean') return conditionOf(inner!, targetOf, isNegated);
  }
  if (expression.kind === 'operation' && (expression.operator === 'and' || expression.operator === 'or')) {
    const by = (expression.operator === 'and') !== isNegated ? 'all' : 'any';
    return joined(by, [
      conditionOf(expression.left, targetOf, isNegated),
      conditionOf(expression.right, targetOf, isNegated),
    ]);
  }
  const found = singleCondition(expression, targetOf);
  if (!found) return undefined;
  return isNegated ? negated(found.target, found.condition) : found.condition;
};
