/** An expression of an XLSForm (XPath 1.0 as ODK XForms has it, without paths), or a formula of a content. */
export type Expression =
  | { kind: 'number'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'answer'; name: string }
  /** The answer itself, of whose constraint it is: `.` */
  | { kind: 'self' }
  | { kind: 'call'; name: string; parts: readonly Expression[] }
  | { kind: 'operation'; operator: string; left: Expression; right: Expression }
  | { kind: 'minus'; of: Expression };

/** A text that is no expression, or one of paths, predicates and the like. */
export class ExpressionError extends Error {
  override name = 'ExpressionError';
}

const DEEPEST = 50;

/** Chains of operators are as deep as they are long. */
const MOST_PARTS = 1_000;

/** XPath's operators by precedence (XPath 1.0, sections 3.3 to 3.5). */
const precedence: Record<string, number> = {
  or: 1,
  and: 2,
  '=': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  div: 6,
  mod: 6,
};

/** As formulas may spell them too. */
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

const closing = /\s*(?:(?<close>\))|(?<comma>,)|(?<end>$))/y;

export const asText = (text: string): Expression => ({ kind: 'text', text });

export const callOf = (name: string, ...parts: Expression[]): Expression => ({ kind: 'call', name, parts });

export const operationOf = (operator: string, left: Expression, right: Expression): Expression => ({
  kind: 'operation',
  operator,
  left,
  right,
});

/** A number as a literal; undefined for one that takes an exponent, which XPath has none of. */
export const numberOf = (value: number): Expression | undefined => {
  if (/e/.test(String(value))) return undefined;
  const size: Expression = { kind: 'number', text: String(Math.abs(value)) };
  return value < 0 ? { kind: 'minus', of: size } : size;
};

/** Comparisons with their sides exchanged. */
export const mirrored: Readonly<Record<string, string>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '=': '=',
  '!=': '!=',
};

/**
 * Parses an expression. Operators and functions come in XPath's spelling, whatever they were written in.
 * @throws ExpressionError, which says where it stopped
 */
export const parseExpression = (source: string): Expression => {
  let at = 0;
  let depth = 0;
  let parts = 0;

  const take = (form: RegExp) => {
    form.lastIndex = at;
    const found = form.exec(source);
    at += found?.[0].length ?? 0;
    return found;
  };
  const fail = (): never => {
    const rest = source.slice(at).trim();
    throw new ExpressionError(
      rest ? `"${rest.slice(0, 40)}" cannot be read` : 'it ends where more should follow',
    );
  };

  const deeper = <Inner>(read: () => Inner): Inner => {
    depth += 1;
    if (depth > DEEPEST) throw new ExpressionError(`it is nested more than ${DEEPEST} deep`);
    const inner = read();
    depth -= 1;
    return inner;
  };

  const operand = (): Expression => {
    parts += 1;
    if (parts > MOST_PARTS) throw new ExpressionError(`it has more than ${MOST_PARTS} parts`);
    const { number, single, double, reference, sibling, sign, open, name } =
      take(operandForm)?.groups ?? fail();
    const text = single ?? double;
    const answer = reference ?? sibling;
    if (number !== undefined) return { kind: 'number', text: number };
    if (text !== undefined) return { kind: 'text', text };
    if (answer !== undefined) return { kind: 'answer', name: answer };
    if (sign === '-') return { kind: 'minus', of: deeper(operand) };
    if (sign === '!') return callOf('not', deeper(operand));
    if (open !== undefined) {
      const inner = deeper(() => binary(1));
      if (take(closing)?.groups?.['close'] === undefined) fail();
      return inner;
    }
    return name === undefined ? { kind: 'self' } : call(name.toLowerCase().replaceAll('_', '-'));
  };

  const call = (name: string): Expression => {
    const given: Expression[] = [];
    if (/\s*\)/y.test(source.slice(at, at + 20))) {
      take(closing);
      return { kind: 'call', name, parts: given };
    }
    for (;;) {
      given.push(deeper(() => binary(1)));
      const { close, comma } = take(closing)?.groups ?? fail();
      if (close !== undefined) return { kind: 'call', name, parts: given };
      if (comma === undefined) fail();
    }
  };

  const binary = (least: number): Expression => {
    let left = operand();
    for (;;) {
      const before = at;
      const written = take(operatorForm)?.[1]?.toLowerCase();
      const operator = written === undefined ? undefined : (spellings[written] ?? written);
      if (operator === undefined || precedence[operator]! < least) {
        at = before;
        return left;
      }
      left = { kind: 'operation', operator, left, right: binary(precedence[operator]! + 1) };
    }
  };

  const whole = binary(1);
  if (take(closing)?.groups?.['end'] === undefined) fail();
  return whole;
};

/** Quotes as they are typed, of which word processors make others. */
const straight = (text: string) => text.replaceAll(/[\u2018\u2019]/g, "'").replaceAll(/[\u201c\u201d]/g, '"');

/** The expression in a cell. @throws ExpressionError */
export const expressionIn = (text: string): Expression => {
  try {
    return parseExpression(text);
  } catch (error) {
    if (straight(text) === text) throw error;
    return parseExpression(straight(text));
  }
};

/** A text as a literal; XPath has no escapes, so one with both kinds of quotes is put together. */
const quoted = (text: string): string => {
  if (!text.includes("'")) return `'${text}'`;
  if (!text.includes('"')) return `"${text}"`;
  return `concat(${text
    .split(/(?<=')|(?=')/)
    .map((part) => (part.includes("'") ? `"${part}"` : `'${part}'`))
    .join(', ')})`;
};

/** An expression's text, in a spelling that XLSForms and formulas share. @param answer what refers to an answer */
export const printExpression = (
  expression: Expression,
  answer: (name: string) => string,
  level = 0,
): string => {
  const print = (part: Expression, level = 0) => printExpression(part, answer, level);
  switch (expression.kind) {
    case 'number':
      return expression.text;
    case 'text':
      return quoted(expression.text);
    case 'answer':
      return answer(expression.name);
    case 'self':
      return '.';
    case 'call':
      return `${expression.name}(${expression.parts.map((part) => print(part)).join(', ')})`;
    case 'minus':
      return `-${print(expression.of, 7)}`;
    case 'operation': {
      const { operator, left, right } = expression;
      const own = precedence[operator]!;
      const text = `${print(left, own)} ${operator} ${print(right, own + 1)}`;
      return own < level ? `(${text})` : text;
    }
  }
};

/** The expression with all that `change` finds something else for. */
export const mapExpression = (
  expression: Expression,
  change: (part: Expression) => Expression | undefined,
): Expression => {
  const changed = change(expression);
  if (changed) return changed;
  const map = (part: Expression) => mapExpression(part, change);
  switch (expression.kind) {
    case 'call':
      return { ...expression, parts: expression.parts.map(map) };
    case 'operation':
      return { ...expression, left: map(expression.left), right: map(expression.right) };
    case 'minus':
      return { ...expression, of: map(expression.of) };
    case 'number':
    case 'text':
    case 'answer':
    case 'self':
      return expression;
  }
};

/** The names of the answers that a text refers to, in an expression or amid prose. */
export const namesIn = (text: string): string[] =>
  [...text.matchAll(/\$\{\s*([^{}\s]+)\s*\}/g)].map(([, name = '']) => name);

/** Whether a default is an expression, to be worked out, rather than the answer itself. */
export const isDynamic = (text: string): boolean => /\$\{|^[\w:-]+\(.*\)$/s.test(text);
