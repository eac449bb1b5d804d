import type { Problem } from '../../../base/problem.ts';
import { quoted } from '../../../base/text.ts';
import { present } from '../../../schemas/projection.ts';
import {
  type Content,
  MAX_OPTIONS,
  ResponseOption,
  type ResponseSet,
} from '../../../schemas/templates/content.ts';
import { problemAt } from './problems.ts';

/** The active options of a source. One more than a response set can have is enough to tell that there are too many. */
export type ListedOptions = readonly Omit<ResponseOption, 'is_na' | 'attributes'>[];

/** Labels with numbers are in the order of the numbers: `Bay 2` before `Bay 10`. */
const { compare } = new Intl.Collator('en', { numeric: true });

/** Values that several options have. */
const repeated = (options: ListedOptions): string[] => {
  const [once, twice] = [new Set<string>(), new Set<string>()];
  for (const { value } of options) (once.has(value) ? twice : once).add(value);
  return [...twice];
};

/** Why the options of a source cannot be those of a response set. @param options undefined without a source */
const faultsOf = (options: ListedOptions | undefined): string[] => {
  if (!options) return ['there is no such source of response_sets'];
  if (options.length === 0) return ['the source has no active rows; sync it first'];
  if (options.length > MAX_OPTIONS)
    return [`the source has more than ${MAX_OPTIONS} active rows, the maximum of options`];
  return repeated(options).map((value) => `several rows of the source have the value ${quoted(value)}`);
};

const optionsOf = (options: ListedOptions): ResponseOption[] =>
  options
    .toSorted((one, other) => compare(one.label, other.label) || (one.value < other.value ? -1 : 1))
    .map((option) => present(ResponseOption, option, { is_na: false }));

/**
 * A content whose response sets have the options of their sources. A set with a problem stays as it was.
 * @param lists the options by the ids of the sources
 * @returns the content, and every problem of the sources, loc beginning with `content`
 */
export const withSyncedOptions = (
  content: Content,
  lists: ReadonlyMap<string, ListedOptions>,
): { content: Content; problems: Problem[] } => {
  const problems: Problem[] = [];
  const response_sets = content.response_sets.map((set, position): ResponseSet => {
    if (set.source_id === undefined) return set;
    const options = lists.get(set.source_id);
    const faults = faultsOf(options);
    const loc = ['content', 'response_sets', String(position), 'source_id'];
    problems.push(...faults.map((fault) => problemAt(loc, fault)));
    return faults.length > 0 ? set : { ...set, options: optionsOf(options!) };
  });
  return { content: { ...content, response_sets }, problems };
};
