import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { merge } from '../base/fields.ts';
import { hasLabels, type Labelled, type LabelFilter, wanted, withoutRemoved } from '../domain/labels.ts';
import { MAX_PAIRS, type Metadata } from '../schemas/labels.ts';
import type { Range } from './keys.ts';
import { queryRows } from './rows.ts';

/**
 * A resource after a change. Null removes a pair of its metadata.
 * @throws ApiError 422 for too many pairs
 */
export const mergeLabelled = <Resource extends { metadata?: Metadata }>(
  current: Resource,
  { metadata, ...changes }: object & { metadata?: Readonly<Record<string, string | null>> | undefined },
): Resource => {
  const next = merge<Resource>(current, changes);
  if (!metadata) return next;
  const left = withoutRemoved(merge(next.metadata ?? {}, metadata));
  if (Object.keys(left).length <= MAX_PAIRS) return { ...next, metadata: left };
  throw errors.validationFailed([
    {
      loc: ['body', 'metadata'],
      type: 'value_error',
      msg: `Value error, more than ${MAX_PAIRS} pairs`,
      input: metadata,
    },
  ]);
};

/** The rows that have the labels of a filter. */
export const withLabels = async function* <Row extends Labelled>(
  rows: AsyncIterable<Row>,
  filter: LabelFilter,
): AsyncGenerator<Row> {
  const groups = wanted(filter);
  for await (const row of rows) if (hasLabels(row, groups)) yield row;
};

/** The rows of each label: their sort keys end with the id of the resource that has it. */
type RangeOf = (label: string) => Range;

/** The ids of the resources that have one of these labels; undefined for more than `most`. A call for each label. */
export const idsWithAny = async (
  caller: Caller,
  labels: readonly string[],
  rangeOf: RangeOf,
  most = Infinity,
): Promise<Set<string> | undefined> => {
  const ids = new Set<string>();
  for (const { partition, prefix } of labels.map(rangeOf)) {
    const pageSize = most === Infinity ? undefined : most + 1;
    for await (const { sk } of queryRows(caller, { partition, prefix, pageSize })) {
      ids.add(sk.slice(prefix?.length));
      if (ids.size > most) return undefined;
    }
  }
  return ids;
};

/** The ids of the resources that have one label of each of these groups, in ascending order. A call for each label. */
export const idsWithAll = async (
  caller: Caller,
  groups: readonly (readonly string[])[],
  rangeOf: RangeOf,
): Promise<string[]> => {
  const sets = await Promise.all(groups.map((labels) => idsWithAny(caller, labels, rangeOf)));
  const [first, ...others] = sets.map((ids) => ids!);
  return [...first!].filter((id) => others.every((ids) => ids.has(id))).toSorted();
};
