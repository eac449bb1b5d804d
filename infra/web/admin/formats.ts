import { COUNTRIES } from '../../../shared/base/countries.ts';
import { fill, localeOf } from '../../../shared/base/i18n/plural.ts';
import { dayStarts } from './days.ts';
import { page } from './page.ts';

export { fill };

/** The reader's locale: their own, or the browser's where it is of the language that the page is in. */
const locale = localeOf(
  [page.locale, ...navigator.languages].find((tag) => tag?.toLowerCase().startsWith(page.language)) ??
    page.language,
);

const timeZone = page.timezone ?? undefined;

const hourCycle = page.forms?.time_format === '12h' ? 'h12' : 'h23';

const dateFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
const numbersFormat = new Intl.DateTimeFormat('en-US', {
  timeZone,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});
const clockFormat = new Intl.DateTimeFormat(locale, { timeStyle: 'short', hourCycle, timeZone });
const wholeFormat = new Intl.DateTimeFormat(locale, {
  dateStyle: 'full',
  timeStyle: 'long',
  hourCycle,
  timeZone,
});

/** A day in the organization's form. */
const inForm = (year: string, month: string, day: string): string =>
  page.forms!.date_format.replace('yyyy', year).replace('MM', month).replace('dd', day);

/** A day, in the reader's zone and the organization's form. @param at ISO 8601 */
export const dateText = (at: string): string => {
  const date = new Date(at);
  if (!page.forms) return dateFormat.format(date);
  const numbers = Object.fromEntries(
    numbersFormat.formatToParts(date).map(({ type, value }) => [type, value]),
  );
  return inForm(numbers['year']!, numbers['month']!, numbers['day']!);
};

/** A day of the calendar, which is the same in every zone. @param day such as `2027-03-28` */
export const dayText = (day: string): string => {
  const [year = '', month = '', date = ''] = day.split('-');
  return page.forms ? inForm(year, month, date) : day;
};

const utcClock = new Intl.DateTimeFormat(locale, { timeStyle: 'short', hourCycle, timeZone: 'UTC' });

/** A time of the day, which is the same in every zone. @param time such as `17:30`, or with seconds */
export const clockText = (time: string): string => utcClock.format(new Date(`2026-01-05T${time}Z`));

/** A day and a time, in the reader's zone and the organization's form. */
export const timeText = (at: string): string => `${dateText(at)} ${clockFormat.format(new Date(at))}`;

const monthFormat = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' });

/** Several texts as one: with “and”, or with “or”. */
export const listText = (texts: readonly string[], type: 'conjunction' | 'disjunction'): string =>
  new Intl.ListFormat(locale, { type }).format(texts);

/** The names of months in a list. @param months 1 for January */
export const monthsText = (months: readonly number[]): string =>
  listText(
    months.map((month) => monthFormat.format(Date.UTC(2026, month - 1))),
    'conjunction',
  );

/** A month or several by their names. @param length that of the names; the year stands only in the longest */
export const monthText = (
  { from, to }: { from: string; to: string },
  length: 'long' | 'short' | 'narrow' = 'long',
): string =>
  new Intl.DateTimeFormat(locale, {
    month: length === 'long' && from !== to ? 'short' : length,
    ...(length === 'long' && { year: 'numeric' }),
    timeZone: 'UTC',
  }).formatRange(Date.parse(from), Date.parse(to));

/** The same with the zone and the seconds. */
export const wholeTimeText = (at: string): string => wholeFormat.format(new Date(at));

/** The beginning of a day in the reader's zone, as ISO 8601. */
export const startOfDay = dayStarts(timeZone);

const numberFormat = new Intl.NumberFormat(locale);
export const numberText = (n: number): string => numberFormat.format(n);

const percentFormat = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });

/** @param value in percent */
export const percentText = (value: number): string => percentFormat.format(value / 100);

/** From the former value to the new one, in the direction of reading. */
export const ARROW = document.documentElement.dir === 'rtl' ? '←' : '→';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

/** A size with at most one decimal. @param bytes */
export const sizeText = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const options = {
    style: 'unit',
    unit: UNITS[power]!,
    unitDisplay: 'short',
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(locale, options).format(bytes / 1_000 ** power);
};

/** The names of weekdays, in the order of `week_starts_on`. 5 January 2026 is the first of a week. */
export const weekdayText = (position: number): string =>
  new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }).format(
    new Date(Date.UTC(2026, 0, 5 + position)),
  );

const names = (type: 'language' | 'region') =>
  new Intl.DisplayNames(locale, { type, fallback: 'none', languageDisplay: 'standard' });

/** A language in the reader's language, such as "English (United Kingdom)"; the tag where it has no name. */
export const languageText = (tag: string): string => {
  try {
    return names('language').of(tag) ?? tag;
  } catch {
    return tag;
  }
};

const collator = new Intl.Collator(locale);

/** The order of two texts in the reader's language. */
export const compareTexts = (one: string, other: string): number => collator.compare(one, other);

/** Pairs of a value and its label, by label. */
export const byLabel = (options: [string, string][]): [string, string][] =>
  [...options].sort(([, one], [, other]) => compareTexts(one, other));

/** The countries to choose from. @param current one that must be among them, though its code may be withdrawn */
export const countries = (current: string): [string, string][] => {
  const named = names('region');
  const nameOf = (code: string): string => named.of(code) ?? code;
  const all = byLabel(COUNTRIES.map((code) => [code, nameOf(code)]));
  if (current === '' || COUNTRIES.includes(current)) return all;
  return [[current, `${nameOf(current)} (${current})`], ...all];
};

/** Languages as people choose them, with the countries where that matters for dates and numbers. */
const LOCALES =
  'en en-GB en-US en-IE en-AU en-CA ar ar-AE ar-EG ar-SA de de-AT de-CH el es es-MX es-AR fr fr-BE fr-CA fr-CH he hi it it-CH ja nl nl-BE pl pt pt-BR tr uk zh zh-Hans zh-Hant';

const withCurrent = (options: [string, string][], current: string): [string, string][] =>
  current === '' || options.some(([value]) => value === current) ? options : [[current, current], ...options];

/** The languages to choose from. @param current one that must be among them */
export const locales = (current: string): [string, string][] =>
  withCurrent(byLabel(LOCALES.split(' ').map((tag) => [tag, languageText(tag)])), current);

/** Zones that browsers list by their former names, with the present ones. */
const PRESENT_ZONES: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

const presentZones = (): string[] =>
  [...new Set(Intl.supportedValuesOf('timeZone').map((zone) => PRESENT_ZONES[zone] ?? zone))].toSorted();

/** The time zones to choose from. @param current one that must be among them */
export const timeZones = (current: string): [string, string][] =>
  withCurrent(
    ['UTC', ...presentZones().filter((zone) => zone !== 'UTC')].map((zone) => [
      zone,
      zone.replaceAll('_', ' '),
    ]),
    current,
  );
