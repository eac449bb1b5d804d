import Fraction from 'fraction.js';
import type { Score } from '../../schemas/inspections/inspection.ts';
import type { FieldScore, ScoreExplanation, SectionScore } from '../../schemas/inspections/score.ts';
import type { Field, ResponseOption, Section } from '../../schemas/templates/content.ts';
import type { Evaluation, FieldInstance } from './conditions.ts';
import { type ContentIndex, limitsOf, optionsOf } from './content-index.ts';
import { fieldInstances } from './instances.ts';
import { type Answer, chosenOptions, decimal, isEmpty, isFailed } from './values.ts';

/** Decimals of points and shares; those of percentages are the content's. */
const FIGURE_DECIMALS = 6;

/** A number that is not negative, perhaps not reduced. */
type Ratio = Pick<Fraction, 'n' | 'd'>;

/** A number as the decimal that writes it: 0.1 is a tenth. */
const exact = (n: number): Fraction => {
  const { digits, scale } = decimal(n);
  return new Fraction(digits * 10n ** BigInt(Math.max(-scale, 0)), 10n ** BigInt(Math.max(scale, 0)));
};

/** Half up. */
const rounded = ({ n, d }: Ratio, decimals: number): number =>
  Number(`${(2n * n * 10n ** BigInt(decimals) + d) / (2n * d)}e-${decimals}`);

const figure = (ratio: Ratio): number => rounded(ratio, FIGURE_DECIMALS);

/**
 * In halves, and not reduced: of thousands of unlike fractions, which arise where limits have many digits, to add one
 * after the other takes seconds, and to reduce their sum too.
 */
const sum = (terms: readonly Ratio[]): Ratio => {
  const numerators = new Map<bigint, bigint>();
  for (const { n, d } of terms) numerators.set(d, (numerators.get(d) ?? 0n) + n);
  const within = (ratios: readonly (readonly [d: bigint, n: bigint])[]): Ratio => {
    const [[d, n] = [1n, 0n]] = ratios;
    if (ratios.length < 2) return { n, d };
    const half = ratios.length >> 1;
    const [left, right] = [within(ratios.slice(0, half)), within(ratios.slice(half))];
    return { n: left.n * right.d + right.n * left.d, d: left.d * right.d };
  };
  return within([...numerators]);
};

const percentageOf = (part: Ratio, whole: Ratio): Ratio | null =>
  whole.n === 0n ? null : { n: 100n * part.n * whole.d, d: part.d * whole.n };

const isBelow = (percentage: Ratio, passingScore: number): boolean => {
  const { n, d } = exact(passingScore);
  return percentage.n * d < n * percentage.d;
};

/** What the answers to a field are worth. */
interface Worth {
  max: Fraction;
  /** Of an answer that is given and applies: 0 to max. */
  of: (value: unknown) => Fraction;
}

/** The most points that options can give; null where none gives any. */
const mostPoints = ({ type }: Field, options: readonly ResponseOption[]): Fraction | null => {
  const points = options.map(({ score }) => score ?? 0).filter((score) => score > 0);
  if (points.length === 0) return null;
  return type === 'multi_select'
    ? points.map(exact).reduce((total, score) => total.add(score))
    : exact(Math.max(...points));
};

/** What the answers to a field are worth by the content's method, weights aside; null where they are not scored. */
const worthOf = (index: ContentIndex, field: Field): Worth | null => {
  const isCounted = index.content.scoring.method === 'count';
  const options = optionsOf(index, field).filter(({ is_na }) => !is_na);
  const canFail = field.fail_if !== null || options.some(({ is_failed }) => is_failed);
  const points = isCounted ? null : mostPoints(field, options);
  const most = isCounted || field.max_score === null ? points : exact(field.max_score);
  const max = most ?? (canFail ? new Fraction(1) : null);
  if (max === null || max.n === 0n || field.type === 'instruction') return null;

  const nothing = new Fraction(0);
  const within = (score: Fraction): Fraction =>
    score.s < 0n ? nothing : score.compare(max) > 0 ? max : score;
  const pointsOf = (value: unknown): Fraction =>
    chosenOptions(field, index, value).reduce((total, { score }) => total.add(exact(score ?? 0)), nothing);
  const { max: upper } = limitsOf(field);
  return {
    max,
    of: (value) => {
      if (points) return within(pointsOf(value));
      if (isFailed(field, index, value)) return nothing;
      if (field.fail_if !== null) return max;
      if (value === false) return nothing;
      if (field.type === 'calculated' && typeof value === 'number') return within(exact(value));
      return typeof value === 'number' && upper !== null && upper > 0
        ? within(max.mul(exact(value)).div(exact(upper)))
        : max;
    },
  };
};

const worths = new WeakMap<ContentIndex, Map<string, Worth>>();

/** By the ids of the fields that have a part in the score. What weighs nothing has none where weights count. */
const worthsOf = (index: ContentIndex): Map<string, Worth> => {
  const known = worths.get(index);
  if (known) return known;
  const weighs = ({ weight }: { weight: number }): boolean =>
    index.content.scoring.method !== 'weighted' || weight > 0;
  const found = new Map<string, Worth>();
  const collect = (sections: readonly Section[]) => {
    for (const { fields, sections: inner } of sections.filter(weighs)) {
      for (const field of fields.filter(weighs)) {
        const worth = worthOf(index, field);
        if (worth) found.set(field.id, worth);
      }
      collect(inner);
    }
  };
  collect(index.content.sections);
  worths.set(index, found);
  return found;
};

/** Whether a content has a field with a part in the score. */
export const canScore = (index: ContentIndex): boolean => worthsOf(index).size > 0;

/**
 * What an answer to a visible field earns, and what it could earn.
 * @returns null where it is not scored: none, not applicable, or of a field without a part in the score
 */
export const shareOf = (
  index: ContentIndex,
  { field }: { field: Pick<Field, 'id'> },
  { value, is_na }: Pick<Answer, 'value' | 'is_na'>,
): { score: number; max_score: number } | null => {
  if (!index.content.scoring.enabled || is_na || isEmpty(value)) return null;
  const worth = worthsOf(index).get(field.id);
  return worth ? { score: figure(worth.of(value)), max_score: figure(worth.max) } : null;
};

/** A field in one of its instances that has a part in the score, or in its result. */
interface Item extends FieldInstance {
  status: FieldScore['status'];
  isFailed: boolean;
  /** What it earns and could earn; null where it does not count. */
  part: { score: Fraction; max: Fraction } | null;
}

const itemOf = (
  { index, standingOf, answerOf }: Evaluation,
  { place, instance_path }: FieldInstance,
): Item | undefined => {
  const { field } = place;
  const worth = worthsOf(index).get(field.id);
  if (!worth && !field.critical) return undefined;
  const isHidden = standingOf(place, instance_path) === 'hidden';
  const answer = isHidden ? undefined : answerOf(place, instance_path);
  const hasFailed = answer !== undefined && !answer.is_na && isFailed(field, index, answer.value);
  const item = (status: Item['status'], part: Item['part'] = null): Item => ({
    place,
    instance_path,
    status,
    isFailed: hasFailed,
    part,
  });
  if (!worth) return hasFailed ? item('excluded') : undefined;
  if (isHidden) return item('hidden');
  if (answer?.is_na) return item('not_applicable');
  const { max } = worth;
  if (answer) return item('counted', { score: worth.of(answer.value), max });
  return index.content.scoring.unanswered === 'exclude'
    ? item('excluded')
    : item('unanswered', { score: new Fraction(0), max });
};

/** The percentage points of the total that an item contributes, and those that it could. */
interface SharedItem extends Item {
  share: Fraction;
  shareMax: Fraction;
}

/**
 * Divides the 100 percentage points among sections and fields: by weight where weights count, a section being one
 * item of the section around it however often it repeats; else by what the fields could earn.
 */
const divided = ({ content }: ContentIndex, items: readonly Item[]): SharedItem[] => {
  const isWeighted = content.scoring.method === 'weighted';
  const nothing = new Fraction(0);
  const unitOf = ({ place, part }: Item): Fraction => {
    if (!part) return nothing;
    return isWeighted ? exact(place.field.weight) : part.max;
  };
  const units = new Map<string, Fraction>();
  for (const item of items) {
    const { id } = item.place.section;
    units.set(id, (units.get(id) ?? nothing).add(unitOf(item)));
  }

  type Part = Pick<Section, 'id' | 'weight' | 'sections'>;
  const unitsOf = ({ id, sections }: Part): Fraction => {
    const all = sections.reduce(
      (total, inner) => {
        const within = unitsOf(inner);
        return within.n === 0n ? total : total.add(isWeighted ? exact(inner.weight) : within);
      },
      units.get(id) ?? nothing,
    );
    units.set(id, all);
    return all;
  };
  /** What one unit is worth in each section. */
  const points = new Map<string, Fraction>();
  const divide = ({ id, sections }: Part, whole: Fraction) => {
    const all = units.get(id)!;
    if (all.n === 0n) return;
    const each = whole.div(all);
    points.set(id, each);
    for (const inner of sections)
      divide(inner, each.mul(isWeighted ? exact(inner.weight) : units.get(inner.id)!));
  };
  const whole: Part = { id: '', weight: 1, sections: content.sections };
  unitsOf(whole);
  divide(whole, new Fraction(100));

  return items.map((item) => {
    const shareMax = (points.get(item.place.section.id) ?? nothing).mul(unitOf(item));
    const { score, max } = item.part ?? { score: nothing, max: new Fraction(1) };
    return { ...item, shareMax, share: shareMax.mul(score).div(max) };
  });
};

/** What items earn together. */
const tally = (items: readonly SharedItem[]) => {
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

/** Items by the ids of the sections that they stand in, at whatever depth, in document order. */
const bySection = ({ sections }: ContentIndex, items: readonly SharedItem[]): Map<string, SharedItem[]> => {
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

type Explanation = Omit<ScoreExplanation, 'inspection_id' | 'is_final'>;

/** How the score of an inspection comes about, field by field; null and empty lists where it is not scored. */
export const explainScore = (evaluation: Evaluation): Explanation => {
  const { index, instances } = evaluation;
  const { enabled, ...rules } = index.content.scoring;
  const { passing_score, decimals } = rules;
  if (!enabled) return { ...rules, score: null, sections: [], fields: [] };

  const items = divided(
    index,
    [...fieldInstances(index, instances)].flatMap((instance) => itemOf(evaluation, instance) ?? []),
  );
  const resultOf = (percentage: Ratio | null, passing: number | null) => {
    if (percentage === null || passing === null) return null;
    return isBelow(percentage, passing) ? 'fail' : 'pass';
  };
  const sections = [...bySection(index, items)].flatMap(([id, within]): SectionScore[] => {
    if (within.length === 0) return [];
    const { title, weight, passing_score: passing } = index.sections.get(id)!.section;
    const { points, max, share, shareMax, percentage } = tally(within);
    return [
      {
        section_id: id,
        title,
        percentage: percentage && rounded(percentage, decimals),
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
  const { points, max, percentage } = tally(items);
  const hasFailed =
    items.some((item) => item.isFailed && item.place.field.critical) ||
    sections.some(({ result }) => result === 'fail') ||
    resultOf(percentage, passing_score) === 'fail';
  return {
    ...rules,
    score: {
      percentage: percentage && rounded(percentage, decimals),
      points: figure(points),
      max: figure(max),
      result: hasFailed ? 'fail' : percentage && 'pass',
    },
    sections,
    fields: items.map(
      ({ place: { field, section }, instance_path, status, isFailed: failed, part, share, shareMax }) => ({
        section_id: section.id,
        field_id: field.id,
        instance_path,
        label: field.label,
        status,
        is_failed: failed,
        critical: field.critical,
        score: part && figure(part.score),
        max_score: part && figure(part.max),
        weight: field.weight,
        share: figure(share),
        share_max: figure(shareMax),
      }),
    ),
  };
};

/** The score of an inspection as its answers stand; null where it is not scored. */
export const scoreOf = (evaluation: Evaluation): Score | null => explainScore(evaluation).score;
