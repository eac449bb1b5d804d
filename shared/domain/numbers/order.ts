import type {
  ActionNumbers,
  ActionOrder,
  FindingNumbers,
  FindingOrder,
  InspectionNumbers,
  InspectionOrder,
} from '../../schemas/numbers.ts';

/** What a group is sorted by: a number, and how many it is made from. */
export interface Rank {
  /** Null where it is made from none. */
  value: number | null;
  count: number;
}

/** How the groups of a reply are sorted by each number. */
export type Ranks<Shown, Name extends string> = Readonly<Record<Name, (numbers: Shown) => Rank>>;

const share = (part: number, count: number): Rank => ({ value: count === 0 ? null : part / count, count });

const number = (value: number, count: number): Rank => ({ value, count });

export const INSPECTION_RANKS: Ranks<InspectionNumbers, InspectionOrder> = {
  pass_rate: ({ passed, failed }) => share(passed, passed + failed),
  mean_score: ({ score }) => ({ value: score.mean, count: score.count }),
  completed: ({ completed, total }) => number(completed, total),
  overdue: ({ overdue, total }) => number(overdue, total),
};

export const FINDING_RANKS: Ranks<FindingNumbers, FindingOrder> = {
  findings: ({ findings }) => number(findings, findings),
  open: ({ open, findings }) => number(open, findings),
  failed: ({ answers }) => ({ value: answers && answers.failed, count: answers?.answered ?? 0 }),
  failure_rate: ({ answers }) => share(answers?.failed ?? 0, answers?.answered ?? 0),
};

export const ACTION_RANKS: Ranks<ActionNumbers, ActionOrder> = {
  actions: ({ actions }) => number(actions, actions),
  overdue: ({ overdue, actions }) => number(overdue, actions),
};

/** How groups are sorted and which of them are shown. */
export interface Ordering {
  /** The name of a number; with `-` before it, the highest comes first. */
  sort?: string | undefined;
  min_count?: number | undefined;
  limit?: number | undefined;
}

/**
 * The groups in the order of a number. Of two with the same number, the one that is made from more comes first; those
 * without it come last. Without `sort` the groups keep their order.
 */
export const ordered = <Each extends { numbers: Shown }, Shown>(
  groups: readonly Each[],
  ranks: Ranks<Shown, string>,
  { sort, min_count = 0, limit }: Ordering,
): Each[] => {
  if (sort === undefined) return groups.slice(0, limit);
  const sign = sort.startsWith('-') ? -1 : 1;
  const rankOf = ranks[sort.replace('-', '')]!;
  const last = Infinity;
  return groups
    .map((group) => ({ group, ...rankOf(group.numbers) }))
    .filter(({ count }) => count >= min_count)
    .toSorted((a, b) => {
      const [one, other] = [a, b].map(({ value }) => (value === null ? last : sign * value)) as [
        number,
        number,
      ];
      return one === other ? b.count - a.count : one - other;
    })
    .map(({ group }) => group)
    .slice(0, limit);
};
