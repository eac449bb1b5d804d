import { cutTo } from '../../../../base/text.ts';
import { type Condition, Field } from '../../../../schemas/templates/content.ts';
import { MAX_CONDITION_DEPTH } from '../../../content/limits.ts';
import { callOf, type Expression } from '../../expressions/expression.ts';
import { expressionIn } from '../../expressions/parse.ts';
import { settle, take } from '../../form/table.ts';
import type { Node } from '../read/tree.ts';
import { yesOrNo } from '../read/yes-or-no.ts';
import { conditionOf } from './expression-conditions.ts';
import { formulaOf } from './formulas.ts';
import { idOf } from './ids.ts';
import { convertOrRemark, type CellPosition } from './not-supported.ts';
import { type Conversion, outcomeOf, placeOf, targetOf } from './outcomes.ts';
import { hasOwnValue } from './own-values.ts';
import { MAX_TITLE_LENGTH } from './texts.ts';

/** A condition of a row. */
export interface RowCondition {
  condition: Condition | null;
  /**
   * The calculated field that the condition uses, if conditions cannot express the cell. Empty if formulas cannot
   * express it either; undefined if no field is needed.
   */
  helpers: readonly Field[] | undefined;
}

const NONE: RowCondition = { condition: null, helpers: undefined };

const depthOf = (condition: Condition): number => {
  const parts = 'all' in condition ? condition.all : 'any' in condition ? condition.any : [];
  return 1 + Math.max(0, ...parts.map(depthOf));
};

const BOOLEAN_OPERATORS = new Set(['or', 'and', '=', '!=', '<', '<=', '>', '>=']);
const BOOLEAN_FUNCTIONS = new Set([
  'not',
  'true',
  'false',
  'selected',
  'contains',
  'starts-with',
  'ends-with',
]);

/** Whether the result of an expression is always true or false. */
const isBoolean = (expression: Expression): boolean =>
  expression.kind === 'operation'
    ? BOOLEAN_OPERATORS.has(expression.operator)
    : expression.kind === 'call' && BOOLEAN_FUNCTIONS.has(expression.name);

/** The calculated field for an expression that conditions cannot express. Equal expressions share one field. */
const helperOf = (conversion: Conversion, place: CellPosition, expression: Expression): Field => {
  const truth = isBoolean(expression)
    ? expression
    : callOf('if', expression, callOf('true'), callOf('false'));
  const formula = formulaOf(truth, (name) => targetOf(conversion, place, name));
  const key = JSON.stringify([place.within.path, formula]);
  const helper =
    conversion.helpers.get(key) ??
    Field.parse({
      id: idOf(conversion, 'condition', key),
      type: 'calculated',
      label: cutTo(`Whether ${place.node.name}`, MAX_TITLE_LENGTH),
      formula,
      report: { visible: false },
    });
  conversion.helpers.set(key, helper);
  return helper;
};

/** The condition in a cell. A condition that always holds is null. */
export const conditionIn = (
  conversion: Conversion,
  node: Node,
  column: 'relevant' | 'required',
): RowCondition => {
  const { log } = conversion;
  const place = placeOf(conversion, node, column);
  const text = take(node.row, column);
  const fixed = yesOrNo(text);
  if (text === '' || fixed === true) return NONE;
  const targetNamed = (name: string) => targetOf(conversion, place, name);
  const found = convertOrRemark(log, place, () => {
    const expression = expressionIn(fixed === false ? 'false()' : text);
    const condition = conditionOf(expression, targetNamed);
    return condition && depthOf(condition) <= MAX_CONDITION_DEPTH ? { condition } : { expression };
  });
  if (!found) return NONE;
  if ('condition' in found) return { condition: found.condition, helpers: undefined };
  const helper = convertOrRemark(log, place, () => helperOf(conversion, place, found.expression));
  if (!helper) return { condition: null, helpers: [] };
  log.note(node.row, column, 'the condition uses the result of a calculated field, which was added for it');
  return { condition: { field_id: helper.id, op: 'eq', value: true }, helpers: [helper] };
};

/** The condition on which a row is shown. */
export const relevanceOf = (conversion: Conversion, node: Node): RowCondition => {
  if (node.specifies) {
    const outcome = outcomeOf(conversion, node.specifies);
    if (outcome.as !== 'field') return NONE;
    const op = outcome.type === 'multi_select' ? 'contains' : 'eq';
    return { condition: { field_id: outcome.id, op, value: 'other' }, helpers: undefined };
  }
  if (hasOwnValue(conversion, node.row, 'visible_if')) {
    settle(node.row, 'relevant');
    return NONE;
  }
  return conditionIn(conversion, node, 'relevant');
};
