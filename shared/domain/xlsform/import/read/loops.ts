import { inLanguage } from '../../form/columns.ts';
import type { Diagnostics } from '../diagnostics.ts';
import type { List, ListedOption } from './choices.ts';
import { type Node, nodesBelow } from './tree.ts';

/** The most rows of a survey after each loop is repeated for its options. */
const MAX_ROWS = 20_000;

/** The texts of an option that replace `%(name)s` and `%(label)s` in a loop, in each language. */
const textsOf = ({ name, option, labels }: ListedOption) => ({
  name,
  label: option.label,
  ...Object.fromEntries([...labels].map(([language, label]) => [inLanguage('label', language), label])),
});

/** Copies a node of a loop, with all below it, into a group of that loop. */
const copyOf = (node: Node, parent: Node, texts: Readonly<Record<string, string>>): Node => {
  const path = `${parent.path}/${node.name}`;
  const copied: Node = { ...node, parent, path, filled: { ...node.filled, ...texts }, children: [] };
  for (const child of node.children) copied.children.push(copyOf(child, copied, texts));
  return copied;
};

/** The group that a loop becomes for one option, with all rows of the loop. */
const groupOf = (loop: Node, option: ListedOption): Node => {
  const texts = textsOf(option);
  const group: Node = {
    row: { ...loop.row, cells: [], cellsByName: new Map() },
    type: { kind: 'begin', control: 'group' },
    name: option.name,
    path: `${loop.path}/${option.name}`,
    parent: loop,
    children: [],
    filled: texts,
  };
  for (const child of loop.children) group.children.push(copyOf(child, group, texts));
  return group;
};

/**
 * Replaces the children of each loop by one group for each option of its list.
 * @param surveyRows how many rows the survey has before that
 */
export const expandLoops = (
  root: Node,
  lists: ReadonlyMap<string, List>,
  surveyRows: number,
  log: Diagnostics,
): void => {
  let rows = surveyRows;
  for (const node of nodesBelow(root)) {
    if (node.type.kind !== 'begin' || node.type.control !== 'loop') continue;
    const list = lists.get(node.type.list ?? '');
    if (!list) log.problem(node.row, 'type', `there is no list "${node.type.list ?? ''}" to loop over`);
    const options = list?.options ?? [];
    rows += options.length * [...nodesBelow(node)].length;
    if (rows > MAX_ROWS) {
      log.problem(
        node.row,
        'type',
        `the form has more than ${MAX_ROWS} rows when its loops are repeated for all options`,
      );
      return;
    }
    node.children = options.map((option) => groupOf(node, option));
  }
};
