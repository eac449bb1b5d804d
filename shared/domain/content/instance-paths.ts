/**
 * An instance path says in which instances of repeat sections an answer belongs: one segment `section_id[index]`
 * per repeat section, outermost first, joined by `/`. Outside repeat sections it is `""`.
 */

/** The path of one instance of a repeat section, within the instance that `outer` names. */
export const instanceWithin = (outer: string, sectionId: string, i: number): string =>
  `${outer}${outer && '/'}${sectionId}[${i}]`;

/** Whether a path leads into an instance, or is that of the instance itself. */
export const isWithin = (path: string, instance: string): boolean =>
  path === instance || path.startsWith(`${instance}/`);

/** The name of a field or section in one instance, unique within an inspection: answers are looked up by it. */
export const placeName = (id: string, instancePath: string): string => `${id} ${instancePath}`;

/** The segments of a path, outermost first; `[]` for `""`. */
export const segmentsOf = (path: string): string[] => (path === '' ? [] : path.split('/'));

/**
 * Reads one segment. An index with leading zeros is refused, so that every instance has exactly one path.
 * @returns undefined for a text that is not a segment
 */
export const readSegment = (segment: string): { sectionId: string; index: number } | undefined => {
  const [, sectionId, index] = /^(.+)\[(0|[1-9]\d*)\]$/.exec(segment) ?? [];
  return sectionId === undefined ? undefined : { sectionId, index: Number(index) };
};

/** The first `levels` segments of a path. */
export const outerPath = (path: string, levels: number): string => path.split('/').slice(0, levels).join('/');

/** The index in the last segment of a path; 0 for `""`. */
export const innermostIndexOf = (path: string): number => Number(/\[(\d+)\]$/.exec(path)?.[1] ?? 0);

/** Divides a path at its last segment. The path must not be empty. */
export const splitInnermost = (path: string): { outer: string; sectionPath: string; index: number } => {
  const bracket = path.lastIndexOf('[');
  const slash = path.lastIndexOf('/', bracket);
  return {
    outer: path.slice(0, Math.max(slash, 0)),
    /** The path without its last index: it names the section within `outer`. */
    sectionPath: path.slice(0, Math.max(bracket, 0)),
    index: Number(path.slice(bracket + 1, -1)),
  };
};
