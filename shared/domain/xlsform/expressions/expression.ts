/** An expression of an XLSForm (XPath 1.0 as ODK XForms has it, without paths), or a formula of a content. */
export type Expression =
  | { kind: 'number'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'answer'; name: string }
  /** `.`, the answer that a constraint limits. */
  | { kind: 'self' }
  /** In a choice filter, a column of the choices sheet. */
  | { kind: 'column'; name: string }
  | { kind: 'call'; name: string; parts: readonly Expression[] }
  | { kind: 'operation'; operator: string; left: Expression; right: Expression }
  | { kind: 'minus'; of: Expression };

/** XPath's operators by precedence (XPath 1.0, sections 3.3 to 3.5). */
export const precedence: Readonly<Record<string, number>> = {
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

/** The operator that has the same meaning after the two sides of a comparison are exchanged. */
export const mirrored: Readonly<Record<string, string>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '=': '=',
  '!=': '!=',
};

/**
 * ODK's names of the functions that have another name in formulas. ODK's `count` counts nodes, and each instance has a
 * node (ODK XForms, "XPath functions").
 */
export const functionsOfOdk: Readonly<Record<string, string>> = {
  'count-instances': 'count',
  count: 'count-non-empty',
};

/** The prefix of an option's attribute in a formula. A formula cannot refer to a question whose name begins with it. */
export const OF_OPTION = 'option.';

/** A column of the choices sheet as a formula refers to it: the name of a choice is the value of the option. */
export const attributeOf = (column: string): string => OF_OPTION + (column === 'name' ? 'value' : column);

/** The column of the choices sheet for a reference that `attributeOf` has made. */
export const columnOfAttribute = (reference: string): string => {
  const attribute = reference.slice(OF_OPTION.length);
  return attribute === 'value' ? 'name' : attribute;
};

export const asText = (text: string): Expression => ({ kind: 'text', text });

export const callOf = (name: string, ...parts: Expression[]): Expression => ({ kind: 'call', name, parts });

export const operationOf = (operator: string, left: Expression, right: Expression): Expression => ({
  kind: 'operation',
  operator,
  left,
  right,
});

/** A number as a literal; undefined for a number that needs an exponent, which XPath does not have. */
export const numberOf = (value: number): Expression | undefined => {
  if (/e/.test(String(value))) return undefined;
  const size: Expression = { kind: 'number', text: String(Math.abs(value)) };
  return value < 0 ? { kind: 'minus', of: size } : size;
};

/** Replaces each part for which `change` returns another; the parts of a replacement are not visited. */
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
    case 'column':
      return expression;
  }
};

/** The columns of the choices sheet that an expression refers to, each once. */
export const columnsIn = (expression: Expression): string[] => {
  const found = new Set<string>();
  mapExpression(expression, (part) => {
    if (part.kind === 'column') found.add(part.name);
    return undefined;
  });
  return [...found];
};

/** A reference to an answer in an expression or in a text. */
export const NAMED = /\$\{\s*([^{}\s]+)\s*\}/g;

/** The names of the answers that a text refers to as `${name}`, in an expression or in a label. */
export const namesIn = (text: string): string[] => [...text.matchAll(NAMED)].map(([, name = '']) => name);

/** Whether a default is an expression to be calculated; otherwise it is the answer itself. */
export const isDynamic = (text: string): boolean => /\$\{|^[\w:-]+\(.*\)$/s.test(text);

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
