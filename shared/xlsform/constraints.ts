import type { FieldType } from '../schemas/templates/content.ts';
import {
  callOf,
  type Expression,
  mirrored,
  numberOf,
  operationOf,
  printExpression,
  asText,
} from './expressions.ts';
import { numeric, textual } from './kinds.ts';

/** What of a constraint a field's own limits say. */
export interface Limits {
  min: number | null;
  max: number | null;
  pattern: string | null;
  max_length: number | null;
}

const conjuncts = (expression: Expression): Expression[] =>
  expression.kind === 'operation' && expression.operator === 'and'
    ? [...conjuncts(expression.left), ...conjuncts(expression.right)]
    : [expression];

const valueOf = (expression: Expression): number | undefined => {
  if (expression.kind === 'minus') {
    const value = valueOf(expression.of);
    return value === undefined ? undefined : -value;
  }
  const text = expression.kind === 'number' || expression.kind === 'text' ? expression.text : '';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
};

/** Escapes that flag u forbids mean nothing but the character itself, in the expressions of Java and of XPath. */
const portable = (pattern: string) => pattern.replaceAll(/\\([^\p{L}\p{N}^$\\.*+?()[\]{}|/-])/gu, '$1');

/** As `Field.pattern` allows. */
const LONGEST_PATTERN = 500;

const compiled = (pattern: string): string | undefined =>
  pattern.length > LONGEST_PATTERN
    ? undefined
    : [pattern, portable(pattern), portable(pattern).replaceAll(/(?<!\[[^\]]*)\\-/g, '-')].find(
        (candidate) => {
          try {
            return Boolean(RegExp(candidate, 'u'));
          } catch {
            return false;
          }
        },
      );

/**
 * The limits that a constraint comes to, and the parts of it that none of them says, as texts.
 * @param isWhole whether the field takes whole numbers only, of which more than 2 is 3 and above
 */
export const limitsIn = (
  constraint: Expression,
  type: FieldType,
  isWhole: boolean,
): { limits: Limits; left: string[] } => {
  const limits: Limits = { min: null, max: null, pattern: null, max_length: null };
  const left: string[] = [];
  const atLeast = (value: number) => (limits.min = Math.max(limits.min ?? value, value));
  const atMost = (value: number) => (limits.max = Math.min(limits.max ?? value, value));
  const matches = (pattern: string | undefined) => {
    if (pattern === undefined || limits.pattern !== null) return false;
    limits.pattern = pattern;
    return true;
  };

  /** Whether the part is among the limits now. */
  const apply = (part: Expression): boolean => {
    if (part.kind === 'call' && part.name === 'regex' && part.parts[0]?.kind === 'self') {
      const [, pattern] = part.parts;
      return textual.has(type) && pattern?.kind === 'text' && matches(compiled(pattern.text));
    }
    if (part.kind !== 'operation') return false;
    const isTurned = valueOf(part.left) !== undefined;
    const [subject, other] = isTurned ? [part.right, part.left] : [part.left, part.right];
    const operator = isTurned ? mirrored[part.operator] : part.operator;
    const value = valueOf(other);
    if (value === undefined || operator === undefined) return false;
    if (subject.kind === 'self' && numeric.has(type)) {
      const next = Math.floor(value) + 1;
      const previous = Math.ceil(value) - 1;
      if (operator === '>=' || operator === '=') atLeast(value);
      if (operator === '<=' || operator === '=') atMost(value);
      if (operator === '>') atLeast(isWhole ? next : value);
      if (operator === '<') atMost(isWhole ? previous : value);
      // What is nearer to the bound than any number can say is let in with it.
      return ['>=', '<=', '='].includes(operator) || (isWhole && ['>', '<'].includes(operator));
    }
    const isLength =
      subject.kind === 'call' &&
      subject.name === 'string-length' &&
      (subject.parts[0]?.kind ?? 'self') === 'self';
    if (!isLength || !textual.has(type) || !Number.isInteger(value)) return false;
    const longest = { '<=': value, '<': value - 1 }[operator];
    if (longest !== undefined) {
      if (longest < 1 || longest > 20_000) return false;
      limits.max_length = Math.min(limits.max_length ?? longest, longest);
      return true;
    }
    const count = { '=': `${value}`, '>=': `${value},`, '>': `${value + 1},` }[operator];
    return count !== undefined && value >= 0 && value <= 200 && matches(`[\\s\\S]{${count}}`);
  };

  for (const part of conjuncts(constraint))
    if (!apply(part)) left.push(printExpression(part, (name) => `\${${name}}`));
  return { limits, left };
};

const self: Expression = { kind: 'self' };
/** The limits of a type as a constraint of ODK's; undefined for none. */
export const constraintOf = (type: FieldType, limits: Limits): Expression | undefined => {
  const { min, max } = numeric.has(type) ? limits : { min: null, max: null };
  const { pattern, max_length } = textual.has(type) ? limits : { pattern: null, max_length: null };
  const bound = (operator: string, subject: Expression, value: number | null) => {
    const written = value === null ? undefined : numberOf(value);
    return written ? [operationOf(operator, subject, written)] : [];
  };
  const isQuotable = pattern !== null && !(pattern.includes("'") && pattern.includes('"'));
  const parts: Expression[] = [
    ...bound('>=', self, min),
    ...bound('<=', self, max),
    ...(isQuotable ? [callOf('regex', self, asText(pattern))] : []),
    ...bound('<=', callOf('string-length', self), max_length),
  ];
  return parts.length === 0 ? undefined : parts.reduce((left, right) => operationOf('and', left, right));
};
