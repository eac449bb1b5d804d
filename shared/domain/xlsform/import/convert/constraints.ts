import type { FieldType } from '../../../../schemas/templates/content.ts';
import { MAX_LONG_TEXT_LENGTH, MAX_MATCHED_LENGTH } from '../../../content/limits.ts';
import { patternFault } from '../../../content/pattern/compile.ts';
import { type Expression, mirrored } from '../../expressions/expression.ts';
import { isNumber } from '../../expressions/literals.ts';
import { type Limits, numeric, textual } from '../../form/sheets.ts';

/** The longest pattern of a field, in characters (`Field.pattern`). */
const MAX_PATTERN_LENGTH = 500;

const conjuncts = (expression: Expression): Expression[] =>
  expression.kind === 'operation' && expression.operator === 'and'
    ? [...conjuncts(expression.left), ...conjuncts(expression.right)]
    : [expression];

const numberIn = (expression: Expression): number | undefined => {
  if (expression.kind === 'minus') {
    const value = numberIn(expression.of);
    return value === undefined ? undefined : -value;
  }
  const text = expression.kind === 'number' || expression.kind === 'text' ? expression.text : '';
  return isNumber(text) ? Number(text) : undefined;
};

/** Removes the escapes that the flag u does not allow. Java and XPath read them as the character itself. */
const portable = (pattern: string) => pattern.replaceAll(/\\([^\p{L}\p{N}^$\\.*+?()[\]{}|/-])/gu, '$1');

/** A pattern for a field that means the same as a pattern of Java or XPath; undefined if there is none. */
const compiled = (pattern: string): string | undefined =>
  pattern.length > MAX_PATTERN_LENGTH
    ? undefined
    : [pattern, portable(pattern), portable(pattern).replaceAll(/(?<!\[[^\]]*)\\-/g, '-')].find(
        (candidate) => patternFault(candidate) === undefined,
      );

/** `regex(., 'pattern')` */
const patternLimits = (part: Expression & { kind: 'call' }, type: FieldType): Partial<Limits> | undefined => {
  const [subject, argument] = part.parts;
  if (part.name !== 'regex' || subject?.kind !== 'self') return undefined;
  if (!textual.has(type) || argument?.kind !== 'text') return undefined;
  const pattern = compiled(argument.text);
  return pattern === undefined ? undefined : { pattern };
};

/** `. operator value`, of a number */
const valueLimits = (operator: string, value: number, isWhole: boolean): Partial<Limits> | undefined => {
  switch (operator) {
    case '>=':
      return { min: value };
    case '<=':
      return { max: value };
    case '=':
      return { min: value, max: value };
    // A limit includes its bound. Only a whole number has a next number, which can then be the limit.
    case '>':
      return isWhole ? { min: Math.floor(value) + 1 } : undefined;
    case '<':
      return isWhole ? { max: Math.ceil(value) - 1 } : undefined;
    default:
      return undefined;
  }
};

/** `string-length(.) operator length` */
const lengthLimits = (operator: string, length: number): Partial<Limits> | undefined => {
  const longest = { '<=': length, '<': length - 1 }[operator];
  if (longest !== undefined)
    return longest < 1 || longest > MAX_LONG_TEXT_LENGTH ? undefined : { max_length: longest };
  const count = { '=': `${length}`, '>=': `${length},`, '>': `${length + 1},` }[operator];
  return count !== undefined && length >= 0 && length <= MAX_MATCHED_LENGTH
    ? { pattern: `[\\s\\S]{${count}}` }
    : undefined;
};

/** The limits that one part of a constraint sets; undefined where it sets none. */
const limitsOf = (part: Expression, type: FieldType, isWhole: boolean): Partial<Limits> | undefined => {
  if (part.kind === 'call') return patternLimits(part, type);
  if (part.kind !== 'operation') return undefined;
  const isTurned = numberIn(part.left) !== undefined;
  const [subject, other] = isTurned ? [part.right, part.left] : [part.left, part.right];
  const operator = isTurned ? mirrored[part.operator] : part.operator;
  const value = numberIn(other);
  if (value === undefined || operator === undefined) return undefined;
  if (subject.kind === 'self' && numeric.has(type)) return valueLimits(operator, value, isWhole);
  const isLength =
    subject.kind === 'call' &&
    subject.name === 'string-length' &&
    (subject.parts[0]?.kind ?? 'self') === 'self';
  return isLength && textual.has(type) && Number.isInteger(value) ? lengthLimits(operator, value) : undefined;
};

const strictest = (choose: (...values: number[]) => number, a: number | null, b: number | null | undefined) =>
  a === null || b === null || b === undefined ? (a ?? b ?? null) : choose(a, b);

/** The limits that both set together; undefined for two patterns, because a field has only one. */
const both = (limits: Limits, more: Partial<Limits>): Limits | undefined =>
  limits.pattern !== null && more.pattern
    ? undefined
    : {
        min: strictest(Math.max, limits.min, more.min),
        max: strictest(Math.min, limits.max, more.max),
        pattern: limits.pattern ?? more.pattern ?? null,
        max_length: strictest(Math.min, limits.max_length, more.max_length),
      };

/**
 * The limits that a constraint sets, and its parts that limits cannot express.
 * @param isWhole whether the field takes only whole numbers: then more than 2 means at least 3
 */
export const limitsIn = (
  constraint: Expression,
  type: FieldType,
  isWhole: boolean,
): { limits: Limits; left: Expression[] } => {
  let limits: Limits = { min: null, max: null, pattern: null, max_length: null };
  const left: Expression[] = [];
  for (const part of conjuncts(constraint)) {
    const found = limitsOf(part, type, isWhole);
    const joined = found && both(limits, found);
    if (joined) limits = joined;
    else left.push(part);
  }
  return { limits, left };
};
