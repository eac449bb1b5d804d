import type { Section } from '../../schemas/templates/content.ts';
import { type ContentIndex, type FieldPlace, instanceWithin, type RepeatSection } from './content-index.ts';

/** Which instances repeat sections have. */
export interface Instances {
  /** The indexes of a section's instances within an outer path, ascending. */
  of(section: RepeatSection, outer: string): readonly number[];
}

/** An instance path's first segments. */
export const outerPath = (path: string, levels: number): string => path.split('/').slice(0, levels).join('/');

const segment = /^(.*?)([^/[]+)\[(\d+)\]$/;

/**
 * The instances that a repeat has are those in which something is answered, or within which something is, and
 * at least its `min`: what is missing of these are the lowest indexes that are free.
 * @param answered the paths of answered fields; those outside of repeats, `""`, add nothing
 */
export const instancesOf = (answered: Iterable<string>): Instances => {
  const begun = new Map<string, Set<number>>();
  for (const path of new Set(answered)) {
    for (let rest = path; rest;) {
      const [, outer = '', section = '', position = ''] = segment.exec(rest) ?? [];
      const repeat = outer + section;
      const known = begun.get(repeat);
      // Whatever is around a known instance is known, too.
      if (known?.has(Number(position))) break;
      begun.set(repeat, (known ?? new Set()).add(Number(position)));
      rest = outer.slice(0, -1);
    }
  }
  const found = new Map<string, readonly number[]>();
  return {
    of: ({ id, repeat }, outer) => {
      const name = `${outer}${outer && '/'}${id}`;
      let indexes = found.get(name);
      if (!indexes) {
        const there = begun.get(name) ?? new Set<number>();
        for (let free = 0; there.size < repeat.min; free += 1) there.add(free);
        indexes = [...there].toSorted((a, b) => a - b);
        found.set(name, indexes);
      }
      return indexes;
    },
  };
};

/** Whether a section is answered once per instance. */
export const isRepeat = (section: Section): section is RepeatSection => section.repeat !== null;

/** The paths of a section within an outer path: one per instance of a repeat, else the outer path itself. */
export const pathsWithin = (instances: Instances, section: Section, outer: string): string[] =>
  isRepeat(section)
    ? instances.of(section, outer).map((position) => instanceWithin(outer, section.id, position))
    : [outer];

/**
 * The paths of every instance of what stands in `repeats`, within the one that `outer` names: none where that
 * is not there itself.
 * @param outer a path of the first of these repeats, `""` for none of them
 */
export const pathsBelow = (
  instances: Instances,
  repeats: readonly RepeatSection[],
  outer: string,
): string[] => {
  const segments = outer === '' ? [] : outer.split('/');
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

/** Every field in every instance it has, in document order, instance by instance. */
export function* fieldInstances(
  index: ContentIndex,
  instances: Instances,
): Generator<{ place: FieldPlace; instance_path: string }> {
  function* within(sections: readonly Section[], outer: string): ReturnType<typeof fieldInstances> {
    for (const section of sections)
      for (const instance_path of pathsWithin(instances, section, outer)) {
        for (const field of section.fields) yield { place: index.fields.get(field.id)!, instance_path };
        yield* within(section.sections, instance_path);
      }
  }
  yield* within(index.content.sections, '');
}
