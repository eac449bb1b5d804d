import { callOf, type Expression, precedence } from './expression.ts';

/** The text is not an expression, or it is one with paths, predicates and the like. */
export class ExpressionError extends Error {
  override name = 'ExpressionError';
}

/** How deeply an expression may be nested, in levels. */
const MAX_DEPTH = 50;

/** How many operands an expression may have: a chain of operators makes a tree as deep as the chain is long. */
const MAX_OPERANDS = 1_000;

/** How much of the text an error quotes, in characters. */
const MAX_QUOTED_LENGTH = 40;

/** The operators that formulas write differently, with XPath's spelling. */
const spellings: Record<string, string> = {
  '||': 'or',
  '&&': 'and',
  '==': '=',
  '<>': '!=',
  '/': 'div',
  '%': 'mod',
};

const operatorForm = /\s*(and\b|or\b|div\b|mod\b|<=|>=|!=|<>|==|\|\||&&|[-=<>+*/%])/iy;

const operandForm =
  /\s*(?:(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?(?![\w.]))|'(?<single>[^']*)'|"(?<double>[^"]*)"|\$?\{\s*(?<reference>[^{}\s]+)\s*\}|(?:current\(\)\/)?(?:\.\.\/)+(?<sibling>[\w.-]+)(?![\w./([-])|(?<sign>[-!])|(?<open>\()|(?<name>[a-z_][\w:-]*)\s*\(|(?<self>\.)(?![.\w/]))/iy;

/** A bare name. In a choice filter it is a column of the choices sheet. */
const columnForm = /\s*(?<column>[\p{L}_][\p{L}\p{N}\p{M}_.-]*)(?!\s*[(:])/uy;

const closingForm = /\s*(\)|,|$)/y;

const emptyArgumentsForm = /\s*\)/y;

/** The text with the position up to which it has been read. */
interface TokenReader {
  readonly source: string;
  at: number;
  depth: number;
  operands: number;
  /** Whether a bare name is a column. */
  hasColumns: boolean;
}

const matchAt = (reader: TokenReader, form: RegExp): RegExpExecArray | null => {
  form.lastIndex = reader.at;
  return form.exec(reader.source);
};

const take = (reader: TokenReader, form: RegExp): RegExpExecArray | null => {
  const found = matchAt(reader, form);
  reader.at += found?.[0].length ?? 0;
  return found;
};

/** @throws ExpressionError */
const fail = ({ source, at }: TokenReader): never => {
  const rest = source.slice(at).trim();
  throw new ExpressionError(
    rest ? `"${rest.slice(0, MAX_QUOTED_LENGTH)}" cannot be read` : 'the expression is not complete',
  );
};

/**
 * Reads the end of an expression: `)`, `,` or "" for the end of the text. Any other end than the expected ones fails.
 */
const closing = (reader: TokenReader, ...expected: string[]): string => {
  const found = matchAt(reader, closingForm);
  if (!found || !expected.includes(found[1]!)) return fail(reader);
  reader.at += found[0].length;
  return found[1]!;
};

const deeper = (reader: TokenReader, read: (reader: TokenReader) => Expression): Expression => {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH)
    throw new ExpressionError(`the expression is nested more than ${MAX_DEPTH} levels deep`);
  const inner = read(reader);
  reader.depth -= 1;
  return inner;
};

const whole = (reader: TokenReader): Expression => binary(reader, 1);

const columnIn = (reader: TokenReader) => (reader.hasColumns ? take(reader, columnForm)?.groups : undefined);

const operand = (reader: TokenReader): Expression => {
  reader.operands += 1;
  if (reader.operands > MAX_OPERANDS)
    throw new ExpressionError(`the expression has more than ${MAX_OPERANDS} operands`);
  const { number, single, double, reference, sibling, sign, open, name, column } =
    take(reader, operandForm)?.groups ?? columnIn(reader) ?? fail(reader);
  if (column !== undefined) return { kind: 'column', name: column };
  const text = single ?? double;
  const answer = reference ?? sibling;
  if (number !== undefined) return { kind: 'number', text: number };
  if (text !== undefined) return { kind: 'text', text };
  if (answer !== undefined) return { kind: 'answer', name: answer };
  if (sign === '-') return { kind: 'minus', of: deeper(reader, operand) };
  if (sign === '!') return callOf('not', deeper(reader, operand));
  if (open !== undefined) {
    const inner = deeper(reader, whole);
    closing(reader, ')');
    return inner;
  }
  return name === undefined ? { kind: 'self' } : call(reader, name.toLowerCase().replaceAll('_', '-'));
};

const call = (reader: TokenReader, name: string): Expression => {
  const parts: Expression[] = [];
  if (take(reader, emptyArgumentsForm)) return { kind: 'call', name, parts };
  for (;;) {
    parts.push(deeper(reader, whole));
    if (closing(reader, ')', ',') === ')') return { kind: 'call', name, parts };
  }
};

/** Reads operands and operators by precedence climbing: only operators of at least `least` belong to this level. */
const binary = (reader: TokenReader, least: number): Expression => {
  let left = operand(reader);
  for (;;) {
    const written = matchAt(reader, operatorForm);
    const spelling = written?.[1]?.toLowerCase() ?? '';
    const operator = spellings[spelling] ?? spelling;
    if (!written || precedence[operator]! < least) return left;
    reader.at += written[0].length;
    left = { kind: 'operation', operator, left, right: binary(reader, precedence[operator]! + 1) };
  }
};

/**
 * Parses an expression. Operators and functions get XPath's spelling, whichever spelling the text uses.
 * @param hasColumns whether a bare name is a column of the choices sheet
 * @throws ExpressionError, which says where reading stopped
 */
export const parseExpression = (source: string, hasColumns = false): Expression => {
  const reader: TokenReader = { source, at: 0, depth: 0, operands: 0, hasColumns };
  const expression = whole(reader);
  closing(reader, '');
  return expression;
};

/** Replaces the typographic quotes that word processors insert by plain ones. */
const straight = (text: string) => text.replaceAll(/[\u2018\u2019]/g, "'").replaceAll(/[\u201c\u201d]/g, '"');

/**
 * Parses the expression of a cell.
 * @throws ExpressionError
 */
export const expressionIn = (text: string, hasColumns = false): Expression => {
  try {
    return parseExpression(text, hasColumns);
  } catch (error) {
    if (straight(text) === text) throw error;
    return parseExpression(straight(text), hasColumns);
  }
};
