import type { Comparison, Condition, FieldType, Operand } from '../schemas/templates/content.ts';
import { callOf, type Expression, mirrored, numberOf, operationOf, asText } from './expressions.ts';
import { boolean, choice, dated, numeric, textual } from './kinds.ts';

export type Reference = { field_id: string } | { start_key: string };

/** What an expression refers to by a name. */
export interface Target {
  reference: Reference;
  type: FieldType;
  /** Of a choice; XLSForm's names are without spaces, and so may differ from the values. */
  options: readonly { name: string; value: string }[];
  /** Whether it has one answer where the condition stands. */
  isOnce: boolean;
  /** The answers that fail, where it is the options that say so. */
  failed?: readonly string[];
}

type Scalar = string | number | boolean;

const isNumber = (text: string) => text.trim() !== '' && Number.isFinite(Number(text));

/** A literal as it is written; undefined for what is none. */
const literalOf = (expression: Expression): Scalar | undefined => {
  switch (expression.kind) {
    case 'text':
      return expression.text;
    case 'number':
      return Number(expression.text);
    case 'minus': {
      const value = literalOf(expression.of);
      return typeof value === 'number' ? -value : undefined;
    }
    case 'call': {
      const [first] = expression.parts;
      if (expression.name === 'true' || expression.name === 'false') return expression.name === 'true';
      return ['date', 'date-time', 'string', 'number'].includes(expression.name) && first
        ? literalOf(first)
        : undefined;
    }
    case 'answer':
    case 'self':
    case 'operation':
      return undefined;
  }
};

const YES = new Set<Scalar>([true, 1, 'yes', 'true', 'OK', '1']);
const NO = new Set<Scalar>([false, 0, 'no', 'false', '0']);

/** A literal as the value that an answer of the target would have; undefined where it has none like it. */
const valueOf = ({ type, options }: Target, literal: Scalar): Scalar | undefined => {
  if (numeric.has(type)) return isNumber(String(literal)) ? Number(literal) : undefined;
  if (boolean.has(type)) return YES.has(literal) ? true : NO.has(literal) ? false : undefined;
  if (dated.has(type))
    return typeof literal === 'string' && /^\d[\d:.TZ+-]*$/i.test(literal) ? literal : undefined;
  if (choice.has(type)) {
    const text = String(literal);
    const named = options.find(({ name }) => name === text);
    const equal =
      named ?? options.find(({ name }) => isNumber(text) && isNumber(name) && Number(name) === Number(text));
    return equal?.value ?? text;
  }
  if (textual.has(type)) return String(literal);
  return type === 'calculated' ? literal : undefined;
};

type Op = Comparison['op'];

const operators: Record<string, Op> = {
  '=': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
};
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
  if (parts.includes(undefined) || known.length > 100) return undefined;
  return { [by]: known } as unknown as Condition;
};

const compared = (target: Target, operator: string, literal: Scalar): Condition | undefined => {
  const op = operators[operator]!;
  const isEquality = op === 'eq' || op === 'ne';
  if (literal === '') return isEquality ? comparison(target, op === 'eq' ? 'empty' : 'not_empty') : undefined;
  if (target.type === 'multi_select' && isEquality && typeof literal === 'string' && literal.includes(' ')) {
    const values = literal.split(/\s+/).map((name) => String(valueOf(target, name)));
    return comparison(target, op, values);
  }
  const value = valueOf(target, literal);
  if (value === undefined || (choice.has(target.type) && !isEquality)) return undefined;
  if (!isEquality && typeof value === 'boolean') return undefined;
  if (!isEquality && textual.has(target.type)) return undefined;
  if (target.type !== 'calculated' || typeof value === 'boolean') return comparison(target, op, value);
  // A result may be the number or the text that writes it, which XPath does not tell apart.
  const other = typeof value === 'number' ? String(value) : isNumber(value) ? Number(value) : undefined;
  const either = other ?? ({ true: true, false: false } as Record<string, boolean>)[value];
  if (!isEquality) return comparison(target, op, value);
  return either === undefined
    ? comparison(target, op, value)
    : comparison(target, op === 'eq' ? 'in' : 'not_in', [value, either]);
};

const selected = (target: Target, literal: Scalar): Condition | undefined => {
  const value = valueOf(target, literal);
  if (value === undefined || literal === '') return undefined;
  if (target.type === 'multi_select') return comparison(target, 'contains', value);
  return choice.has(target.type) || boolean.has(target.type) ? comparison(target, 'eq', value) : undefined;
};

/**
 * An expression as a condition that holds for the same answers; undefined where there is none, as for a comparison
 * of two answers, or a sum.
 * @param targetOf what a name refers to; it throws where that is not in the content
 */
export const conditionOf = (
  expression: Expression,
  targetOf: (name: string) => Target,
  isNegated = false,
): Condition | undefined => {
  const negated = (target: Target, condition: Condition | undefined): Condition | undefined => {
    if (!isNegated || !condition || !('op' in condition)) return isNegated ? undefined : condition;
    const op = opposite[condition.op];
    // Of several answers "not any" is none of the comparisons, which hold for any.
    if (!op || !target.isOnce) return undefined;
    const turned = { ...condition, op };
    return ['eq', 'ne', 'in', 'not_in', 'empty', 'not_empty'].includes(op)
      ? turned
      : joined('any', [comparison(target, 'empty'), turned]);
  };
  if (expression.kind === 'answer') {
    const target = targetOf(expression.name);
    const op = boolean.has(target.type) ? comparison(target, 'eq', true) : comparison(target, 'not_empty');
    return numeric.has(target.type) || target.type === 'calculated' ? undefined : negated(target, op);
  }
  if (expression.kind === 'call') {
    const { name, parts } = expression;
    const [first, second] = parts;
    if ((name === 'not' || name === 'boolean') && parts.length === 1)
      return conditionOf(first!, targetOf, (name === 'not') !== isNegated);
    const literal = second && literalOf(second);
    if (parts.length !== 2 || first?.kind !== 'answer' || literal === undefined) return undefined;
    const target = targetOf(first.name);
    if (name === 'selected') return negated(target, selected(target, literal));
    if (name === 'contains' && textual.has(target.type) && literal !== '')
      return negated(target, comparison(target, 'contains', String(literal)));
    return undefined;
  }
  if (expression.kind !== 'operation') return undefined;
  const { operator, left, right } = expression;
  if (operator === 'and' || operator === 'or') {
    const by = (operator === 'and') !== isNegated ? 'all' : 'any';
    return joined(by, [conditionOf(left, targetOf, isNegated), conditionOf(right, targetOf, isNegated)]);
  }
  if (!operators[operator]) return undefined;
  const [subject, other, turned] =
    literalOf(left) === undefined ? [left, right, operator] : [right, left, mirrored[operator]!];
  const literal = literalOf(other);
  if (literal === undefined) return undefined;
  if (subject.kind === 'answer') {
    const target = targetOf(subject.name);
    return negated(target, compared(target, turned, literal));
  }
  // Whether something is answered at all.
  const [measured] = subject.kind === 'call' && subject.parts.length === 1 ? subject.parts : [];
  if (subject.kind !== 'call' || measured?.kind !== 'answer') return undefined;
  if (!['string-length', 'count-selected'].includes(subject.name)) return undefined;
  const target = targetOf(measured.name);
  const isAny =
    (turned === '>' && literal === 0) ||
    (turned === '>=' && literal === 1) ||
    (turned === '!=' && literal === 0);
  const isNone = (turned === '=' && literal === 0) || (turned === '<' && literal === 1);
  return isAny || isNone ? negated(target, comparison(target, isAny ? 'not_empty' : 'empty')) : undefined;
};

/** A value of an answer as ODK has it in an expression. */
const literal = ({ type, options }: Target, value: Scalar): Expression | undefined => {
  if (typeof value === 'boolean') {
    if (type === 'checkbox') return asText(value ? 'OK' : '');
    if (type === 'yes_no') return asText(value ? 'yes' : 'no');
    return callOf(String(value));
  }
  if (typeof value === 'number') {
    return numberOf(value);
  }
  if (type === 'date' || type === 'datetime')
    return callOf(type === 'date' ? 'date' : 'date-time', asText(value));
  return asText(options.find((option) => option.value === value)?.name ?? value);
};

const comparisonExpression = (
  target: Target,
  answer: Expression,
  { op, value }: Comparison,
): Expression | undefined => {
  const each = (operand: Scalar, operator = '='): Expression | undefined => {
    const written = literal(target, operand);
    if (!written) return undefined;
    if (target.type !== 'multi_select' || op === 'eq' || op === 'ne')
      return operationOf(operator, answer, written);
    return callOf('selected', answer, written);
  };
  const joinedBy = (operator: string, values: readonly Scalar[]): Expression | undefined =>
    values
      .map((operand) => each(operand))
      .reduce((left, right) => left && right && operationOf(operator, left, right));
  switch (op) {
    case 'empty':
      return operationOf('=', answer, asText(''));
    case 'not_empty':
      return operationOf('!=', answer, asText(''));
    case 'failed':
      return target.failed?.length ? joinedBy('or', target.failed) : undefined;
    case 'in':
    case 'not_in': {
      const any = joinedBy('or', [value ?? []].flat());
      return op === 'in' ? any : any && callOf('not', any);
    }
    case 'contains': {
      const values = [value ?? []].flat();
      if (target.type === 'multi_select') return values.length > 0 ? joinedBy('and', values) : undefined;
      const [part] = values;
      return typeof part === 'string' && values.length === 1
        ? callOf('contains', answer, asText(part))
        : undefined;
    }
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte': {
      if (value === undefined || value === null || Array.isArray(value) || value === '') return undefined;
      return each(
        value,
        Object.keys(operators).find((operator) => operators[operator] === op),
      );
    }
  }
};

/**
 * A condition as an expression of ODK's; undefined where it has none.
 * @param find what a reference means, with the name it has in the form
 */
export const conditionExpression = (
  condition: Condition,
  find: (reference: Reference) => { name: string; target: Target } | undefined,
): Expression | undefined => {
  for (const [by, operator] of [
    ['all', 'and'],
    ['any', 'or'],
  ] as const) {
    const parts = (condition as Partial<Record<typeof by, Condition[]>>)[by];
    if (parts)
      return parts
        .map((part) => conditionExpression(part, find))
        .reduce((left, right) => left && right && operationOf(operator, left, right));
  }
  const found = find(condition as Comparison);
  return (
    found && comparisonExpression(found.target, { kind: 'answer', name: found.name }, condition as Comparison)
  );
};

/** The literals that an expression compares answers with, each in place of what it stands for. */
export const comparedWith = (
  expression: Expression,
  targetOf: (name: string) => Target | undefined,
  change: (target: Target, literal: Scalar) => Expression | undefined,
): Expression | undefined => {
  const [answer, other] =
    expression.kind === 'operation' && (expression.operator === '=' || expression.operator === '!=')
      ? [expression.left, expression.right]
      : expression.kind === 'call' && expression.name === 'selected'
        ? expression.parts
        : [];
  if (!answer || !other) return undefined;
  const changed = (subject: Expression, compared: Expression): Expression | undefined => {
    const target = subject.kind === 'answer' ? targetOf(subject.name) : undefined;
    const value = literalOf(compared);
    return target && value !== undefined && value !== '' ? change(target, value) : undefined;
  };
  const [right, left] = [changed(answer, other), changed(other, answer)];
  if (!right && !left) return undefined;
  const parts = [left ?? answer, right ?? other] as const;
  return expression.kind === 'operation'
    ? { ...expression, left: parts[0], right: parts[1] }
    : callOf('selected', ...parts);
};

/** A value of an answer as a formula has it: options by value, booleans as such. */
export const formulaLiteral = (target: Target, given: Scalar): Expression | undefined => {
  if (boolean.has(target.type)) {
    const value = valueOf(target, given);
    return value === undefined ? undefined : callOf(String(value));
  }
  if (!choice.has(target.type) || typeof given === 'boolean') return undefined;
  const value = valueOf(target, given);
  return value === given ? undefined : asText(String(value));
};

/** The same for an expression of ODK's. */
export const expressionLiteral = (target: Target, given: Scalar): Expression | undefined =>
  boolean.has(target.type) || choice.has(target.type) ? literal(target, given) : undefined;
