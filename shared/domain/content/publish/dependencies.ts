import type { Problem } from '../../../base/problem.ts';
import type { Content } from '../../../schemas/templates/content.ts';
import { FormulaError } from '../formula/parse.ts';
import { MAX_DEPENDENCY_STEPS } from '../limits.ts';
import { type Conditional, conditionalsOf, nestedConditions } from './conditionals.ts';
import { type Formulas, targetOf } from './formulas.ts';
import { problemAt } from './problems.ts';

/** A part depends on another one: on the section around it, or through its condition or formula. */
interface Dependency {
  target: string;
  /** Left out for the section around the part. */
  by?: 'visible_if' | 'formula';
  /** How many steps it adds to a chain: the level within a condition, else 1. */
  steps: number;
}

type DependentPart = Conditional & { dependencies: Dependency[] };

/** What depends on what, by ids and keys. */
interface Graph {
  parts: DependentPart[];
  /** What each part depends on. */
  needs: Map<string, Dependency[]>;
  /** The parts that depend on each part. */
  neededBy: Map<string, string[]>;
}

function* dependenciesOf(
  { node, parent, visible_if }: Conditional,
  formulas: Formulas,
): Generator<Dependency> {
  if (parent) yield { target: parent, steps: 1 };
  for (const { condition, depth: steps } of visible_if ? nestedConditions(visible_if, []) : []) {
    if ('field_id' in condition) yield { target: condition.field_id, by: 'visible_if', steps };
    if ('start_key' in condition) yield { target: condition.start_key, by: 'visible_if', steps };
  }
  const formula = formulas.get(node);
  if (!formula || formula instanceof FormulaError) return;
  for (const operand of formula.operands) yield { target: targetOf(operand), by: 'formula', steps: 1 };
}

const append = <Item>(lists: Map<string, Item[]>, name: string, items: readonly Item[]): void => {
  const list = lists.get(name);
  if (list) list.push(...items);
  else lists.set(name, [...items]);
};

const graphOf = (content: Content, formulas: Formulas): Graph => {
  const graph: Graph = { parts: [], needs: new Map(), neededBy: new Map() };
  for (const conditional of conditionalsOf(content)) {
    const dependencies = [...dependenciesOf(conditional, formulas)];
    graph.parts.push({ ...conditional, dependencies });
    if (dependencies.length > 0) append(graph.needs, conditional.node, dependencies);
    for (const { target } of dependencies) append(graph.neededBy, target, [conditional.node]);
  }
  return graph;
};

/**
 * The nodes that can be reached from `start` and have not been seen. Each comes after all nodes that are reached
 * through it. Marks them as seen.
 */
function* reached(
  start: string,
  edges: (node: string) => Iterable<string>,
  seen: Set<string>,
): Generator<string, void, undefined> {
  const way: { node: string; next: Iterator<string> }[] = [];
  const enter = (node: string) => {
    if (seen.has(node)) return;
    seen.add(node);
    way.push({ node, next: edges(node)[Symbol.iterator]() });
  };
  enter(start);
  for (let last = way.at(-1); last; last = way.at(-1)) {
    const { value, done } = last.next.next();
    if (!done) enter(value);
    else {
      way.pop();
      yield last.node;
    }
  }
}

/** All nodes, each after those that it depends on, as far as there are no cycles. */
const inOrder = ({ needs }: Graph): string[] => {
  const targets = (node: string) => (needs.get(node) ?? []).map(({ target }) => target);
  const seen = new Set<string>();
  return [...needs.keys()].flatMap((node) => [...reached(node, targets, seen)]);
};

/**
 * The strongly connected components, by Kosaraju's algorithm.
 * @returns by each node, a name of its component: nodes of the same component depend on each other
 */
const componentsOf = ({ neededBy }: Graph, order: readonly string[]): Map<string, string> => {
  const sources = (node: string) => neededBy.get(node) ?? [];
  const components = new Map<string, string>();
  const seen = new Set<string>();
  for (const end of order.toReversed())
    for (const node of reached(end, sources, seen)) components.set(node, end);
  return components;
};

/** How many steps the longest chain below each node has. */
const chainsOf = ({ needs }: Graph, order: readonly string[]): Map<string, number> => {
  const chains = new Map<string, number>();
  for (const node of order) {
    let longest = 0;
    for (const { target, steps } of needs.get(node) ?? [])
      longest = Math.max(longest, steps + (chains.get(target) ?? 0));
    chains.set(node, longest);
  }
  return chains;
};

function* cycleProblems(
  { node, loc, dependencies }: DependentPart,
  components: ReadonlyMap<string, string>,
): Generator<Problem> {
  const circular = dependencies.filter(({ target }) => components.get(target) === components.get(node));
  for (const by of ['visible_if', 'formula'] as const)
    if (circular.some((dependency) => dependency.by === by))
      yield problemAt([...loc, by], `the ${by === 'formula' ? by : 'condition'} depends on itself`);
}

/** One problem where a chain becomes too long, and none for the parts that depend on that one. */
function* chainProblems(
  { loc, dependencies }: DependentPart,
  chains: ReadonlyMap<string, number>,
): Generator<Problem> {
  const tooLong = dependencies.find(({ target, steps }) => {
    const below = chains.get(target) ?? 0;
    return below <= MAX_DEPENDENCY_STEPS && below + steps > MAX_DEPENDENCY_STEPS;
  });
  if (tooLong)
    yield problemAt(
      tooLong.by ? [...loc, tooLong.by] : loc,
      `conditions and formulas can depend on each other over at most ${MAX_DEPENDENCY_STEPS} steps`,
    );
}

/**
 * Finds the conditions and formulas that depend on themselves, and those at which a chain becomes too long. The answer
 * to a field counts only while the field is visible. So a part that depends on a field also depends on the field's
 * condition and formula, and on the sections around the field. Nothing depends on whether a field is required: two
 * fields that are each required while the other is empty are no cycle.
 */
export function* dependencyProblems(content: Content, formulas: Formulas): Generator<Problem> {
  const graph = graphOf(content, formulas);
  const order = inOrder(graph);
  const components = componentsOf(graph, order);
  const chains = chainsOf(graph, order);
  for (const part of graph.parts) {
    yield* cycleProblems(part, components);
    yield* chainProblems(part, chains);
  }
}
