/*
 * What an organization uses is counted by the month of UTC, on rows that change in any case: that costs no call, and no
 * row of a change is shared that was not before. Older months leave a row with its next change, so it does not grow.
 */

/** Months of which the counts are kept, beside the present one. */
export const KEPT_MONTHS = 13;

/** The month of a time (ISO 8601 in UTC), such as `2026-03`. */
export const monthOf = (time: string): string => time.slice(0, 7);

/** The month a number of months before another one. */
export const monthBefore = (month: string, months: number): string => {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return monthOf(new Date(Date.UTC(year, number - 1 - months)).toISOString());
};

/** A counter of one month. */
export type MonthCounter<What extends string> = `${What}_${number}_${number}`;

/** The attribute that counts in a month: `requests_2026_03`. */
export const monthCounter = <What extends string>(what: What, month: string): MonthCounter<What> =>
  `${what}_${month.replace('-', '_')}` as MonthCounter<What>;

/**
 * The part of an update that counts in the month of a time, and forgets the oldest month.
 * @param now ISO 8601 in UTC
 */
export const inMonth = (what: string, now: string, number: number) => ({
  add: { [monthCounter(what, monthOf(now))]: number },
  drop: [monthCounter(what, monthBefore(monthOf(now), KEPT_MONTHS + 1))],
});
