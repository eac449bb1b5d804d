import type { Rule } from './rule.ts';

/** Years after its start in which a rule is followed. */
export const MAX_YEARS = 100;

/** A date as the number of days since 1970-01-01. */
type Day = number;

/** The first and the last day of a period of a rule's FREQ. */
interface Period {
  first: Day;
  last: Day;
}

const MS_OF_DAY = 86_400_000;
export const WEEKDAYS: readonly string[] = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

const dayOf = (date: string): Day => Date.parse(date) / MS_OF_DAY;
const textOf = (day: Day): string => dateOf(day).toISOString().slice(0, 10);
const dateOf = (day: Day): Date => new Date(day * MS_OF_DAY);

/** Months count on beyond the year: month 12 is January of the next one. */
const dayIn = (year: number, month: number, day = 1): Day => Date.UTC(year, month, day) / MS_OF_DAY;

const weekdayOf = (day: Day): number => (((day + 4) % 7) + 7) % 7;

const yearAround = (day: Day): Period => {
  const year = dateOf(day).getUTCFullYear();
  return { first: dayIn(year, 0), last: dayIn(year + 1, 0) - 1 };
};

const monthAround = (day: Day): Period => {
  const date = dateOf(day);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { first: dayIn(year, month), last: dayIn(year, month + 1) - 1 };
};

/**
 * The rule with the parts that it leaves to its start: the weekday of a week, the day of a month, the month and the day
 * of a year (RFC 5545, section 3.3.10).
 * @param start the local date of the start
 */
export const completed = (rule: Rule, start: string): Rule => {
  if (rule.byDay || rule.byMonthDay) return rule;
  const date = new Date(start);
  const byMonthDay = [date.getUTCDate()];
  switch (rule.freq) {
    case 'DAILY':
      return rule;
    case 'WEEKLY':
      return { ...rule, byDay: [WEEKDAYS[date.getUTCDay()]!] };
    case 'MONTHLY':
      return { ...rule, byMonthDay };
    case 'YEARLY':
      return { ...rule, byMonthDay, byMonth: rule.byMonth ?? [date.getUTCMonth() + 1] };
  }
};

/**
 * Two functions: the period with a number, where 0 is the period of the start; and the number of the last period that
 * begins on or before a day.
 */
const periodsOf = (
  { freq, interval, wkst = 'MO' }: Rule,
  start: Day,
): { at: (number: number) => Period; around: (day: Day) => number } => {
  const date = dateOf(start);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (freq) {
    case 'DAILY':
    case 'WEEKLY': {
      const length = freq === 'DAILY' ? 1 : 7;
      const first = freq === 'DAILY' ? start : start - ((weekdayOf(start) - WEEKDAYS.indexOf(wkst) + 7) % 7);
      const step = length * interval;
      return {
        at: (number) => ({ first: first + number * step, last: first + number * step + length - 1 }),
        around: (day) => Math.floor((day - first) / step),
      };
    }
    case 'MONTHLY':
      return {
        at: (number) => ({
          first: dayIn(year, month + number * interval),
          last: dayIn(year, month + number * interval + 1) - 1,
        }),
        around: (day) => {
          const other = dateOf(day);
          const months = (other.getUTCFullYear() - year) * 12 + other.getUTCMonth() - month;
          return Math.floor(months / interval);
        },
      };
    case 'YEARLY':
      return {
        at: (number) => ({
          first: dayIn(year + number * interval, 0),
          last: dayIn(year + number * interval + 1, 0) - 1,
        }),
        around: (day) => Math.floor((dateOf(day).getUTCFullYear() - year) / interval),
      };
  }
};

/** Whether BYMONTH, BYMONTHDAY and BYDAY name a day. */
const isNamed = ({ freq, byDay, byMonthDay, byMonth }: Rule): ((day: Day) => boolean) => {
  // "2MO" is the second Monday of the month, or of the year where a yearly rule names no months.
  const around = freq === 'YEARLY' && !byMonth ? yearAround : monthAround;
  const plain = new Set(byDay?.filter((text) => text.length === 2));
  const counted = new Set(byDay?.filter((text) => text.length > 2));

  const isNamedWeekday = (day: Day): boolean => {
    const weekday = WEEKDAYS[weekdayOf(day)]!;
    if (plain.has(weekday)) return true;
    if (counted.size === 0) return false;
    const { first, last } = around(day);
    const fromFirst = Math.floor((day - first) / 7) + 1;
    const fromLast = Math.floor((last - day) / 7) + 1;
    return counted.has(`${fromFirst}${weekday}`) || counted.has(`-${fromLast}${weekday}`);
  };
  const isNamedMonthDay = (day: Day, days: readonly number[]): boolean => {
    const { first, last } = monthAround(day);
    return days.includes(day - first + 1) || days.includes(day - last - 1);
  };
  return (day) =>
    (!byMonth || byMonth.includes(dateOf(day).getUTCMonth() + 1)) &&
    (!byMonthDay || isNamedMonthDay(day, byMonthDay)) &&
    (!byDay || isNamedWeekday(day));
};

/** The days of a period at the positions of BYSETPOS, in their order and each once. */
const picked = (days: readonly Day[], positions: readonly number[]): Day[] => {
  const found = positions.flatMap((position) => days.at(position > 0 ? position - 1 : position) ?? []);
  return [...new Set(found)].toSorted((one, other) => one - other);
};

/**
 * The dates of a rule without COUNT and UNTIL. Each day is looked at once at most, and no day before the period of
 * `from` is looked at.
 */
const endlessDays = function* (rule: Rule, start: Day, from: Day, until: Day): Generator<Day> {
  const periods = periodsOf(rule, start);
  const matches = isNamed(rule);
  for (let number = periods.around(from); ; number += 1) {
    const { first, last } = periods.at(number);
    if (first > until) return;
    const days: Day[] = [];
    for (let day = first; day <= last; day += 1) if (matches(day)) days.push(day);
    for (const day of rule.bySetPos ? picked(days, rule.bySetPos) : days) {
      if (day > until) return;
      if (day >= from) yield day;
    }
  }
};

/**
 * The dates of a rule, in their order, computed only as far as the caller reads (RFC 5545, section 3.3.10, for the
 * parts that `Rule` has). Only the dates follow from the rule, because the time of day is the same on each. The work is
 * bounded by the days of `MAX_YEARS`, whatever the rule.
 *
 * No library does this well enough: rrule-temporal 2.2 takes a Thursday of the next year for the 53rd Thursday of a
 * year that has 52, and needs 100 ms for a rule whose dates are rare. `rrule` depends on the time zone of the machine.
 * @param start the local date of the rule's start
 * @param from the first date of interest. Without COUNT, dates before it cost nothing; with COUNT, all of them are
 *   counted.
 * @param until the last date of interest
 */
export const datesOf = function* (
  rule: Rule,
  start: string,
  { from, until }: { from?: string | undefined; until?: string | undefined },
): Generator<string> {
  const first = dayOf(start);
  const end = dateOf(first);
  end.setUTCFullYear(end.getUTCFullYear() + MAX_YEARS);
  const last = Math.min(end.getTime() / MS_OF_DAY, until === undefined ? Infinity : dayOf(until));
  const wanted = Math.max(first, from === undefined ? -Infinity : dayOf(from));
  let count = 0;
  for (const day of endlessDays(
    completed(rule, start),
    first,
    rule.count === undefined ? wanted : first,
    last,
  )) {
    if (day >= wanted) yield textOf(day);
    count += 1;
    if (count === rule.count) return;
  }
};
