import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../base/problem.ts';
import {
  beyondMax,
  type ContentIndex,
  indexesIn,
  isRepeat,
  type RepeatSection,
  type SectionPlace,
} from './content-index.ts';
import { outerPath, readSegment, segmentsOf } from './instance-paths.ts';

/** A repeat section, and the path around its instances. */
export interface Repeat {
  section: RepeatSection;
  outer: string;
}

/**
 * The repeat section within the instance that a request names.
 * @param parentPath in lower case
 * @returns every problem, loc `["body", "section_id"]` or `["body", "parent_path"]`, where there is any
 */
export const repeatWithin = ({ section, repeats }: SectionPlace, parentPath: string): Repeat | Problem[] => {
  if (!isRepeat(section)) {
    const msg = 'Value error, the section is no repeat section';
    return [{ loc: ['body', 'section_id'], type: 'value_error', msg, input: section.id }];
  }
  const around = repeats.slice(0, -1);
  const segments = segmentsOf(parentPath);
  const indexes = indexesIn(around, segments);
  const given = { loc: ['body', 'parent_path'], input: parentPath };
  if (segments.length !== around.length || indexes.some(Number.isNaN)) {
    const form = around.map(({ id }) => `${id}[i]`).join('/');
    const msg = form
      ? `Value error, the path around this section has the form "${form}"`
      : 'Value error, should be empty: the section is in no other repeat section';
    return [{ ...given, type: 'value_error', msg }];
  }
  const problems = beyondMax(around, indexes, given);
  return problems.length > 0 ? problems : { section, outer: parentPath };
};

/** The repeat section that a path names an instance of; undefined where it names none. */
export const repeatAt = (index: ContentIndex, path: string): Repeat | undefined => {
  const segments = segmentsOf(path);
  const ids = segments.map((segment) => readSegment(segment)?.sectionId);
  const { repeats = [] } = index.sections.get(ids.at(-1) ?? '') ?? {};
  const section = repeats.at(-1);
  const isNamed =
    section?.id === ids.at(-1) &&
    isDeepStrictEqual(
      repeats.map(({ id }) => id),
      ids,
    );
  return section && isNamed ? { section, outer: outerPath(path, segments.length - 1) } : undefined;
};

/** The indexes of the section's instances that these paths lead into. */
export const indexesUsed = ({ section, outer }: Repeat, paths: Iterable<string>): Set<number> => {
  const level = segmentsOf(outer).length;
  const used = new Set<number>();
  for (const path of paths) {
    const { sectionId, index } = readSegment(segmentsOf(path)[level] ?? '') ?? {};
    if (index !== undefined && sectionId === section.id && outerPath(path, level) === outer) used.add(index);
  }
  return used;
};

/**
 * The index of a new instance. It is the one after the last, so that a deleted index is not soon used again. If the
 * section has no index after the last, it is the lowest free one.
 * @param paths of everything that already has an index, in this section or in others
 * @returns undefined when none is free
 */
export const nextIndex = (repeat: Repeat, paths: Iterable<string>): number | undefined => {
  const used = indexesUsed(repeat, paths);
  const { max } = repeat.section.repeat;
  const next = Math.max(-1, ...used) + 1;
  if (next < max) return next;
  return Array.from({ length: max }, (_, i) => i).find((i) => !used.has(i));
};
