/** The most levels of a tree, the outermost one included. */
export const MAX_LEVELS = 10;

/** What stands in another one of its kind. */
export interface Standing {
  id: string;
  parent_id: string | null;
}

/** Those that stand in one another, by their ids. */
export type Tree<Node extends Standing = Standing> = ReadonlyMap<string, Node>;

export const treeOf = <Node extends Standing>(nodes: Iterable<Node>): Tree<Node> =>
  new Map(Array.from(nodes, (node) => [node.id, node]));

/** Those above one, nearest first. */
export const above = <Node extends Standing>(tree: Tree<Node>, { parent_id }: Standing): Node[] => {
  const found: Node[] = [];
  // No change makes a circle, but a tree that is read while it changes may show one.
  for (let id = parent_id; id !== null && found.length < tree.size;) {
    const next = tree.get(id);
    if (!next) break;
    found.push(next);
    id = next.parent_id;
  }
  return found;
};

/** One and all that are below it, with how many levels below it each is. Empty for one that is not in the tree. */
export const within = (tree: Tree, id: string): Map<string, number> => {
  const childrenOf = Map.groupBy(tree.values(), ({ parent_id }) => parent_id);
  const found = new Map<string, number>(tree.has(id) ? [[id, 0]] : []);
  for (const [each, level] of found) {
    for (const child of childrenOf.get(each) ?? []) if (!found.has(child.id)) found.set(child.id, level + 1);
  }
  return found;
};

/** Whether one may stand in another one, or at the top (undefined), together with what is below it. */
export const fits = <Node extends Standing>(
  tree: Tree<Node>,
  id: string,
  parent: Node | undefined,
): 'yes' | 'too deep' | 'circle' => {
  if (!parent) return 'yes';
  const below = within(tree, id);
  if (below.has(parent.id)) return 'circle';
  const levels = above(tree, parent).length + 2 + Math.max(0, ...below.values());
  return levels > MAX_LEVELS ? 'too deep' : 'yes';
};
