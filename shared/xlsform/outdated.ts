import type { Content } from '../schemas/templates/content.ts';
import { hasOwn } from './own.ts';
import { standardForm } from './standard.ts';
import { peekIn } from './table.ts';
import type { Node } from './tree.ts';

/** Where the parts of a content came from. */
export interface Provenance {
  /** The rows of fields and sections by id, of start fields by key. */
  placed: ReadonlyMap<string, Node>;
  /** The lists' names by the ids of their response sets. */
  setLists: ReadonlyMap<string, string>;
  /** Of the columns that the content's own texts stand in. */
  language: string | null;
}

/** The columns of XLSForm's that an attribute of ours adds to. */
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

/** Our own columns, `row:attribute` each, beside which XLSForm's have been edited since they were written. */
export const outdated = (content: Content, { placed, setLists, language }: Provenance): Set<string> => {
  const found = new Set<string>();
  const candidates = [...placed].flatMap(([id, node]) => {
    const attributes = Object.keys(refined).filter((attribute) => hasOwn(node.row, attribute));
    return attributes.length > 0 ? [{ id, node, attributes }] : [];
  });
  if (candidates.length === 0) return found;
  const listed = new Map(setLists);
  for (const [id, { type }] of placed) if (type.kind === 'select') listed.set(id, type.list);
  const { survey } = standardForm(content, {
    of: (id) => placed.get(id)?.name,
    list: (id) => listed.get(id),
  });
  const asWritten = new Map(
    survey.flatMap(({ part, cells }) => (part ? [['id' in part ? part.id : part.key, cells]] : [])),
  );
  for (const { id, node, attributes } of candidates)
    for (const attribute of attributes)
      if (
        refined[attribute]!.some(
          (column) => peekIn(node.row, column, language) !== (asWritten.get(id)?.get(column) ?? ''),
        )
      )
        found.add(`${node.row.number}:${attribute}`);
  return found;
};
