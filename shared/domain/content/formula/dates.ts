import Fraction from 'fraction.js';
import { isDay } from '../values/times.ts';

const DAY_MS = 86_400_000;

/** Days by which a formula can move a date: about 30,000 years. Further away there are no dates with four digits. */
const MAX_DAYS = 10_000_000;

/** The date in a date or date-time, as it is written, whatever the offset; null for any other value. */
const dateIn = (value: unknown): string | null => {
  if (typeof value !== 'string') return null;
  const [date = '', time] = value.split('T', 2);
  return isDay(date) && (time === undefined || /^\d\d:/.test(time)) ? date : null;
};

const isDate = (value: unknown): value is string => typeof value === 'string' && isDay(value);

/** A date moved by whole days; null for another value, and beyond the years 0 to 9999. */
export const moved = (date: unknown, days: Fraction): string | null => {
  if (!isDate(date) || days.d !== 1n || days.abs().gt(MAX_DAYS)) return null;
  const iso = new Date(Date.parse(date) + days.valueOf() * DAY_MS).toISOString();
  return /^\d{4}-/.test(iso) ? iso.slice(0, 10) : null;
};

/** The days from one date to another; null for other values. */
export const daysBetween = (from: unknown, to: unknown): Fraction | null =>
  isDate(from) && isDate(to) ? new Fraction((Date.parse(to) - Date.parse(from)) / DAY_MS) : null;

/** The dates of two values, of which one is a date and the other a date-time; undefined for other values. */
export const asDates = (left: unknown, right: unknown): [string, string] | undefined => {
  if (isDate(left) === isDate(right)) return undefined;
  const [a, b] = [dateIn(left), dateIn(right)];
  return a === null || b === null ? undefined : [a, b];
};
