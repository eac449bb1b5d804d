import { knownLanguage, type Language } from '../../base/i18n/languages.ts';
import type { ReportOrganization } from '../../schemas/reports/report-payload.ts';

/** How an organization writes dates, times and numbers. */
export type Conventions = Pick<ReportOrganization, 'locale' | 'timezone' | 'date_format' | 'time_format'>;

/** Writes timestamps (ISO 8601) and numbers for people. A text that is not a timestamp is returned unchanged. */
export interface Formats {
  /** The date in the organization's time zone. */
  date(timestamp: string): string;
  /** A calendar date (YYYY-MM-DD), which has no time zone. */
  calendarDate(date: string): string;
  /** The time of day in the organization's time zone. */
  time(timestamp: string): string;
  dateTime(timestamp: string): string;
  /** A time of day (HH:MM or HH:MM:SS), which has no time zone. */
  timeOfDay(time: string): string;
  /** At most two decimals. */
  number(value: number): string;
  /** A percentage from 0 to 100, at most two decimals. */
  percentage(value: number): string;
  /** The same with all decimals that it has. */
  exactPercentage(value: number): string;
  /** All digits that the number has. */
  exactNumber(value: number): string;
  /** The size of a file, from its bytes: "346 kB". */
  size(bytes: number): string;
  /** "Ana, Ben and Cem". */
  list(names: readonly string[]): string;
}

/** What `make` returns, or the fallback where it throws: Intl throws on a locale or zone that it does not know. */
const orFallback = <T>(make: () => T, fallback: T): T => {
  try {
    return make();
  } catch {
    return fallback;
  }
};

const DATE_TOKENS = /YYYY|YY|MMMM|MMM|MM|M|DD|D/g;

/**
 * Writes a date in one locale, zone and format.
 * @param format such as `DD.MM.YYYY`; null for the locale's own
 */
const dateWriter = (locale: string, timeZone: string, format: string | null): ((at: Date) => string) => {
  if (!format) {
    const medium = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
    return (at) => medium.format(at);
  }
  // Some languages inflect the month's name when a day stands beside it ("14 marca"), so the day is always included.
  const part = (type: 'day' | 'month' | 'year', options: Intl.DateTimeFormatOptions) => {
    const parts = new Intl.DateTimeFormat(locale, { day: 'numeric', ...options, timeZone });
    return (at: Date): string => parts.formatToParts(at).find((found) => found.type === type)?.value ?? '';
  };
  // Some locales add leading zeros even to `numeric`, so the number is parsed and padded here.
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

const timeWriter = (
  locale: string,
  timeZone: string,
  format: Conventions['time_format'],
): ((at: Date) => string) => {
  const time = new Intl.DateTimeFormat(locale, {
    timeStyle: 'short',
    timeZone,
    ...(format && { hourCycle: format === '12h' ? 'h12' : 'h23' }),
  });
  return (at) => time.format(at);
};

/** Applies a writer to a timestamp, and returns any other text unchanged. */
const forTimestamps =
  (write: (at: Date) => string) =>
  (text: string): string => {
    const at = new Date(text);
    return Number.isNaN(at.getTime()) ? text : write(at);
  };

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

const sizeWriter =
  (locale: string) =>
  (bytes: number): string => {
    const exponent = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
    return new Intl.NumberFormat(locale, {
      style: 'unit',
      unit: UNITS[exponent]!,
      unitDisplay: 'short',
      maximumSignificantDigits: 3,
    }).format(bytes / 1000 ** exponent);
  };

/**
 * The formats of an organization: English where its locale is unknown, UTC where its time zone is.
 * @param language of the text around; without it, the language of the locale
 */
export const formatsOf = (organization: Conventions, language?: Language): Formats => {
  const isOther = language !== undefined && knownLanguage(organization.locale) !== language;
  const conventions = isOther ? { ...organization, locale: language } : organization;
  // Answers are stored in Latin digits and the Gregorian calendar, so the whole report uses them.
  const locale = orFallback(
    () => new Intl.Locale(conventions.locale, { numberingSystem: 'latn', calendar: 'gregory' }).toString(),
    'en',
  );
  const timeZone = orFallback(
    () => new Intl.DateTimeFormat('en', { timeZone: conventions.timezone }).resolvedOptions().timeZone,
    'UTC',
  );
  const date = dateWriter(locale, timeZone, conventions.date_format);
  const time = timeWriter(locale, timeZone, conventions.time_format);
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
  const percentage = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const clock = timeWriter(locale, 'UTC', conventions.time_format);
  const exactShare = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 6 });
  const exact = new Intl.NumberFormat(locale, { maximumFractionDigits: 15 });
  return {
    timeOfDay: (text) => {
      const at = new Date(`1970-01-01T${text}Z`);
      return Number.isNaN(at.getTime()) ? text : clock(at);
    },
    exactPercentage: (value) => exactShare.format(value / 100),
    exactNumber: (value) => exact.format(value),
    size: sizeWriter(locale),
    list: (names) => new Intl.ListFormat(locale, { type: 'conjunction' }).format(names),
    date: forTimestamps(date),
    calendarDate: forTimestamps(dateWriter(locale, 'UTC', conventions.date_format)),
    time: forTimestamps(time),
    dateTime: forTimestamps((at) => `${date(at)}, ${time(at)}`),
    number: (value) => number.format(value),
    percentage: (value) => percentage.format(value / 100),
  };
};

/** An identifier of the API (`in_progress`) as text for people ("In progress"). */
export const humanize = (name: string): string => {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
