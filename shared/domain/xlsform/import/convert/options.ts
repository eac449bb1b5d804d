import { cutTo } from '../../../../base/text.ts';
import { type Field, type FieldType, ResponseSet } from '../../../../schemas/templates/content.ts';
import type { List, ListedOption } from '../read/choices.ts';
import type { ListSource, RowType } from '../read/question-types.ts';
import type { Node } from '../read/tree.ts';
import { idOf } from './ids.ts';
import { type LinkedForm, listOf } from './references.ts';
import { MAX_TITLE_LENGTH } from './texts.ts';

/** A list as a select uses it. */
export interface ListUse {
  list: List;
  source: Exclude<ListSource, 'answers'>;
  /** Whether the select adds an option "other". */
  orOther: boolean;
  /** The id of the response set that the list becomes. */
  id: string;
}

/** The options of a field. */
export interface FieldOptions {
  values: Pick<Field, 'options' | 'response_set_id'>;
  /** The field's own options with their labels in other languages; undefined where it has a response set. */
  listed: readonly ListedOption[] | undefined;
  /** The list that becomes the field's response set; undefined where the options are its own. */
  use: ListUse | undefined;
}

const NO_OPTIONS: FieldOptions = {
  values: { options: null, response_set_id: null },
  listed: undefined,
  use: undefined,
};

const OTHER = { value: 'other', label: 'Other', color: null, score: null, is_failed: false, is_na: false };

/** Identifies a use of a list. Each different use becomes a response set. */
export const useKey = ({ source, list, orOther }: Omit<ListUse, 'id'>): string =>
  `${source}/${list.name}${orOther ? '/other' : ''}`;

/** The use of a list by a select. In a form that this service wrote, the response set has its original id. */
export const listUse = (form: LinkedForm, use: Omit<ListUse, 'id'>): ListUse => {
  const { set } = use.list;
  const id = typeof set?.id === 'string' ? set.id.toLowerCase() : idOf(form, 'list', useKey(use));
  return { ...use, id };
};

/** The response set that a list becomes. */
export const responseSetOf = ({ list, orOther, id }: ListUse): ResponseSet => {
  const options = list.options.map(({ option }) => option);
  const hasOther = !orOther || options.some(({ value }) => value === OTHER.value);
  const name = typeof list.set?.name === 'string' ? list.set.name : list.name;
  // Somebody may have edited the cell.
  const { data: source_id } = ResponseSet.shape.source_id.safeParse(list.set?.source_id);
  return {
    id,
    name: cutTo(orOther ? `${name} (or other)` : name, MAX_TITLE_LENGTH),
    options: hasOther ? options : [...options, { ...OTHER }],
    ...(source_id !== undefined && { source_id }),
  };
};

/** Whether a list holds the own options of a single field, in a form that this service wrote. */
export const isInline = ({ isOwn, selects }: LinkedForm, list: List): boolean =>
  isOwn && !list.set && selects.get(list)?.length === 1;

/** The options of a field that a row becomes. */
export const optionsOf = (form: LinkedForm, node: Node, type: FieldType): FieldOptions => {
  if (node.type.kind !== 'select' || type === 'text' || type === 'calculated') return NO_OPTIONS;
  const list = listOf(form, node);
  if (!list) return NO_OPTIONS;
  if (list.isOfType || isInline(form, list)) {
    const options = list.options.map(({ option }) => option);
    return { values: { options, response_set_id: null }, listed: list.options, use: undefined };
  }
  const { orOther, source } = node.type as RowType & { kind: 'select'; source: ListUse['source'] };
  const use = listUse(form, { list, source, orOther });
  return {
    values: { options: null, response_set_id: use.id },
    listed: undefined,
    use,
  };
};
