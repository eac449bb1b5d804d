import Fraction from 'fraction.js';
import { cutTo } from '../../../base/text.ts';
import { MAX_LONG_TEXT_LENGTH } from '../limits.ts';
import { isEmpty } from '../values/answer.ts';
import { daysBetween, moved } from './dates.ts';
import { bounded, rounded, SHOWN_DIGITS } from './numbers.ts';
import { compare, equal, isTrue, numberOf, textOf, type Value } from './values.ts';

/** A function or an operator. */
export interface Routine {
  /** The fewest and the most arguments. */
  least: number;
  most: number;
  /** Whether an operand as an argument means all its answers. Otherwise the operand must have a single answer. */
  aggregates?: boolean;
  apply: (values: readonly Value[]) => Value;
}

/** Computes a number from numbers; null if one of the values is not a number. */
const numeric =
  (work: (...numbers: Fraction[]) => Fraction | null) =>
  (values: readonly Value[]): Value => {
    const numbers = values.map(numberOf);
    if (!numbers.every((n) => n !== null)) return null;
    const result = work(...numbers);
    return result && bounded(result);
  };

const routine = (least: number, most: number, apply: Routine['apply']): Routine => ({ least, most, apply });

/** Takes one value, of any type. */
const one = (work: (value: Value) => Value) => routine(1, 1, ([value = null]) => work(value));
/** Takes two values, of any type. */
const two = (work: (left: Value, right: Value) => Value) =>
  routine(2, 2, ([left = null, right = null]) => work(left, right));
const texts = (work: (text: string, part: string) => boolean) =>
  two((text, part) => work(textOf(text), textOf(part)));
const ofNumber = (work: (n: Fraction) => Fraction) => routine(1, 1, numeric(work));
const ofNumbers = (work: (a: Fraction, b: Fraction) => Fraction | null) => routine(2, 2, numeric(work));
/** Takes all answers of its arguments, without those that are missing. */
const aggregate = (work: (values: readonly Value[]) => Value): Routine => ({
  ...routine(1, Infinity, (values) => work(values.filter((value) => !isEmpty(value)))),
  aggregates: true,
});
/** A comparison; null for values without an order. */
const ordered = (holds: (order: number) => boolean) =>
  two((left, right) => {
    const order = compare(left, right);
    return Number.isNaN(order) ? null : holds(order);
  });
/** The smallest value by sign -1, the greatest by 1; null for values without an order. */
const extreme = (sign: number) =>
  aggregate((values) =>
    values.reduce<Value>((best, value, i) => {
      if (i === 0) return numberOf(value) ?? (typeof value === 'string' ? value : null);
      const order = compare(value, best) * sign;
      return Number.isNaN(order) ? null : order > 0 ? (numberOf(value) ?? value) : best;
    }, null),
  );

const added = ofNumbers((a, b) => a.add(b));
const subtracted = ofNumbers((a, b) => a.sub(b));
/** The sum of two numbers, or a date some days later. */
const plus = two((left, right) => {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a && b) return added.apply([a, b]);
  return (a && moved(right, a)) ?? (b && moved(left, b));
});
/** The difference of two numbers, the days between two dates, or a date some days earlier. */
const minus = two((left, right) => {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a && b) return subtracted.apply([a, b]);
  return b ? moved(left, b.neg()) : daysBetween(right, left);
});
const divided = ofNumbers((a, b) => (b.equals(0) ? null : a.div(b)));
const remainder = ofNumbers((a, b) => (b.equals(0) ? null : a.mod(b)));
export const negated = ofNumber((n) => n.neg());

const roundedTo = (n: Fraction, places = new Fraction(0)) =>
  places.d === 1n && places.abs().lte(2 * SHOWN_DIGITS) ? rounded(n, places.valueOf()) : null;

/** The functions of formulas, by name. */
export const functions = new Map<string, Routine>([
  [
    'sum',
    aggregate((values) => values.reduce<Value>((sum, next) => added.apply([sum, next]), new Fraction(0))),
  ],
  ['count', aggregate((values) => new Fraction(values.length))],
  ['count-instances', { ...routine(1, Infinity, (values) => new Fraction(values.length)), aggregates: true }],
  ['min', extreme(-1)],
  ['max', extreme(1)],
  ['round', routine(1, 2, numeric(roundedTo))],
  ['abs', ofNumber((n) => n.abs())],
  ['floor', ofNumber((n) => n.floor())],
  ['ceil', ofNumber((n) => n.ceil())],
  ['ceiling', ofNumber((n) => n.ceil())],
  ['int', ofNumber((n) => (n.s < 0n ? n.ceil() : n.floor()))],
  ['number', ofNumber((n) => n)],
  ['string', one(textOf)],
  ['concat', routine(1, Infinity, (values) => cutTo(values.map(textOf).join(''), MAX_LONG_TEXT_LENGTH))],
  ['coalesce', routine(1, Infinity, (values) => values.find((value) => !isEmpty(value)) ?? null)],
  [
    'selected',
    two((list, option) => {
      const text = textOf(list);
      const chosen = Array.isArray(list) ? list : [text, ...text.split(/\s+/)];
      return !isEmpty(list) && chosen.includes(textOf(option));
    }),
  ],
  ['count-selected', one((list) => new Fraction(Array.isArray(list) ? list.length : Number(!isEmpty(list))))],
  ['string-length', one((value) => new Fraction(Array.from(textOf(value)).length))],
  ['contains', texts((text, part) => text.includes(part))],
  ['starts-with', texts((text, part) => text.startsWith(part))],
  ['ends-with', texts((text, part) => text.endsWith(part))],
  [
    'substr',
    routine(2, 3, ([text = null, ...bounds]) => {
      const [start, end] = bounds.map((bound) => numberOf(bound)?.valueOf());
      return start === undefined || (bounds.length > 1 && end === undefined)
        ? null
        : Array.from(textOf(text)).slice(start, end).join('');
    }),
  ],
  [
    'if',
    routine(3, 3, ([condition = null, then = null, otherwise = null]) =>
      isTrue(condition) ? then : otherwise,
    ),
  ],
  ['not', one((value) => !isTrue(value))],
  ['true', routine(0, 0, () => true)],
  ['false', routine(0, 0, () => false)],
]);

/** Functions of other form languages whose results change even when no answer does. */
export const volatile = new Set(['today', 'now', 'random', 'uuid', 'once']);

const equals = two(equal);
const differs = two((left, right) => {
  const isEqual = equal(left, right);
  return isEqual === null ? null : !isEqual;
});
const either = two((left, right) => isTrue(left) || isTrue(right));
const both = two((left, right) => isTrue(left) && isTrue(right));

interface Operator extends Routine {
  /** An operator with a higher precedence binds closer. */
  precedence: number;
  compares?: boolean;
}

const EQUALITY = { precedence: 3, compares: true };
const RELATION = { precedence: 4, compares: true };

/**
 * The operators of XPath with their precedence (XPath 1.0, sections 3.3 to 3.5), and their spellings in other
 * languages.
 */
export const operators = new Map<string, Operator>([
  ['or', { ...either, precedence: 1 }],
  ['||', { ...either, precedence: 1 }],
  ['and', { ...both, precedence: 2 }],
  ['&&', { ...both, precedence: 2 }],
  ['=', { ...equals, ...EQUALITY }],
  ['==', { ...equals, ...EQUALITY }],
  ['!=', { ...differs, ...EQUALITY }],
  ['<>', { ...differs, ...EQUALITY }],
  ['<', { ...ordered((order) => order < 0), ...RELATION }],
  ['<=', { ...ordered((order) => order <= 0), ...RELATION }],
  ['>', { ...ordered((order) => order > 0), ...RELATION }],
  ['>=', { ...ordered((order) => order >= 0), ...RELATION }],
  ['+', { ...plus, precedence: 5 }],
  ['-', { ...minus, precedence: 5 }],
  ['*', { ...ofNumbers((a, b) => a.mul(b)), precedence: 6 }],
  ['/', { ...divided, precedence: 6 }],
  ['div', { ...divided, precedence: 6 }],
  ['%', { ...remainder, precedence: 6 }],
  ['mod', { ...remainder, precedence: 6 }],
]);
