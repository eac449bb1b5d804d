import Fraction from 'fraction.js';
import type { Field, ResponseOption, Section } from '../../../schemas/templates/content.ts';
import { type ContentIndex, limitsOf, optionsOf } from '../content-index.ts';
import { type Answer, isEmpty } from '../values/answer.ts';
import { chosenOptions } from '../values/choices.ts';
import { isFailed } from '../values/comparison.ts';
import { decimal } from '../values/numbers.ts';

/** Decimals of points and shares. Those of percentages are a setting of the content. */
const FIGURE_DECIMALS = 6;

/** A number that is not negative. The fraction need not be reduced. */
export type Ratio = Pick<Fraction, 'n' | 'd'>;

/** The exact value of a number's decimal form: 0.1 is one tenth. */
export const exact = (n: number): Fraction => {
  const { digits, scale } = decimal(n);
  return new Fraction(digits * 10n ** BigInt(Math.max(-scale, 0)), 10n ** BigInt(Math.max(scale, 0)));
};

/** Rounds half up. */
export const rounded = ({ n, d }: Ratio, decimals: number): number =>
  Number(`${(2n * n * 10n ** BigInt(decimals) + d) / (2n * d)}e-${decimals}`);

/** Points or shares as they are shown. */
export const figure = (ratio: Ratio): number => rounded(ratio, FIGURE_DECIMALS);

/**
 * Adds the fractions of each half of a list, and then the two sums, without reducing them. Limits with many digits lead
 * to thousands of fractions with different denominators. Adding those one after the other, or reducing their sum, would
 * take seconds.
 */
export const sum = (terms: readonly Ratio[]): Ratio => {
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

/** @returns null when the whole is 0 */
export const percentageOf = (part: Ratio, whole: Ratio): Ratio | null =>
  whole.n === 0n ? null : { n: 100n * part.n * whole.d, d: part.d * whole.n };

export const isBelow = (percentage: Ratio, passingScore: number): boolean => {
  const { n, d } = exact(passingScore);
  return percentage.n * d < n * percentage.d;
};

/** The maximum points of a field, before weights. */
export interface Worth {
  max: Fraction;
  /** The points that an answer earns, from 0 to `max`. The answer must have a value and be applicable. */
  of: (value: unknown) => Fraction;
}

/** The most points that options can give; null when no option gives points. */
const mostPoints = ({ type }: Field, options: readonly ResponseOption[]): Fraction | null => {
  const points = options.map(({ score }) => score ?? 0).filter((score) => score > 0);
  if (points.length === 0) return null;
  return type === 'multi_select'
    ? points.map(exact).reduce((total, score) => total.add(score))
    : exact(Math.max(...points));
};

const NOTHING = new Fraction(0);

const within = (score: Fraction, max: Fraction): Fraction => {
  if (score.s < 0n) return NOTHING;
  return score.compare(max) > 0 ? max : score;
};

/** The options of a field that can be scored. */
const scoredOptions = (index: ContentIndex, field: Field): ResponseOption[] =>
  optionsOf(index, field).filter(({ is_na }) => !is_na);

/** The points of an answer in a field whose options have points. */
const optionPoints =
  (index: ContentIndex, field: Field, max: Fraction): Worth['of'] =>
  (value) => {
    const chosen = chosenOptions(field, index, value);
    const points = chosen.reduce((total, { score }) => total.add(exact(score ?? 0)), NOTHING);
    return within(points, max);
  };

/** What an answer earns in any other field: everything, nothing, or its share of the field's upper limit. */
const valuePoints = (index: ContentIndex, field: Field, max: Fraction): Worth['of'] => {
  const { max: upper } = limitsOf(field);
  return (value) => {
    if (isFailed(field, index, value)) return NOTHING;
    if (field.fail_if !== null) return max;
    if (value === false) return NOTHING;
    if (typeof value !== 'number') return max;
    if (field.type === 'calculated') return within(exact(value), max);
    return upper !== null && upper > 0 ? within(max.mul(exact(value)).div(exact(upper)), max) : max;
  };
};

/** What the answers to a field can earn by the content's method; null when the field is not scored. */
const worthOf = (index: ContentIndex, field: Field): Worth | null => {
  if (field.type === 'instruction') return null;
  const isCounted = index.content.scoring.method === 'count';
  const options = scoredOptions(index, field);
  const canFail = field.fail_if !== null || options.some(({ is_failed }) => is_failed);
  const points = isCounted ? null : mostPoints(field, options);
  const most = isCounted || field.max_score === null ? points : exact(field.max_score);
  const max = most ?? (canFail ? new Fraction(1) : null);
  if (max === null || max.n === 0n) return null;
  return { max, of: points ? optionPoints(index, field, max) : valuePoints(index, field, max) };
};

const worths = new WeakMap<ContentIndex, Map<string, Worth>>();

/**
 * The fields that count towards the score, by id, found once per index. In the weighted method a field or section
 * of weight 0 does not count.
 */
export const worthsOf = (index: ContentIndex): Map<string, Worth> => {
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

/** Whether a content has a field that counts towards the score. */
export const canScore = (index: ContentIndex): boolean => worthsOf(index).size > 0;

/**
 * What an answer to a visible field earns, and what it could earn.
 * @returns null for no answer, for one that is not applicable, and for a field that does not count
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
