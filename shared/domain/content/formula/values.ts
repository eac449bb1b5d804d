import Fraction from 'fraction.js';
import { cutTo } from '../../../base/text.ts';
import { MAX_TEXT_LENGTH } from '../limits.ts';
import { isEmpty } from '../values/answer.ts';
import { order } from '../values/comparison.ts';
import { asDates } from './dates.ts';
import { decimalOf, exact } from './numbers.ts';

/** The values of formulas. Null means nothing; a list is the answer to a multi_select. */
export type Value = Fraction | string | boolean | readonly string[] | null;

/** The result of a formula; null is no answer. */
export type Result = number | string | boolean | null;

export const textOf = (value: Value): string => {
  if (value instanceof Fraction) return decimalOf(value);
  return typeof value === 'object' ? (value?.join(' ') ?? '') : String(value);
};

/** A value as a number: 1 or 0 for a boolean, the number that a text writes; null for anything else. */
export const numberOf = (value: Value): Fraction | null => {
  if (value instanceof Fraction) return value;
  if (typeof value === 'boolean') return new Fraction(Number(value));
  const text = textOf(value);
  return text.length > MAX_TEXT_LENGTH ? null : exact(text.trim());
};

export const isTrue = (value: Value): boolean =>
  value instanceof Fraction ? !value.equals(0) : typeof value === 'boolean' ? value : !isEmpty(value);

/** The value of an answer as it is stored; null for one that a formula cannot use. */
export const valueOf = (json: unknown): Value => {
  if (isEmpty(json)) return null;
  if (typeof json === 'number') return exact(String(json));
  if (typeof json === 'string' || typeof json === 'boolean') return json;
  return Array.isArray(json) && json.every((item) => typeof item === 'string') ? json : null;
};

/** A value as a result: a long text is cut, and never within a character. */
export const resultOf = (value: Value): Result => {
  if (typeof value === 'boolean') return value;
  const text = textOf(value);
  if (isEmpty(text)) return null;
  if (value instanceof Fraction) return Number(text);
  return cutTo(text, MAX_TEXT_LENGTH).toWellFormed();
};

/** The order of two values, numbers by size and texts as in conditions; NaN when they have none. */
export const compare = (left: Value, right: Value): number => {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a && b) return a.compare(b);
  const dates = asDates(left, right);
  if (dates) return order(...dates);
  return typeof left === 'string' && typeof right === 'string' ? order(left, right) : Number.NaN;
};

/** Whether two values are equal; null when one of them is nothing, unless the other is `''`. */
export const equal = (left: Value, right: Value): boolean | null => {
  if (left === '' || right === '') return isEmpty(left) === isEmpty(right);
  if (left === null || right === null) return null;
  if (left instanceof Fraction || right instanceof Fraction) return compare(left, right) === 0;
  return order(textOf(left), textOf(right)) === 0;
};
