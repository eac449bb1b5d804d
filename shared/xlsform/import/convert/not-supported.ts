import { FormulaError } from '../../../domain/content/formula/parse.ts';
import { ExpressionError } from '../../expressions/parse.ts';
import type { Diagnostics } from '../diagnostics.ts';
import type { Node } from '../read/tree.ts';
import { notImported } from '../report/meanings.ts';

/** A content has nothing that corresponds to a part of a form. The message says why. */
export class NotSupported extends Error {
  override name = 'NotSupported';
}

/** The cell of an expression. */
export interface Place {
  node: Node;
  column: string;
  /** The group from which the expression asks for answers. */
  within: Node;
}

/** Converts an expression. If that fails, the result is undefined and a remark says why. */
export const convertOrRemark = <Value>(
  log: Diagnostics,
  { node, column }: Place,
  convert: () => Value,
): Value | undefined => {
  try {
    return convert();
  } catch (error) {
    if (!(error instanceof NotSupported || error instanceof ExpressionError || error instanceof FormulaError))
      throw error;
    const reason = error instanceof FormulaError ? error.reason : error.message;
    log.lost(node.row, column, notImported(node, column, reason));
    return undefined;
  }
};
