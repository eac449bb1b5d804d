import { hasOwn } from '../form/own-columns.ts';
import { peekIn } from '../form/table.ts';
import { standardForm } from '../standard/standard-form.ts';
import type { BuiltForm } from './build/content.ts';

/** The columns of XLSForm that an attribute in a column of this service's own adds to. */
const refined: Record<string, readonly string[]> = {
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
  repeat: ['repeat_count', 'type'],
};

/**
 * The cells of this service's own columns, as `row:attribute`, that no longer count: somebody has edited a column of
 * XLSForm that the attribute adds to. A column is edited if exporting the content gives another text.
 */
export const outdatedCells = ({ content, placed, listNames, languages }: BuiltForm): Set<string> => {
  const found = new Set<string>();
  const candidates = [...placed].flatMap(([id, node]) => {
    const attributes = Object.keys(refined).filter((attribute) => hasOwn(node.row, attribute));
    return attributes.length > 0 ? [{ id, node, attributes }] : [];
  });
  if (candidates.length === 0) return found;
  const lists = new Map(listNames);
  for (const [id, { type }] of placed) if (type.kind === 'select') lists.set(id, type.list);
  const { survey } = standardForm(content, {
    part: (id) => placed.get(id)?.name,
    list: (id) => lists.get(id),
  });
  const asWritten = new Map(
    survey.flatMap(({ part, cells }) => (part ? [['id' in part ? part.id : part.key, cells]] : [])),
  );
  for (const { id, node, attributes } of candidates)
    for (const attribute of attributes)
      if (
        refined[attribute]!.some(
          (column) => peekIn(node.row, column, languages.own) !== (asWritten.get(id)?.get(column) ?? ''),
        )
      )
        found.add(`${node.row.number}:${attribute}`);
  return found;
};
