import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import {
  addDays,
  type Bounds,
  occurrences,
  occursOn,
  preview,
  total,
} from '../../../shared/domain/recurrence/index.ts';
import type { Recurrence } from '../../../shared/schemas/recurrence.ts';
import { runs } from '../../support/scale.ts';

const NO_BOUNDS: Bounds = { starts_on: null, ends_on: null };

const recurrenceOf = (rrule: string, date = '2027-01-31', time = '09:00'): Recurrence => ({
  rrule,
  dtstart_local: `${date}T${time}`,
  timezone: 'Europe/Athens',
});

const dates = (recurrence: Recurrence, count: number, range = {}, bounds = NO_BOUNDS): string[] =>
  occurrences(recurrence, bounds, range)
    .take(count)
    .map((one) => one.occurrence_date)
    .toArray();

describe('SKIP', () => {
  test.each<[rrule: string, date: string, expected: string]>([
    // The examples of RFC 7529, section 4.1.
    [
      'RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=FORWARD',
      '2016-02-29',
      '2016-02-29 2017-03-01 2018-03-01 2019-03-01 2020-02-29',
    ],
    [
      'RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=FORWARD',
      '2014-01-31',
      '2014-01-31 2014-03-01 2014-03-31 2014-05-01 2014-05-31',
    ],
    ['FREQ=MONTHLY;SKIP=BACKWARD', '2027-01-31', '2027-01-31 2027-02-28 2027-03-31 2027-04-30 2027-05-31'],
    ['FREQ=MONTHLY;SKIP=OMIT', '2027-01-31', '2027-01-31 2027-03-31 2027-05-31 2027-07-31 2027-08-31'],
    [
      'FREQ=MONTHLY;INTERVAL=13;SKIP=BACKWARD',
      '2027-01-31',
      '2027-01-31 2028-02-29 2029-03-31 2030-04-30 2031-05-31',
    ],
    ['FREQ=YEARLY;SKIP=BACKWARD', '2028-02-29', '2028-02-29 2029-02-28 2030-02-28 2031-02-28 2032-02-29'],
    [
      'FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=31;SKIP=FORWARD',
      '2027-01-01',
      '2027-05-01 2028-05-01 2029-05-01 2030-05-01 2031-05-01',
    ],
    [
      'FREQ=MONTHLY;BYMONTHDAY=30,31;SKIP=BACKWARD',
      '2027-01-31',
      '2027-01-31 2027-02-28 2027-03-30 2027-03-31 2027-04-30',
    ],
    [
      'FREQ=MONTHLY;BYMONTHDAY=1,31;SKIP=FORWARD',
      '2027-01-31',
      '2027-01-31 2027-02-01 2027-03-01 2027-03-31 2027-04-01',
    ],
    [
      'FREQ=MONTHLY;BYMONTHDAY=1,31;BYSETPOS=-1;SKIP=FORWARD',
      '2027-01-31',
      '2027-01-31 2027-03-01 2027-03-31 2027-05-01 2027-05-31',
    ],
    [
      'FREQ=MONTHLY;BYMONTHDAY=30,31;BYSETPOS=2;SKIP=BACKWARD',
      '2027-01-31',
      '2027-01-31 2027-03-31 2027-05-31 2027-07-31 2027-08-31',
    ],
    // A day before the first of a month: the first is after it, and the last of the month before is before it.
    [
      'FREQ=MONTHLY;BYMONTHDAY=-31;SKIP=FORWARD',
      '2027-01-31',
      '2027-02-01 2027-03-01 2027-04-01 2027-05-01 2027-06-01',
    ],
    [
      'FREQ=MONTHLY;BYMONTHDAY=-31;SKIP=BACKWARD',
      '2027-01-31',
      '2027-01-31 2027-03-01 2027-03-31 2027-05-01 2027-05-31',
    ],
    // BYDAY limits the day that is taken.
    [
      'FREQ=MONTHLY;BYMONTHDAY=31;BYDAY=FR;SKIP=BACKWARD',
      '2027-01-01',
      '2027-04-30 2027-12-31 2028-03-31 2028-06-30 2029-08-31',
    ],
    [
      'FREQ=MONTHLY;BYMONTHDAY=31;BYDAY=MO;SKIP=FORWARD',
      '2027-01-01',
      '2027-03-01 2027-05-31 2028-01-31 2028-05-01 2028-07-31',
    ],
    // The first month is that of the start.
    [
      'FREQ=MONTHLY;BYMONTHDAY=31;SKIP=FORWARD',
      '2027-05-01',
      '2027-05-31 2027-07-01 2027-07-31 2027-08-31 2027-10-01',
    ],
    [
      'FREQ=DAILY;BYMONTHDAY=31;SKIP=BACKWARD',
      '2027-01-31',
      '2027-01-31 2027-03-31 2027-05-31 2027-07-31 2027-08-31',
    ],
    [
      'FREQ=MONTHLY;BYDAY=5MO;SKIP=BACKWARD',
      '2027-01-31',
      '2027-03-29 2027-05-31 2027-08-30 2027-11-29 2028-01-31',
    ],
  ])('%s from %s: %s', (rrule, date, expected) => {
    expect(dates(recurrenceOf(rrule, date), 5).join(' ')).toBe(expected);
  });

  test('finds an occurrence that it moves to another month', () => {
    const forward = recurrenceOf('FREQ=MONTHLY;SKIP=FORWARD');
    expect(occursOn(forward, NO_BOUNDS, '2027-05-01')).toBe(true);
    expect(occursOn(forward, NO_BOUNDS, '2027-06-01')).toBe(false);
    const backward = recurrenceOf('FREQ=MONTHLY;BYMONTHDAY=-31;SKIP=BACKWARD');
    expect(occursOn(backward, NO_BOUNDS, '2027-05-31')).toBe(true);
    expect(dates(backward, 9, {}, { ...NO_BOUNDS, ends_on: '2027-03-31' })).toEqual([
      '2027-01-31',
      '2027-03-01',
      '2027-03-31',
    ]);
  });

  test('counts with COUNT, and ends with UNTIL', () => {
    expect(dates(recurrenceOf('FREQ=MONTHLY;SKIP=FORWARD;COUNT=4'), 9)).toEqual([
      '2027-01-31',
      '2027-03-01',
      '2027-03-31',
      '2027-05-01',
    ]);
    expect(total(recurrenceOf('FREQ=MONTHLY;BYMONTHDAY=1,31;SKIP=FORWARD;COUNT=4'), NO_BOUNDS)).toBe(4);
    expect(dates(recurrenceOf('FREQ=MONTHLY;SKIP=FORWARD;UNTIL=20270430'), 9)).toHaveLength(3);
    expect(dates(recurrenceOf('FREQ=MONTHLY;SKIP=FORWARD;UNTIL=20270501T060000Z'), 9)).toHaveLength(4);
  });
});

type Skip = 'OMIT' | 'BACKWARD' | 'FORWARD';

interface Given {
  freq: 'MONTHLY' | 'YEARLY';
  interval: number;
  byMonth: number[];
  byMonthDay: number[];
  byDay: string[];
  bySetPos: number[];
  count: number | null;
  skip: Skip;
  start: string;
}

const NAMES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

const textOf = ({ freq, interval, byMonth, byMonthDay, byDay, bySetPos, count, skip }: Given): string => {
  const part = (name: string, values: readonly (string | number)[]) =>
    values.length > 0 ? `;${name}=${values.join()}` : '';
  const lists = [
    part('BYMONTH', byMonth),
    part('BYMONTHDAY', byMonthDay),
    part('BYDAY', byDay),
    part('BYSETPOS', bySetPos),
  ];
  return `FREQ=${freq};INTERVAL=${interval}${lists.join('')}${count ? `;COUNT=${count}` : ''};SKIP=${skip}`;
};

/** The days of a month by the definition: each day that the month has is compared, and of those it lacks, the nearest. */
const daysOfMonth = (month: Temporal.PlainYearMonth, { byMonthDay, byDay, skip }: Given): string[] => {
  const all = Array.from({ length: month.daysInMonth }, (_, index) => month.toPlainDate({ day: index + 1 }));
  const moved = byMonthDay
    .filter((position) => Math.abs(position) > month.daysInMonth)
    .flatMap((position) => {
      const nearest = position > 0 ? all.at(-1)! : all[0]!;
      const isInside = position > 0 === (skip === 'BACKWARD');
      if (skip === 'OMIT') return [];
      return [isInside ? nearest : nearest.add({ days: position > 0 ? 1 : -1 })];
    });
  const own = all.filter(
    ({ day }) => byMonthDay.includes(day) || byMonthDay.includes(day - month.daysInMonth - 1),
  );
  return [...own, ...moved]
    .filter((date) => byDay.length === 0 || byDay.includes(NAMES[date.dayOfWeek - 1]!))
    .map(String);
};

/** The dates of a rule in the years 2024 to 2032. */
const byDefinition = (given: Given): string[] => {
  const first = Temporal.PlainDate.from(given.start);
  const sets = new Map<number, Set<string>>();
  let month = first.toPlainYearMonth();
  if (given.freq === 'YEARLY') month = month.with({ month: 1 });
  for (; month.year <= 2032; month = month.add({ months: 1 })) {
    const number =
      given.freq === 'YEARLY'
        ? month.year - first.year
        : (month.year - first.year) * 12 + month.month - first.month;
    if (number % given.interval !== 0) continue;
    if (given.byMonth.length > 0 && !given.byMonth.includes(month.month)) continue;
    const set = sets.get(number) ?? new Set();
    for (const date of daysOfMonth(month, given)) set.add(date);
    sets.set(number, set);
  }
  const all = [...sets.values()].flatMap((set) => {
    const sorted = [...set].toSorted();
    if (given.bySetPos.length === 0) return sorted;
    return given.bySetPos.flatMap((position) => sorted.at(position > 0 ? position - 1 : position) ?? []);
  });
  const unique = [...new Set(all)].toSorted().filter((date) => date >= given.start);
  return unique.slice(0, given.count ?? Infinity);
};

const list = <Value>(item: fc.Arbitrary<Value>, minLength: number, maxLength: number) =>
  fc.uniqueArray(item, { minLength, maxLength });

const anyGiven: fc.Arbitrary<Given> = fc.record({
  freq: fc.constantFrom('MONTHLY' as const, 'YEARLY' as const),
  interval: fc.integer({ min: 1, max: 4 }),
  byMonth: list(fc.integer({ min: 1, max: 12 }), 0, 3),
  byMonthDay: list(fc.constantFrom<number[]>(1, 2, 15, 28, 29, 30, 31, -1, -2, -28, -29, -30, -31), 1, 4),
  byDay: fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, list(fc.constantFrom(...NAMES), 1, 4)),
  bySetPos: fc.oneof(
    { weight: 3, arbitrary: fc.constant<number[]>([]) },
    list(fc.constantFrom<number[]>(1, 2, 3, -1, -2), 1, 2),
  ),
  count: fc.option(fc.integer({ min: 1, max: 30 })),
  skip: fc.constantFrom('OMIT' as const, 'BACKWARD' as const, 'FORWARD' as const),
  start: fc.integer({ min: 0, max: 1_500 }).map((days) => addDays('2024-01-01', days)),
});

describe('any rule with SKIP', () => {
  const LAST = '2032-11-30';

  test('has the dates of the definition', () => {
    fc.assert(
      fc.property(anyGiven, (given) => {
        const found = dates(recurrenceOf(textOf(given), given.start), Infinity, { until: LAST });
        expect(found).toEqual(byDefinition(given).filter((date) => date <= LAST));
      }),
      { numRuns: runs(150) },
    );
  });

  test('has the same dates in any part of its time', () => {
    fc.assert(
      fc.property(
        anyGiven,
        fc.integer({ min: 0, max: 1_200 }),
        fc.integer({ min: 0, max: 70 }),
        (given, after, days) => {
          const from = addDays(given.start, after);
          const until = addDays(from, days);
          const found = dates(recurrenceOf(textOf(given), given.start), Infinity, { from, until });
          expect(found).toEqual(byDefinition(given).filter((date) => date >= from && date <= until));
        },
      ),
      { numRuns: runs(150) },
    );
  });

  test('leaves no month out that the warning does not name, and warns of none that has its days', () => {
    fc.assert(
      fc.property(anyGiven, (given) => {
        const rule = { ...given, byDay: [], bySetPos: [], count: null };
        // Only occurrences of a few years are compared, so the rule ends with them.
        const { left_out } = preview({
          recurrence: recurrenceOf(textOf(rule), rule.start),
          window: { due_after: 'P1D', miss_after: null },
          starts_on: null,
          ends_on: '2032-12-31',
          from: null,
          count: 1,
        });
        expect(left_out && { months: left_out.months, sometimes: left_out.sometimes }).toEqual(
          lackingByDefinition(rule),
        );
      }),
      { numRuns: runs(150) },
    );
  });
});

/** The months of the years 2024 to 2032 that lack a day of the month, unless SKIP takes another one. */
const lackingByDefinition = (given: Given): { months: number[]; sometimes: number[] } | null => {
  const first = Temporal.PlainDate.from(given.start);
  const isComplete = new Map<number, boolean[]>();
  for (let month = first.toPlainYearMonth(); month.year <= 2032; month = month.add({ months: 1 })) {
    const number =
      given.freq === 'YEARLY'
        ? month.year - first.year
        : (month.year - first.year) * 12 + month.month - first.month;
    if (number % given.interval !== 0) continue;
    if (given.byMonth.length > 0 && !given.byMonth.includes(month.month)) continue;
    // In the month of the start, what lies before the start is not missed: days that count from the end.
    const isWhole = month.toPlainDate({ day: 1 }).toString() >= given.start;
    const counted = given.byMonthDay.filter((day) => Math.abs(day) > 28 && (day > 0 || isWhole));
    if (counted.length === 0) continue;
    const has = given.skip !== 'OMIT' || counted.every((day) => Math.abs(day) <= month.daysInMonth);
    isComplete.set(month.month, [...(isComplete.get(month.month) ?? []), has]);
  }
  const pick = (isOne: (all: boolean[]) => boolean) =>
    [...isComplete]
      .filter(([, all]) => all.includes(false) && isOne(all))
      .map(([month]) => month)
      .toSorted((one, other) => one - other);
  const found = {
    months: pick((all) => !all.includes(true)),
    sometimes: pick((all) => all.includes(true)),
  };
  return found.months.length + found.sometimes.length > 0 ? found : null;
};
