import type { Field, FieldType } from '../../../../schemas/templates/content.ts';
import { IN_CONSTRAINTS } from '../../../content/conditions/dependencies.ts';
import {
  callOf,
  type Expression,
  mapExpression,
  operationOf,
  printExpression,
} from '../../expressions/expression.ts';
import { expressionIn } from '../../expressions/parse.ts';
import { take } from '../../form/table.ts';
import { FILE_PARAMETERS, fileListOf } from '../read/file-lists.ts';
import { type Parameters, parametersOf } from '../read/parameters.ts';
import type { Node } from '../read/tree.ts';
import { limitsIn } from './constraints.ts';
import { formulaOf } from './formulas.ts';
import { convertOrRemark, faultOf, NotSupported } from './not-supported.ts';
import { type Conversion, ownTarget, placeOf, targetOf } from './outcomes.ts';

/** The parameters of a range that set a limit, with ODK's standard value. */
const RANGE = { min: ['start', 1], max: ['end', 10], step: ['step', 1] } as const;

/** The limits that the parameters of a range set, and the names of those parameters. */
const rangeIn = (parameters: Parameters): { limits: Partial<Field>; used: string[] } => {
  const set = Object.entries(RANGE)
    .map(([limit, [name, standard]]) => ({ limit, name, value: Number(parameters.get(name) ?? standard) }))
    .filter(({ value }) => Number.isFinite(value));
  const limits: Partial<Field> = Object.fromEntries(set.map(({ limit, value }) => [limit, value]));
  const isTurned = limits.min! > limits.max!;
  return {
    limits: isTurned ? { ...limits, min: limits.max!, max: limits.min! } : limits,
    used: set.map(({ name }) => name),
  };
};

/** The limits that the type of a row and its parameters set, with `type` where the parameters change the field type. */
const limitsOfType = ({ log, fileLists }: Conversion, node: Node, type: FieldType): Partial<Field> => {
  const question = node.type.kind === 'question' ? node.type : undefined;
  const parameters = parametersOf(node);
  const range = question?.type === 'slider' ? rangeIn(parameters) : { limits: {}, used: [] };
  const used = new Set([...range.used, 'rows', ...(fileListOf(fileLists, node) ? FILE_PARAMETERS : [])]);
  const left = [...parameters.keys()].filter((name) => !used.has(name));
  if (left.length > 0)
    log.lost(
      node.row,
      'parameters',
      `this question is imported without these parameters: ${left.join(', ')}`,
    );
  return {
    ...(question?.type === type && question.limits),
    ...range.limits,
    ...(parameters.has('rows') && type === 'text' && { type: 'long_text' }),
  };
};

/** The name for `.`, the answer that a constraint limits. No row has this name. */
const SELF = '.';

const withSelf = (constraint: Expression): Expression =>
  mapExpression(constraint, (part) => {
    if (part.kind === 'self') return { kind: 'answer', name: SELF };
    // Without an argument, the function measures the answer itself (XPath 1.0, section 4.2).
    return part.kind === 'call' && part.name === 'string-length' && part.parts.length === 0
      ? callOf(part.name, { kind: 'answer', name: SELF })
      : undefined;
  });

/** The constraint of a field, from parts of a constraint of ODK. A part that a content cannot check gets a remark. */
const constraintOf = (
  conversion: Conversion,
  node: Node,
  parts: readonly Expression[],
): Pick<Field, 'constraint'> => {
  const { log } = conversion;
  const place = placeOf(conversion, node, 'constraint');
  const self = ownTarget(conversion, node);
  const formulaIn = (expression: Expression) => {
    if (!self) throw new NotSupported('a start field has no constraint');
    return formulaOf(
      withSelf(expression),
      (name) => (name === SELF ? self : targetOf(conversion, place, name)),
      IN_CONSTRAINTS,
    );
  };
  const checked = parts.filter((part) => {
    const why = faultOf(() => formulaIn(part));
    const text = () => printExpression(part, (name) => `\${${name}}`);
    if (why !== undefined) log.lost(node.row, 'constraint', `not checked: ${text()} (${why})`);
    return why === undefined;
  });
  if (checked.length === 0) return {};
  const all = checked.reduce((left, right) => operationOf('and', left, right));
  const constraint = convertOrRemark(log, place, () => formulaIn(all));
  return constraint === undefined ? {} : { constraint };
};

/** The limits that a question's type, parameters and constraint set, and the rest of the constraint. */
export const limitsOf = (conversion: Conversion, node: Node, type: FieldType): Partial<Field> => {
  const limits = limitsOfType(conversion, node, type);
  const text = take(node.row, 'constraint');
  if (text === '') return limits;
  const { log } = conversion;
  const found = convertOrRemark(log, placeOf(conversion, node, 'constraint'), () =>
    limitsIn(expressionIn(text), type, limits.step === 1),
  );
  if (!found) return limits;
  const set = Object.entries(found.limits).filter(([, value]) => value !== null);
  return { ...limits, ...Object.fromEntries(set), ...constraintOf(conversion, node, found.left) };
};
