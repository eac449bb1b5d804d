import ICAL from 'ical.js';
import type { Holiday, HolidayCalendar } from '../../schemas/schedules/holiday-calendar.ts';
import type { Schedule } from '../../schemas/schedules/schedule.ts';
import { addDays } from '../recurrence/index.ts';

/** The longest time by which a holiday shifts an occurrence, in days: longer than any row of holidays and weekends. */
export const MAX_SHIFT_DAYS = 14;

/** Years after now for which events that recur are read. */
const YEARS_AHEAD = 10;

/** Days of one event. */
const MAX_DAYS = 366;

/** Thrown for a text that is no iCalendar file. */
export class NoCalendar extends Error {
  override name = 'NoCalendar';
}

const eventsOf = (text: string): ICAL.Event[] => {
  try {
    const calendar = ICAL.Component.fromString(text);
    return calendar.getAllSubcomponents('vevent').map((event) => new ICAL.Event(event));
  } catch (cause) {
    throw new NoCalendar('The text is no iCalendar file.', { cause });
  }
};

const dateOf = (time: ICAL.Time): string => time.toString().slice(0, 10);

/** The days of an event that starts at a time. DTEND is the day after the last one (RFC 5545, section 3.6.1). */
const daysFrom = (event: ICAL.Event, start: ICAL.Time): string[] => {
  const days = event.duration.toSeconds() / 86_400;
  const count = Math.min(MAX_DAYS, Math.max(1, Math.ceil(days)));
  const first = dateOf(start);
  return Array.from({ length: count }, (_, day) => addDays(first, day));
};

/** The starts of an event: one, or those of its recurrence, up to a date. */
const startsOf = function* (event: ICAL.Event, until: string, most: number): Generator<ICAL.Time> {
  if (!event.startDate) return;
  if (!event.isRecurring()) {
    yield event.startDate;
    return;
  }
  const recurrence = event.iterator();
  for (let count = 0; count <= most; count += 1) {
    const next = recurrence.next() as ICAL.Time | undefined;
    if (!next || dateOf(next) > until) return;
    yield next;
  }
};

/**
 * The days of an iCalendar file (RFC 5545), of each event with its summary.
 * @param today a date; events that recur are read until ten years later
 * @param most days to read; there are more in the file when the result is longer
 * @throws NoCalendar
 */
export const holidaysOf = (text: string, today: string, most: number): Holiday[] => {
  const until = `${Number(today.slice(0, 4)) + YEARS_AHEAD}${today.slice(4)}`;
  const found: Holiday[] = [];
  for (const event of eventsOf(text)) {
    const name = event.summary?.trim().slice(0, 200) || null;
    for (const start of startsOf(event, until, most)) {
      for (const date of daysFrom(event, start)) found.push({ date, name });
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
