import { type GivenKind, parseFormula, scalarOperands } from '../../../content/formula/parse.ts';
import { operands } from '../../../content/publish/type-groups.ts';
import {
  asText,
  attributeOf,
  callOf,
  type Expression,
  functionsOfOdk,
  mapExpression,
  OF_OPTION,
  operationOf,
  printExpression,
} from '../../expressions/expression.ts';
import { odkToFormula, type Reference, replaceLiterals, type Target } from '../../expressions/literals.ts';
import { NotSupported } from './not-supported.ts';

/** The longest formula of a field, in characters (`Field.formula`). */
const MAX_FORMULA_LENGTH = 2_000;

const idOf = (reference: Reference): string =>
  'field_id' in reference ? reference.field_id : reference.start_key;

/** For each function of ODK that has another name in formulas, that name. */
const renamed = new Map(Object.entries(functionsOfOdk).map(([ours, odks]) => [odks, ours]));

const isBlank = (expression: Expression) => expression.kind === 'text' && expression.text === '';

const isEmpty = (answer: Expression) => operationOf('=', answer, asText(''));

/**
 * An equality as ODK decides it. In ODK a missing answer is an empty text: it is equal to another missing answer, and
 * different from anything else. In a formula the result would be empty.
 */
const equality = (operator: string, left: Expression, right: Expression): Expression => {
  if (isBlank(left) || isBlank(right)) return operationOf(operator, left, right);
  const same = operationOf('=', left, right);
  const equal =
    left.kind === 'answer' && right.kind === 'answer'
      ? operationOf('or', same, operationOf('and', isEmpty(left), isEmpty(right)))
      : same;
  return operator === '=' ? equal : callOf('not', equal);
};

/**
 * Rewrites an expression of ODK with the functions, dates and equalities of formulas. In a formula a date is a text.
 */
const asFormula = (expression: Expression): Expression =>
  mapExpression(expression, (part) => {
    if (part.kind === 'self') throw new NotSupported('"." stands for an answer in a constraint only');
    if (part.kind === 'call' && renamed.has(part.name))
      return callOf(renamed.get(part.name)!, ...part.parts.map(asFormula));
    if (part.kind === 'call' && (part.name === 'date' || part.name === 'date-time')) {
      const [text, ...others] = part.parts;
      return text?.kind === 'text' && others.length === 0 ? text : undefined;
    }
    return part.kind === 'operation' && (part.operator === '=' || part.operator === '!=')
      ? equality(part.operator, asFormula(part.left), asFormula(part.right))
      : undefined;
  });

/**
 * The formula that gives the same result as an expression.
 * @param given what the expression may refer to besides answers
 * @param targetOf the question that a name refers to; may throw NotSupported
 * @throws NotSupported and FormulaError if no formula gives that result
 */
export const formulaOf = (
  expression: Expression,
  targetOf: (name: string) => Target,
  given: readonly GivenKind[] = [],
): string => {
  const inForm = asFormula(
    mapExpression(expression, (part) => replaceLiterals(part, targetOf, odkToFormula)),
  );
  const isOnce = new Map<string, boolean>();
  const ofOptions = mapExpression(inForm, (part) =>
    part.kind === 'column' ? { kind: 'answer', name: attributeOf(part.name) } : undefined,
  );
  const formula = printExpression(ofOptions, (name) => {
    if (name.startsWith(OF_OPTION)) return `{${name}}`;
    const target = targetOf(name);
    if (!operands.has(target.type))
      throw new NotSupported(
        `it uses ${name}, and the answer to a ${target.type} field cannot be calculated with`,
      );
    const id = idOf(target.reference);
    isOnce.set(id, target.isOnce);
    return `{${id}}`;
  });
  if (formula.length > MAX_FORMULA_LENGTH)
    throw new NotSupported(`as a formula it would be longer than ${MAX_FORMULA_LENGTH} characters`);
  for (const operand of scalarOperands(parseFormula(formula, given)))
    if (!isOnce.get(idOf(operand)))
      throw new NotSupported(
        'it uses a question of a repeat, which may have several answers, other than in sum, count, min or max',
      );
  return formula;
};
