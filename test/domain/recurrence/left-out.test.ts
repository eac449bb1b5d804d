import { cautions } from '../../../shared/domain/recurrence/index.ts';
import type { LeftOut } from '../../../shared/schemas/recurrence.ts';

const NO_BOUNDS = { starts_on: null, ends_on: null };
const SHORT = [2, 4, 6, 9, 11];
const ALL = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const BOTH: LeftOut['skip'] = ['BACKWARD', 'FORWARD'];

const cautionsOf = (rrule: string, date = '2027-01-31', bounds: object = {}) =>
  cautions({ rrule, dtstart_local: `${date}T09:00`, timezone: 'Europe/Athens' }, { ...NO_BOUNDS, ...bounds });

describe('a rule names days that months lack', () => {
  test.each<[rrule: string, date: string, months: number[], sometimes: number[], skip: LeftOut['skip']]>([
    ['FREQ=MONTHLY;BYMONTHDAY=31', '2027-01-01', SHORT, [], BOTH],
    ['FREQ=MONTHLY;BYMONTHDAY=30', '2027-01-01', [2], [], BOTH],
    ['FREQ=MONTHLY;BYMONTHDAY=29', '2027-01-01', [], [2], BOTH],
    ['FREQ=MONTHLY;BYMONTHDAY=-31', '2027-01-01', SHORT, [], BOTH],
    ['FREQ=MONTHLY;BYMONTHDAY=-30', '2027-01-01', [2], [], BOTH],
    ['FREQ=MONTHLY;BYMONTHDAY=-29', '2027-01-01', [], [2], BOTH],
    ['FREQ=MONTHLY;BYMONTHDAY=15,31', '2027-01-01', SHORT, [], BOTH],
    ['FREQ=MONTHLY;BYMONTHDAY=29,30', '2027-01-01', [2], [], BOTH],
    ['FREQ=MONTHLY;BYMONTHDAY=31;SKIP=OMIT', '2027-01-01', SHORT, [], BOTH],
    ['FREQ=MONTHLY;BYMONTHDAY=31;BYDAY=FR', '2027-01-01', SHORT, [], BOTH],
    ['FREQ=MONTHLY;BYMONTH=2,3;BYMONTHDAY=31', '2027-01-01', [2], [], BOTH],
    ['FREQ=MONTHLY', '2027-01-31', SHORT, [], BOTH],
    ['FREQ=MONTHLY', '2027-01-30', [2], [], BOTH],
    ['FREQ=MONTHLY', '2027-01-29', [], [2], BOTH],
    ['FREQ=MONTHLY;INTERVAL=2', '2027-01-31', [9, 11], [], BOTH],
    ['FREQ=MONTHLY;INTERVAL=3', '2027-01-31', [4], [], BOTH],
    ['FREQ=MONTHLY;INTERVAL=5', '2027-01-31', SHORT, [], BOTH],
    ['FREQ=MONTHLY;INTERVAL=12', '2028-02-29', [], [2], BOTH],
    // 2100 is no leap year.
    ['FREQ=MONTHLY;INTERVAL=48', '2028-02-29', [], [2], BOTH],
    ['FREQ=YEARLY;BYMONTH=4,5;BYMONTHDAY=31', '2027-01-01', [4], [], BOTH],
    ['FREQ=YEARLY;BYMONTHDAY=31', '2027-01-01', SHORT, [], BOTH],
    ['FREQ=YEARLY;BYMONTH=3,4', '2027-03-31', [4], [], BOTH],
    ['FREQ=YEARLY;BYMONTH=2,3;BYMONTHDAY=29', '2028-02-29', [], [2], BOTH],
    ['FREQ=DAILY;BYMONTHDAY=31', '2027-01-01', SHORT, [], []],
    ['FREQ=DAILY;BYMONTHDAY=31;SKIP=BACKWARD', '2027-01-01', SHORT, [], []],
    ['FREQ=DAILY;BYMONTHDAY=-30;BYMONTH=2,3', '2027-01-01', [2], [], []],
    ['FREQ=MONTHLY;BYDAY=5MO', '2027-01-01', [], ALL, []],
    ['FREQ=MONTHLY;BYDAY=-5MO', '2027-01-01', [], ALL, []],
    ['FREQ=MONTHLY;BYDAY=1MO,5TU', '2027-01-01', [], ALL, []],
    ['FREQ=YEARLY;BYMONTH=3;BYDAY=5MO', '2027-01-01', [], [3], []],
    ['FREQ=MONTHLY;BYDAY=5MO;SKIP=FORWARD', '2027-01-01', [], ALL, []],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=5', '2027-01-01', [], ALL, []],
    ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-5', '2027-01-01', [], ALL, []],
    ['FREQ=YEARLY;BYMONTH=3;BYDAY=MO;BYSETPOS=5', '2027-01-01', [], [3], []],
    ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=21', '2027-01-01', [], SHORT, []],
    ['FREQ=MONTHLY;BYMONTHDAY=30,31;BYSETPOS=1', '2027-01-01', [2], [], BOTH],
    ['FREQ=MONTHLY;BYMONTHDAY=30,31;BYSETPOS=2;SKIP=BACKWARD', '2027-01-01', SHORT, [], []],
    // SKIP cannot help with the fifth Monday.
    ['FREQ=MONTHLY;BYMONTHDAY=31;BYDAY=5MO', '2027-01-01', SHORT, [1, 3, 5, 7, 8, 10, 12], []],
  ])('%s from %s', (rrule, date, months, sometimes, skip) => {
    expect(cautionsOf(rrule, date)).toEqual({
      warnings: ['months_left_out'],
      left_out: { months, sometimes, skip },
    });
  });

  test.each([
    ['FREQ=YEARLY', '2028-02-29'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', '2027-01-01'],
    ['FREQ=YEARLY;INTERVAL=4', '2028-02-29'],
  ])('%s from %s warns of leap years, and says what helps', (rrule, date) => {
    expect(cautionsOf(rrule, date)).toEqual({
      warnings: ['leap_years_only'],
      left_out: { months: [], sometimes: [2], skip: BOTH },
    });
  });
});

test.each([
  ['FREQ=MONTHLY;BYMONTHDAY=28'],
  ['FREQ=MONTHLY;BYMONTHDAY=-28,-1'],
  ['FREQ=MONTHLY;BYMONTHDAY=-1'],
  ['FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1'],
  ['FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR;BYSETPOS=1'],
  ['FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR'],
  ['FREQ=MONTHLY;BYMONTH=1,3,5;BYMONTHDAY=31'],
  ['FREQ=YEARLY;BYMONTH=1,3,5;BYMONTHDAY=31'],
  ['FREQ=YEARLY'],
  ['FREQ=YEARLY;BYDAY=53MO'],
  ['FREQ=YEARLY;BYDAY=5MO'],
  ['FREQ=MONTHLY;INTERVAL=12'],
  ['FREQ=MONTHLY;BYDAY=4MO,-4TU,WE'],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1,-1'],
  ['FREQ=WEEKLY;BYDAY=MO;BYSETPOS=1'],
  ['FREQ=DAILY'],
  ['FREQ=MONTHLY;SKIP=BACKWARD'],
  ['FREQ=MONTHLY;SKIP=FORWARD'],
  ['FREQ=MONTHLY;BYMONTHDAY=-31,30;SKIP=FORWARD'],
  ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;SKIP=BACKWARD'],
  ['FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29;SKIP=FORWARD'],
])('%s leaves no month out', (rrule) => {
  expect(cautionsOf(rrule)).toEqual({ warnings: [], left_out: null });
});

test('a schedule without a rule leaves no month out', () => {
  expect(cautionsOf('')).toEqual({ warnings: [], left_out: null });
});

describe('only the time of a rule counts', () => {
  test.each<[rrule: string, bounds: object, months: number[]]>([
    ['FREQ=MONTHLY;COUNT=3', {}, [2, 4]],
    ['FREQ=MONTHLY;COUNT=2', {}, [2]],
    ['FREQ=MONTHLY;COUNT=9', { ends_on: '2027-04-30' }, [2, 4]],
    ['FREQ=MONTHLY;UNTIL=20270430', {}, [2, 4]],
    ['FREQ=MONTHLY;UNTIL=20270429', {}, [2]],
    // It is half past nine in Athens.
    ['FREQ=MONTHLY;UNTIL=20270430T063000Z', {}, [2, 4]],
    ['FREQ=MONTHLY;UNTIL=20270430T053000Z', {}, [2]],
    ['FREQ=MONTHLY', { ends_on: '2027-04-30' }, [2, 4]],
    ['FREQ=MONTHLY', { starts_on: '2027-03-01', ends_on: '2027-05-31' }, [4]],
    ['FREQ=MONTHLY;BYMONTHDAY=-31', { starts_on: '2027-02-01', ends_on: '2027-04-01' }, [2, 4]],
    ['FREQ=MONTHLY;BYMONTHDAY=-31', { starts_on: '2027-02-02', ends_on: '2027-04-01' }, [4]],
    ['FREQ=MONTHLY;BYMONTHDAY=29;UNTIL=20271231', {}, [2]],
    ['FREQ=MONTHLY;BYDAY=5MO;UNTIL=20270430', { starts_on: '2027-02-01' }, [2, 4]],
  ])('%s within %j', (rrule, bounds, months) => {
    expect(cautionsOf(rrule, '2027-01-31', bounds).left_out).toMatchObject({ months, sometimes: [] });
  });

  test.each<[rrule: string, bounds: object]>([
    ['FREQ=MONTHLY;COUNT=1', {}],
    ['FREQ=MONTHLY;UNTIL=20270227', {}],
    ['FREQ=MONTHLY', { starts_on: '2027-07-01', ends_on: '2027-08-31' }],
    ['FREQ=MONTHLY;BYMONTHDAY=29', { starts_on: '2028-01-01', ends_on: '2028-12-31' }],
  ])('%s within %j leaves no month out', (rrule, bounds) => {
    expect(cautionsOf(rrule, '2027-01-31', bounds)).toEqual({ warnings: [], left_out: null });
  });
});
