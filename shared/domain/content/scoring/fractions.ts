import Fraction from 'fraction.js';
import { decimal } from '../values/numbers.ts';

/** Decimals of points and shares. Those of percentages are a setting of the content. */
const FIGURE_DECIMALS = 6;

/** A number from 0, not necessarily reduced. */
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
 * Adds fractions in halves, and does not reduce the sum. Limits with many digits lead to thousands of fractions with
 * different denominators; adding those one after the other, or reducing their sum, would take seconds.
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
