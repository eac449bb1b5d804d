import type { Field, FieldType } from '../../../schemas/templates/content.ts';
import { expressionIn } from '../../expressions/parse.ts';
import { take } from '../../form/table.ts';
import type { Node } from '../read/tree.ts';
import { limitsIn } from './constraints.ts';
import { convertOrRemark } from './not-supported.ts';
import { type Conversion, placeOf } from './outcomes.ts';

type Parameters = ReadonlyMap<string, string>;

/** The parameters of a row by name. A parameter without a value has the value "". */
const parametersOf = ({ row }: Node): Parameters =>
  new Map(
    [...take(row, 'parameters').matchAll(/([^\s,;=]+)(?:\s*=\s*([^\s,;]+))?/g)].map(
      ([, name = '', value = '']) => [name.toLowerCase(), value],
    ),
  );

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
const limitsOfType = ({ log }: Conversion, node: Node, type: FieldType): Partial<Field> => {
  const question = node.type.kind === 'question' ? node.type : undefined;
  const parameters = parametersOf(node);
  const range = question?.type === 'slider' ? rangeIn(parameters) : { limits: {}, used: [] };
  const used = new Set([...range.used, 'rows']);
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

/** The limits of a question by its type, its parameters and its constraint. */
export const limitsOf = (conversion: Conversion, node: Node, type: FieldType): Partial<Field> => {
  const limits = limitsOfType(conversion, node, type);
  const text = take(node.row, 'constraint');
  if (text === '') return limits;
  const { log } = conversion;
  const found = convertOrRemark(log, placeOf(conversion, node, 'constraint'), () =>
    limitsIn(expressionIn(text), type, limits.step === 1),
  );
  if (!found) return limits;
  if (found.left.length > 0) log.lost(node.row, 'constraint', `not checked: ${found.left.join(' and ')}`);
  const set = Object.entries(found.limits).filter(([, value]) => value !== null);
  return { ...limits, ...Object.fromEntries(set) };
};
