import { sectionsOf } from '../../content/content-index.ts';
import { hasOwn } from '../form/own-columns.ts';
import { peekIn } from '../form/table.ts';
import { typeKey, namesOf } from '../standard/names.ts';
import { NO_NAMES, standardForm } from '../standard/standard-form.ts';
import type { BuiltForm } from './build/content.ts';
import { listOf } from './convert/references.ts';

/** For each attribute in a column of this service's own, the columns of XLSForm that it adds to. */
const refined: Record<string, readonly string[]> = {
  name: ['name'],
  type: ['type', 'appearance'],
  label: ['label'],
  title: ['label'],
  help_text: ['hint'],
  description: ['hint'],
  required: ['required'],
  required_if: ['required'],
  visible_if: ['relevant'],
  default_value: ['default'],
  formula: ['calculation'],
  options: ['type'],
  response_set_id: ['type'],
  ...Object.fromEntries(
    ['min', 'max', 'step', 'pattern', 'max_length'].map((limit) => [
      limit,
      ['constraint', 'parameters', 'type'],
    ]),
  ),
  constraint: ['constraint'],
  choice_filter: ['choice_filter'],
  constraint_message: ['constraint_message'],
  required_message: ['required_message'],
  repeat: ['repeat_count', 'type'],
};

/** The names that the lists have in the form, by the keys of `GivenNames.list`. */
const listsOf = (form: BuiltForm): Map<string, string> => {
  const lists = new Map(form.listNames);
  const questions = [
    ...form.content.start.fields.map(({ key, type }) => [key, type] as const),
    ...[...sectionsOf(form.content)].flatMap(({ section }) =>
      section.fields.map(({ id, type }) => [id, type] as const),
    ),
  ];
  for (const [id, type] of questions) {
    const node = form.placed.get(id);
    if (node?.type.kind !== 'select') continue;
    lists.set(id, node.type.list);
    if (listOf(form, node)?.isOfType) lists.set(typeKey(type), node.type.list);
  }
  return lists;
};

/**
 * The cells of this service's own columns, as `row:attribute`, that no longer count: somebody has edited a column of
 * XLSForm that the attribute adds to. A column is edited if exporting the content gives another text.
 */
export const outdatedCells = (form: BuiltForm): Set<string> => {
  const { content, placed, languages } = form;
  const found = new Set<string>();
  const candidates = [...placed].flatMap(([id, node]) => {
    const attributes = Object.keys(refined).filter((attribute) => hasOwn(node.row, attribute));
    return attributes.length > 0 ? [{ id, node, attributes }] : [];
  });
  if (candidates.length === 0) return found;
  const lists = listsOf(form);
  const { survey } = standardForm(content, {
    part: (id) => placed.get(id)?.name,
    list: (id) => lists.get(id),
  });
  const asWritten = new Map(
    survey.flatMap(({ part, cells }) => (part ? [['id' in part ? part.id : part.key, cells]] : [])),
  );
  const { names } = namesOf(content, NO_NAMES);
  const writtenIn = (id: string, column: string) =>
    (column === 'name' ? names.get(id) : asWritten.get(id)?.get(column)) ?? '';
  for (const { id, node, attributes } of candidates)
    for (const attribute of attributes)
      if (
        refined[attribute]!.some(
          (column) => peekIn(node.row, column, languages.own) !== writtenIn(id, column),
        )
      )
        found.add(`${node.row.number}:${attribute}`);
  return found;
};
