import ICAL from 'ical.js';
import type { Holiday, HolidayCalendar } from '../../schemas/schedules/holiday-calendar.ts';
import type { Schedule } from '../../schemas/schedules/schedule.ts';
import { addDays, dateAfter, occurrences, problems } from '../recurrence/index.ts';

/** The longest time by which a holiday shifts an occurrence, in days: longer than any row of holidays and weekends. */
export const MAX_SHIFT_DAYS = 14;

/** Years after now for which events that recur are read. */
const YEARS_AHEAD = 10;

/** Days of one event. */
const MAX_DAYS = 366;

/** Thrown for a text that is no iCalendar file, or has an event that cannot be read. Its message says why. */
export class NoCalendar extends Error {
  override name = 'NoCalendar';
}

const eventsOf = (text: string): ICAL.Event[] => {
  try {
    const calendar = ICAL.Component.fromString(text);
    return calendar.getAllSubcomponents('vevent').map((event) => new ICAL.Event(event));
  } catch (cause) {
    throw new NoCalendar('not an iCalendar file', { cause });
  }
};

/** The dates that the service can count with. */
const DATE = /^(19[7-9]\d|20\d\d|21\d\d)-\d\d-\d\d$/;

/** @throws NoCalendar */
const dateOf = (time: ICAL.Time, name: string | null): string => {
  const date = time.toString().slice(0, 10);
  if (!DATE.test(date)) throw new NoCalendar(`the event “${name ?? ''}” is not between 1970 and 2199`);
  return date;
};

/** The days of an event that starts on a date. DTEND is the day after the last one (RFC 5545, section 3.6.1). */
const daysFrom = (event: ICAL.Event, first: string): string[] => {
  const days = event.duration.toSeconds() / 86_400;
  const count = Math.min(MAX_DAYS, Math.max(1, Math.ceil(days)));
  return Array.from({ length: count }, (_, day) => addDays(first, day));
};

/**
 * The rule of an event. The library reads a rule without the parts of RFC 7529, which change its dates, so they are
 * taken from what was read before.
 */
const ruleOf = (component: ICAL.Component): string | undefined => {
  const property = component.getFirstProperty('rrule');
  if (!property) return undefined;
  const [, , , read] = property.toJSON() as [string, object, string, Record<string, unknown>];
  const parts = ['rscale', 'skip'].filter((name) => name in read);
  return [String(property.getFirstValue()), ...parts.map((name) => `${name}=${String(read[name])}`)].join(
    ';',
  );
};

/**
 * The dates on which an event starts: one, or those of its recurrence, up to a date. The library's own recurrence does
 * not end for a rule that never occurs.
 * @throws NoCalendar for a rule that cannot be read or never occurs
 */
const startsOf = function* (event: ICAL.Event, name: string | null, until: string): Generator<string> {
  if (!event.startDate) return;
  const first = dateOf(event.startDate, name);
  const { component } = event;
  const rule = ruleOf(component);
  if (rule === undefined) {
    yield first;
    return;
  }
  const recurrence = { rrule: rule, dtstart_local: `${first}T00:00`, timezone: 'UTC' };
  const [problem] = problems(recurrence);
  if (problem) throw new NoCalendar(`the event “${name ?? ''}”: ${problem.msg.replace('Value error, ', '')}`);
  const left = component.getAllProperties('exdate').flatMap((property) => property.getValues().map(String));
  const leftOut = new Set(left.map((text) => text.slice(0, 10)));
  // A date of the rule or not, the start is the first date (RFC 5545, section 3.8.5.3).
  if (!leftOut.has(first)) yield first;
  for (const { occurrence_date } of occurrences(recurrence, { starts_on: null, ends_on: null }, { until })) {
    if (occurrence_date !== first && !leftOut.has(occurrence_date)) yield occurrence_date;
  }
};

/**
 * The days of an iCalendar file (RFC 5545), of each event with its summary.
 * @param today a date; events that recur are read until ten years later
 * @param most days to read; there are more in the file when the result is longer
 * @throws NoCalendar
 */
export const holidaysOf = (text: string, today: string, most: number): Holiday[] => {
  const until = dateAfter(today, `P${YEARS_AHEAD}Y`);
  const found: Holiday[] = [];
  for (const event of eventsOf(text)) {
    const name = event.summary?.trim().slice(0, 200) || null;
    for (const first of startsOf(event, name, until)) {
      for (const date of daysFrom(event, first)) found.push({ date, name });
      if (found.length > most) return found;
    }
  }
  return found;
};

/** Holidays in their order, each date once: the first name that is given for it. */
export const inOrder = (holidays: readonly Holiday[]): Holiday[] => {
  const byDate = new Map<string, Holiday>();
  for (const holiday of holidays) if (!byDate.has(holiday.date)) byDate.set(holiday.date, holiday);
  return [...byDate.values()].toSorted((a, b) => (a.date < b.date ? -1 : 1));
};

/** What of a calendar decides on which dates schedules hold inspections. */
export type Holidays = Pick<HolidayCalendar, 'dates' | 'weekend_days'>;

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

/**
 * A function that says on which date the occurrence of a date is held; null for one that is left out. An occurrence that
 * is shifted does not come to lie on a weekend or on another holiday.
 */
export const heldOn = (
  onHoliday: Schedule['on_holiday'],
  { dates, weekend_days }: Holidays,
): ((date: string) => string | null) => {
  const holidays = new Set(dates.map(({ date }) => date));
  const isFree = (date: string) =>
    holidays.has(date) || weekend_days.includes(WEEKDAYS[new Date(date).getUTCDay()]!);
  return (date) => {
    if (!onHoliday || !holidays.has(date)) return date;
    if (onHoliday === 'skip') return null;
    const step = onHoliday === 'before' ? -1 : 1;
    for (let days = 1; days <= MAX_SHIFT_DAYS; days += 1) {
      const shifted = addDays(date, step * days);
      if (!isFree(shifted)) return shifted;
    }
    return null;
  };
};
