import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import type { Rule } from './rule.ts';

/** Years after its start in which a rule is followed. */
export const MAX_YEARS = 100;

/** Days that hold about a hundred dates of a rule with INTERVAL=1, or a few years where that is less. */
const DAYS_AT_ONCE = { DAILY: 128, WEEKLY: 280, MONTHLY: 800, YEARLY: 1_500 };

/** A span with fewer dates than this makes the next one twice as long. */
const FEW_DATES = 16;

/** The longest span in periods, of which the library looks at no more than 10,000. */
const MAX_PERIODS_AT_ONCE = 5_000;
const DAYS_OF = { DAILY: 1, WEEKLY: 7, MONTHLY: 28, YEARLY: 365 };

const midnight = (date: Temporal.PlainDate): Temporal.ZonedDateTime => date.toZonedDateTime('UTC');

const earlier = (one: Temporal.PlainDate, other: Temporal.PlainDate | undefined): Temporal.PlainDate =>
  other && Temporal.PlainDate.compare(other, one) < 0 ? other : one;

const later = (one: Temporal.PlainDate, other: Temporal.PlainDate | undefined): Temporal.PlainDate =>
  other && Temporal.PlainDate.compare(other, one) > 0 ? other : one;

const dateOf = (text: string | undefined): Temporal.PlainDate | undefined =>
  text === undefined ? undefined : Temporal.PlainDate.from(text);

/**
 * The dates of a rule, in their order, without COUNT and UNTIL. The dates alone follow from the rule: the time of day is
 * the same on each, and a clock that changes moves no date. So the library gets neither time nor zone.
 *
 * It is asked for one span after the other, only as far as the caller reads. It finds the first date of a span without
 * those before it, and its work on a span is bounded; rare dates make the spans longer. A rule that never occurs is
 * therefore given up after few spans.
 * @param from the first date to find, and `until` the last; both by default as far as the rule is followed
 */
const endlessDates = function* (
  rule: Rule,
  start: Temporal.PlainDate,
  from: Temporal.PlainDate | undefined,
  until: Temporal.PlainDate | undefined,
): Generator<string> {
  const { freq, interval, byDay, byMonthDay, byMonth, bySetPos, wkst } = rule;
  const series = new RRuleTemporal({
    freq,
    interval,
    ...(byDay && { byDay }),
    ...(byMonthDay && { byMonthDay }),
    ...(byMonth && { byMonth }),
    ...(bySetPos && { bySetPos }),
    ...(wkst && { wkst }),
    dtstart: midnight(start),
    cache: false,
  });
  const last = earlier(start.add({ years: MAX_YEARS }), until);
  const mostDays = MAX_PERIODS_AT_ONCE * DAYS_OF[freq] * interval;
  let days = DAYS_AT_ONCE[freq] * interval;
  let next = later(start, from);
  while (Temporal.PlainDate.compare(next, last) <= 0) {
    const end = earlier(next.add({ days: days - 1 }), last);
    const found = series.between(midnight(next), midnight(end), true);
    for (const date of found) yield date.toPlainDate().toString();
    if (found.length < FEW_DATES) days = Math.min(days * 2, mostDays);
    next = end.add({ days: 1 });
  }
};

/**
 * The dates of a rule, in their order, found as far as the caller reads.
 * @param start the local date of the rule's start
 * @param from the first date of interest. Without COUNT those before it cost nothing; with COUNT all of them are
 * counted, at most MAX_COUNT.
 * @param until the last date of interest
 */
export const datesOf = function* (
  rule: Rule,
  start: string,
  { from, until }: { from?: string | undefined; until?: string | undefined },
): Generator<string> {
  const first = Temporal.PlainDate.from(start);
  if (rule.count === undefined) {
    yield* endlessDates(rule, first, dateOf(from), dateOf(until));
    return;
  }
  let count = 0;
  for (const date of endlessDates(rule, first, undefined, dateOf(until))) {
    if (from === undefined || date >= from) yield date;
    count += 1;
    if (count === rule.count) return;
  }
};
