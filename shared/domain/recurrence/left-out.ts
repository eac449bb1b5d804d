import type { LeftOut, Recurrence } from '../../schemas/recurrence.ts';
import {
  addsMonthDays,
  completed,
  datesOf,
  dayOf,
  emptyPositions,
  hasMonthDay,
  lastFollowed,
  monthOf,
  type Period,
  WEEKDAYS,
  weekdayOf,
  yearOf,
} from './calendar.ts';
import { addDays, localTime } from './clock.ts';
import { checkedRule, type Rule } from './rule.ts';

/** The first and the last date on which a schedule uses its rule; null for no bound. */
export interface Bounds {
  starts_on: string | null;
  ends_on: string | null;
}

/** Days of the shortest month. */
const SHORTEST = 28;

/**
 * Days that a rule names in a month, and that a month may lack: of BYMONTHDAY, of BYDAY, or of BYSETPOS. Those that are
 * counted from the end are negative.
 */
type Positions = readonly number[];

/** The days of a rule that a month may lack, and a function that finds which of them one does lack. */
interface Lack {
  named: Positions;
  lacking: (month: Period) => Positions;
}

/** Whether a month has a weekday so many times. @param text such as "5MO" or "-5MO" */
const hasWeekday = ({ first, last }: Period, text: string): boolean => {
  const days = (WEEKDAYS.indexOf(text.slice(-2)) - weekdayOf(first) + 7) % 7;
  return days + 7 * (Math.abs(parseInt(text, 10)) - 1) <= last - first;
};

/** Positions of BYSETPOS. Months that begin on the same weekday and are as long have the same days. */
const lackOfPositions = (rule: Rule): Lack => {
  const empty = emptyPositions(rule);
  const known = new Map<string, Positions>();
  return {
    named: rule.bySetPos ?? [],
    lacking: (month) => {
      const form = `${weekdayOf(month.first)} ${month.last - month.first}`;
      const found = known.get(form) ?? empty(month);
      known.set(form, found);
      return found;
    },
  };
};

/**
 * Days of BYMONTHDAY. Those that SKIP moves are not lacking; with BYSETPOS, none is while there are days enough for its
 * positions.
 */
const lackOfMonthDays = (rule: Rule): Lack => {
  const named = (rule.byMonthDay ?? []).filter((position) => Math.abs(position) > SHORTEST);
  const isMoved = addsMonthDays(rule) && rule.skip !== 'OMIT';
  const places = rule.bySetPos && addsMonthDays(rule) ? lackOfPositions(rule) : undefined;
  const isComplete = (month: Period) => (places ? places.lacking(month).length === 0 : isMoved);
  return {
    named,
    lacking: (month) => named.filter((position) => !hasMonthDay(month, position) && !isComplete(month)),
  };
};

/** Fifth weekdays of months. */
const lackOfWeekdays = ({ freq, byDay = [], byMonth }: Rule): Lack => {
  const isOfYear = freq === 'YEARLY' && !byMonth;
  const fifth = isOfYear ? [] : byDay.filter((text) => Math.abs(parseInt(text, 10)) === 5);
  return {
    named: fifth.map((text) => parseInt(text, 10)),
    lacking: (month) => fifth.filter((text) => !hasWeekday(month, text)).map((text) => parseInt(text, 10)),
  };
};

/**
 * The days that some months may lack; none for a rule that does not name days of single months. Where weekdays only
 * limit days of BYMONTHDAY, BYSETPOS is missed on purpose in a month that has all of these.
 */
const lacksOf = (rule: Rule): Lack[] => {
  const { freq, byMonth, byMonthDay, bySetPos } = rule;
  if (freq === 'WEEKLY') return [];
  if (!bySetPos || freq === 'DAILY') return [lackOfMonthDays(rule), lackOfWeekdays(rule)];
  // The positions of a yearly rule are those of a month only where it has just one.
  if (freq === 'YEARLY' && byMonth?.length !== 1) return [];
  return [byMonthDay ? lackOfMonthDays(rule) : lackOfPositions(rule)];
};

/** The last date that UNTIL allows. */
const lastDate = (until: NonNullable<Rule['until']>, { dtstart_local, timezone }: Recurrence): string => {
  if ('date' in until) return until.date;
  const [date = '', time = ''] = localTime(until.instant, timezone).split('T');
  return time.slice(0, 5) < dtstart_local.split('T')[1]! ? addDays(date, -1) : date;
};

/** The first and the last day on which a schedule uses its rule. */
const spanOf = (rule: Rule, recurrence: Recurrence, { starts_on, ends_on }: Bounds): Period => {
  const [start = ''] = recurrence.dtstart_local.split('T');
  const until = [rule.until && lastDate(rule.until, recurrence), ends_on]
    .flatMap((date) => date ?? [])
    .toSorted()[0];
  const counted = rule.count === undefined ? [] : [...datesOf(rule, start, { until })];
  const end = rule.count !== undefined && counted.length === rule.count ? counted.at(-1) : until;
  return {
    first: Math.max(dayOf(start), starts_on === null ? -Infinity : dayOf(starts_on)),
    last: Math.min(lastFollowed(dayOf(start)), end === undefined ? Infinity : dayOf(end)),
  };
};

/** A month of a rule, with its number: 1 for January. */
interface RuleMonth extends Period {
  month: number;
}

/**
 * The months of a rule in a span. Years that begin on the same weekday and are as long have the same months, so only
 * one of them is listed, unless the span begins or ends in it.
 */
const monthsOf = function* (
  { freq, interval, byMonth }: Rule,
  start: string,
  span: Period,
): Generator<RuleMonth> {
  const [firstYear, firstMonth] = start.split('-').map(Number) as [number, number];
  const [years, months] = [freq === 'YEARLY' ? interval : 1, freq === 'MONTHLY' ? interval : 1];
  const known = new Set<string>();
  for (let year = firstYear; yearOf(year).first <= span.last; year += years) {
    const { first, last } = yearOf(year);
    // How many months January of this year comes after one that the interval meets.
    const rest = ((year - firstYear) * 12 + 1 - firstMonth) % months;
    const form = `${weekdayOf(first)} ${last - first} ${rest}`;
    if (known.has(form)) continue;
    if (first >= span.first && last <= span.last) known.add(form);
    for (let month = 1; month <= 12; month += 1) {
      const isOfPeriod = (rest + month - 1) % months === 0;
      if (isOfPeriod && (!byMonth || byMonth.includes(month))) yield { month, ...monthOf(year, month - 1) };
    }
  }
};

/** Whether a day that a month lacks would lie within a span: before the month where it is counted from the end. */
const isWithin = (position: number, month: Period, span: Period): boolean => {
  const day = position > 0 ? month.last : month.first;
  return day >= span.first && day <= span.last;
};

/** The months that lack a day of a rule: in every year, or in some. */
const lackingMonths = (
  rule: Rule,
  months: readonly RuleMonth[],
  span: Period,
): Pick<LeftOut, 'months' | 'sometimes'> => {
  const lacks = lacksOf(rule);
  const [complete, lacking] = [new Set<number>(), new Set<number>()];
  for (const month of months) {
    const has = (positions: Positions) => positions.some((position) => isWithin(position, month, span));
    if (lacks.some((lack) => has(lack.lacking(month)))) lacking.add(month.month);
    else if (lacks.some(({ named }) => has(named))) complete.add(month.month);
  }
  const inOrder = (numbers: ReadonlySet<number>) => [...numbers].toSorted((one, other) => one - other);
  return {
    months: inOrder(lacking.difference(complete)),
    sometimes: inOrder(lacking.intersection(complete)),
  };
};

/** Values of SKIP that may change something. */
const skipsFor = (rule: Rule): Exclude<Rule['skip'], 'OMIT'>[] =>
  addsMonthDays(rule) ? ['BACKWARD', 'FORWARD'] : [];

/**
 * The months that lack a day which a rule names, and the values of SKIP with which none does. All months in which the
 * rule is followed are taken into account; the work is that for a few years.
 * @param recurrence with a rule, and without problems
 * @returns null when no month lacks a day
 */
export const leftOut = (recurrence: Recurrence, bounds: Bounds): LeftOut | null => {
  const given = checkedRule(recurrence.rrule);
  const [start = ''] = recurrence.dtstart_local.split('T');
  const rule = completed(given, start);
  if (lacksOf(rule).every(({ named }) => named.length === 0)) return null;
  const span = spanOf(given, recurrence, bounds);
  const months = [...monthsOf(rule, start, span)];
  const found = lackingMonths(rule, months, span);
  const isNone = (one: typeof found) => one.months.length === 0 && one.sometimes.length === 0;
  if (isNone(found)) return null;
  const skip = skipsFor(rule).filter((value) =>
    isNone(lackingMonths({ ...rule, skip: value }, months, span)),
  );
  return { ...found, skip };
};
