import { Field, PartName, Repeat, Section, StartField } from '../../../../schemas/templates/content.ts';
import { isDynamic } from '../../expressions/expression.ts';
import { ownColumn } from '../../form/columns.ts';
import {
  fieldAttributes,
  hasOwn,
  optionalAttributes,
  sectionAttributes,
  startAttributes,
} from '../../form/own-columns.ts';
import { choice } from '../../form/sheets.ts';
import { has, peek, settle, take } from '../../form/table.ts';
import type { ListedOption } from '../read/choices.ts';
import type { Node } from '../read/tree.ts';
import { yesOrNo } from '../read/yes-or-no.ts';
import { notImported } from '../report/meanings.ts';
import { choiceFilterOf } from './choice-filters.ts';
import { defaultIn } from './defaults.ts';
import { partId } from './ids.ts';
import { limitsOf } from './limits.ts';
import { type ListUse, optionsOf } from './options.ts';
import type { Conversion, Outcome } from './outcomes.ts';
import { hasOwnValue, takeOwnValue } from './own-values.ts';
import { listOf } from './references.ts';
import { conditionIn, relevanceOf } from './row-conditions.ts';
import { messagesOf, type Texts, textsOf, translatedTextsOf } from './texts.ts';

/** A part of the content, with everything else that its row says. */
export interface Converted<Part> {
  part: Part;
  node: Node;
  /** Its texts in other languages. */
  translations: ReadonlyMap<string, Texts>;
  /** The calculated fields that its conditions use; see `RowCondition`. */
  helpers: readonly Field[] | undefined;
  /** Its own options with their labels in other languages. */
  listed: readonly ListedOption[] | undefined;
  /** The list that is to become its response set. */
  use: ListUse | undefined;
}

/** The highest minimum of a repeat section (`Repeat.min`). */
const MAX_REPEATS = 100;

interface Checkable {
  safeParse: (value: unknown) => {
    error?: { issues: readonly { path: PropertyKey[]; message: string }[] } | undefined;
  };
}

/** A section without any content. */
export const emptySection = (id: string, title: string): Section => Section.parse({ id, title });

/** Replaces the values from the standard columns by those in this service's own columns. */
const withOwn = <Part extends object>(
  conversion: Conversion,
  part: Part,
  { row }: Node,
  attributes: readonly string[],
): Part => {
  const given = attributes.flatMap((attribute) => {
    const value = hasOwn(row, attribute) ? takeOwnValue(conversion, row, attribute) : undefined;
    return value === undefined ? [] : [[attribute, value] as const];
  });
  if (given.length === 0) return part;
  const left = new Set(
    given.flatMap(([attribute, value]) =>
      value === null && optionalAttributes.has(attribute) ? [attribute] : [],
    ),
  );
  const values = Object.entries({ ...part, ...Object.fromEntries(given) });
  return Object.fromEntries(values.filter(([attribute]) => !left.has(attribute))) as Part;
};

/** The name of a row, for its part to keep. */
const namedAs = ({ log }: Conversion, { row, name, isNameless }: Node): { name?: string } => {
  if (isNameless) return {};
  if (PartName.safeParse(name).success) return { name };
  const message = `an export will have another name for this row, because "${name}" is not a name that ODK accepts (letters, digits, "_", "-" and "."; a letter first)`;
  log.note(row, 'name', message);
  return {};
};

const check = ({ log }: Conversion, schema: Checkable, part: object, { row }: Node): void => {
  for (const { path, message } of schema.safeParse(part).error?.issues ?? []) {
    const attribute = String(path[0]);
    log.problem(row, hasOwn(row, attribute) ? ownColumn(attribute) : 'type', message);
  }
};

const labelFallback = (node: Node) => (node.specifies ? 'Specify other' : node.name);

const defaultOf = (conversion: Conversion, node: Node, type: Field['type']): unknown => {
  const { row } = node;
  const text = take(row, 'default');
  if (text === '' || hasOwnValue(conversion, row, 'default_value')) return null;
  const options = listOf(conversion, node)?.options;
  const valueNamed = (name: string) => options?.find((option) => option.name === name)?.option.value ?? name;
  const value = isDynamic(text) ? undefined : defaultIn(text, type, valueNamed);
  if (value === undefined)
    conversion.log.lost(
      row,
      'default',
      notImported(
        node,
        'default',
        isDynamic(text) ? 'a default cannot be calculated' : `this is not an answer to a ${type} field`,
      ),
    );
  return value ?? null;
};

interface Requirement extends Pick<Field, 'required' | 'required_if'> {
  helpers: readonly Field[] | undefined;
}

const NOT_REQUIRED: Requirement = { required: false, required_if: null, helpers: undefined };

const requirementOf = (conversion: Conversion, node: Node): Requirement => {
  const fixed = yesOrNo(take(node.row, 'required'));
  if (fixed !== undefined) return { ...NOT_REQUIRED, required: fixed };
  if (hasOwnValue(conversion, node.row, 'required_if')) return NOT_REQUIRED;
  const { condition, helpers } = conditionIn(conversion, node, 'required');
  return { required: false, required_if: condition, helpers };
};

const joined = <Item>(
  first: readonly Item[] | undefined,
  second: readonly Item[] | undefined,
): readonly Item[] | undefined => (first && second ? [...first, ...second] : (first ?? second));

/** The field that a row becomes. */
export const fieldOf = (
  conversion: Conversion,
  node: Node,
  { type, id, formula }: Outcome & { as: 'field' },
): Converted<Field> => {
  const { row } = node;
  const isAsked = type !== 'calculated' && type !== 'instruction';
  const isSilent = type === 'calculated' && !has(row, 'label');
  const help = node.type.kind === 'question' && node.type.help && !has(row, 'hint') ? [node.type.help] : [];
  const { title, text } = textsOf(conversion, node, labelFallback(node), help);
  const limits = type === 'calculated' ? {} : limitsOf(conversion, node, type);
  const { helpers, ...required } = isAsked ? requirementOf(conversion, node) : NOT_REQUIRED;
  const relevance = relevanceOf(conversion, node);
  const default_value = isAsked ? defaultOf(conversion, node, type) : null;
  const { values, listed, use } = optionsOf(conversion, node, type);
  if (!isAsked || yesOrNo(peek(row, 'read_only')) === false) settle(row, 'read_only');
  if (!isAsked && yesOrNo(peek(row, 'required')) === false) settle(row, 'required');
  const field: Field = {
    ...Field.parse({ id, type, label: title }),
    ...namedAs(conversion, node),
    help_text: text,
    ...limits,
    ...(isAsked && messagesOf(conversion, node)),
    ...required,
    visible_if: relevance.condition,
    default_value,
    ...values,
    formula: formula ?? null,
    ...(choice.has(type) && choiceFilterOf(conversion, node)),
    report: { visible: !isSilent },
  };
  const translations = translatedTextsOf(conversion, node, isAsked);
  const part = withOwn(conversion, field, node, fieldAttributes());
  check(conversion, Field, part, node);
  return { part, node, translations, helpers: joined(helpers, relevance.helpers), listed, use };
};

/** The start field that a row becomes. */
export const startFieldOf = (
  conversion: Conversion,
  node: Node,
  { type, key }: Outcome & { as: 'start' },
): Converted<StartField> => {
  const isAsked = type !== 'instruction';
  const { title, text } = textsOf(conversion, node, key === 'today' ? 'Date' : labelFallback(node));
  const { type: shown = type, ...limits } = limitsOf(conversion, node, type);
  const required = yesOrNo(take(node.row, 'required'));
  if (required === undefined)
    conversion.log.lost(
      node.row,
      'required',
      notImported(node, 'required', 'a start field is required always or never'),
    );
  const { condition, helpers } = relevanceOf(conversion, node);
  const default_value = defaultOf(conversion, node, type);
  const { values, listed, use } = optionsOf(conversion, node, type);
  const field: StartField = {
    ...StartField.parse({ key, type: shown, label: title }),
    ...(node.name === key ? {} : namedAs(conversion, node)),
    help_text: text,
    ...limits,
    ...(isAsked && messagesOf(conversion, node)),
    required: required ?? false,
    visible_if: condition,
    default_value,
    ...values,
  };
  const translations = translatedTextsOf(conversion, node, isAsked);
  const part = withOwn(conversion, field, node, startAttributes());
  check(conversion, StartField, part, node);
  return { part, node, translations, helpers, listed, use };
};

const repeatOf = ({ log }: Conversion, { row, type }: Node): Section['repeat'] => {
  if (type.kind !== 'begin' || type.control !== 'repeat') return null;
  const text = take(row, 'repeat_count');
  if (text === '') return Repeat.parse({});
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_REPEATS)
    return Repeat.parse({ min: count, max: count });
  log.lost(
    row,
    'repeat_count',
    'the number of repetitions is not fixed: people add repetitions as they answer',
  );
  return Repeat.parse({});
};

/** The section that a group, a repeat or a loop becomes, without its fields and sections. */
export const sectionOf = (conversion: Conversion, node: Node): Converted<Section> => {
  const { row } = node;
  const { title, text } = textsOf(conversion, node, node.filled?.['label'] ?? node.name);
  const shown = take(row, 'appearance');
  if (shown)
    conversion.log.note(row, 'appearance', `not used, because the app decides how a group looks: ${shown}`);
  const id = partId(conversion, conversion.placed, node, 'section');
  const { condition, helpers } = relevanceOf(conversion, node);
  const section: Section = {
    ...emptySection(id, title),
    ...namedAs(conversion, node),
    description: text,
    visible_if: condition,
    repeat: repeatOf(conversion, node),
  };
  const translations = translatedTextsOf(conversion, node, false);
  const part = withOwn(conversion, section, node, sectionAttributes);
  check(conversion, Section, part, node);
  return { part, node, translations, helpers, listed: undefined, use: undefined };
};
