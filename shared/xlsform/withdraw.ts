import { publishProblems } from '../domain/content/publish/publish.ts';
import type { Content, Field, FieldType } from '../schemas/templates/content.ts';
import type { Node, Tell } from './tree.ts';

/** What stands in a form's own column for what an attribute says. */
const columnsBehind: Record<string, string> = {
  visible_if: 'relevant',
  required_if: 'required',
  formula: 'calculation',
  default_value: 'default',
  min: 'constraint',
  max: 'constraint',
  step: 'constraint',
  pattern: 'constraint',
  max_length: 'constraint',
  options: 'type',
  response_set_id: 'type',
};

const conditions = ['visible_if', 'required_if'];

/** What is given up to publish a content, in this order: without a condition a formula may be right, and without a formula a condition wrong. */
const withdrawn: readonly (readonly string[])[] = [
  conditions,
  ['default_value', 'min', 'max', 'step', 'pattern', 'max_length'],
  ['formula'],
  conditions,
];

/** Takes from a content what it cannot be published with, and tells of it where it came from. */
export const withdraw = (content: Content, sources: ReadonlyMap<object, Node>, tell: Tell): void => {
  for (const attributes of withdrawn) {
    const problems = publishProblems(content);
    if (problems.length === 0) return;
    for (const { loc, msg } of problems) {
      const found = sourceOf(content, loc, attributes, sources);
      if (!found || found.part[found.attribute] === null) continue;
      const { part, attribute, node } = found;
      part[attribute] = null;
      if (attribute === 'formula') part.type = typeWithout(node);
      const reason = msg.replace(/^Value error, /, '');
      tell(node.row, columnsBehind[attribute]!, 'lost', `not carried over: ${reason}`);
    }
  }
};

/** Where a problem lies, if it is with one of these attributes of a row. */
const sourceOf = (
  content: Content,
  loc: readonly string[],
  attributes: readonly string[],
  sources: ReadonlyMap<object, Node>,
): { part: Field; attribute: 'formula'; node: Node } | undefined => {
  let part: unknown = { content };
  for (const step of loc) {
    const node = sources.get(part as object);
    // All of them are null where there is none.
    if (node && attributes.includes(step)) return { part: part as Field, attribute: step as 'formula', node };
    part = (part as Record<string, unknown> | null | undefined)?.[step];
  }
  return undefined;
};

/** What a calculated field is without its formula. */
const typeWithout = ({ type }: Node): FieldType =>
  type.kind === 'question' && type.type !== 'calculated' ? type.type : 'instruction';
