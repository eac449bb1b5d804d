import { publishProblems } from '../../../domain/content/publish/publish.ts';
import type { Content, Field, FieldType } from '../../../schemas/templates/content.ts';
import { optionalAttributes } from '../../form/own-columns.ts';
import type { Diagnostics } from '../diagnostics.ts';
import type { Node } from '../read/tree.ts';
import { inWordsOfForm, notImported } from '../report/meanings.ts';

/** The column of a form that an attribute comes from. */
const columns: Record<string, string> = {
  visible_if: 'relevant',
  required_if: 'required',
  formula: 'calculation',
  default_value: 'default',
  min: 'constraint',
  max: 'constraint',
  step: 'constraint',
  pattern: 'constraint',
  max_length: 'constraint',
  constraint: 'constraint',
  choice_filter: 'choice_filter',
  options: 'type',
  response_set_id: 'type',
};

const conditions = ['visible_if', 'required_if'];

/**
 * The attributes that are removed so that the content can be published, in this order. Removing a condition may make
 * a formula valid, and removing a formula may make a condition invalid.
 */
const withdrawn: readonly (readonly string[])[] = [
  conditions,
  ['default_value', 'min', 'max', 'step', 'pattern', 'max_length', 'constraint', 'choice_filter'],
  ['formula'],
  conditions,
];

/** An attribute of a field or section. Every attribute that can be removed may be null, as `formula` may. */
interface Attribute {
  part: Field;
  name: 'formula';
  node: Node;
}

/** The attribute that a problem is about; undefined where it is none of `names`. */
const attributeAt = (
  content: Content,
  loc: readonly string[],
  names: readonly string[],
  sources: ReadonlyMap<object, Node>,
): Attribute | undefined => {
  let part: unknown = { content };
  for (const step of loc) {
    const node = sources.get(part as object);
    if (node && names.includes(step)) return { part: part as Field, name: step as 'formula', node };
    part = (part as Record<string, unknown> | null | undefined)?.[step];
  }
  return undefined;
};

/** The id of a field or section, the key of a start field. */
const idOf = (part: object): string => ('key' in part ? (part.key as string) : (part as Field).id);

/** The type of a calculated field that loses its formula. */
const typeWithout = ({ type }: Node): FieldType =>
  type.kind === 'question' && type.type !== 'calculated' ? type.type : 'instruction';

/**
 * Removes from a content what keeps it from being published, and makes a remark on each cell that it came from.
 * @param sources the row of each part; the parts are changed in place
 */
export const withdraw = (content: Content, sources: ReadonlyMap<object, Node>, log: Diagnostics): void => {
  const names = new Map([...sources].map(([part, { name }]) => [idOf(part), name]));
  const nameOf = (id: string) => names.get(id);
  for (const attributes of withdrawn) {
    const problems = publishProblems(content);
    if (problems.length === 0) return;
    for (const { loc, msg } of problems) {
      const found = attributeAt(content, loc, attributes, sources);
      if (!found || (found.part[found.name] ?? null) === null) continue;
      const { part, name, node } = found;
      if (optionalAttributes.has(name)) Reflect.deleteProperty(part, name);
      else part[name] = null;
      if (name === 'formula') part.type = typeWithout(node);
      const column = columns[name]!;
      log.lost(
        node.row,
        column,
        notImported(node, column === 'constraint' ? name : column, inWordsOfForm(msg, nameOf)),
      );
    }
  }
};
