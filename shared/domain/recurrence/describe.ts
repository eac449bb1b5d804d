import type { Language } from '../../base/i18n/languages.ts';
import { fill, localeOf, type Plural, pluralText } from '../../base/i18n/plural.ts';
import { RECURRENCE_TEXTS } from '../../base/i18n/texts/recurrence.ts';
import type { Recurrence } from '../../schemas/recurrence.ts';
import { addsMonthDays, completed, WEEKDAYS } from './calendar.ts';
import { localDate } from './clock.ts';
import { checkedRule, type Rule } from './rule.ts';

/** Numbers, lists and names as a language writes them, each in the texts of that language. */
const writer = (language: Language) => {
  const texts = RECURRENCE_TEXTS[language];
  const locale = localeOf(language);
  const numbers = new Intl.NumberFormat(locale);
  const ordinals = new Intl.PluralRules(language, { type: 'ordinal' });
  const lists = new Intl.ListFormat(language, { type: 'conjunction' });
  const nameOf = (options: Intl.DateTimeFormatOptions, year: number, month: number, day: number) =>
    new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }).format(Date.UTC(year, month, day));

  /** A text with a number from 1, as `{n}` or `{nth}`. */
  const counted = (text: string, number: number, values: Record<string, string> = {}): string => {
    const form: Plural = texts.ordinal;
    const n = numbers.format(number);
    const nth = fill(form[ordinals.select(number)] ?? form.other, { n });
    return fill(text, { n, nth, ...values });
  };

  /** 2 August 2026 is a Sunday. */
  const weekdayName = (day: string): string =>
    nameOf({ weekday: 'long' }, 2026, 7, 2 + WEEKDAYS.indexOf(day));

  /** A weekday with its ordinal: "-1FR", or without: "FR". */
  const weekday = (text: string, isOfYear: boolean): string => {
    const position = Number(text.slice(0, -2));
    const name = { weekday: weekdayName(text.slice(-2)) };
    if (position === 0) return name.weekday;
    if (position > 0) return counted(isOfYear ? texts.nthOfYear : texts.nthOfMonth, position, name);
    if (position === -1) return fill(isOfYear ? texts.lastOfYear : texts.lastOfMonth, name);
    return counted(isOfYear ? texts.fromEndOfYear : texts.fromEndOfMonth, -position, name);
  };

  const monthDay = (position: number): string => {
    if (position > 0) return counted(texts.day, position);
    return position === -1 ? texts.lastDay : counted(texts.dayFromEnd, -position);
  };

  return {
    texts,
    /** A text with a list. */
    listed: (text: string, name: string, items: readonly string[]): string =>
      fill(text, { [name]: lists.format(items) }),
    weekday,
    monthDay,
    month: (month: number): string => nameOf({ month: 'long' }, 2026, month - 1, 1),
    date: (date: string): string => {
      const [year, month, day] = date.split('-').map(Number);
      return nameOf({ dateStyle: 'long' }, year!, month! - 1, day!);
    },
  };
};

/** Negative positions count from the end, and come last. */
const inReadingOrder = (positions: readonly number[]): number[] => [
  ...positions.filter((position) => position > 0),
  ...positions.filter((position) => position < 0),
];

/** What SKIP takes instead of a day that a month does not have, by whether the day counts from the end. */
const INSTEAD = {
  BACKWARD: { fromStart: 'orLastDay', fromEnd: 'orDayBefore' },
  FORWARD: { fromStart: 'orDayAfter', fromEnd: 'orFirstDay' },
} as const;

/** Days of the month in words. What SKIP does stands with the last of those to which it applies. */
const monthDaysOf = (rule: Rule, write: ReturnType<typeof writer>): string[] => {
  const days = inReadingOrder(rule.byMonthDay ?? []);
  const words = days.map(write.monthDay);
  if (rule.skip === 'OMIT' || !addsMonthDays(rule)) return words;
  const { fromStart, fromEnd } = INSTEAD[rule.skip];
  const note = (index: number, text: string) => {
    if (index >= 0) words[index] = fill(text, { day: words[index]! });
  };
  const isMissing = (day: number) => lacksDay(rule, day);
  note(
    days.findLastIndex((day) => day > 0 && isMissing(day)),
    write.texts[fromStart],
  );
  note(
    days.findLastIndex((day) => day < 0 && isMissing(day)),
    write.texts[fromEnd],
  );
  return words;
};

/** Whether a month of a rule may lack a day. */
const lacksDay = ({ byMonth }: Rule, day: number): boolean =>
  LENGTHS.some((length, index) => (!byMonth || byMonth.includes(index + 1)) && Math.abs(day) > length);

/** Days of the months, of February in a common year. */
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The end of a rule in words; empty when it has no end. */
const endOf = (
  { count, until }: Rule,
  { timezone }: Recurrence,
  language: Language,
  write: ReturnType<typeof writer>,
) => {
  if (count !== undefined) return pluralText(language, write.texts.times, count);
  if (!until) return '';
  const date = 'date' in until ? until.date : localDate(until.instant, timezone);
  return fill(write.texts.until, { date: write.date(date) });
};

/**
 * A recurrence in words, such as "every 2 weeks on Monday at 09:00, Europe/Athens".
 * @param recurrence without problems
 */
export const describe = (recurrence: Recurrence, language: Language = 'en'): string => {
  const [start = '', time = ''] = recurrence.dtstart_local.split('T');
  const given = checkedRule(recurrence.rrule);
  const rule = completed(given, start);
  const { freq, interval, byDay, byMonthDay, byMonth, bySetPos } = rule;
  const write = writer(language);
  const { texts, listed } = write;
  const isOfYear = freq === 'YEARLY' && !byMonth;
  const onlyLimits = freq === 'DAILY' || byMonthDay !== undefined;
  return [
    interval === 1 ? texts.each[freq] : pluralText(language, texts.every[freq], interval),
    byMonthDay ? listed(texts.monthDays, 'days', monthDaysOf(rule, write)) : '',
    byDay
      ? listed(
          onlyLimits ? texts.weekdaysOnly : texts.weekdays,
          'days',
          byDay.map((day) => write.weekday(day, isOfYear)),
        )
      : '',
    byMonth ? listed(texts.months, 'months', byMonth.map(write.month)) : '',
    bySetPos ? listed(texts.positions, 'days', inReadingOrder(bySetPos).map(write.monthDay)) : '',
    fill(texts.at, { time }),
    fill(texts.zone, { zone: recurrence.timezone }),
    endOf(rule, recurrence, language, write),
  ].join('');
};
