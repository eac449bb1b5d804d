import { rowTypeOf, type RowType } from './question-types.ts';
import { has, ownColumn, type Row, settleAll, take } from './table.ts';

/** A row of the survey in its place, with what lies between a begin and its end. */
export interface Node {
  row: Row;
  type: RowType;
  /** As others refer to it. */
  name: string;
  /** The names on the way to it, itself last: what it is known by from one version of a form to the next. */
  path: string;
  parent: Node | undefined;
  children: Node[];
  /** The select whose "other" it asks for in words; no row of its own says so. */
  specifies?: Node;
  /** What stands for `%(name)s` in its texts, within a loop. */
  filled?: Readonly<Record<string, string>>;
}

/** Deeper than anybody would answer. */
const DEEPEST_GROUP = 50;

/** The form itself, which all else lies in. */
export const rootNode = (): Node => ({
  row: { sheet: '', number: 0, cells: [] },
  type: { kind: 'begin', control: 'group' },
  name: '',
  path: '',
  parent: undefined,
  children: [],
});

const YES = new Set(['yes', 'true', 'true()', '1']);
const NO = new Set(['no', 'false', 'false()', '0']);

/** A yes or no as the columns take it; undefined for anything else, an expression say. */
export const yesOrNo = (text: string): boolean | undefined => {
  const plain = text.toLowerCase().replaceAll(' ', '');
  return YES.has(plain) ? true : NO.has(plain) || plain === '' ? false : undefined;
};

/** What is wrong with a cell; it keeps the form from being imported. */
export type Complain = (row: Row, column: string, message: string, isMissing?: boolean) => void;

/** What has to be said of a row, its column aside. */
export type Tell = (row: Row, column: string, severity: 'note' | 'lost', message: string) => void;

/** The question that `or_other` adds to a select. */
const otherOf = (select: Node): Node => ({
  ...select,
  row: { ...select.row, cells: [] },
  type: { kind: 'question', type: 'text' },
  name: `${select.name}_other`,
  path: `${select.path}_other`,
  specifies: select,
});

/** The group that a loop becomes for one of its list's options, with all that is in the loop. */
export const loopedGroup = (loop: Node, option: { name: string; label: string }): Node => {
  const copy = (node: Node, parent: Node): Node => {
    const path = `${parent.path}/${node.name}`;
    const copied: Node = { ...node, parent, path, filled: { ...node.filled, ...option }, children: [] };
    for (const child of node.children) copied.children.push(copy(child, copied));
    return copied;
  };
  const group: Node = {
    row: { ...loop.row, cells: [] },
    type: { kind: 'begin', control: 'group' },
    name: option.name,
    path: `${loop.path}/${option.name}`,
    parent: loop,
    children: [],
    filled: option,
  };
  for (const child of loop.children) group.children.push(copy(child, group));
  return group;
};

/**
 * The tree of a survey's rows, its ends matched with its begins. Rows that are disabled, or only comment, are told
 * of and left out; so are those that belong to the settings, which go to `setting`.
 */
export const treeOf = (
  rows: readonly Row[],
  complain: Complain,
  tell: Tell,
  setting: (name: string, value: string) => void,
): Node => {
  const root = rootNode();
  const names = new Map<Node, Set<string>>();
  let open = root;
  let depth = 0;
  for (const row of rows) {
    if (yesOrNo(take(row, 'disabled'))) {
      settleAll(row);
      tell(row, 'disabled', 'lost', 'the row is disabled, and left out');
      continue;
    }
    const text = take(row, 'type');
    if (text === '') {
      if (has(row, 'name') || has(row, 'label')) complain(row, 'type', 'Field required', true);
      else
        for (const { column } of row.cells)
          tell(row, column.name, 'lost', 'a row without a type is a comment');
      continue;
    }
    const type = rowTypeOf(text);
    if (!type) {
      complain(row, 'type', `there is no question type "${text.slice(0, 80)}"`);
      continue;
    }
    const given = take(row, 'name');
    if (type.kind === 'setting') {
      setting(type.name, given);
      continue;
    }
    if (type.kind === 'end') {
      if (given) tell(row, 'name', 'note', 'an end needs no name');
      const { control } = open.type as RowType & { kind: 'begin' };
      if (open === root || control !== type.control)
        complain(row, 'type', `it ends a ${type.control} that does not begin here`);
      if (open === root) continue;
      open = open.parent!;
      depth -= 1;
      continue;
    }
    const name = given || `row_${row.number}`;
    if (!given && type.kind !== 'unanswered' && !has(row, ownColumn('id')) && text !== 'note')
      tell(row, 'name', 'note', `the row has no name: nothing can refer to it`);
    const siblings = names.get(open) ?? new Set();
    names.set(open, siblings);
    const added = type.kind === 'select' && type.orOther ? [name, `${name}_other`] : [name];
    for (const each of type.kind === 'unanswered' ? [] : added)
      if (siblings.size === siblings.add(each).size)
        complain(row, 'name', `"${each}" is given twice in one group`);
    const node: Node = { row, type, name, path: `${open.path}/${name}`, parent: open, children: [] };
    open.children.push(node);
    if (type.kind === 'select' && type.orOther) open.children.push(otherOf(node));
    if (type.kind !== 'begin') continue;
    depth += 1;
    if (depth > DEEPEST_GROUP) {
      complain(row, 'type', `groups are at most ${DEEPEST_GROUP} deep`);
      return root;
    }
    open = node;
  }
  for (; open !== root; open = open.parent!)
    complain(open.row, 'type', `the group "${open.name}" is not ended`);
  return root;
};

/** Every node below one, in the order of the survey. */
export function* nodesBelow(node: Node): Generator<Node> {
  for (const child of node.children) {
    yield child;
    yield* nodesBelow(child);
  }
}

/** The groups and repeats around a node, outermost first. */
export const around = ({ parent }: Node): Node[] => (parent?.parent ? [...around(parent), parent] : []);

const isRepeat = ({ type }: Node) => type.kind === 'begin' && type.control === 'repeat';

/** Whether something is answered once, seen from within a group: in no repeat that is not around both. */
export const isOnce = (node: Node, within: Node): boolean => {
  const shared = new Set([...around(within), within]);
  return around(node).every((outer) => !isRepeat(outer) || shared.has(outer));
};
