import { FormulaError } from '../../../content/formula/parse.ts';
import { ExpressionError } from '../../expressions/parse.ts';
import type { Diagnostics } from '../diagnostics.ts';
import type { Node } from '../read/tree.ts';
import { notImported } from '../report/meanings.ts';

/** A content has nothing that corresponds to a part of a form. The message says why. */
export class NotSupported extends Error {
  override name = 'NotSupported';
}

/** The cell of an expression. */
export interface CellPosition {
  node: Node;
  column: string;
  /** The group from which the expression refers to answers. */
  within: Node;
}

/** The reason why a formula is refused, with advice for the author if there is any. */
const advised = (reason: string): string =>
  reason.startsWith('today()')
    ? `${reason}. Add a row of type today, and use its answer: it is the date of the inspection`
    : reason;

/** Why an expression cannot be converted; undefined where it can. */
export const faultOf = (convert: () => unknown): string | undefined => {
  try {
    convert();
    return undefined;
  } catch (error) {
    if (!(error instanceof NotSupported || error instanceof ExpressionError || error instanceof FormulaError))
      throw error;
    return error instanceof FormulaError ? advised(error.reason) : error.message;
  }
};

/** Converts an expression. If that fails, the result is undefined and a remark says why. */
export const convertOrRemark = <Value>(
  log: Diagnostics,
  { node, column }: CellPosition,
  convert: () => Value,
): Value | undefined => {
  let value: Value | undefined;
  const why = faultOf(() => {
    value = convert();
  });
  if (why !== undefined) log.lost(node.row, column, notImported(node, column, why));
  return value;
};
