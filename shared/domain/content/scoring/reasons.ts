import type { Evaluation } from '../conditions/evaluate.ts';
import { bySection, totalOf } from './explain.ts';
import { type RepeatedFields, sharedItems, type SharedItem } from './shares.ts';
import { isBelow, type Ratio, rounded } from './worth.ts';

/** A section, or the total where it has no id, below its passing score. */
export interface Shortfall {
  section_id: string | null;
  percentage: number;
  passing_score: number;
}

/** Why an inspection fails. */
export interface FailReasons {
  /** Critical items that failed, in document order. */
  criticalItems: SharedItem[];
  /** The sections in document order, then the total. */
  shortfalls: Shortfall[];
}

/** The maximum number of decimals of a percentage. No more are needed to tell two scores apart. */
const MAX_DECIMALS = 6;

/** Rounds a percentage, with more decimals if they are needed to show that it is below the passing score. */
const visiblyBelow = (percentage: Ratio, passing: number, decimals: number): number => {
  let places = decimals;
  while (places < MAX_DECIMALS && rounded(percentage, places) >= passing) places += 1;
  return rounded(percentage, places);
};

/** Everything that fails an inspection: see `totalScore`. Empty where it passes, or is not scored. */
export const failReasons = (evaluation: Evaluation, repeated?: RepeatedFields): FailReasons => {
  const { index } = evaluation;
  const { enabled, passing_score: passingTotal, decimals } = index.content.scoring;
  if (!enabled) return { criticalItems: [], shortfalls: [] };
  const items = sharedItems(evaluation, repeated);
  const shortfall = (
    section_id: string | null,
    within: SharedItem[],
    passing: number | null,
  ): Shortfall[] => {
    const { percentage } = totalOf(within);
    if (percentage === null || passing === null || !isBelow(percentage, passing)) return [];
    return [{ section_id, percentage: visiblyBelow(percentage, passing, decimals), passing_score: passing }];
  };
  return {
    criticalItems: items.filter(({ isFailed, place }) => isFailed && place.field.critical),
    shortfalls: [
      ...[...bySection(index, items)].flatMap(([id, within]) =>
        shortfall(id, within, index.sections.get(id)!.section.passing_score),
      ),
      ...shortfall(null, items, passingTotal),
    ],
  };
};
