import { namesIn } from '../../expressions/expression.ts';
import { peek, type Row } from '../../form/table.ts';
import type { List } from '../read/choices.ts';
import { fileListOf } from '../read/file-lists.ts';
import type { Form } from '../read/form.ts';
import { type Node, nodesBelow } from '../read/tree.ts';

/** A form whose references to rows and lists can be followed. */
export interface LinkedForm extends Form {
  /** The rows by name; rows in different groups may have the same. */
  byName: ReadonlyMap<string, readonly Node[]>;
  /** The selects of each list; all other rows are under undefined. */
  selects: ReadonlyMap<List | undefined, readonly Node[]>;
}

/** Columns in which a form refers to its questions. */
const REFERRING = [
  'relevant',
  'required',
  'constraint',
  'calculation',
  'choice_filter',
  'default',
  'repeat_count',
  'trigger',
];

/** The name by which every form can refer to the id of its submission (ODK XForms, "Metadata"). */
export const INSTANCE_ID = 'instanceID';

/** The list of a select; undefined for other rows, and where the form does not have the list. */
export const listOf = (
  { lists, fileLists }: Pick<Form, 'lists' | 'fileLists'>,
  node: Node,
): List | undefined => {
  const { type } = node;
  if (type.kind !== 'select' || type.source === 'answers') return undefined;
  return type.source === 'file' ? fileListOf(fileLists, node) : lists[type.source].get(type.list);
};

/**
 * The row that a name refers to. If several rows have the name, it is the one in the nearest group around `from`;
 * undefined if none of them is in such a group.
 */
export const rowNamed = (
  { byName }: Pick<LinkedForm, 'byName'>,
  name: string,
  from: Node,
): Node | undefined => {
  const found = byName.get(name) ?? [];
  for (let scope: Node | undefined = from; scope; scope = scope.parent) {
    const near = found.find(({ parent }) => parent === scope);
    if (near) return near;
  }
  return found.length === 1 ? found[0] : undefined;
};

/** Finds what names refer to. A name that refers to no row, or to several, is a problem. */
export const linkForm = (form: Form): LinkedForm => {
  const linked: LinkedForm = {
    ...form,
    byName: Map.groupBy(nodesBelow(form.root), ({ name }) => name),
    selects: Map.groupBy(nodesBelow(form.root), (node) => listOf(form, node)),
  };
  const seen = new Set<Row>();
  for (const node of nodesBelow(form.root)) {
    // A loop has several nodes of the same row.
    if (seen.has(node.row)) continue;
    seen.add(node.row);
    for (const column of REFERRING)
      for (const name of new Set(namesIn(peek(node.row, column))))
        // `last-saved#name` refers to an earlier submission, and `instanceID` to the submission itself.
        if (!name.includes('#') && name !== INSTANCE_ID && !rowNamed(linked, name, node))
          form.log.problem(
            node.row,
            column,
            `${linked.byName.has(name) ? 'more than one row' : 'no row'} is named "${name}"`,
          );
  }
  return linked;
};
