import type { Comparison, FieldType } from '../../../schemas/templates/content.ts';
import { boolean, choice, dated, numeric, textual } from '../form/sheets.ts';
import { asText, callOf, type Expression, numberOf } from './expression.ts';

export type Reference = { field_id: string } | { start_key: string };

/** The question that a name in an expression refers to. */
export interface Target {
  reference: Reference;
  type: FieldType;
  /** The options of a choice. XLSForm's names have no spaces, so a name may differ from its value. */
  options: readonly { name: string; value: string }[];
  /** Whether the question has a single answer for the expression, and not one for each repetition. */
  isOnce: boolean;
  /** The values of the failed options, where the options decide what is failed. */
  failed?: readonly string[];
}

export type Scalar = string | number | boolean;

/** The operator of a content's comparison for each operator of XPath. */
export const operators: Readonly<Record<string, Comparison['op']>> = {
  '=': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
};

export const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** The value of a literal as the expression writes it; undefined for an expression that is not a literal. */
export const literalOf = (expression: Expression): Scalar | undefined => {
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
    case 'column':
    case 'operation':
      return undefined;
  }
};

const YES = new Set<Scalar>([true, 1, 'yes', 'true', 'OK', '1']);
const NO = new Set<Scalar>([false, 0, 'no', 'false', '0']);

/** A literal as an answer to the target would store it; undefined where no answer can be equal to it. */
export const answerValue = ({ type, options }: Target, literal: Scalar): Scalar | undefined => {
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

/** The literal that an expression of ODK uses for a stored value; undefined for a number that needs an exponent. */
export const odkLiteral = ({ type, options }: Target, value: Scalar): Expression | undefined => {
  if (typeof value === 'boolean') {
    if (type === 'checkbox') return asText(value ? 'OK' : '');
    if (type === 'yes_no') return asText(value ? 'yes' : 'no');
    return callOf(String(value));
  }
  if (typeof value === 'number') return numberOf(value);
  if (type === 'date' || type === 'datetime')
    return callOf(type === 'date' ? 'date' : 'date-time', asText(value));
  return asText(options.find((option) => option.value === value)?.name ?? value);
};

/** The literal of ODK that replaces a literal of a formula; undefined to keep it. */
export const formulaToOdk = (target: Target, literal: Scalar): Expression | undefined =>
  boolean.has(target.type) || choice.has(target.type) ? odkLiteral(target, literal) : undefined;

/** The literal of a formula that replaces one of ODK: an option's value, or a boolean; undefined to keep it. */
export const odkToFormula = (target: Target, literal: Scalar): Expression | undefined => {
  if (boolean.has(target.type)) {
    const value = answerValue(target, literal);
    return value === undefined ? undefined : callOf(String(value));
  }
  if (!choice.has(target.type) || typeof literal === 'boolean') return undefined;
  const value = answerValue(target, literal);
  return value === literal ? undefined : asText(String(value));
};

/**
 * Replaces the literals in a comparison of an answer with a literal (`=`, `!=`, `selected`).
 * @param change the replacement of a literal; undefined keeps it
 * @returns the changed comparison; undefined for any other expression, and where nothing changes
 */
export const replaceLiterals = (
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
