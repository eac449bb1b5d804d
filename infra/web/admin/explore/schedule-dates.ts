import type { CalendarRow, Schedule } from '../../../../shared/schemas/schedules/schedule.ts';

/** Dates of the organization's calendar, both included. */
export interface Span {
  from: string;
  to: string;
}

/** The rows of one occurrence: the same date, with one row for each place. */
export interface CalendarDate {
  key: string;
  /** The date that the rule names. */
  date: string;
  /** The row that starts first. */
  first: CalendarRow;
  rows: CalendarRow[];
  /** Each once, in the order of the rows. */
  statuses: CalendarRow['status'][];
}

const MS_OF_DAY = 86_400_000;

/** The days that a calendar may show at most, without the first one. */
const MAX_DAYS = 365;

/** Places of a schedule above which fewer dates are read: each date has a row for each place. */
const MANY_PLACES = 50;

/** The days that have some dates of a rule, and those that have at least one. */
const DAYS: Readonly<Record<string, readonly [some: number, one: number]>> = {
  DAILY: [14, 1],
  WEEKLY: [56, 7],
  MONTHLY: [MAX_DAYS, 31],
  YEARLY: [MAX_DAYS, MAX_DAYS],
};

type Dated = Pick<
  Schedule,
  'recurrence' | 'after' | 'places' | 'location_ids' | 'asset_ids' | 'next_occurrence_at'
>;

const daysOf = ({ recurrence, after, places, location_ids, asset_ids }: Dated): number => {
  // Each place has one next date.
  if (after) return MAX_DAYS;
  const [, frequency = ''] = /FREQ=(\w+)/.exec(recurrence.rrule) ?? [];
  const [, interval = '1'] = /INTERVAL=(\d+)/.exec(recurrence.rrule) ?? [];
  const [some, one] = DAYS[frequency] ?? DAYS['YEARLY']!;
  // A filter may find any number of places.
  const count = places ? (places.locations_count ?? Infinity) : location_ids.length + asset_ids.length;
  return Math.min(MAX_DAYS, (count > MANY_PLACES ? one : some) * Number(interval));
};

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The days of the next dates; it begins with today, or with the next date where that is farther away. */
export const nextSpan = (schedule: Dated, now: string): Span => {
  const days = daysOf(schedule);
  // Where it is a day earlier than in UTC, it begins then.
  const today = Date.parse(now) - MS_OF_DAY;
  const next = Date.parse(schedule.next_occurrence_at ?? now) - MS_OF_DAY;
  const from = next - today > days * MS_OF_DAY ? next : today;
  return { from: dateOf(from), to: dateOf(from + Math.min(MAX_DAYS, days + 2) * MS_OF_DAY) };
};

/** The days before now in which missed inspections are looked for. */
export const missedSpan = (schedule: Dated, now: string): Span => {
  const today = Date.parse(now);
  return {
    from: dateOf(today - Math.min(daysOf(schedule) + 31, MAX_DAYS - 1) * MS_OF_DAY),
    to: dateOf(today + MS_OF_DAY),
  };
};

/** The rows of a calendar by their occurrences, in the order of their starts. */
export const datesOf = (rows: readonly CalendarRow[]): CalendarDate[] => {
  const groups = new Map<string, CalendarRow[]>();
  for (const row of rows) {
    const isLeftOut = ['skipped', 'cancelled'].includes(row.status);
    const key = `${row.occurrence_date ?? row.starts_at} ${isLeftOut}`;
    const known = groups.get(key);
    if (known) known.push(row);
    else groups.set(key, [row]);
  }
  return [...groups].map(([key, [first, ...others]]) => {
    const all = [first!, ...others];
    return {
      key,
      date: first!.occurrence_date ?? first!.starts_at.slice(0, 10),
      first: first!,
      rows: all,
      statuses: [...new Set(all.map(({ status }) => status))],
    };
  });
};

/** Whether an occurrence is held on another day than the rule says: it was moved, or that is a day off. */
export const heldElsewhere = (
  { recurrence, timezone }: Pick<Schedule, 'recurrence' | 'timezone'>,
  { date, first }: Pick<CalendarDate, 'date' | 'first'>,
): boolean => {
  if (first.override?.action === 'move') return true;
  // Where each place has its own time zone, the day there is not known here.
  if (timezone === 'location') return false;
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: recurrence.timezone }).format(
    new Date(first.starts_at),
  );
  return day !== date;
};
