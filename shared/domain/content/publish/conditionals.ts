import type { Condition, Content } from '../../../schemas/templates/content.ts';
import { sectionsOf } from '../content-index.ts';

/** A part of a content that can have conditions: a section, a field or a start field. */
export interface Conditional {
  /** The id of the part, or the key of a start field: conditions and formulas refer to it by this name. */
  node: string;
  loc: string[];
  visible_if: Condition | null;
  required_if?: Condition | null;
  /** The id of the section around it, which hides it as well. */
  parent?: string;
}

/** Every part that can have conditions, in document order, the start fields first. */
export function* conditionalsOf(content: Content): Generator<Conditional> {
  for (const [i, { key, visible_if }] of content.start.fields.entries())
    yield { node: key, loc: ['content', 'start', 'fields', String(i)], visible_if };
  const ancestors: string[] = [];
  for (const { section, depth, loc } of sectionsOf(content)) {
    const parent = ancestors[depth - 2];
    ancestors[depth - 1] = section.id;
    yield { node: section.id, loc, visible_if: section.visible_if, ...(parent && { parent }) };
    for (const [i, { id, visible_if, required_if }] of section.fields.entries())
      yield { node: id, loc: [...loc, 'fields', String(i)], visible_if, required_if, parent: section.id };
  }
}

interface NestedCondition {
  condition: Condition;
  loc: string[];
  /** 1 for the outermost. */
  depth: number;
}

/** A condition, and every condition nested in it. */
export function* nestedConditions(
  condition: Condition,
  loc: string[],
  depth = 1,
): Generator<NestedCondition> {
  yield { condition, loc, depth };
  for (const member of ['all', 'any'] as const) {
    const parts = (condition as { all?: Condition[]; any?: Condition[] })[member] ?? [];
    for (const [i, part] of parts.entries())
      yield* nestedConditions(part, [...loc, member, String(i)], depth + 1);
  }
}

/** All conditions of a part, nested ones included. */
export function* conditionsOf({ loc, visible_if, required_if }: Conditional): Generator<NestedCondition> {
  if (visible_if) yield* nestedConditions(visible_if, [...loc, 'visible_if']);
  if (required_if) yield* nestedConditions(required_if, [...loc, 'required_if']);
}
