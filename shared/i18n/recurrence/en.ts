import type { Plural } from '../plural.ts';

type ByFrequency<Text> = Record<'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY', Text>;

/**
 * The texts that describe a recurrence. They are put together without a space between them, in this order: how often,
 * days of the month, weekdays, months, positions, time, zone, end. Names of weekdays and months come as the language
 * lists them, not inflected. `{n}` is a number, and `{nth}` an ordinal, where a language has a short one.
 */
export interface RecurrenceTexts {
  /** With INTERVAL=1. */
  each: ByFrequency<string>;
  /** With a larger INTERVAL. */
  every: ByFrequency<Plural>;
  weekdays: string;
  /** Weekdays that only limit what the rest names. */
  weekdaysOnly: string;
  nthOfMonth: string;
  lastOfMonth: string;
  fromEndOfMonth: string;
  nthOfYear: string;
  lastOfYear: string;
  fromEndOfYear: string;
  monthDays: string;
  day: string;
  lastDay: string;
  dayFromEnd: string;
  months: string;
  /** Which of the named days count (BYSETPOS). */
  positions: string;
  at: string;
  zone: string;
  times: Plural;
  until: string;
  /** By the ordinal forms of CLDR. */
  ordinal: Plural;
}

export const en: RecurrenceTexts = {
  each: { DAILY: 'every day', WEEKLY: 'every week', MONTHLY: 'every month', YEARLY: 'every year' },
  every: {
    DAILY: { one: 'every {n} day', other: 'every {n} days' },
    WEEKLY: { one: 'every {n} week', other: 'every {n} weeks' },
    MONTHLY: { one: 'every {n} month', other: 'every {n} months' },
    YEARLY: { one: 'every {n} year', other: 'every {n} years' },
  },
  weekdays: ' on {days}',
  weekdaysOnly: ', only on {days}',
  nthOfMonth: 'the {nth} {weekday}',
  lastOfMonth: 'the last {weekday}',
  fromEndOfMonth: 'the {nth} to last {weekday}',
  nthOfYear: 'the {nth} {weekday} of the year',
  lastOfYear: 'the last {weekday} of the year',
  fromEndOfYear: 'the {nth} to last {weekday} of the year',
  monthDays: ' on {days}',
  day: 'the {nth}',
  lastDay: 'the last day',
  dayFromEnd: 'the {nth} to last day',
  months: ' in {months}',
  positions: ', of these days only {days},',
  at: ' at {time}',
  zone: ', {zone}',
  times: { one: ', {n} time', other: ', {n} times' },
  until: ', until {date}',
  ordinal: { one: '{n}st', two: '{n}nd', few: '{n}rd', other: '{n}th' },
};
