import { parseFormula, scalarOperands } from '../../../domain/content/formula/parse.ts';
import { operands } from '../../../domain/content/publish/type-groups.ts';
import { type Expression, mapExpression } from '../../expressions/expression.ts';
import { odkToFormula, type Reference, replaceLiterals, type Target } from '../../expressions/literals.ts';
import { printExpression } from '../../expressions/print.ts';
import { NotSupported } from './not-supported.ts';

/** The longest formula of a field, in characters (`Field.formula`). */
const MAX_FORMULA_LENGTH = 2_000;

const idOf = (reference: Reference): string =>
  'field_id' in reference ? reference.field_id : reference.start_key;

/**
 * The formula that gives the same result as an expression.
 * @param targetOf the question that a name refers to; may throw NotSupported
 * @throws NotSupported and FormulaError where no formula does
 */
export const formulaOf = (expression: Expression, targetOf: (name: string) => Target): string => {
  const inForm = mapExpression(expression, (part) => replaceLiterals(part, targetOf, odkToFormula));
  const isOnce = new Map<string, boolean>();
  const formula = printExpression(inForm, (name) => {
    const target = targetOf(name);
    if (!operands.has(target.type))
      throw new NotSupported(`formulas cannot use the answer to a ${target.type} field`);
    const id = idOf(target.reference);
    isOnce.set(id, target.isOnce);
    return `{${id}}`;
  });
  if (formula.length > MAX_FORMULA_LENGTH)
    throw new NotSupported(`the formula is longer than ${MAX_FORMULA_LENGTH} characters`);
  for (const operand of scalarOperands(parseFormula(formula)))
    if (!isOnce.get(idOf(operand)))
      throw new NotSupported('it uses a single answer of a repeat, which may have several');
  return formula;
};
