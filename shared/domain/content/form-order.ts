import type { ContentIndex, FieldPlace } from './content-index.ts';
import { readSegment, segmentsOf } from './instance-paths.ts';

/** A field in one instance of the repeat sections around it. */
export interface Placed {
  place: FieldPlace;
  instance_path: string;
}

/**
 * Compares places in the order in which a form shows them. A section comes after everything that is before it in the
 * content. Each instance of a repeat section is shown as a whole before the next one.
 */
export const formOrder = (index: ContentIndex): ((one: Placed, other: Placed) => number) => {
  const positions = new Map<string, number>();
  for (const [position, { field, repeats }] of [...index.fields.values()].entries()) {
    positions.set(field.id, position);
    // A repeat section has the position of its first field.
    for (const { id } of repeats) if (!positions.has(id)) positions.set(id, position);
  }
  /** The position of each repeat section around the field and its instance, the outermost first; then the field's. */
  const steps = ({ place, instance_path }: Placed): number[] => [
    ...segmentsOf(instance_path).flatMap((segment, level) => [
      positions.get(place.repeats[level]!.id)!,
      readSegment(segment)!.index,
    ]),
    positions.get(place.field.id)!,
  ];
  return (one, other) => {
    const [a, b] = [steps(one), steps(other)];
    const differing = a.findIndex((step, level) => step !== b[level]);
    return differing === -1 ? 0 : a[differing]! - (b[differing] ?? -1);
  };
};
