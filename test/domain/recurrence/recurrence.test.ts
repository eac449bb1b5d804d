import fc from 'fast-check';
import {
  addDays,
  addDuration,
  type Bounds,
  clockOf,
  isFinite,
  localDate,
  occurrences,
  occursOn,
  preview,
  problems,
  type RuleOccurrence,
  total,
} from '../../../shared/domain/recurrence/index.ts';
import type { Recurrence } from '../../../shared/schemas/recurrence.ts';
import { runs } from '../../support/scale.ts';
import table from './dateutil.json' with { type: 'json' };

const NO_BOUNDS: Bounds = { starts_on: null, ends_on: null };

const recurrenceOf = (
  rrule: string,
  dtstart_local = '2027-01-04T09:00',
  timezone = 'Europe/Athens',
): Recurrence => ({ rrule, dtstart_local, timezone });

const first = (recurrence: Recurrence, count: number, range = {}, bounds = NO_BOUNDS): RuleOccurrence[] =>
  occurrences(recurrence, bounds, range).take(count).toArray();

const datesOf = (found: readonly RuleOccurrence[]): string[] => found.map((one) => one.occurrence_date);

/** What python-dateutil found, as our occurrences; of dates after 2025 only the date. */
const occurrencesOf = (dates: string, time: string): Partial<RuleOccurrence>[] =>
  dates
    .split(' ')
    .filter(Boolean)
    .map((text) => {
      const [, date, offset, sign] = /^(.{10})([+-]\d+)?([>~]?)$/.exec(text)!;
      if (!offset) return { occurrence_date: date! };
      const starts_at = new Date(Date.parse(`${date}T${time}Z`) - Number(offset) * 60_000).toISOString();
      const warning = sign === '>' ? 'moved_forward' : sign === '~' ? 'first_of_two' : null;
      return { occurrence_date: date!, starts_at, warning };
    });

describe(`the rules that python-dateutil ${table.dateutil} was asked about`, () => {
  test.each(table.cases as [string, string, string, string][])('%s, %s, %s', (rrule, start, zone, dates) => {
    const recurrence = recurrenceOf(rrule, start, zone);
    const expected = occurrencesOf(dates, start.split('T')[1]!);
    // Clocks of Samoa skipped a whole date: dateutil has the same moment twice, and we once.
    const once = expected.filter(
      ({ starts_at }, index) => !starts_at || expected[index + 1]?.starts_at !== starts_at,
    );
    const isAll = expected.length < table.max_dates;
    expect(first(recurrence, once.length + Number(isAll))).toMatchObject(once);
    expect(problems(recurrence)).toEqual([]);
  });
});

test('BYSETPOS counts in the whole first week, of which dateutil sees only the days from the start on', () => {
  // 2021-12-08 is a Wednesday.
  const second = recurrenceOf('FREQ=WEEKLY;BYDAY=MO,WE,TH,FR;BYSETPOS=2', '2021-12-08T09:00');
  expect(datesOf(first(second, 2))).toEqual(['2021-12-08', '2021-12-15']);
});

describe('a time of day that the clocks do not show once', () => {
  test('moves forward by as much as they skip', () => {
    expect(first(recurrenceOf('FREQ=DAILY', '2027-03-27T03:30'), 3)).toEqual([
      { occurrence_date: '2027-03-27', starts_at: '2027-03-27T01:30:00.000Z', warning: null },
      { occurrence_date: '2027-03-28', starts_at: '2027-03-28T01:30:00.000Z', warning: 'moved_forward' },
      { occurrence_date: '2027-03-29', starts_at: '2027-03-29T00:30:00.000Z', warning: null },
    ]);
  });

  test('is the first of two', () => {
    expect(first(recurrenceOf('FREQ=DAILY', '2027-10-30T03:30'), 3)).toEqual([
      { occurrence_date: '2027-10-30', starts_at: '2027-10-30T00:30:00.000Z', warning: null },
      { occurrence_date: '2027-10-31', starts_at: '2027-10-31T00:30:00.000Z', warning: 'first_of_two' },
      { occurrence_date: '2027-11-01', starts_at: '2027-11-01T01:30:00.000Z', warning: null },
    ]);
  });

  test('moves to the next date where a whole one is skipped, unless the rule names that too', () => {
    const weekly = recurrenceOf('FREQ=WEEKLY', '2011-12-23T09:00', 'Pacific/Apia');
    expect(first(weekly, 2)[1]).toEqual({
      occurrence_date: '2011-12-30',
      starts_at: '2011-12-30T19:00:00.000Z',
      warning: 'moved_forward',
    });
    expect(occursOn(weekly, NO_BOUNDS, '2011-12-30')).toBe(true);
    const daily = recurrenceOf('FREQ=DAILY', '2011-12-28T09:00', 'Pacific/Apia');
    expect(datesOf(first(daily, 4))).toEqual(['2011-12-28', '2011-12-29', '2011-12-31', '2012-01-01']);
    expect(occursOn(daily, NO_BOUNDS, '2011-12-30')).toBe(false);
    expect(occursOn(daily, NO_BOUNDS, '2011-12-31')).toBe(true);
    const until = { ...NO_BOUNDS, ends_on: '2011-12-30' };
    expect(datesOf(first(daily, 9, {}, until))).toEqual(['2011-12-28', '2011-12-29', '2011-12-30']);
  });
});

describe('bounds', () => {
  const daily = recurrenceOf('FREQ=DAILY;INTERVAL=2');
  const bounds = { starts_on: '2027-01-07', ends_on: '2027-01-12' };

  test('hold on both sides, and both dates belong to them', () => {
    expect(datesOf(first(daily, 99, {}, bounds))).toEqual(['2027-01-08', '2027-01-10', '2027-01-12']);
    expect(total(daily, bounds)).toBe(3);
    expect(total(daily, { ...bounds, ends_on: null })).toBeNull();
  });

  test('do not change what COUNT counts', () => {
    const five = recurrenceOf('FREQ=DAILY;INTERVAL=2;COUNT=5');
    expect(datesOf(first(five, 99, {}, { ...bounds, ends_on: null }))).toEqual([
      '2027-01-08',
      '2027-01-10',
      '2027-01-12',
    ]);
    expect(datesOf(first(five, 99, { from: '2027-01-11' }))).toEqual(['2027-01-12']);
  });

  test.each([
    ['FREQ=DAILY', NO_BOUNDS, false],
    ['FREQ=DAILY', bounds, true],
    ['FREQ=DAILY;COUNT=2', NO_BOUNDS, true],
    ['FREQ=DAILY;UNTIL=20270110', NO_BOUNDS, true],
  ])('%s within %j is finite: %s', (rrule, within, expected) => {
    expect(isFinite(recurrenceOf(rrule), within)).toBe(expected);
  });

  test.each<[rrule: string, from: string, dates: string[]]>([
    ['FREQ=DAILY;INTERVAL=3', '2027-06-01', ['2027-06-03', '2027-06-06']],
    ['FREQ=DAILY;INTERVAL=3', '2026-06-01', ['2027-01-04', '2027-01-07']],
    ['FREQ=WEEKLY;INTERVAL=2', '2027-06-01', ['2027-06-07', '2027-06-21']],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU', '2027-06-01', ['2027-06-06', '2027-06-07']],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO', '2027-06-01', ['2027-06-07', '2027-06-13']],
    ['FREQ=MONTHLY;INTERVAL=3', '2028-06-01', ['2028-07-04', '2028-10-04']],
    ['FREQ=MONTHLY;INTERVAL=5', '2028-12-01', ['2029-02-04', '2029-07-04']],
    ['FREQ=YEARLY;INTERVAL=2', '2030-06-01', ['2031-01-04', '2033-01-04']],
    ['FREQ=MONTHLY;BYDAY=+1MO,1MO,01MO', '2027-02-01', ['2027-02-01', '2027-03-01']],
    ['FREQ=MONTHLY;BYMONTHDAY=15,1,15', '2027-02-01', ['2027-02-01', '2027-02-15']],
  ])('%s from %s on names %j', (rrule, from, dates) => {
    expect(datesOf(first(recurrenceOf(rrule), 2, { from }))).toEqual(dates);
  });

  test('UNTIL is a moment, or a date on the clocks of the zone', () => {
    const until = (text: string) => datesOf(first(recurrenceOf(`FREQ=DAILY;UNTIL=${text}`), 99)).at(-1);
    expect(until('20270106T070000Z')).toBe('2027-01-06');
    expect(until('20270106T065959Z')).toBe('2027-01-05');
    expect(until('20270106')).toBe('2027-01-06');
  });
});

describe('the problems of a rule', () => {
  const texts = (rrule: string) => problems(recurrenceOf(rrule)).map(({ msg }) => msg);

  test('have their place, and there are as many as there are mistakes', () => {
    expect(problems(recurrenceOf('FREQ=HOURLY;COUNT=0;FOO=1;WKST=XX'))).toEqual(
      [
        'FOO is not a part of a recurrence rule',
        'FREQ=HOURLY is more often than daily',
        'COUNT must be a whole number from 1 to 3660',
        'WKST must be a weekday such as MO',
      ].map((text) => ({
        loc: ['body', 'recurrence', 'rrule'],
        type: 'value_error',
        msg: `Value error, ${text}`,
        input: 'FREQ=HOURLY;COUNT=0;FOO=1;WKST=XX',
      })),
    );
  });

  test.each([
    ['RRULE:FREQ=DAILY', 'without the word RRULE'],
    ['freq=daily;byday=mo', undefined],
    ['', 'an empty part is not a part'],
    ['FREQ=DAILY;', 'an empty part is not a part'],
    ['COUNT=3', 'FREQ is missing'],
    ['FREQ=FORTNIGHTLY', 'FREQ must be'],
    ['FREQ=SECONDLY', 'more often than daily'],
    ['FREQ=MINUTELY', 'more often than daily'],
    ['FREQ=DAILY;FREQ=WEEKLY', 'FREQ is given twice'],
    ['FREQ=DAILY;BYHOUR=9', 'BYHOUR is not supported'],
    ['FREQ=YEARLY;BYWEEKNO=20', 'BYWEEKNO is not supported'],
    ['FREQ=YEARLY;BYYEARDAY=100', 'BYYEARDAY is not supported'],
    ['DTSTART:20270101T090000Z\nRRULE:FREQ=DAILY', 'DTSTART does not belong in the rule'],
    ['FREQ=DAILY;EXDATE=20270101', 'EXDATE does not belong in the rule'],
    ['FREQ=DAILY;RDATE=20270101', 'RDATE does not belong in the rule'],
    ['FREQ=DAILY;INTERVAL=0', 'INTERVAL must be a whole number from 1 to 400'],
    ['FREQ=DAILY;INTERVAL=401', 'INTERVAL must be'],
    ['FREQ=DAILY;INTERVAL=1.5', 'INTERVAL must be'],
    ['FREQ=DAILY;INTERVAL=400', undefined],
    ['FREQ=DAILY;COUNT=3661', 'COUNT must be'],
    ['FREQ=DAILY;COUNT=3660', undefined],
    ['FREQ=DAILY;COUNT=99999999999999999999', 'COUNT must be'],
    ['FREQ=DAILY;COUNT=2;UNTIL=20280101', 'exclude each other'],
    ['FREQ=DAILY;UNTIL=20280230', 'UNTIL must be'],
    ['FREQ=DAILY;UNTIL=20280101T250000Z', 'UNTIL must be'],
    ['FREQ=DAILY;UNTIL=20280101T090000', 'UNTIL must be'],
    ['FREQ=DAILY;UNTIL=20280101T090000Z', undefined],
    ['FREQ=DAILY;UNTIL=20270103', 'does not occur'],
    ['FREQ=WEEKLY;BYDAY=1MO', 'only with FREQ=MONTHLY or YEARLY'],
    ['FREQ=DAILY;BYDAY=XX', 'BYDAY must be weekdays'],
    ['FREQ=DAILY;BYDAY=', 'BYDAY must be weekdays'],
    ['FREQ=DAILY;BYDAY=MO,XX', 'BYDAY must be weekdays'],
    ['FREQ=MONTHLY;BYDAY=001MO', 'BYDAY must be weekdays'],
    ['FREQ=MONTHLY;BYDAY=1MOX', 'BYDAY must be weekdays'],
    ['FREQ=DAILY;BYDAY=1MO', 'only with FREQ=MONTHLY or YEARLY'],
    ['FREQ=MONTHLY;BYDAY=5MO,-5MO,+05TU', undefined],
    ['FREQ=MONTHLY;BYDAY=1MO,-6MO', 'the numbers of BYDAY must be from 1 to 5 or -5 to -1'],
    ['FREQ=YEARLY;BYDAY=-54MO', 'or -53 to -1'],
    ['FREQ=DAILY;INTERVAL=', 'INTERVAL must be'],
    ['FREQ=DAILY;INTERVAL=-1', 'INTERVAL must be'],
    ['FREQ=DAILY;COUNT=1', undefined],
    ['FREQ=YEARLY;BYMONTH=0', 'BYMONTH must be whole numbers from 1 to 12, separated by commas'],
    ['FREQ=YEARLY;BYMONTH=1,x', 'BYMONTH must be'],
    ['FREQ=YEARLY;BYMONTH=+12', undefined],
    ['FREQ=MONTHLY;BYMONTHDAY=0001', 'from 1 to 31 or -31 to -1, separated by commas'],
    ['FREQ=DAILY;BYMONTHDAY=1x', 'BYMONTHDAY must be'],
    ['FREQ=YEARLY;BYMONTH=1;BYSETPOS=-1', undefined],
    ['FREQ=YEARLY;BYMONTHDAY=1;BYSETPOS=1', undefined],
    ['FREQ=DAILY;UNTIL=2028010', 'UNTIL must be'],
    ['FREQ=DAILY;UNTIL=20280101T0900Z', 'UNTIL must be'],
    ['FREQ=DAILY;UNTIL=x20280101', 'UNTIL must be'],
    ['FREQ=DAILY;WKST=SU', undefined],
    ['FREQ=DAILY;BYSECOND=1', 'BYSECOND is not supported'],
    ['FREQ=DAILY;BYMINUTE=1', 'BYMINUTE is not supported'],
    ['FREQ=DAILY;EXRULE:x', 'EXRULE does not belong in the rule; its start is dtstart_local'],
    ['FREQ=DAILY;DTEND=1', 'DTEND does not belong'],
    ['FREQ=DAILY;DURATION=1', 'DURATION does not belong'],
    ['FREQ=DAILY;DTSTARTS=1', 'DTSTARTS is not a part of a recurrence rule'],
    ['FREQ=DAILY;MY-DTSTART=1', 'MY-DTSTART is not a part'],
    [`FREQ=DAILY;<${'x'.repeat(40)}>=1`, `error, ${'X'.repeat(30)} is not a part`],
    ['FREQ=DAILY;=1', 'an empty part is not a part'],
    ['FREQ=MONTHLY;BYDAY=6MO', 'from 1 to 5'],
    ['FREQ=MONTHLY;BYDAY=0MO', 'from 1 to 5'],
    ['FREQ=YEARLY;BYDAY=53MO', undefined],
    ['FREQ=YEARLY;BYDAY=54MO', 'from 1 to 53'],
    ['FREQ=YEARLY;BYDAY=6MO;BYMONTH=3', 'from 1 to 5'],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'cannot stand with FREQ=WEEKLY'],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'BYMONTHDAY must be'],
    ['FREQ=MONTHLY;BYMONTHDAY=32', 'BYMONTHDAY must be'],
    ['FREQ=MONTHLY;BYMONTHDAY=-32', 'BYMONTHDAY must be'],
    ['FREQ=MONTHLY;BYMONTHDAY=-31', undefined],
    ['FREQ=YEARLY;BYMONTH=13', 'BYMONTH must be'],
    ['FREQ=YEARLY;BYMONTH=-1', 'BYMONTH must be'],
    ['FREQ=MONTHLY;BYSETPOS=1', 'BYSETPOS needs'],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=367', 'BYSETPOS must be'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'does not occur'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;SKIP=BACKWARD', undefined],
    ['FREQ=MONTHLY;SKIP=OMIT', undefined],
    ['rscale=gregorian;freq=monthly;skip=forward', undefined],
    ['RSCALE=GREGORIAN;FREQ=DAILY', undefined],
    ['FREQ=MONTHLY;SKIP=YES', 'SKIP must be OMIT, BACKWARD or FORWARD'],
    ['FREQ=MONTHLY;SKIP=', 'SKIP must be OMIT, BACKWARD or FORWARD'],
    ['FREQ=MONTHLY;SKIP=OMIT;SKIP=OMIT', 'SKIP is given twice'],
    ['RSCALE=CHINESE;FREQ=MONTHLY', 'RSCALE must be GREGORIAN; other calendars are not supported'],
    ['RSCALE=;FREQ=MONTHLY', 'RSCALE must be GREGORIAN'],
    ['FREQ=MONTHLY;INTERVAL=12;BYMONTH=3', 'does not occur'],
    ['FREQ=MONTHLY;BYMONTHDAY=1;BYDAY=5MO', 'does not occur'],
    ['FREQ=DAILY;INTERVAL=7;BYDAY=TU', 'does not occur'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR', undefined],
  ])('%j: %s', (rrule, expected) => {
    if (expected === undefined) expect(texts(rrule)).toEqual([]);
    else expect(texts(rrule).join()).toContain(expected);
  });

  describe('cost a bounded number of steps', () => {
    const stepsOf = (work: () => void): number => {
      const month = jest.spyOn(Date.prototype, 'getUTCMonth');
      try {
        work();
        return month.mock.calls.length;
      } finally {
        month.mockRestore();
      }
    };

    test.each([
      'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
      'FREQ=DAILY;BYMONTH=2;BYDAY=MO;BYSETPOS=2',
      'FREQ=WEEKLY;BYMONTH=2;BYDAY=MO,TU,WE,TH,FR,SA;BYSETPOS=7',
      'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=29,30,31;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYSETPOS=4',
      'FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMONTH=1,2,3,4,5,6,7,8,9,10,11;BYSETPOS=366',
    ])('%s', (rrule) => {
      const steps = stepsOf(() =>
        expect(texts(rrule)).toEqual([
          'Value error, the rule does not occur within 100 years after 2027-01-04T09:00',
        ]),
      );
      expect(steps).toBeGreaterThan(0);
      expect(steps).toBeLessThan(3 * 36_600);
    });

    test('however far a date is from the start', () => {
      const old = recurrenceOf('FREQ=DAILY;BYMONTH=1,12', '1970-01-01T09:00');
      expect(stepsOf(() => expect(occursOn(old, NO_BOUNDS, '2069-12-31')).toBe(true))).toBeLessThan(5);
    });
  });
});

describe('the clocks of a zone', () => {
  test('show a time at the same moment, in whatever order the times are asked for', () => {
    const times = [
      ['2027-03-28T12:00', '2027-03-28T09:00:00.000Z'],
      ['2027-03-27T20:00', '2027-03-27T18:00:00.000Z'],
      ['2027-07-01T09:00', '2027-07-01T06:00:00.000Z'],
      ['2027-10-31T02:30', '2027-10-30T23:30:00.000Z'],
      ['2027-10-31T04:30', '2027-10-31T02:30:00.000Z'],
      ['2027-11-01T09:00', '2027-11-01T07:00:00.000Z'],
      ['2027-01-01T09:00', '2027-01-01T07:00:00.000Z'],
      ['2027-03-28T02:30', '2027-03-28T00:30:00.000Z'],
    ] as const;
    for (const order of [times, times.toReversed(), times.toSorted()]) {
      const momentOf = clockOf('Europe/Athens');
      for (const [local, starts_at] of order)
        expect([local, momentOf(local)]).toEqual([local, { starts_at, warning: null }]);
    }
  });

  test('show another date than elsewhere', () => {
    expect(localDate('2027-03-01T22:30:00.000Z', 'Europe/Athens')).toBe('2027-03-02');
    expect(localDate('2027-03-01T04:30:00.000Z', 'America/Denver')).toBe('2027-02-28');
  });

  test.each([
    ['2027-03-01', -1, '2027-02-28'],
    ['2028-02-28', 1, '2028-02-29'],
    ['2027-12-31', 1, '2028-01-01'],
    ['2027-01-01', 0, '2027-01-01'],
  ])('%s and %s days are %s', (date, days, expected) => {
    expect(addDays(date, days)).toBe(expected);
  });
});

describe('a preview', () => {
  test('has the next occurrences with the moments at which they are due', () => {
    const request = {
      ...NO_BOUNDS,
      recurrence: recurrenceOf('FREQ=DAILY;COUNT=5', '2027-03-26T09:00'),
      window: { due_after: 'P1D' },
      from: '2027-03-27',
      count: 1,
    } as Parameters<typeof preview>[0];
    const shown = {
      occurrence_date: '2027-03-27',
      starts_at: '2027-03-27T07:00:00.000Z',
      due_at: '2027-03-28T06:00:00.000Z',
      warning: null,
    };
    expect(preview(request)).toEqual({
      description: 'every day at 09:00, Europe/Athens, 5 times',
      occurrences: [shown],
      warnings: [],
      left_out: null,
      is_finite: true,
      total: 5,
    });
    expect(preview({ ...request, from: null, count: 9 }).occurrences).toMatchObject([
      { occurrence_date: '2027-03-26' },
      shown,
      ...['2027-03-28', '2027-03-29', '2027-03-30'].map((occurrence_date) => ({ occurrence_date })),
    ]);
  });
});

describe('a duration', () => {
  test.each([
    // The night in which the clocks of Athens go forward: a day has 23 hours.
    ['2027-03-27T07:00:00.000Z', 'P1D', '2027-03-28T06:00:00.000Z'],
    ['2027-03-27T07:00:00.000Z', 'PT24H', '2027-03-28T07:00:00.000Z'],
    ['2027-10-30T06:00:00.000Z', 'P1D', '2027-10-31T07:00:00.000Z'],
    ['2027-03-27T07:00:00.000Z', 'P1DT2H30M', '2027-03-28T08:30:00.000Z'],
    ['2027-01-31T07:00:00.000Z', 'P1M', '2027-02-28T07:00:00.000Z'],
    ['2027-03-22T07:00:00.000Z', 'P2W', '2027-04-05T06:00:00.000Z'],
  ])('%s + %s is %s in Athens', (moment, duration, expected) => {
    expect(addDuration(moment, duration, 'Europe/Athens')).toBe(expected);
  });
});

const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
const part = (name: string, value: fc.Arbitrary<string>) =>
  fc.option(
    value.map((text) => `;${name}=${text}`),
    { nil: '' },
  );
const list = <Value>(item: fc.Arbitrary<Value>) =>
  fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.join(','));
const signed = (max: number) => fc.integer({ min: -max, max }).filter((value) => value !== 0);

/** Any rule that may be one; some have problems. */
const anyRule = fc
  .constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY')
  .chain((freq) =>
    fc.tuple(
      fc.constant(`FREQ=${freq}`),
      part('INTERVAL', fc.integer({ min: 1, max: 5 }).map(String)),
      part(
        'BYDAY',
        list(
          freq === 'MONTHLY' || freq === 'YEARLY'
            ? fc.tuple(fc.constantFrom('', '1', '2', '-1', '-2'), weekday).map((both) => both.join(''))
            : weekday,
        ),
      ),
      part('BYMONTH', list(fc.integer({ min: 1, max: 12 }))),
      freq === 'WEEKLY' ? fc.constant('') : part('BYMONTHDAY', list(signed(31))),
      part('BYSETPOS', list(signed(3))),
      fc.oneof(
        part('COUNT', fc.integer({ min: 1, max: 40 }).map(String)),
        part(
          'UNTIL',
          fc.integer({ min: 2025, max: 2040 }).map((year) => `${year}0615T120000Z`),
        ),
      ),
      part('WKST', weekday),
      part('SKIP', fc.constantFrom('OMIT', 'BACKWARD', 'FORWARD')),
    ),
  )
  .map((parts) => parts.join(''));

const anyRecurrence = fc
  .record({
    rrule: anyRule,
    dtstart_local: fc
      .tuple(fc.integer({ min: 0, max: 3_000 }), fc.constantFrom('00:00', '01:30', '02:15', '03:30', '23:59'))
      .map(([days, time]) => `${addDays('2020-01-01', days)}T${time}`),
    timezone: fc.constantFrom(
      'Europe/Athens',
      'America/Denver',
      'Australia/Lord_Howe',
      'Antarctica/Troll',
      'Africa/Cairo',
      'UTC',
    ),
  })
  .filter((recurrence) => problems(recurrence).length === 0);

describe('any recurrence', () => {
  const holds = (check: (recurrence: Recurrence, days: number) => void) =>
    fc.assert(fc.property(anyRecurrence, fc.integer({ min: 0, max: 4_000 }), check), { numRuns: runs(60) });

  test('has its occurrences in order, none twice, at the same time of day unless it says so', () => {
    holds((recurrence) => {
      const found = first(recurrence, 40);
      const moments = found.map(({ starts_at }) => starts_at);
      expect(moments).toEqual([...new Set(moments)].toSorted());
      expect(datesOf(found)).toEqual([...new Set(datesOf(found))].toSorted());
      const clock = new Intl.DateTimeFormat('sv', {
        timeZone: recurrence.timezone,
        dateStyle: 'short',
        timeStyle: 'short',
      });
      for (const { occurrence_date, starts_at, warning } of found) {
        const shown = clock.format(new Date(starts_at)).replace(' ', 'T');
        const isKept = shown === `${occurrence_date}T${recurrence.dtstart_local.split('T')[1]}`;
        expect([occurrence_date, isKept]).toEqual([occurrence_date, warning !== 'moved_forward']);
        expect(localDate(starts_at, recurrence.timezone)).toBe(shown.split('T')[0]);
      }
    });
  });

  test('has the same occurrences from a later date as from its start', () => {
    holds((recurrence, days) => {
      const from = addDays(recurrence.dtstart_local.split('T')[0]!, days);
      const until = addDays(from, 400);
      const all = occurrences(recurrence, NO_BOUNDS, { until }).toArray();
      expect(occurrences(recurrence, NO_BOUNDS, { from, until }).toArray()).toEqual(
        all.filter((one) => one.occurrence_date >= from),
      );
    });
  });

  test('occurs on its dates, and on no others', () => {
    holds((recurrence, days) => {
      const from = addDays(recurrence.dtstart_local.split('T')[0]!, days);
      const dates = new Set(
        datesOf(occurrences(recurrence, NO_BOUNDS, { from, until: addDays(from, 9) }).toArray()),
      );
      for (let day = 0; day < 10; day += 1) {
        const date = addDays(from, day);
        expect([date, occursOn(recurrence, NO_BOUNDS, date)]).toEqual([date, dates.has(date)]);
      }
    });
  });
});
