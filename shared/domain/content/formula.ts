import Fraction from 'fraction.js';
import jsep from 'jsep';
import { decimal, isEmpty, order } from './values.ts';

/** An answer that a formula refers to: of a field, or of a start field. */
export type Operand = { field_id: string } | { start_key: string };

/** What is worked with; null is nothing. A list is a multi_select's answer. */
type Value = Fraction | string | boolean | readonly string[] | null;

interface Routine {
  least: number;
  most: number;
  /** Works on every answer of an operand that is its argument, not on the one. */
  aggregates?: boolean;
  apply: (values: readonly Value[]) => Value;
}

type Tree = { value: Value } | { operand: Operand } | { routine: Routine; parts: readonly Tree[] };

type Step =
  | { value: Value }
  | { operand: Operand; isAggregated: boolean }
  | { routine: Routine; arity: number };

/** A parsed formula. */
export interface Formula {
  /** Each once, in the order of their first mention. */
  operands: readonly Operand[];
  /** What is computed in turn, a routine from the last results: a loop, which needs no stack however long it is. */
  steps: readonly Step[];
}

/** A text that is no formula; the message says what is wrong, and where. */
export class FormulaError extends Error {
  override name = 'FormulaError';
}

const DEEPEST = 50;

/** No result is larger, or nearer to zero without being it: the limits of a number's answer. */
const LARGEST = 1e15;
const SHOWN_DIGITS = 15;

/** On the way to a result a number beyond these powers of ten is nothing, or zero. */
const WIDEST = 400;

/** A fraction of larger parts is kept to so many significant digits: exact ones would grow with every step. */
const KEPT_DIGITS = 40;
const LARGEST_PARTS = 10n ** 80n;

/** The longest text that concat makes, as long as the longest answer, and the longest result. */
const LONGEST_TEXT = 20_000;
const LONGEST_RESULT = 1_000;

/** A power of ten and its inverse, of which one is 1: `[100n, 1n]` and `[1n, 100n]` of 2 and -2. */
const powers = (power: number): [bigint, bigint] => [
  10n ** BigInt(Math.max(power, 0)),
  10n ** BigInt(Math.max(-power, 0)),
];

/** A number's digits before the decimal point; of 0.001 they are -2. */
const magnitudeOf = ({ n, d }: Fraction) => {
  const least = String(n).length - String(d).length;
  const [up, down] = powers(least);
  return n * down < d * up ? least : least + 1;
};

/** Half up, to so many places after the point, or before it. */
const rounded = ({ s, n, d }: Fraction, places: number) => {
  const [up, down] = powers(places);
  const [above, below] = [2n * s * n * up + d * down, 2n * d * down];
  const whole = above / below - (above < 0n && above % below !== 0n ? 1n : 0n);
  return new Fraction(whole * down, up);
};

const significant = (n: Fraction, digits: number) => rounded(n, digits - magnitudeOf(n));

const bounded = (n: Fraction): Fraction | null => {
  if (n.n * n.d <= LARGEST_PARTS) return n;
  const magnitude = magnitudeOf(n);
  if (magnitude > WIDEST) return null;
  return magnitude < -WIDEST ? new Fraction(0) : significant(n, KEPT_DIGITS);
};

/** Without nested repetition, so that no text takes longer to try than to read. */
const decimalForm = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,3})?$/;

/** The number that a decimal text writes. */
const exact = (text: string): Fraction | null => {
  const written = text.toLowerCase();
  if (!decimalForm.test(written)) return null;
  const { digits, scale } = decimal(written);
  const [up, down] = powers(-scale);
  return bounded(new Fraction(digits * up, down));
};

/** A number as it is shown, without an exponent; "" for none within the limits. */
const decimalOf = (n: Fraction): string => {
  if (n.abs().gt(LARGEST)) return '';
  return n.abs().mul(LARGEST).lt(1) ? '0' : significant(n, SHOWN_DIGITS).toString(2 * SHOWN_DIGITS);
};

const textOf = (value: Value): string => {
  if (value instanceof Fraction) return decimalOf(value);
  return typeof value === 'object' ? (value?.join(' ') ?? '') : String(value);
};

const numberOf = (value: Value): Fraction | null => {
  if (value instanceof Fraction) return value;
  if (typeof value === 'boolean') return new Fraction(Number(value));
  const text = textOf(value);
  return text.length > LONGEST_RESULT ? null : exact(text.trim());
};

const isTrue = (value: Value): boolean =>
  value instanceof Fraction ? !value.equals(0) : typeof value === 'boolean' ? value : !isEmpty(value);

const valueOf = (json: unknown): Value => {
  if (isEmpty(json)) return null;
  if (typeof json === 'number') return exact(String(json));
  if (typeof json === 'string' || typeof json === 'boolean') return json;
  return Array.isArray(json) && json.every((item) => typeof item === 'string') ? json : null;
};

const resultOf = (value: Value): number | string | boolean | null => {
  if (typeof value === 'boolean') return value;
  const text = textOf(value);
  if (isEmpty(text)) return null;
  if (value instanceof Fraction) return Number(text);
  return text
    .slice(0, LONGEST_RESULT)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed();
};

/** Numbers to a number; nothing as soon as one of them is none. */
const numeric =
  (work: (...numbers: Fraction[]) => Fraction | null) =>
  (values: readonly Value[]): Value => {
    const numbers = values.map(numberOf);
    if (!numbers.every((n) => n !== null)) return null;
    const result = work(...numbers);
    return result && bounded(result);
  };

/** How two values stand to each other: numbers by size, texts as the conditions order them; NaN if not at all. */
const compare = (left: Value, right: Value): number => {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a && b) return a.compare(b);
  return typeof left === 'string' && typeof right === 'string' ? order(left, right) : Number.NaN;
};

const equal = (left: Value, right: Value): boolean | null => {
  if (left === '' || right === '') return isEmpty(left) === isEmpty(right);
  if (left === null || right === null) return null;
  if (left instanceof Fraction || right instanceof Fraction) return compare(left, right) === 0;
  return order(textOf(left), textOf(right)) === 0;
};

const routine = (least: number, most: number, apply: Routine['apply']): Routine => ({ least, most, apply });

const one = (work: (value: Value) => Value) => routine(1, 1, ([value = null]) => work(value));
const two = (work: (left: Value, right: Value) => Value) =>
  routine(2, 2, ([left = null, right = null]) => work(left, right));
const texts = (work: (text: string, part: string) => boolean) =>
  two((text, part) => work(textOf(text), textOf(part)));
const ofNumber = (work: (n: Fraction) => Fraction) => routine(1, 1, numeric(work));
const ofNumbers = (work: (a: Fraction, b: Fraction) => Fraction | null) => routine(2, 2, numeric(work));
const aggregate = (work: (values: readonly Value[]) => Value): Routine => ({
  ...routine(1, Infinity, (values) => work(values.filter((value) => !isEmpty(value)))),
  aggregates: true,
});
const ordered = (holds: (order: number) => boolean) =>
  two((left, right) => {
    const order = compare(left, right);
    return Number.isNaN(order) ? null : holds(order);
  });
const extreme = (sign: number) =>
  aggregate((values) =>
    values.reduce<Value>((best, value, i) => {
      if (i === 0) return numberOf(value) ?? (typeof value === 'string' ? value : null);
      const order = compare(value, best) * sign;
      return Number.isNaN(order) ? null : order > 0 ? (numberOf(value) ?? value) : best;
    }, null),
  );

const plus = ofNumbers((a, b) => a.add(b));
const divided = ofNumbers((a, b) => (b.equals(0) ? null : a.div(b)));
const remainder = ofNumbers((a, b) => (b.equals(0) ? null : a.mod(b)));
const negated = ofNumber((n) => n.neg());

const roundedTo = (n: Fraction, places = new Fraction(0)) =>
  places.d === 1n && places.abs().lte(2 * SHOWN_DIGITS) ? rounded(n, places.valueOf()) : null;

const functions = new Map<string, Routine>([
  [
    'sum',
    aggregate((values) => values.reduce<Value>((sum, next) => plus.apply([sum, next]), new Fraction(0))),
  ],
  ['count', aggregate((values) => new Fraction(values.length))],
  ['min', extreme(-1)],
  ['max', extreme(1)],
  ['round', routine(1, 2, numeric(roundedTo))],
  ['abs', ofNumber((n) => n.abs())],
  ['floor', ofNumber((n) => n.floor())],
  ['ceil', ofNumber((n) => n.ceil())],
  ['ceiling', ofNumber((n) => n.ceil())],
  ['int', ofNumber((n) => (n.s < 0n ? n.ceil() : n.floor()))],
  ['number', ofNumber((n) => n)],
  ['string', one(textOf)],
  ['concat', routine(1, Infinity, (values) => values.map(textOf).join('').slice(0, LONGEST_TEXT))],
  ['coalesce', routine(1, Infinity, (values) => values.find((value) => !isEmpty(value)) ?? null)],
  [
    'selected',
    two((list, option) => {
      const text = textOf(list);
      const chosen = Array.isArray(list) ? list : [text, ...text.split(/\s+/)];
      return !isEmpty(list) && chosen.includes(textOf(option));
    }),
  ],
  ['count-selected', one((list) => new Fraction(Array.isArray(list) ? list.length : Number(!isEmpty(list))))],
  ['string-length', one((value) => new Fraction(Array.from(textOf(value)).length))],
  ['contains', texts((text, part) => text.includes(part))],
  ['starts-with', texts((text, part) => text.startsWith(part))],
  ['ends-with', texts((text, part) => text.endsWith(part))],
  [
    'substr',
    routine(2, 3, ([text = null, ...bounds]) => {
      const [start, end] = bounds.map((bound) => numberOf(bound)?.valueOf());
      return start === undefined || (bounds.length > 1 && end === undefined)
        ? null
        : Array.from(textOf(text)).slice(start, end).join('');
    }),
  ],
  [
    'if',
    routine(3, 3, ([condition = null, then = null, otherwise = null]) =>
      isTrue(condition) ? then : otherwise,
    ),
  ],
  ['not', one((value) => !isTrue(value))],
  ['true', routine(0, 0, () => true)],
  ['false', routine(0, 0, () => false)],
]);

/** Of other dialects, whose results would change while no answer does. */
const volatile = new Set(['today', 'now', 'random', 'uuid', 'once']);

const equals = two(equal);
const differs = two((left, right) => {
  const isEqual = equal(left, right);
  return isEqual === null ? null : !isEqual;
});
const either = two((left, right) => isTrue(left) || isTrue(right));
const both = two((left, right) => isTrue(left) && isTrue(right));

interface Operator extends Routine {
  precedence: number;
  compares?: boolean;
}

const EQUALITY = { precedence: 3, compares: true };
const RELATION = { precedence: 4, compares: true };

/** XPath's operators and their precedence (XPath 1.0, sections 3.3 to 3.5), and the spellings that others know. */
const operators = new Map<string, Operator>([
  ['or', { ...either, precedence: 1 }],
  ['||', { ...either, precedence: 1 }],
  ['and', { ...both, precedence: 2 }],
  ['&&', { ...both, precedence: 2 }],
  ['=', { ...equals, ...EQUALITY }],
  ['==', { ...equals, ...EQUALITY }],
  ['!=', { ...differs, ...EQUALITY }],
  ['<>', { ...differs, ...EQUALITY }],
  ['<', { ...ordered((order) => order < 0), ...RELATION }],
  ['<=', { ...ordered((order) => order <= 0), ...RELATION }],
  ['>', { ...ordered((order) => order > 0), ...RELATION }],
  ['>=', { ...ordered((order) => order >= 0), ...RELATION }],
  ['+', { ...plus, precedence: 5 }],
  ['-', { ...ofNumbers((a, b) => a.sub(b)), precedence: 5 }],
  ['*', { ...ofNumbers((a, b) => a.mul(b)), precedence: 6 }],
  ['/', { ...divided, precedence: 6 }],
  ['div', { ...divided, precedence: 6 }],
  ['%', { ...remainder, precedence: 6 }],
  ['mod', { ...remainder, precedence: 6 }],
]);

/** What the grammar of operators is left to; tokens are this module's own. */
interface Parser extends jsep.HookScope {
  source: string;
  depth: number;
  operands: Map<string, Operand>;
}

/** A token, to the grammar. */
interface Part extends jsep.Expression {
  type: 'Part';
  tree: Tree;
  at: number;
}

const fail = (what: string, at: number): never => {
  throw new FormulaError(`${what}, at character ${at + 1}`);
};

/** Reads what stands next, if it is of this form; `form` is sticky. */
const take = ({ source, index }: Parser, form: RegExp) => {
  form.lastIndex = index;
  return form.exec(source);
};

const unexpected = (parser: Parser): never => {
  const { source, index } = parser;
  if (index >= source.length) return fail('the formula ends where more should follow', index);
  const [next = ''] = take(parser, /[\w-]{1,50}|./suy) ?? [];
  return /[a-z_.[/]/i.test(next)
    ? fail(`${next} means nothing here: an answer is written {id} or {key}, a text 'in quotes'`, index)
    : fail(`unexpected ${next}`, index);
};

const pass = (parser: Parser, character: string) => {
  parser.gobbleSpaces();
  if (parser.char !== character) unexpected(parser);
  parser.index += 1;
};

const isPart = (expression: jsep.Expression): expression is Part => expression.type === 'Part';

const startOf = (expression: jsep.Expression): number =>
  isPart(expression) ? expression.at : startOf((expression as jsep.BinaryExpression).left);

const treeOf = (expression: jsep.Expression): Tree => {
  if (isPart(expression)) return expression.tree;
  const { operator, left, right } = expression as jsep.BinaryExpression;
  const routine = operators.get(operator)!;
  for (const side of [left, right])
    if (
      routine.compares &&
      !isPart(side) &&
      operators.get((side as jsep.BinaryExpression).operator)?.compares
    )
      fail('comparisons do not chain: join two of them by "and"', startOf(right));
  return { routine, parts: [treeOf(left), treeOf(right)] };
};

const expressionOf = (parser: Parser) => treeOf(parser.gobbleBinaryExpression()!);

const operandOf = (parser: Parser, reference: string): Tree => {
  const name = reference.trim();
  const isField = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(name);
  if (!isField && !/^[a-z][a-z0-9_]*$/.test(name))
    fail(`{${name.slice(0, 50)}} is neither a field's id nor a start field's key`, parser.index);
  const key = name.toLowerCase();
  const operand = parser.operands.get(key) ?? (isField ? { field_id: key } : { start_key: key });
  parser.operands.set(key, operand);
  return { operand };
};

const callOf = (parser: Parser, name: string, at: number): Tree => {
  const routine =
    functions.get(name.replaceAll('_', '-')) ??
    fail(
      volatile.has(name)
        ? `${name}() changes while no answer does, and a result depends on answers alone`
        : `there is no function ${name.slice(0, 50)}: there are ${[...functions.keys()].join(', ')}`,
      at,
    );
  const parts: Tree[] = [];
  parser.gobbleSpaces();
  if (parser.char === ')') parser.index += 1;
  else {
    parts.push(expressionOf(parser));
    while (parser.char === ',') {
      parser.index += 1;
      parts.push(expressionOf(parser));
    }
    pass(parser, ')');
  }
  const { least, most } = routine;
  if (parts.length < least || parts.length > most) {
    const range =
      most === least ? `${least}` : most === Infinity ? `${least} or more` : `${least} to ${most}`;
    fail(`${name} takes ${range} argument${range === '1' ? '' : 's'}, not ${parts.length}`, at);
  }
  return { routine, parts };
};

const token =
  /(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?(?![\w.]))|'(?<single>[^']*)'|"(?<double>[^"]*)"|\$?\{(?<reference>[^{}]*)\}|(?<sign>[-!])|(?<open>\()|(?<name>[a-z][\w-]*)\s*\(/isuy;

const partOf = (parser: Parser): Tree => {
  const at = parser.index;
  const found = take(parser, token);
  const { number, single, double, reference, sign, open, name } = found?.groups ?? {};
  if (reference !== undefined) {
    const operand = operandOf(parser, reference);
    parser.index += found![0].length;
    return operand;
  }
  parser.index += found?.[0].length ?? 0;
  if (number !== undefined)
    return { value: exact(number) ?? fail(`${number.slice(0, 50)} is out of range`, at) };
  if (name !== undefined) return callOf(parser, name, at);
  if (sign !== undefined) {
    const parts = [treeOf(parser.gobbleToken()!)];
    return { routine: sign === '-' ? negated : functions.get('not')!, parts };
  }
  if (open !== undefined) {
    const tree = expressionOf(parser);
    pass(parser, ')');
    return tree;
  }
  const text = single ?? double;
  return text === undefined ? unexpected(parser) : { value: text };
};

type Grammar = new (text: string) => jsep.HookScope;

let grammar: Grammar | undefined;

/** jsep is configured as a whole, for all who use it: here it knows no token, and only our operators. */
const setUp = (): Grammar => {
  jsep.removeAllUnaryOps();
  jsep.removeAllBinaryOps();
  jsep.removeIdentifierChar('$');
  for (const [operator, { precedence }] of operators) jsep.addBinaryOp(operator, precedence);
  jsep.hooks.add('gobble-token', function read(env) {
    const parser = this as Parser;
    parser.depth += 1;
    if (parser.depth > DEEPEST) fail(`the formula is nested more than ${DEEPEST} deep`, parser.index);
    const at = parser.index;
    env.node = { type: 'Part', tree: partOf(parser), at };
    parser.depth -= 1;
  });
  return (jsep as unknown as { Jsep: Grammar }).Jsep;
};

/**
 * Parses a formula, an expression of XPath 1.0 without its paths, or of the like in a spreadsheet's manner.
 *
 * - Answers: `{id}` or `${id}` of a field, `{key}` or `${key}` of a start field. Numbers (`2`, `.5`, `1e-3`), texts
 *   in `'` or `"`, in which nothing is escaped.
 * - Operators, the loosest first: `or ||`, `and &&`, `= == != <>`, `< <= > >=`, `+ -`, `* / div % mod`, and the
 *   signs `-` and `!`. `%` and `mod` have the sign of the dividend.
 * - Functions: those in `functions`; `_` may stand for `-` in their names.
 *
 * @param text of at most 2,000 characters, which bounds all else; it may be anything
 * @throws FormulaError, which says what is wrong and at which character, counted from 1
 */
export const parseFormula = (text: string): Formula => {
  grammar ??= setUp();
  // Any white space separates, though jsep knows only some; texts are read from the source.
  const own = { source: text, depth: 0, operands: new Map<string, Operand>() };
  const parser: Parser = Object.assign(new grammar(text.replaceAll(/\s/g, ' ')), own);
  const tree = expressionOf(parser);
  if (parser.index < text.length) unexpected(parser);
  const steps: Step[] = [];
  const follow = (tree: Tree, isAggregated = false) => {
    if ('routine' in tree) {
      const { routine, parts } = tree;
      for (const part of parts) follow(part, routine.aggregates);
      steps.push({ routine, arity: parts.length });
    } else steps.push('operand' in tree ? { ...tree, isAggregated } : tree);
  };
  follow(tree);
  return { operands: [...parser.operands.values()], steps };
};

/** The operands that have to be answered once: those that are no direct argument of sum, count, min or max. */
export const scalarOperands = ({ steps }: Formula): readonly Operand[] => [
  ...new Set(steps.flatMap((step) => ('operand' in step && !step.isAggregated ? [step.operand] : []))),
];

/**
 * Computes a formula over answers. It never throws: what cannot be worked out is null, which is no answer.
 *
 * - Arithmetic is exact, as of decimals and fractions, and has 15 significant digits in the end. A result beyond
 *   ±1e15 is null, one nearer to zero than 1e-15 is 0; so is what goes beyond 1e±400 on the way. Fractions
 *   of more than 80 digits above and below the line together go on with 40 significant ones.
 * - In place of a number a boolean counts 1 or 0, and a text counts that writes a decimal number, such as the
 *   value of an option. Nothing, any other text, and a division by zero give null.
 * - Comparison is of numbers where one side is a number (`=`), or both can be (`<`); else of texts, dates and times
 *   in the order of time. With nothing it gives null, but `= ''` and `!= ''` tell whether something is answered.
 * - `sum`, `count`, `min` and `max` leave out what is not answered, and take every instance of an operand; without
 *   any, `sum` and `count` are 0, `min` and `max` null. `concat` and `coalesce` leave out nothing, too.
 * - In `if`, `and`, `or` and `not` nothing, 0, `''` and false count as false.
 * - `round` rounds half up, to `digits` after the point; `int` towards zero. `substr(text, start, end)` counts
 *   characters from 0, without the one at `end`, negative ones from the end.
 * - A multi_select's answer is a list for `selected` and `count_selected`, and its options, joined by a space, a
 *   text for all others. `selected` of a text finds the whole of it or one of its words.
 * - Texts are cut at 1,000 characters in the end; an empty one is null.
 *
 * @param read the answers of an operand as stored, one per instance in scope, null for none. It is asked once for
 *   each operand, and before anything is computed.
 */
export const compute = (
  { operands, steps }: Formula,
  read: (operand: Operand) => readonly unknown[],
): number | string | boolean | null => {
  const answers = new Map(operands.map((operand) => [operand, read(operand).map(valueOf)]));
  const results: (readonly Value[])[] = [];
  for (const step of steps)
    if ('routine' in step)
      results.push([step.routine.apply(results.splice(results.length - step.arity).flat())]);
    else if ('value' in step) results.push([step.value]);
    else {
      const given = answers.get(step.operand)!;
      results.push(step.isAggregated ? given : [given.length === 1 ? given[0]! : null]);
    }
  return resultOf(results[0]![0]!);
};
