import type { Problem } from '../../../base/problem.ts';
import type { ContentIndex, FieldPlace } from '../content-index.ts';
import {
  type Formula,
  FormulaError,
  type GivenKind,
  type Operand,
  parseFormula,
  scalarOperands,
} from '../formula/parse.ts';
import { problemAt } from './problems.ts';
import { operands } from './type-groups.ts';

/** The parsed formulas of a content, or why one does not parse, by the ids of the calculated fields. */
export type Formulas = Map<string, Formula | FormulaError>;

/** The id or key that an operand refers to. */
export const targetOf = (operand: Operand): string =>
  'field_id' in operand ? operand.field_id : operand.start_key;

/** A parsed expression, or why it does not parse. */
export const parsedOrFault = (text: string, given: readonly GivenKind[] = []): Formula | FormulaError => {
  try {
    return parseFormula(text, given);
  } catch (error) {
    if (error instanceof FormulaError) return error;
    throw error;
  }
};

export const formulasOf = (index: ContentIndex): Formulas => {
  const formulas: Formulas = new Map();
  for (const { field } of index.fields.values())
    if (field.type === 'calculated' && field.formula?.trim())
      formulas.set(field.id, parsedOrFault(field.formula));
  return formulas;
};

/** What is wrong with a formula: it does not parse, or it uses answers that it cannot use. */
export function* formulaProblems(
  index: ContentIndex,
  { repeats }: FieldPlace,
  formula: Formula | FormulaError,
  loc: string[],
): Generator<Problem> {
  if (formula instanceof FormulaError) {
    yield problemAt(loc, formula.message);
    return;
  }
  const scalars = new Set(scalarOperands(formula));
  for (const operand of formula.operands) {
    const name = targetOf(operand);
    const place = index.fields.get(name);
    const target = place?.field ?? index.startFields.get(name);
    if (!target) yield problemAt(loc, `the content has no field {${name}}`);
    else if (!operands.has(target.type))
      yield problemAt(loc, `{${name}} is a ${target.type} field, whose answers a formula cannot use`);
    else if (scalars.has(operand) && place?.repeats.some((repeat) => !repeats.includes(repeat)))
      yield problemAt(
        loc,
        `{${name}} has an answer for each instance of its section: use it alone in sum, count, min or max`,
      );
  }
}
