import type { Section } from '../../schemas/templates/content.ts';
import { type ContentIndex, type FieldPlace, isRepeat, type RepeatSection } from './content-index.ts';
import { instanceWithin, outerPath, segmentsOf, splitInnermost } from './instance-paths.ts';

/** Which instances repeat sections have. */
export interface Instances {
  /** The indexes of a section's instances within an outer path, ascending. */
  of(section: RepeatSection, outer: string): readonly number[];
}

/** A field in one of its instances. */
export interface FieldInstance {
  place: FieldPlace;
  instance_path: string;
}

/**
 * Finds the instances of repeat sections from the answers. An instance exists when something is answered in it or
 * in an instance inside it. A section with fewer instances than its `min` gets the lowest free indexes as well.
 * @param answered the paths of answered fields; `""`, outside repeat sections, is ignored
 */
export const instancesOf = (answered: Iterable<string>): Instances => {
  const begun = new Map<string, Set<number>>();
  for (const path of new Set(answered)) {
    for (let rest = path; rest;) {
      const { outer, sectionPath, index } = splitInnermost(rest);
      const known = begun.get(sectionPath);
      // The instances around a known instance are known, too.
      if (known?.has(index)) break;
      begun.set(sectionPath, (known ?? new Set()).add(index));
      rest = outer;
    }
  }
  const found = new Map<string, readonly number[]>();
  return {
    of: ({ id, repeat }, outer) => {
      const sectionPath = `${outer}${outer && '/'}${id}`;
      let indexes = found.get(sectionPath);
      if (!indexes) {
        const present = begun.get(sectionPath) ?? new Set<number>();
        for (let free = 0; present.size < repeat.min; free += 1) present.add(free);
        indexes = [...present].toSorted((a, b) => a - b);
        found.set(sectionPath, indexes);
      }
      return indexes;
    },
  };
};

/** The paths of a section within an outer path: one per instance of a repeat section, else the outer path itself. */
export const pathsWithin = (instances: Instances, section: Section, outer: string): string[] =>
  isRepeat(section)
    ? instances.of(section, outer).map((index) => instanceWithin(outer, section.id, index))
    : [outer];

/**
 * The paths of every instance inside `repeats`, within the instance that `outer` names.
 * @param repeats nested repeat sections, outermost first
 * @param outer a path of the first of these repeats; `""` for all instances
 * @returns `[]` when the outer instance does not exist
 */
export const pathsBelow = (
  instances: Instances,
  repeats: readonly RepeatSection[],
  outer: string,
): string[] => {
  const segments = segmentsOf(outer);
  return repeats.reduce(
    (paths, section, level) =>
      paths.flatMap((path) => {
        const all = pathsWithin(instances, section, path);
        const wanted = segments[level];
        return wanted === undefined ? all : all.filter((each) => each.endsWith(wanted));
      }),
    [''],
  );
};

/**
 * The part of a path that two places have in common.
 * @param from the repeat sections that `path` is in, outermost first
 * @param to the repeat sections of the other place, outermost first
 */
export const sharedPath = (
  from: readonly RepeatSection[],
  to: readonly RepeatSection[],
  path: string,
): string => {
  if (path === '' || to.length === 0) return '';
  const levels = path.split('/').length;
  let shared = 0;
  while (shared < levels && from[shared] && from[shared]!.id === to[shared]?.id) shared += 1;
  return shared === levels ? path : outerPath(path, shared);
};

/** Every field in every instance that it has, in document order, instance by instance. */
export function* fieldInstances(index: ContentIndex, instances: Instances): Generator<FieldInstance> {
  function* within(sections: readonly Section[], outer: string): Generator<FieldInstance> {
    for (const section of sections)
      for (const instance_path of pathsWithin(instances, section, outer)) {
        for (const field of section.fields) yield { place: index.fields.get(field.id)!, instance_path };
        yield* within(section.sections, instance_path);
      }
  }
  yield* within(index.content.sections, '');
}
