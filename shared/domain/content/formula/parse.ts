import jsep from 'jsep';
import { exact } from './numbers.ts';
import { functions, negated, operators, type Routine, volatile } from './routines.ts';
import type { Value } from './values.ts';

/** An answer that a formula or condition refers to: of a field, or of a start field. */
export type Operand = { field_id: string } | { start_key: string };

/**
 * What an expression that judges an answer can refer to besides answers: the time at which it was given, or the value
 * and the attributes of an option that it chooses. A formula can refer to neither, because its result would change even
 * when no answer does.
 */
export type Given = 'today' | 'now' | `option.${string}`;

/** The kinds of `Given`. */
export type GivenKind = 'today' | 'now' | 'option';

type Tree =
  | { value: Value }
  | { given: Given }
  | { operand: Operand }
  | { routine: Routine; parts: readonly Tree[] };

type Step =
  | { value: Value }
  | { given: Given }
  | { operand: Operand; isAggregated: boolean }
  | { routine: Routine; arity: number };

/** A parsed formula. */
export interface Formula {
  /** Each operand once, in the order of first mention. */
  operands: readonly Operand[];
  /** In postfix order: a routine takes the latest results. This needs no recursion, however long the formula is. */
  steps: readonly Step[];
}

/** A text is not a formula. The message says what is wrong, and at which character. */
export class FormulaError extends Error {
  override name = 'FormulaError';
  /** What is wrong, for people who do not see the formula. */
  readonly reason: string;

  /**
   * @param at the position of the character, from 0
   * @param advice for people who write formulas
   */
  constructor(reason: string, at: number, advice?: string) {
    super(`${reason}${advice === undefined ? '' : `; ${advice}`}, at character ${at + 1}`);
    this.reason = reason;
  }
}

/** Levels of parentheses, signs and function calls. */
const MAX_DEPTH = 50;

/** Characters of a formula that a message quotes. */
const MAX_QUOTED = 50;

/** jsep parses the operators; the tokens between them are read by this module. */
interface Parser extends jsep.HookScope {
  source: string;
  depth: number;
  operands: Map<string, Operand>;
  given: ReadonlySet<string>;
}

/** A token that this module has read, as jsep sees it. */
interface ExpressionPart extends jsep.Expression {
  type: 'Part';
  tree: Tree;
  at: number;
}

const fail = (...problem: ConstructorParameters<typeof FormulaError>): never => {
  throw new FormulaError(...problem);
};

/** Matches the text at the current position. @param form a sticky expression */
const take = ({ source, index }: Parser, form: RegExp) => {
  form.lastIndex = index;
  return form.exec(source);
};

const unexpected = (parser: Parser): never => {
  const { source, index } = parser;
  if (index >= source.length) return fail('the formula is incomplete', index);
  const [next = ''] = take(parser, /[\w-]{1,50}|./suy) ?? [];
  return /[a-z_.[/]/i.test(next)
    ? fail(`${next} is not valid here: write an answer as {id} or {key}, and a text 'in quotes'`, index)
    : fail(`unexpected ${next}`, index);
};

const expectCharacter = (parser: Parser, character: string) => {
  parser.gobbleSpaces();
  if (parser.char !== character) unexpected(parser);
  parser.index += 1;
};

const isPart = (expression: jsep.Expression): expression is ExpressionPart => expression.type === 'Part';

/** Where an expression begins in the text. */
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
      fail('comparisons cannot be chained: join them with "and"', startOf(right));
  return { routine, parts: [treeOf(left), treeOf(right)] };
};

const expressionOf = (parser: Parser) => treeOf(parser.gobbleBinaryExpression()!);

const isOfOption = (name: string): name is `option.${string}` => name.startsWith('option.');

const operandOf = (parser: Parser, reference: string): Tree => {
  const name = reference.trim();
  if (parser.given.has('option') && isOfOption(name)) return { given: name };
  const isField = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(name);
  if (!isField && !/^[a-z][a-z0-9_]*$/.test(name))
    fail(`{${name.slice(0, MAX_QUOTED)}} is neither a field's id nor a start field's key`, parser.index);
  const key = name.toLowerCase();
  const operand = parser.operands.get(key) ?? (isField ? { field_id: key } : { start_key: key });
  parser.operands.set(key, operand);
  return { operand };
};

/** Reads the arguments of a function, from behind its opening parenthesis. */
const callOf = (parser: Parser, name: string, at: number): Tree => {
  if (name !== 'option' && parser.given.has(name)) {
    expectCharacter(parser, ')');
    return { given: name as Given };
  }
  const routine =
    functions.get(name.replaceAll('_', '-')) ??
    fail(
      volatile.has(name)
        ? `${name}() is not available: its result changes even when no answer does`
        : `the function ${name.slice(0, MAX_QUOTED)}() is not available`,
      at,
      volatile.has(name) ? undefined : `the functions are ${[...functions.keys()].join(', ')}`,
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
    expectCharacter(parser, ')');
  }
  const { least, most } = routine;
  if (parts.length < least || parts.length > most) {
    const range =
      most === least ? `${least}` : most === Infinity ? `${least} or more` : `${least} to ${most}`;
    fail(`${name} takes ${range} argument${range === '1' ? '' : 's'}, not ${parts.length}`, at);
  }
  return { routine, parts };
};

const TOKEN =
  /(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?(?![\w.]))|'(?<single>[^']*)'|"(?<double>[^"]*)"|\$?\{(?<reference>[^{}]*)\}|(?<sign>[-!])|(?<open>\()|(?<name>[a-z][\w-]*)\s*\(/isuy;

const partOf = (parser: Parser): Tree => {
  const at = parser.index;
  const found = take(parser, TOKEN);
  const { number, single, double, reference, sign, open, name } = found?.groups ?? {};
  if (reference !== undefined) {
    const operand = operandOf(parser, reference);
    parser.index += found![0].length;
    return operand;
  }
  parser.index += found?.[0].length ?? 0;
  if (number !== undefined)
    return { value: exact(number) ?? fail(`${number.slice(0, MAX_QUOTED)} is out of range`, at) };
  if (name !== undefined) return callOf(parser, name, at);
  if (sign !== undefined) {
    const parts = [treeOf(parser.gobbleToken()!)];
    return { routine: sign === '-' ? negated : functions.get('not')!, parts };
  }
  if (open !== undefined) {
    const tree = expressionOf(parser);
    expectCharacter(parser, ')');
    return tree;
  }
  const text = single ?? double;
  return text === undefined ? unexpected(parser) : { value: text };
};

type Grammar = new (text: string) => jsep.HookScope;

let grammar: Grammar | undefined;

/** Configures jsep, which is global: it has only the operators of this module, and reads no tokens itself. */
const setUp = (): Grammar => {
  jsep.removeAllUnaryOps();
  jsep.removeAllBinaryOps();
  jsep.removeIdentifierChar('$');
  for (const [operator, { precedence }] of operators) jsep.addBinaryOp(operator, precedence);
  jsep.hooks.add('gobble-token', function read(env) {
    const parser = this as Parser;
    parser.depth += 1;
    if (parser.depth > MAX_DEPTH)
      fail(`the formula is nested more than ${MAX_DEPTH} levels deep`, parser.index);
    const at = parser.index;
    env.node = { type: 'Part', tree: partOf(parser), at };
    parser.depth -= 1;
  });
  return (jsep as unknown as { Jsep: Grammar }).Jsep;
};

/** Appends the steps of a tree, in postfix order. */
const appendSteps = (steps: Step[], tree: Tree, isAggregated = false): void => {
  if ('routine' in tree) {
    const { routine, parts } = tree;
    for (const part of parts) appendSteps(steps, part, routine.aggregates);
    steps.push({ routine, arity: parts.length });
  } else steps.push('operand' in tree ? { ...tree, isAggregated } : tree);
};

/**
 * Parses a formula: an expression of XPath 1.0 without paths, or its equivalent in the style of a spreadsheet.
 *
 * - Answers: `{id}` or `${id}` of a field, `{key}` or `${key}` of a start field. Numbers: `2`, `.5`, `1e-3`. Texts
 *   are in `'` or `"`, without escapes.
 * - Operators, from loosest to closest: `or ||`, `and &&`, `= == != <>`, `< <= > >=`, `+ -`, `* / div % mod`, and the
 *   signs `-` and `!`. `%` and `mod` have the sign of the dividend.
 * - Functions: those in `functions`, whose names may have `_` instead of `-`.
 *
 * @param text any text of at most 2,000 characters
 * @param given what the expression may refer to besides answers; nothing for a formula
 * @throws FormulaError for a text that is not a formula; characters are counted from 1
 */
export const parseFormula = (text: string, given: readonly GivenKind[] = []): Formula => {
  grammar ??= setUp();
  // Any white space separates tokens, but jsep knows only some of it. Quoted texts are read from the source.
  const own = { source: text, depth: 0, operands: new Map<string, Operand>(), given: new Set(given) };
  const parser: Parser = Object.assign(new grammar(text.replaceAll(/\s/g, ' ')), own);
  const tree = expressionOf(parser);
  if (parser.index < text.length) unexpected(parser);
  const steps: Step[] = [];
  appendSteps(steps, tree);
  return { operands: [...parser.operands.values()], steps };
};

/** What an expression refers to besides answers. */
export const givenIn = ({ steps }: Formula): Given[] =>
  steps.flatMap((step) => ('given' in step ? [step.given] : []));

/** The operands that must have a single answer: those that are not a direct argument of sum, count, min or max. */
export const scalarOperands = ({ steps }: Formula): readonly Operand[] => [
  ...new Set(steps.flatMap((step) => ('operand' in step && !step.isAggregated ? [step.operand] : []))),
];
