import { ownColumn } from '../../form/columns.ts';
import { similarTo } from '../../form/sheets.ts';
import { has, peek, type Row, settleAll, take } from '../../form/table.ts';
import type { Diagnostics } from '../diagnostics.ts';
import { questionTypes, rowTypeOf, type RowType } from './question-types.ts';
import { yesOrNo } from './yes-or-no.ts';

/** A row of the survey in its place; the children of a `begin` are the rows up to its `end`. */
export interface Node {
  row: Row;
  type: RowType;
  /** The name by which other rows refer to it. */
  name: string;
  /** Whether the row has no name. Its `name` is then made of its number. */
  isNameless?: boolean;
  /** The names of the groups around it and its own. It identifies the row in later versions of the form. */
  path: string;
  parent: Node | undefined;
  children: Node[];
  /** The select whose option "other" it asks to specify. The sheet has no row for this question. */
  specifies?: Node;
  /** Within a loop, the texts that replace `%(name)s` and `%(label)s` in its own texts. */
  filled?: Readonly<Record<string, string>>;
}

/** How deeply groups may be nested, in levels. No usable form needs as many. */
const MAX_GROUP_DEPTH = 50;

/** How much of an unknown type a message quotes, in characters. */
const MAX_QUOTED_LENGTH = 80;

/** The node of the form itself, which is the ancestor of all others. */
const rootNode = (): Node => ({
  row: { sheet: '', number: 0, cells: [], cellsByName: new Map() },
  type: { kind: 'begin', control: 'group' },
  name: '',
  path: '',
  parent: undefined,
  children: [],
});

/** The question that `or_other` adds to a select. */
const otherOf = (select: Node): Node => ({
  ...select,
  row: { ...select.row, cells: [], cellsByName: new Map() },
  type: { kind: 'question', type: 'text' },
  name: `${select.name}_other`,
  path: `${select.path}_other`,
  specifies: select,
});

/** The tree as far as the survey has been read. */
interface Reading {
  log: Diagnostics;
  /** The innermost group that has not ended. */
  open: Node;
  depth: number;
  /** The names within each group. */
  names: Map<Node, Set<string>>;
}

/** The type of a row; undefined for a row that is left out. Such a row gets a remark or a problem. */
const typeIn = (row: Row, log: Diagnostics): RowType | undefined => {
  if (yesOrNo(take(row, 'disabled'))) {
    settleAll(row);
    log.lost(row, 'disabled', 'this row was left out, because it is disabled');
    return undefined;
  }
  const text = take(row, 'type');
  if (text === '') {
    if (has(row, 'name') || has(row, 'label')) log.problem(row, 'type', 'this row has no type', 'missing');
    else
      for (const { column } of row.cells)
        log.lost(row, column.name, 'this row was left out as a comment, because it has no type');
    return undefined;
  }
  const type = rowTypeOf(text);
  if (!type) {
    const similar = similarTo(text, questionTypes);
    const advice = similar === undefined ? '' : `: did you mean "${similar}"?`;
    log.problem(row, 'type', `there is no question type "${text.slice(0, MAX_QUOTED_LENGTH)}"${advice}`);
  }
  return type;
};

/** Ends the innermost open group. */
const endGroup = (reading: Reading, row: Row, name: string, { control }: RowType & { kind: 'end' }): void => {
  const { open, log } = reading;
  if (name) log.note(row, 'name', 'not used, because the name of a group stands where it begins');
  const begun = open.type as RowType & { kind: 'begin' };
  if (!open.parent || begun.control !== control)
    log.problem(
      row,
      'type',
      `there is no ${control} to end here: a "begin ${control}" row is missing, or this one is too many`,
    );
  if (!open.parent) return;
  reading.open = open.parent;
  reading.depth -= 1;
};

/** Adds a row to the innermost open group. */
const addNode = (reading: Reading, row: Row, given: string, type: RowType): Node => {
  const { open, names, log } = reading;
  const name = given || `row_${row.number}`;
  const isNamed = given || type.kind === 'unanswered' || has(row, ownColumn('id'));
  if (!isNamed && peek(row, 'type') !== 'note')
    log.note(row, 'name', 'this row has no name, so other rows cannot refer to it');
  const siblings = names.get(open) ?? new Set();
  names.set(open, siblings);
  const added = type.kind === 'select' && type.orOther ? [name, `${name}_other`] : [name];
  for (const each of type.kind === 'unanswered' ? [] : added)
    if (siblings.size === siblings.add(each).size)
      log.problem(row, 'name', `the name "${each}" occurs twice in this group`);
  const node: Node = { row, type, name, path: `${open.path}/${name}`, parent: open, children: [] };
  if (!given) node.isNameless = true;
  open.children.push(node);
  if (type.kind === 'select' && type.orOther) open.children.push(otherOf(node));
  return node;
};

/**
 * Arranges the rows of a survey as a tree. Disabled rows and comments are left out, with a remark. Rows that set a
 * setting are left out too and returned as `settings`.
 */
export const treeOf = (
  rows: readonly Row[],
  log: Diagnostics,
): { root: Node; settings: ReadonlyMap<string, string> } => {
  const root = rootNode();
  const settings = new Map<string, string>();
  const reading: Reading = { log, open: root, depth: 0, names: new Map() };
  for (const row of rows) {
    const type = typeIn(row, log);
    if (!type) continue;
    const name = take(row, 'name');
    if (type.kind === 'setting') settings.set(type.name, name);
    else if (type.kind === 'end') endGroup(reading, row, name, type);
    else {
      const node = addNode(reading, row, name, type);
      if (type.kind !== 'begin') continue;
      reading.depth += 1;
      if (reading.depth > MAX_GROUP_DEPTH) {
        log.problem(row, 'type', `groups are nested more than ${MAX_GROUP_DEPTH} levels deep`);
        return { root, settings };
      }
      reading.open = node;
    }
  }
  for (let { open } = reading; open.parent; open = open.parent)
    log.problem(
      open.row,
      'type',
      `the ${(open.type as RowType & { kind: 'begin' }).control} "${open.name}" has no end: its "end" row is missing`,
    );
  return { root, settings };
};

/** All nodes below a node, in the order of the survey. */
export function* nodesBelow(node: Node): Generator<Node> {
  for (const child of node.children) {
    yield child;
    yield* nodesBelow(child);
  }
}

/** The groups and repeats around a node, the outermost first, without the form itself. */
const around = ({ parent }: Node): Node[] => (parent?.parent ? [...around(parent), parent] : []);

const isRepeat = ({ type }: Node) => type.kind === 'begin' && type.control === 'repeat';

/** Whether a node has only one answer as seen from a group: each repeat around the node is around the group too. */
export const isOnce = (node: Node, within: Node): boolean => {
  const shared = new Set([...around(within), within]);
  return around(node).every((outer) => !isRepeat(outer) || shared.has(outer));
};
