import * as errors from '../base/errors.ts';
import type { Problem } from '../base/problem.ts';
import type { ContentIndex } from '../domain/content/content-index.ts';
import { isWithin } from '../domain/content/instance-paths.ts';
import { indexesUsed, type Repeat, repeatAt, repeatWithin } from '../domain/content/repeats.ts';
import type { Instance } from '../schemas/inspections/answer.ts';
import type { NewReinspection } from '../schemas/inspections/inspection.ts';
import type { Work } from '../table/change.ts';
import type { StoredInstance } from '../table/entities/inspections.ts';
import { nextInstance } from './answers/instances.ts';

/** How the instances of a re-inspection differ from those of the first inspection. */
export interface ReinspectedInstances {
  added: StoredInstance[];
  /** Whether a path leads into an instance that is not inspected again. */
  isRemoved: (path: string) => boolean;
}

type Wanted = NewReinspection['instances'];

/** A problem of a part of the request, with the place of that part. */
const within =
  (list: keyof Wanted, position: number) =>
  ({ loc, ...problem }: Problem): Problem => ({
    ...problem,
    loc: ['body', 'instances', list, String(position), ...loc.slice(1)],
  });

/** The repeat sections in which instances are added. @throws ApiError 400 for a section that the content does not have */
const repeatsToAdd = (index: ContentIndex, { add }: Wanted): (Repeat | Problem[])[] =>
  add.map(({ section_id, parent_path }, position) => {
    const place = index.sections.get(section_id);
    if (!place) throw errors.notInTemplate(`instances.add.${position} is not a section of this inspection`);
    const repeat = repeatWithin(place, parent_path);
    return Array.isArray(repeat) ? repeat.map(within('add', position)) : repeat;
  });

const NO_INSTANCE = 'Value error, the path names no instance that the first inspection has';

/** The repeat sections from which instances are removed. */
const repeatsToRemove = (
  index: ContentIndex,
  { remove }: Wanted,
  paths: readonly string[],
): (Repeat | Problem[])[] =>
  remove.map((path, position) => {
    const repeat = paths.some((each) => isWithin(each, path)) ? repeatAt(index, path) : undefined;
    const problem: Problem = { loc: ['body'], type: 'value_error', msg: NO_INSTANCE, input: path };
    return repeat ?? [within('remove', position)(problem)];
  });

const problemsIn = (repeats: readonly (Repeat | Problem[])[]): Problem[] =>
  repeats.flatMap((each) => (Array.isArray(each) ? each : []));

/**
 * Decides on the instances that a re-inspection adds and removes.
 * @param index the content of the re-inspection
 * @param paths of the answers of the first inspection
 * @throws ApiError 400 for a section that the content does not have; 409 when a section would have too few instances or
 *   has no free index; 422 for a section that does not repeat, or a path that names no instance
 */
export const reinspectedInstances = (
  work: Work,
  index: ContentIndex,
  wanted: Wanted,
  paths: readonly string[],
): ReinspectedInstances => {
  const [adding, removing] = [repeatsToAdd(index, wanted), repeatsToRemove(index, wanted, paths)];
  const problems = [...problemsIn(adding), ...problemsIn(removing)];
  if (problems.length > 0) throw errors.validationFailed(problems);
  const isRemoved = (path: string) => wanted.remove.some((removed) => isWithin(path, removed));
  const added: Instance[] = [];
  const addedPaths = () => added.map(({ instance_path }) => instance_path);
  for (const [position, given] of wanted.add.entries())
    added.push(nextInstance(work, adding[position] as Repeat, given, [...paths, ...addedPaths()]));
  const kept = [...paths.filter((path) => !isRemoved(path)), ...addedPaths()];
  for (const repeat of removing as Repeat[]) {
    const {
      title,
      repeat: { min },
    } = repeat.section;
    const isLeft = repeat.outer === '' || !isRemoved(repeat.outer);
    const left = indexesUsed(repeat, kept).size;
    if (isLeft && left < min) throw errors.tooFewInstances(title, indexesUsed(repeat, paths).size, min);
  }
  return { added, isRemoved };
};
