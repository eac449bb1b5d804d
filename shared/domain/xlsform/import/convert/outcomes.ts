import { type Field, FieldType, type StartField } from '../../../../schemas/templates/content.ts';
import { asText, isDynamic } from '../../expressions/expression.ts';
import type { Target } from '../../expressions/literals.ts';
import { expressionIn } from '../../expressions/parse.ts';
import { hasOwn, takeOwn } from '../../form/own-columns.ts';
import { peek, settle, take } from '../../form/table.ts';
import { FormError } from '../diagnostics.ts';
import { isOnce, type Node } from '../read/tree.ts';
import { yesOrNo } from '../read/yes-or-no.ts';
import { answerTypeOf, isQuestion, type QuestionNode } from './answer-type.ts';
import { formulaOf } from './formulas.ts';
import { partId } from './ids.ts';
import { convertOrRemark, NotSupported, type CellPosition } from './not-supported.ts';
import { hasOwnValue, takeOwnValue } from './own-values.ts';
import { INSTANCE_ID, type LinkedForm, listOf, rowNamed } from './references.ts';

/** What a row of the survey becomes in the content. */
export type Outcome =
  | { as: 'field'; type: FieldType; id: string; formula?: string }
  | { as: 'start'; type: FieldType; key: string }
  | { as: 'section' }
  | { as: 'nothing'; why: string };

/** A form with the outcomes that are decided so far. A row may refer to a later one, which is then decided first. */
export interface Conversion extends LinkedForm {
  outcomes: Map<Node, Outcome>;
  /** The rows of fields and sections by id, of start fields by key. */
  placed: Map<string, Node>;
  startKeys: Set<string>;
  /** The calculated fields that conditions use, by group and formula. */
  helpers: Map<string, Field>;
  /** How many rows are being decided at the moment: each of them refers to the next. */
  pending: number;
}

/** The most start fields of a content (`Content.start`). */
const MAX_START_FIELDS = 200;

/** The longest key that is made of a name, in characters; a number may follow it. */
const MAX_KEY_LENGTH = 90;

/** The longest chain of calculations in which each uses the result of the next. */
const MAX_CHAIN = 100;

export const conversionOf = (form: LinkedForm): Conversion => ({
  ...form,
  outcomes: new Map(),
  placed: new Map(),
  startKeys: new Set(),
  helpers: new Map(),
  pending: 0,
});

/** Whether a group holds the start fields, in a form that this service wrote. */
export const isStartGroup = (node: Node | undefined): boolean =>
  node !== undefined && hasOwn(node.row, 'start');

/** The key of a start field: its own if this service wrote the row, else one made of its name. */
const startKey = ({ startKeys, placed }: Conversion, node: Node): string => {
  const given = takeOwn(node.row, 'key');
  const slug = (
    node.name
      .toLowerCase()
      .replaceAll(/[^a-z0-9_]/g, '_')
      .replace(/^[^a-z]+/, '') || 'start'
  ).slice(0, MAX_KEY_LENGTH);
  let key = typeof given === 'string' ? given : slug;
  for (let i = 2; startKeys.has(key); i += 1) key = `${slug}_${i}`;
  if (startKeys.size === MAX_START_FIELDS)
    throw new FormError([
      {
        sheet: 'survey',
        row: node.row.number,
        column: 'type',
        message: `a template can have at most ${MAX_START_FIELDS} start fields`,
        type: 'too_long',
      },
    ]);
  startKeys.add(key);
  placed.set(key, node);
  return key;
};

/**
 * The position of an expression. Start fields are asked before all groups, so they refer to answers from the form
 * itself.
 */
export const placeOf = ({ outcomes, root }: Conversion, node: Node, column: string): CellPosition => ({
  node,
  column,
  within: outcomes.get(node)?.as === 'start' ? root : node.parent!,
});

const answerOf = (
  conversion: Conversion,
  node: Node,
  outcome: Outcome & { as: 'field' | 'start' },
): Omit<Target, 'isOnce'> => ({
  reference: outcome.as === 'start' ? { start_key: outcome.key } : { field_id: outcome.id },
  type: outcome.type,
  options: listOf(conversion, node)?.options.map(({ name, option }) => ({ name, value: option.value })) ?? [],
});

/**
 * The question that a name refers to.
 * @throws NotSupported where the content has no such question
 */
export const targetOf = (conversion: Conversion, { node, within }: CellPosition, name: string): Target => {
  const found = rowNamed(conversion, name, node);
  if (!found && name === INSTANCE_ID)
    throw new NotSupported('it uses the id of the inspection, which is not an answer');
  if (!found) throw new NotSupported(`it uses "${name}", and the form has no question of this name`);
  const outcome = outcomeOf(conversion, found);
  if (outcome.as === 'section')
    throw new NotSupported(`it uses "${name}", which is a group and has no answer`);
  if (outcome.as === 'nothing')
    throw new NotSupported(`it uses "${name}", which was not imported (${outcome.why})`);
  return { ...answerOf(conversion, found, outcome), isOnce: isOnce(found, within) };
};

/** The field that a row becomes, as its own constraint refers to it; undefined for a row that becomes no field. */
export const ownTarget = (conversion: Conversion, node: Node): Target | undefined => {
  const outcome = outcomeOf(conversion, node);
  return outcome.as === 'field' ? { ...answerOf(conversion, node, outcome), isOnce: true } : undefined;
};

/**
 * The formula for the expression in a cell; undefined for an empty cell, and for an expression without a corresponding
 * formula. The latter gets a remark.
 */
const formulaIn = (
  conversion: Conversion,
  node: Node,
  column: 'calculation' | 'default',
): string | undefined => {
  const text = take(node.row, column);
  if (text === '') return undefined;
  const place = placeOf(conversion, node, column);
  return convertOrRemark(conversion.log, place, () =>
    formulaOf(
      // The default of a hidden row is its value.
      column === 'default' && !isDynamic(text) ? asText(text) : expressionIn(text),
      (name) => targetOf(conversion, place, name),
    ),
  );
};

const isStartType = (type: FieldType): type is StartField['type'] =>
  type !== 'calculated' && type !== 'reference';

/** The start field that a row becomes. A type that a start field cannot have gets a remark and becomes nothing. */
const startOutcome = (conversion: Conversion, node: Node, type: FieldType): Outcome => {
  if (isStartType(type)) return { as: 'start', type, key: startKey(conversion, node) };
  const why = `a start field cannot have the type ${type}`;
  conversion.log.lost(node.row, 'type', `this question was left out: ${why}`);
  return { as: 'nothing', why };
};

/** The field that a row becomes. A calculation without a formula becomes nothing. */
const fieldOutcome = (conversion: Conversion, node: Node, type: FieldType): Outcome => {
  const { log, placed } = conversion;
  const { row } = node;
  const field = { as: 'field' as const, type, id: partId(conversion, placed, node, 'field') };
  if (hasOwnValue(conversion, row, 'formula')) {
    settle(row, 'calculation');
    const formula = takeOwnValue(conversion, row, 'formula');
    return typeof formula === 'string' ? { ...field, formula } : field;
  }
  const formula =
    formulaIn(conversion, node, 'calculation') ??
    (type === 'calculated' ? formulaIn(conversion, node, 'default') : undefined);
  if (formula !== undefined) {
    if (type !== 'calculated' && type !== 'instruction' && yesOrNo(peek(row, 'read_only')) !== true)
      log.note(row, 'calculation', 'the answer is calculated and cannot be changed');
    return { ...field, type: 'calculated', formula };
  }
  if (type !== 'calculated' || hasOwn(row, 'id')) return field;
  if (!log.hasLosses(row)) log.lost(row, 'type', 'this row was left out, because it has no calculation');
  return { as: 'nothing', why: 'it cannot be calculated' };
};

const questionOutcome = (conversion: Conversion, node: QuestionNode): Outcome => {
  const { type, row } = node;
  const own = FieldType.safeParse(
    hasOwnValue(conversion, row, 'type') ? takeOwnValue(conversion, row, 'type') : undefined,
  );
  const byRow = answerTypeOf(conversion, node);
  const asked = own.success ? own.data : byRow;
  if (type.kind === 'question' && type.lost) conversion.log.lost(row, 'type', type.lost);
  if (isStartGroup(node.parent)) return startOutcome(conversion, node, asked);
  if (type.kind === 'question' && type.start) {
    conversion.log.note(row, 'type', type.start);
    return { as: 'start', type: asked, key: startKey(conversion, node) };
  }
  return fieldOutcome(conversion, node, asked);
};

const decide = (conversion: Conversion, node: Node): Outcome => {
  const { type, row } = node;
  if (type.kind === 'begin') return { as: 'section' };
  if (isQuestion(node)) return questionOutcome(conversion, node);
  if (type.kind !== 'unanswered') return { as: 'nothing', why: 'it is not a question' };
  conversion.log.remark(row, 'type', type.severity, type.message);
  return { as: 'nothing', why: type.message };
};

/**
 * Decides what a row becomes. Each row is decided once. The outcome is nothing for a row that depends on itself, or
 * that is beyond the longest chain.
 */
export const outcomeOf = (conversion: Conversion, node: Node): Outcome => {
  const { outcomes } = conversion;
  const known = outcomes.get(node);
  if (known) return known;
  if (conversion.pending === MAX_CHAIN)
    return { as: 'nothing', why: `it is part of a chain of more than ${MAX_CHAIN} calculations` };
  outcomes.set(node, { as: 'nothing', why: 'it depends on itself' });
  conversion.pending += 1;
  const outcome = decide(conversion, node);
  conversion.pending -= 1;
  outcomes.set(node, outcome);
  return outcome;
};
