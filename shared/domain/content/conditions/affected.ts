import type { Section } from '../../../schemas/templates/content.ts';
import type { ContentIndex, FieldPlace, RepeatSection } from '../content-index.ts';
import { outerPath } from '../instance-paths.ts';
import { type FieldInstance, sharedPath } from '../instances.ts';
import { logicOf } from './dependencies.ts';
import type { Evaluation } from './evaluate.ts';

/** Fields, each with the paths within which all of its instances may have changed. */
export type AffectedFields = Map<FieldPlace, Set<string>>;

const fieldsWithin = (index: ContentIndex, section: Section): FieldPlace[] => [
  ...section.fields.map(({ id }) => index.fields.get(id)!),
  ...section.sections.flatMap((inner) => fieldsWithin(index, inner)),
];

/** The outermost repeat section around a field in which instances begin or end, with the path around it. */
const changedRepeat = (
  before: Evaluation,
  after: Evaluation,
  { place, instance_path }: FieldInstance,
): { section: RepeatSection; outer: string } | undefined => {
  for (const [level, section] of place.repeats.entries()) {
    const outer = outerPath(instance_path, level);
    const had = before.instances.of(section, outer);
    const has = after.instances.of(section, outer);
    const isSame = had.length === has.length && had.every((position, i) => position === has[i]);
    if (!isSame) return { section, outer };
  }
  return undefined;
};

/**
 * The repeat sections in which a section's condition is evaluated: those around the section, without its own instances.
 */
const repeatsAround = (section: Section, repeats: readonly RepeatSection[]): readonly RepeatSection[] =>
  section.repeat ? repeats.slice(0, -1) : repeats;

/**
 * The fields that a change of some answers can affect: the changed ones, those that depend on them directly or
 * through others, and those of instances that begin or end. No other field needs to be evaluated again.
 * @param changed the fields whose answers differ between the two evaluations
 */
export const affectedFields = (
  before: Evaluation,
  after: Evaluation,
  changed: Iterable<FieldInstance>,
): AffectedFields => {
  const { index } = before;
  const { dependents } = logicOf(index);
  const found: AffectedFields = new Map();
  const waiting: [FieldPlace, string][] = [];
  const reach = (place: FieldPlace, path: string) => {
    const paths = found.get(place) ?? new Set();
    if (paths.has(path) || paths.has('')) return;
    found.set(place, paths.add(path));
    waiting.push([place, path]);
  };
  for (const instance of changed) {
    reach(instance.place, instance.instance_path);
    const repeat = changedRepeat(before, after, instance);
    if (repeat) for (const place of fieldsWithin(index, repeat.section)) reach(place, repeat.outer);
  }
  for (const [from, path] of waiting)
    for (const dependent of dependents.get(from.field.id) ?? []) {
      if ('field' in dependent) {
        reach(dependent.field, sharedPath(from.repeats, dependent.field.repeats, path));
        continue;
      }
      const { section, repeats } = dependent.section;
      const outer = sharedPath(from.repeats, repeatsAround(section, repeats), path);
      for (const place of fieldsWithin(index, section)) reach(place, outer);
    }
  return found;
};
