import { fold } from '../base/text.ts';

/** Words and texts of an organization's own, by which a resource is found. Older rows have none. */
export interface Labelled {
  tags?: readonly string[];
  metadata?: Readonly<Record<string, string>>;
}

/** What lists find the inspections or issues of an asset by. */
export const ofAsset = (id: string): string => `asset ${id}`;

/** The filters of a list by labels. */
export interface LabelFilter {
  tag?: readonly string[] | undefined;
  metadata?: Readonly<Record<string, string>> | undefined;
}

const ofTag = (tag: string): string => `tag ${fold(tag)}`;

const ofPair = ([key, text]: readonly [string, string]): string => `metadata ${key}=${text}`;

/** What of a resource lists find it by: a text for each tag and each pair. */
export const labelsOf = ({ tags = [], metadata = {} }: Labelled): string[] => [
  ...tags.map(ofTag),
  ...Object.entries(metadata).map(ofPair),
];

/** What a resource must have to be found: one text of each of these groups. */
export const wanted = ({ tag, metadata = {} }: LabelFilter): string[][] => [
  ...(tag ? [tag.map(ofTag)] : []),
  ...Object.entries(metadata).map((pair) => [ofPair(pair)]),
];

/** Whether a resource has one text of each of these groups. */
export const hasLabels = (resource: Labelled, groups: readonly (readonly string[])[]): boolean => {
  const own = new Set(groups.length > 0 ? labelsOf(resource) : []);
  return groups.every((group) => group.some((label) => own.has(label)));
};

/** Metadata after a change of it, in which null has removed a pair. */
export const withoutRemoved = (metadata: Readonly<Record<string, string | null>>): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).filter((pair): pair is [string, string] => pair[1] !== null));
