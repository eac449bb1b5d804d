import Fraction from 'fraction.js';
import { MAX_NUMBER } from '../limits.ts';
import { decimal } from '../values/numbers.ts';

/** Significant digits of a result. */
export const SHOWN_DIGITS = 15;

/** The power of ten above which an intermediate result is null. Below its inverse, the result is zero. */
const MAX_POWER = 400;

/**
 * A fraction stays exact up to this product of numerator and denominator. Without a limit it would grow with every
 * step.
 */
const MAX_PARTS = 10n ** 80n;

/** Significant digits of a fraction that is not kept exact. */
const KEPT_DIGITS = 40;

/** A power of ten and its inverse, one of which is 1: `[100n, 1n]` for 2 and `[1n, 100n]` for -2. */
const powers = (power: number): [bigint, bigint] => [
  10n ** BigInt(Math.max(power, 0)),
  10n ** BigInt(Math.max(-power, 0)),
];

/** How many digits a number has before the decimal point; -2 for 0.001. */
const magnitudeOf = ({ n, d }: Fraction) => {
  const least = String(n).length - String(d).length;
  const [up, down] = powers(least);
  return n * down < d * up ? least : least + 1;
};

/** Rounds half up. @param places digits after the decimal point; negative ones are before it */
export const rounded = ({ s, n, d }: Fraction, places: number) => {
  const [up, down] = powers(places);
  const [above, below] = [2n * s * n * up + d * down, 2n * d * down];
  const whole = above / below - (above < 0n && above % below !== 0n ? 1n : 0n);
  return new Fraction(whole * down, up);
};

const significant = (n: Fraction, digits: number) => rounded(n, digits - magnitudeOf(n));

/** An intermediate result in a size that stays quick to compute with; null when it is too large. */
export const bounded = (n: Fraction): Fraction | null => {
  if (n.n * n.d <= MAX_PARTS) return n;
  const magnitude = magnitudeOf(n);
  if (magnitude > MAX_POWER) return null;
  return magnitude < -MAX_POWER ? new Fraction(0) : significant(n, KEPT_DIGITS);
};

/** This expression has no nested repetition, so that no text takes longer to match than to read. */
const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,3})?$/;

/** The number that a decimal text writes; null for any other text. */
export const exact = (text: string): Fraction | null => {
  const written = text.toLowerCase();
  if (!DECIMAL.test(written)) return null;
  const { digits, scale } = decimal(written);
  const [up, down] = powers(-scale);
  return bounded(new Fraction(digits * up, down));
};

/** A number as a decimal text without an exponent; `""` for a number that is too large for a result. */
export const decimalOf = (n: Fraction): string => {
  if (n.abs().gt(MAX_NUMBER)) return '';
  return n.abs().mul(MAX_NUMBER).lt(1) ? '0' : significant(n, SHOWN_DIGITS).toString(2 * SHOWN_DIGITS);
};
