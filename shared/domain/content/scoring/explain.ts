import type { Score } from '../../../schemas/inspections/inspection.ts';
import type { FieldScore, ScoreExplanation, SectionScore } from '../../../schemas/inspections/score.ts';
import type { Evaluation } from '../conditions/evaluate.ts';
import type { ContentIndex } from '../content-index.ts';
import { labelWithAnswers, titleStand, withAnswers } from '../piping.ts';
import { type RepeatedFields, sharedItems, type SharedItem } from './shares.ts';
import { figure, isBelow, percentageOf, type Ratio, rounded, sum } from './worth.ts';

type Explanation = Omit<ScoreExplanation, 'inspection_id' | 'is_final'>;

/** What items earn together. */
export const totalOf = (items: readonly SharedItem[]) => {
  const parts = items.flatMap(({ part }) => part ?? []);
  const share = sum(items.map((item) => item.share));
  const shareMax = sum(items.map((item) => item.shareMax));
  return {
    points: sum(parts.map(({ score }) => score)),
    max: sum(parts.map(({ max }) => max)),
    share,
    shareMax,
    percentage: percentageOf(share, shareMax),
  };
};

/** The items in each section, those of inner sections included, by the section's id and in document order. */
export const bySection = (
  { sections }: ContentIndex,
  items: readonly SharedItem[],
): Map<string, SharedItem[]> => {
  const own = Map.groupBy(items, ({ place }) => place.section.id);
  const found = new Map<string, SharedItem[]>();
  const around: string[] = [];
  for (const { section, depth } of sections.values()) {
    around.length = depth - 1;
    around.push(section.id);
    found.set(section.id, []);
    for (const item of own.get(section.id) ?? []) for (const id of around) found.get(id)!.push(item);
  }
  return found;
};

const resultOf = (percentage: Ratio | null, passing: number | null) => {
  if (percentage === null || passing === null) return null;
  return isBelow(percentage, passing) ? 'fail' : 'pass';
};

const sectionScores = (evaluation: Evaluation, items: readonly SharedItem[]): SectionScore[] => {
  const { index } = evaluation;
  return [...bySection(index, items)].flatMap(([id, within]) => {
    if (within.length === 0) return [];
    const place = index.sections.get(id)!;
    const { title, weight, passing_score: passing } = place.section;
    const { points, max, share, shareMax, percentage } = totalOf(within);
    return [
      {
        section_id: id,
        title: withAnswers(evaluation, title, titleStand(place, '')),
        percentage: percentage && rounded(percentage, index.content.scoring.decimals),
        points: figure(points),
        max: figure(max),
        weight,
        passing_score: passing,
        result: resultOf(percentage, passing),
        share: figure(share),
        share_max: figure(shareMax),
      },
    ];
  });
};

const fieldScore = (evaluation: Evaluation, item: SharedItem): FieldScore => {
  const { place, instance_path, status, isFailed, part, factor, share, shareMax } = item;
  const { field, section } = place;
  return {
    section_id: section.id,
    field_id: field.id,
    instance_path,
    label: labelWithAnswers(evaluation, place, instance_path),
    status,
    is_failed: isFailed,
    critical: field.critical,
    score: part && figure(part.score),
    max_score: part && figure(part.max),
    weight: field.weight,
    ...(factor !== 1 && { repeat_factor: factor }),
    share: figure(share),
    share_max: figure(shareMax),
  };
};

/** A failed critical field, a section below its passing score, or a total below the content's fails the inspection. */
const totalScore = (
  { content }: ContentIndex,
  items: readonly SharedItem[],
  sections: readonly SectionScore[],
): Score => {
  const { passing_score, decimals } = content.scoring;
  const { points, max, percentage } = totalOf(items);
  const hasFailed =
    items.some(({ isFailed, place }) => isFailed && place.field.critical) ||
    sections.some(({ result }) => result === 'fail') ||
    resultOf(percentage, passing_score) === 'fail';
  return {
    percentage: percentage && rounded(percentage, decimals),
    points: figure(points),
    max: figure(max),
    result: hasFailed ? 'fail' : percentage && 'pass',
  };
};

/** The score of an inspection, with that of each section and field; null and empty lists when it is not scored. */
export const explainScore = (evaluation: Evaluation, repeated?: RepeatedFields): Explanation => {
  const { index } = evaluation;
  const { enabled, ...rules } = index.content.scoring;
  if (!enabled) return { ...rules, score: null, sections: [], fields: [] };
  const items = sharedItems(evaluation, repeated);
  const sections = sectionScores(evaluation, items);
  const fields = items.map((item) => fieldScore(evaluation, item));
  return { ...rules, score: totalScore(index, items, sections), sections, fields };
};
