import { limitsOf } from '../content-index.ts';
import { MAX_NUMBER, MIN_NUMBER } from '../limits.ts';
import { type Check, refuse, type TypeRules } from './checks.ts';

/**
 * A number as `digits × 10^-scale`.
 * @param n a number, or a decimal text, with its exponent after `e`
 */
export const decimal = (n: number | string) => {
  const [mantissa = '', exponent = '0'] = String(n).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length - Number(exponent) };
};

/** Whether n is `base` plus a multiple of `step`, computed with decimals: 0.3 is three steps of 0.1. */
export const isOnStep = (n: number, base: number, step: number) => {
  const parts = [n, base, step].map(decimal);
  const scale = Math.max(...parts.map((part) => part.scale));
  const [value = 0n, from = 0n, by = 1n] = parts.map(
    (part) => part.digits * 10n ** BigInt(scale - part.scale),
  );
  return (value - from) % by === 0n;
};

/** A number within limits; null means no limit. */
export const number =
  ({ min, max, step }: ReturnType<typeof limitsOf>): Check =>
  (input, loc) => {
    if (typeof input !== 'number' || !Number.isFinite(input))
      return refuse(loc, 'float_type', 'Input should be a valid number', input);
    const ge = Math.max(min ?? -MAX_NUMBER, -MAX_NUMBER);
    const le = Math.min(max ?? MAX_NUMBER, MAX_NUMBER);
    if (input < ge) {
      const msg = `Input should be greater than or equal to ${ge}`;
      return refuse(loc, 'greater_than_equal', msg, input, { ge });
    }
    if (input > le)
      return refuse(loc, 'less_than_equal', `Input should be less than or equal to ${le}`, input, { le });
    if (input !== 0 && Math.abs(input) < MIN_NUMBER)
      return refuse(
        loc,
        'value_error',
        `Value error, should be 0, or not nearer to 0 than ${MIN_NUMBER}`,
        input,
      );
    if (step !== null && step > 0 && !isOnStep(input, min ?? 0, step)) {
      const steps = min ? `${min} plus a multiple of ${step}` : `a multiple of ${step}`;
      return refuse(loc, 'value_error', `Value error, should be ${steps}`, input, { multiple_of: step });
    }
    return { value: input === 0 ? 0 : input };
  };

export const NUMBER: TypeRules = { check: (field) => number(limitsOf(field)) };
