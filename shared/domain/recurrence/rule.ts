import type { Skip } from '../../schemas/recurrence.ts';

/** The parts of a recurrence rule that are supported, by their names in RFC 5545, section 3.3.10, and RFC 7529. */
export interface Rule {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  interval: number;
  /** Weekdays such as `MO`, in months and years also with an ordinal: `1MO`, `-1FR`. */
  byDay: string[] | undefined;
  byMonthDay: number[] | undefined;
  byMonth: number[] | undefined;
  bySetPos: number[] | undefined;
  /** The number of occurrences, counted from the start of the rule. */
  count: number | undefined;
  /** The last moment that may be an occurrence, or the last date. */
  until: { instant: string } | { date: string } | undefined;
  wkst: string | undefined;
  /** What becomes of days of BYMONTHDAY that a month does not have. */
  skip: Skip;
}

/** The largest INTERVAL, in units of FREQ. */
const MAX_INTERVAL = 400;

/** Occurrences of a rule with COUNT: ten years of days. */
const MAX_COUNT = 3_660;

const FREQUENCIES = new Set(['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY']);
const SUB_DAILY = new Set(['SECONDLY', 'MINUTELY', 'HOURLY']);
const WEEKDAYS = new Set(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']);

/** The values of SKIP (RFC 7529, section 4.1). */
const SKIPS: readonly Skip[] = ['OMIT', 'BACKWARD', 'FORWARD'];

const PARTS = new Set([
  'FREQ',
  'INTERVAL',
  'BYDAY',
  'BYMONTHDAY',
  'BYMONTH',
  'BYSETPOS',
  'COUNT',
  'UNTIL',
  'WKST',
  'RSCALE',
  'SKIP',
]);

/** Parts of RFC 5545 that would make several occurrences a day, or that few calendars know. */
const NOT_TAKEN = new Set(['BYSECOND', 'BYMINUTE', 'BYHOUR', 'BYYEARDAY', 'BYWEEKNO']);
const PROPERTIES = /^(DTSTART|DTEND|RDATE|EXDATE|EXRULE|DURATION)\b/;

/** The rule, and its problems in plain words. */
class Reading {
  readonly problems: string[] = [];
  readonly parts = new Map<string, string>();

  constructor(text: string) {
    const [, prefix, rule = ''] = /^(RRULE:)?(.*)$/s.exec(text.toUpperCase())!;
    if (prefix) this.problems.push('give the rule without the word RRULE');
    for (const part of rule.split(';')) this.#add(part);
  }

  #add(part: string): void {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(part)!;
    if (PROPERTIES.test(name)) {
      this.problems.push(`${/^\w+/.exec(name)![0]} does not belong in the rule; its start is dtstart_local`);
    } else if (NOT_TAKEN.has(name)) this.problems.push(`${name} is not supported`);
    else if (!PARTS.has(name)) this.problems.push(`${shown(name)} is not a part of a recurrence rule`);
    else if (this.parts.has(name)) this.problems.push(`${name} is given twice`);
    else this.parts.set(name, value);
  }

  /** The whole number of a part, within limits; undefined when it is missing or wrong. */
  integer(name: string, min: number, max: number): number | undefined {
    const text = this.parts.get(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    this.problems.push(`${name} must be a whole number from ${min} to ${max}`);
    return undefined;
  }

  /** The numbers of a part, sorted and each once. The limits apply to negative numbers, too. */
  integers(name: string, max: number, canBeNegative: boolean): number[] | undefined {
    const text = this.parts.get(name);
    if (text === undefined) return undefined;
    const values = text.split(',').map((item) => (/^[+-]?\d{1,3}$/.test(item) ? Number(item) : NaN));
    const isAllowed = (value: number) =>
      Math.abs(value) >= 1 && Math.abs(value) <= max && (canBeNegative || value > 0);
    if (values.every(isAllowed)) return [...new Set(values)].toSorted((a, b) => a - b);
    this.problems.push(
      `${name} must be whole numbers from 1 to ${max}${canBeNegative ? ` or -${max} to -1` : ''}, separated by commas`,
    );
    return undefined;
  }

  frequency(): Rule['freq'] | undefined {
    const text = this.parts.get('FREQ');
    if (FREQUENCIES.has(text ?? '')) return text as Rule['freq'];
    this.problems.push(
      text === undefined
        ? 'FREQ is missing'
        : SUB_DAILY.has(text)
          ? `FREQ=${text} is more often than daily`
          : 'FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY',
    );
    return undefined;
  }

  weekdays(freq: Rule['freq'] | undefined): string[] | undefined {
    const text = this.parts.get('BYDAY');
    if (text === undefined) return undefined;
    const items = text.split(',').map((item) => /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(item));
    if (!items.every((item) => item !== null)) {
      this.problems.push('BYDAY must be weekdays such as MO or 1MO, separated by commas');
      return undefined;
    }
    const max = freq === 'YEARLY' && !this.parts.has('BYMONTH') ? 53 : 5;
    const ordinals = items.flatMap(([, ordinal]) => (ordinal === undefined ? [] : [Number(ordinal)]));
    if (ordinals.length > 0 && (freq === 'DAILY' || freq === 'WEEKLY')) {
      this.problems.push('BYDAY has numbers only with FREQ=MONTHLY or YEARLY');
      return undefined;
    }
    if (ordinals.some((ordinal) => ordinal === 0 || Math.abs(ordinal) > max)) {
      this.problems.push(`the numbers of BYDAY must be from 1 to ${max} or -${max} to -1`);
      return undefined;
    }
    return [...new Set(items.map(([, ordinal, day]) => `${ordinal ? Number(ordinal) : ''}${day}`))];
  }

  until(): Rule['until'] {
    const text = this.parts.get('UNTIL');
    if (text === undefined) return undefined;
    const [, year, month, day, hour, minute, second] =
      /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/.exec(text) ?? [];
    const date = `${year}-${month}-${day}`;
    const instant = `${date}T${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}.000Z`;
    // A date such as 30 February would otherwise become another one.
    if (year && new Date(Date.parse(instant)).toJSON() === instant) return hour ? { instant } : { date };
    this.problems.push('UNTIL must be a time in UTC such as 20271231T235959Z, or a date such as 20271231');
    return undefined;
  }

  weekStart(): string | undefined {
    const text = this.parts.get('WKST');
    if (text === undefined || WEEKDAYS.has(text)) return text;
    this.problems.push('WKST must be a weekday such as MO');
    return undefined;
  }

  /** Without RSCALE, which RFC 7529 wants beside SKIP, the calendar is the same. */
  checkCalendar(): void {
    const text = this.parts.get('RSCALE');
    if (text === undefined || text === 'GREGORIAN') return;
    this.problems.push('RSCALE must be GREGORIAN; other calendars are not supported');
  }

  skip(): Skip {
    const text = this.parts.get('SKIP');
    if (text === undefined) return 'OMIT';
    const skip = SKIPS.find((one) => one === text);
    if (!skip) this.problems.push('SKIP must be OMIT, BACKWARD or FORWARD');
    return skip ?? 'OMIT';
  }

  /** Finds parts that RFC 5545 forbids to combine. */
  checkTogether(freq: Rule['freq'] | undefined): void {
    const { parts, problems } = this;
    if (parts.has('COUNT') && parts.has('UNTIL')) problems.push('COUNT and UNTIL exclude each other');
    if (parts.has('BYSETPOS') && !parts.has('BYDAY') && !parts.has('BYMONTHDAY') && !parts.has('BYMONTH'))
      problems.push('BYSETPOS needs BYDAY, BYMONTHDAY or BYMONTH');
    if (parts.has('BYMONTHDAY') && freq === 'WEEKLY') {
      problems.push('BYMONTHDAY cannot stand with FREQ=WEEKLY');
    }
  }
}

/** A name that a client sent, short enough for a message. */
const shown = (name: string): string => {
  const plain = name.replaceAll(/[^\w-]/g, '').slice(0, 30);
  return plain === '' ? 'an empty part' : plain;
};

/**
 * Reads a rule.
 * @param text as in RFC 5545, section 3.3.10, and RFC 7529, section 4; upper and lower case mean the same
 * @returns the rule, unless it is wrong; and everything that is wrong with it, in plain English
 */
export const readRule = (text: string): { rule: Rule | undefined; problems: string[] } => {
  const reading = new Reading(text);
  const freq = reading.frequency();
  const rest = {
    interval: reading.integer('INTERVAL', 1, MAX_INTERVAL) ?? 1,
    byDay: reading.weekdays(freq),
    byMonthDay: reading.integers('BYMONTHDAY', 31, true),
    byMonth: reading.integers('BYMONTH', 12, false),
    bySetPos: reading.integers('BYSETPOS', 366, true),
    count: reading.integer('COUNT', 1, MAX_COUNT),
    until: reading.until(),
    wkst: reading.weekStart(),
    skip: reading.skip(),
  };
  reading.checkCalendar();
  reading.checkTogether(freq);
  const rule = freq && reading.problems.length === 0 ? { freq, ...rest } : undefined;
  return { rule, problems: reading.problems };
};

/** A rule that was found to have no problems. */
export const checkedRule = (text: string): Rule => {
  const { rule, problems } = readRule(text);
  if (!rule) throw new Error(`The rule was not checked: ${problems.join(', ')}`);
  return rule;
};
