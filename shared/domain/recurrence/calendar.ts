import type { Rule } from './rule.ts';

/** Years after its start in which a rule is followed. */
export const MAX_YEARS = 100;

/** A date as the number of days since 1970-01-01. */
export type Day = number;

/** The first and the last day of a period of a rule's FREQ. */
export interface Period {
  first: Day;
  last: Day;
}

const MS_OF_DAY = 86_400_000;
export const WEEKDAYS: readonly string[] = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** The day of a date such as "2027-03-28". */
export const dayOf = (date: string): Day => Date.parse(date) / MS_OF_DAY;
const textOf = (day: Day): string => dateOf(day).toISOString().slice(0, 10);
const dateOf = (day: Day): Date => new Date(day * MS_OF_DAY);

/** Months count on beyond the year: month 12 is January of the next one. */
const dayIn = (year: number, month: number, day = 1): Day => Date.UTC(year, month, day) / MS_OF_DAY;

/** The position of a day's weekday in `WEEKDAYS`. */
export const weekdayOf = (day: Day): number => (((day + 4) % 7) + 7) % 7;

/** A year from its first day to its last one. */
export const yearOf = (year: number): Period => ({ first: dayIn(year, 0), last: dayIn(year + 1, 0) - 1 });

const yearAround = (day: Day): Period => yearOf(dateOf(day).getUTCFullYear());

/** A month from its first day to its last one. @param month from 0, and on beyond the year */
export const monthOf = (year: number, month: number): Period => ({
  first: dayIn(year, month),
  last: dayIn(year, month + 1) - 1,
});

const monthAround = (day: Day): Period => {
  const date = dateOf(day);
  return monthOf(date.getUTCFullYear(), date.getUTCMonth());
};

/** The last day on which a rule is followed. */
export const lastFollowed = (start: Day): Day => {
  const end = dateOf(start);
  end.setUTCFullYear(end.getUTCFullYear() + MAX_YEARS);
  return end.getTime() / MS_OF_DAY;
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
        at: (number) => monthOf(year, month + number * interval),
        around: (day) => {
          const other = dateOf(day);
          const months = (other.getUTCFullYear() - year) * 12 + other.getUTCMonth() - month;
          return Math.floor(months / interval);
        },
      };
    case 'YEARLY':
      return {
        at: (number) => yearOf(year + number * interval),
        around: (day) => Math.floor((dateOf(day).getUTCFullYear() - year) / interval),
      };
  }
};

/** Whether BYDAY names a day, or is not there. */
const isNamedWeekday = ({ freq, byDay, byMonth }: Rule): ((day: Day) => boolean) => {
  if (!byDay) return () => true;
  // "2MO" is the second Monday of the month, or of the year where a yearly rule names no months.
  const around = freq === 'YEARLY' && !byMonth ? yearAround : monthAround;
  const plain = new Set(byDay.filter((text) => text.length === 2));
  const counted = new Set(byDay.filter((text) => text.length > 2));
  const countedDays = new Set([...counted].map((text) => text.slice(-2)));
  return (day) => {
    const weekday = WEEKDAYS[weekdayOf(day)]!;
    if (plain.has(weekday)) return true;
    if (!countedDays.has(weekday)) return false;
    const { first, last } = around(day);
    const fromFirst = Math.floor((day - first) / 7) + 1;
    const fromLast = Math.floor((last - day) / 7) + 1;
    return counted.has(`${fromFirst}${weekday}`) || counted.has(`-${fromLast}${weekday}`);
  };
};

/** Whether BYMONTH, BYMONTHDAY and BYDAY name a day. */
const isNamed = (rule: Rule): ((day: Day) => boolean) => {
  const { byMonthDay, byMonth } = rule;
  const isOnWeekday = isNamedWeekday(rule);
  const isOnMonthDay = (day: Day, days: readonly number[]): boolean => {
    const { first, last } = monthAround(day);
    return days.includes(day - first + 1) || days.includes(day - last - 1);
  };
  return (day) =>
    (!byMonth || byMonth.includes(dateOf(day).getUTCMonth() + 1)) &&
    (!byMonthDay || isOnMonthDay(day, byMonthDay)) &&
    isOnWeekday(day);
};

/** Whether a month has a day of BYMONTHDAY. */
export const hasMonthDay = ({ first, last }: Period, position: number): boolean =>
  Math.abs(position) <= last - first + 1;

/**
 * The day of a month that BYMONTHDAY names. One that the month does not have is left out, or is the last day that there
 * is before it, or the first one after it (RFC 7529, section 4.1). Counted from the end, it lies before the month.
 */
const monthDay = (month: Period, position: number, skip: Rule['skip']): Day[] => {
  const { first, last } = month;
  if (hasMonthDay(month, position)) return [position > 0 ? first + position - 1 : last + position + 1];
  switch (skip) {
    case 'OMIT':
      return [];
    case 'BACKWARD':
      return [position > 0 ? last : first - 1];
    case 'FORWARD':
      return [position > 0 ? last + 1 : first];
  }
};

/** The months of a period of whole months, except those that BYMONTH leaves out. */
const monthsIn = function* ({ first, last }: Period, { byMonth }: Rule): Generator<Period> {
  for (let month = monthAround(first); month.first <= last; month = monthAround(month.last + 1)) {
    if (!byMonth || byMonth.includes(dateOf(month.first).getUTCMonth() + 1)) yield month;
  }
};

const inOrder = (days: Iterable<Day>): Day[] => [...new Set(days)].toSorted((one, other) => one - other);

/** Whether SKIP applies: only where BYMONTHDAY adds days, not where it chooses among those of FREQ=DAILY. */
export const addsMonthDays = ({ freq, byMonthDay }: Rule): boolean =>
  byMonthDay !== undefined && (freq === 'MONTHLY' || freq === 'YEARLY');

/**
 * A function that finds the days which BYMONTH, BYMONTHDAY, SKIP and BYDAY name in a period, in their order and each
 * once. By SKIP, a day may lie next to the period.
 */
const namedDays = (rule: Rule): ((period: Period) => Day[]) => {
  if (addsMonthDays(rule)) {
    const { byMonthDay = [], skip } = rule;
    const isOnWeekday = isNamedWeekday(rule);
    return (period) =>
      inOrder(
        [...monthsIn(period, rule)]
          .flatMap((month) => byMonthDay.flatMap((position) => monthDay(month, position, skip)))
          .filter((day) => isOnWeekday(day)),
      );
  }
  const matches = isNamed(rule);
  return ({ first, last }) => {
    const days: Day[] = [];
    for (let day = first; day <= last; day += 1) if (matches(day)) days.push(day);
    return days;
  };
};

/** The day at a position of BYSETPOS; undefined when there are too few. */
const atPosition = (days: readonly Day[], position: number): Day | undefined =>
  days.at(position > 0 ? position - 1 : position);

/** The days of a period at the positions of BYSETPOS, in their order and each once. */
const picked = (days: readonly Day[], positions: readonly number[]): Day[] =>
  inOrder(positions.flatMap((position) => atPosition(days, position) ?? []));

/** A function that finds the positions of BYSETPOS for which a period has no day. */
export const emptyPositions = (rule: Rule): ((period: Period) => number[]) => {
  const { bySetPos = [] } = rule;
  const daysIn = namedDays(rule);
  return (period) => {
    const days = daysIn(period);
    return bySetPos.filter((position) => atPosition(days, position) === undefined);
  };
};

/** How far from its period an occurrence may lie, in days: SKIP takes the day before it or after it at most. */
const marginOf = ({ skip }: Rule): number => (skip === 'OMIT' ? 0 : 1);

/**
 * The dates of a rule without COUNT and UNTIL. Each day is looked at once at most, and no day before the period of
 * `from` is looked at; with SKIP, none before the period of the day before.
 */
const endlessDays = function* (rule: Rule, start: Day, from: Day, until: Day): Generator<Day> {
  const periods = periodsOf(rule, start);
  const daysIn = namedDays(rule);
  const margin = marginOf(rule);
  let latest = from - 1;
  for (let number = Math.max(0, periods.around(from - margin)); ; number += 1) {
    const period = periods.at(number);
    if (period.first - margin > until) return;
    const days = daysIn(period);
    for (const day of rule.bySetPos ? picked(days, rule.bySetPos) : days) {
      if (day > until) return;
      if (day <= latest) continue;
      yield day;
      latest = day;
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
  const last = Math.min(lastFollowed(first), until === undefined ? Infinity : dayOf(until));
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
