import { type Expression, precedence } from './expression.ts';

/** Binds more tightly than any operator. */
const TIGHTEST = 7;

/** A text as a literal. XPath has no escapes, so a text with both kinds of quotes becomes a `concat(…)`. */
const quoted = (text: string): string => {
  if (!text.includes("'")) return `'${text}'`;
  if (!text.includes('"')) return `"${text}"`;
  return `concat(${text
    .split(/(?<=')|(?=')/)
    .map((part) => (part.includes("'") ? `"${part}"` : `'${part}'`))
    .join(', ')})`;
};

/**
 * The text of an expression, in a spelling that both XLSForms and formulas understand.
 * @param answer writes the reference to an answer
 * @param level the precedence around the expression; a weaker operator gets parentheses
 */
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
    case 'column':
      return expression.name;
    case 'call':
      return `${expression.name}(${expression.parts.map((part) => print(part)).join(', ')})`;
    case 'minus':
      return `-${print(expression.of, TIGHTEST)}`;
    case 'operation': {
      const { operator, left, right } = expression;
      const own = precedence[operator]!;
      const text = `${print(left, own)} ${operator} ${print(right, own + 1)}`;
      return own < level ? `(${text})` : text;
    }
  }
};
