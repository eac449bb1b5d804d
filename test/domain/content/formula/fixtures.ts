import { compute } from '../../../../shared/domain/content/formula/compute.ts';
import { FormulaError, type Operand, parseFormula } from '../../../../shared/domain/content/formula/parse.ts';

/** The id of a field. */
export const FIELD = '0190f3c2-0000-7000-8000-0000000000ab';

export const nameOf = (operand: Operand) => ('field_id' in operand ? operand.field_id : operand.start_key);

/** The result over answers given by name, each a list of one per instance. */
export const result = (text: string, answers: Partial<Record<string, unknown[]>> = {}) =>
  compute(parseFormula(text), (operand) => answers[nameOf(operand)] ?? [null]);

export const fault = (text: string): string => {
  try {
    parseFormula(text);
  } catch (error) {
    if (error instanceof FormulaError) return error.message;
    throw error;
  }
  return 'none';
};
