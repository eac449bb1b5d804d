import type { ReportOrganization } from '../schemas/reports/report-payload.ts';

/** How an organization writes dates, times and numbers. */
export type Conventions = Pick<ReportOrganization, 'locale' | 'timezone' | 'date_format' | 'time_format'>;

/** Writes timestamps (ISO 8601) and numbers for people. Text that is no timestamp comes back as it is. */
export interface Formats {
  /** The day in the organization's zone. */
  date(timestamp: string): string;
  /** A calendar date (YYYY-MM-DD), which belongs to no zone. */
  calendarDate(date: string): string;
  /** The wall time in the organization's zone. */
  time(timestamp: string): string;
  dateTime(timestamp: string): string;
  /** At most two decimals. */
  number(value: number): string;
  /** A percentage from 0 to 100, at most two decimals. */
  percentage(value: number): string;
}

const known = <T>(make: () => T, otherwise: T): T => {
  try {
    return make();
  } catch {
    return otherwise;
  }
};

const DATE_TOKENS = /YYYY|YY|MMMM|MMM|MM|M|DD|D/g;

const dayWriter = (locale: string, timeZone: string, format: string | null): ((at: Date) => string) => {
  if (!format) {
    const medium = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
    return (at) => medium.format(at);
  }
  // A month's name beside a day takes the case its language asks for ("14 marca"), so the day is always asked for too.
  const part = (type: 'day' | 'month' | 'year', options: Intl.DateTimeFormatOptions) => {
    const parts = new Intl.DateTimeFormat(locale, { day: 'numeric', ...options, timeZone });
    return (at: Date): string => parts.formatToParts(at).find((found) => found.type === type)?.value ?? '';
  };
  // Some locales pad a number whatever it is asked for.
  const digits = (type: 'day' | 'month' | 'year', length: number): ((at: Date) => string) => {
    const number = part(type, { [type]: 'numeric' });
    return (at) =>
      String(Number.parseInt(number(at), 10))
        .padStart(length, '0')
        .slice(type === 'year' ? -length : 0);
  };
  const tokens: Record<string, (at: Date) => string> = {
    YYYY: digits('year', 4),
    YY: digits('year', 2),
    MMMM: part('month', { month: 'long' }),
    MMM: part('month', { month: 'short' }),
    MM: digits('month', 2),
    M: digits('month', 1),
    DD: digits('day', 2),
    D: digits('day', 1),
  };
  return (at) => format.replace(DATE_TOKENS, (token) => tokens[token]?.(at) ?? token);
};

const onTimestamps =
  (write: (at: Date) => string) =>
  (text: string): string => {
    const at = new Date(text);
    return Number.isNaN(at.getTime()) ? text : write(at);
  };

/** The formats of an organization; an unknown locale is English, an unknown zone UTC. */
export const formatsOf = (conventions: Conventions): Formats => {
  // Digits and the calendar are those that every answer in the inspection is written in.
  const locale = known(
    () => new Intl.Locale(conventions.locale, { numberingSystem: 'latn', calendar: 'gregory' }).toString(),
    'en',
  );
  const timeZone = known(
    () => new Intl.DateTimeFormat('en', { timeZone: conventions.timezone }).resolvedOptions().timeZone,
    'UTC',
  );
  const day = dayWriter(locale, timeZone, conventions.date_format);
  const time = new Intl.DateTimeFormat(locale, {
    timeStyle: 'short',
    timeZone,
    ...(conventions.time_format && { hourCycle: conventions.time_format === '12h' ? 'h12' : 'h23' }),
  });
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  const percentage = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  return {
    date: onTimestamps(day),
    calendarDate: onTimestamps(dayWriter(locale, 'UTC', conventions.date_format)),
    time: onTimestamps((at) => time.format(at)),
    dateTime: onTimestamps((at) => `${day(at)}, ${time.format(at)}`),
    number: (value) => number.format(value),
    percentage: (value) => percentage.format(value / 100),
  };
};

/** An identifier of the API (`in_progress`) as a person reads it ("In progress"). */
export const humanize = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
