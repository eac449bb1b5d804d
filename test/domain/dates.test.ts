import { dayStarts } from '../../infra/web/admin/days.ts';
import { expiryOf, remindersOf } from '../../shared/domain/certificates.ts';
import { type ActionRule, dueDate } from '../../shared/domain/due-dates.ts';
import { escalationAt } from '../../shared/domain/escalation.ts';
import { nextDigest, weekBefore } from '../../shared/domain/mail/client-digest.ts';
import { monthIn } from '../../shared/domain/numbers/counting.ts';
import { addDuration, clockOf, occurrences } from '../../shared/domain/recurrence/index.ts';
import { inspectionsFileName } from '../../shared/domain/report/file-name.ts';
import { nextVisit, visitStart } from '../../shared/domain/schedules/after.ts';
import { holidaysOf } from '../../shared/domain/schedules/holidays.ts';
import { FindingRule } from '../../shared/schemas/templates/content.ts';
import { monthBefore } from '../../shared/table/months.ts';

/*
 * The days on which dates go wrong: the last of a month, a leap day, the end of a year in zones on both sides of UTC, and
 * the days on which clocks change: by an hour, by half an hour, and so that midnight is skipped or shown twice.
 */

describe('a month', () => {
  test.each([
    ['2027-03', 1, '2027-02'],
    ['2027-01', 1, '2026-12'],
    ['2028-02', 12, '2027-02'],
    ['2027-12', 14, '2026-10'],
  ])('before %s by %i is %s', (month, count, before) => {
    expect(monthBefore(month, count)).toBe(before);
  });

  test.each([
    ['2027-01-01T10:59:59.999Z', 'Pacific/Auckland', '2027-01'],
    ['2026-12-31T10:59:59.999Z', 'Pacific/Auckland', '2026-12'],
    ['2026-12-31T11:00:00.000Z', 'Pacific/Auckland', '2027-01'],
    ['2027-01-01T07:59:59.999Z', 'America/Los_Angeles', '2026-12'],
    ['2027-01-01T08:00:00.000Z', 'America/Los_Angeles', '2027-01'],
    ['2028-02-29T23:30:00.000Z', 'Europe/Berlin', '2028-03'],
    ['2027-10-31T23:00:00.000Z', 'Europe/Berlin', '2027-11'],
  ])('at %s in %s is %s', (at, zone, month) => {
    expect(monthIn(zone, at)).toBe(month);
    expect(inspectionsFileName(at, zone)).toContain(month);
  });
});

describe('a duration', () => {
  test.each([
    ['2027-01-31T12:00:00.000Z', 'P1M', 'UTC', '2027-02-28T12:00:00.000Z'],
    ['2028-01-31T12:00:00.000Z', 'P1M', 'UTC', '2028-02-29T12:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', 'P1Y', 'UTC', '2029-02-28T12:00:00.000Z'],
    ['2027-03-27T23:00:00.000Z', 'P1D', 'Europe/Berlin', '2027-03-28T22:00:00.000Z'],
    ['2027-03-27T23:00:00.000Z', 'PT24H', 'Europe/Berlin', '2027-03-28T23:00:00.000Z'],
    ['2027-10-30T22:00:00.000Z', 'P1D', 'Europe/Berlin', '2027-10-31T23:00:00.000Z'],
    ['2027-03-13T17:00:00.000Z', 'P1D', 'America/New_York', '2027-03-14T16:00:00.000Z'],
    ['2027-04-03T01:00:00.000Z', 'P1D', 'Australia/Lord_Howe', '2027-04-04T01:30:00.000Z'],
    ['2027-10-02T01:30:00.000Z', 'P1D', 'Australia/Lord_Howe', '2027-10-03T01:00:00.000Z'],
    ['2018-11-03T03:00:00.000Z', 'P1D', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
  ])('from %s on of %s in %s ends at %s', (at, duration, zone, end) => {
    expect(addDuration(at, duration, zone)).toBe(end);
  });
});

describe('midnight', () => {
  test.each([
    ['2027-03-28', 'Europe/Berlin', '2027-03-27T23:00:00.000Z'],
    ['2027-10-31', 'Europe/Berlin', '2027-10-30T22:00:00.000Z'],
    ['2027-03-14', 'America/New_York', '2027-03-14T05:00:00.000Z'],
    ['2027-11-07', 'America/New_York', '2027-11-07T04:00:00.000Z'],
    ['2027-04-04', 'Pacific/Auckland', '2027-04-03T11:00:00.000Z'],
    ['2027-09-26', 'Pacific/Auckland', '2027-09-25T12:00:00.000Z'],
    ['2027-04-04', 'Australia/Lord_Howe', '2027-04-03T13:00:00.000Z'],
    // These clocks skip it.
    ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
    ['2025-03-30', 'Asia/Beirut', '2025-03-29T22:00:00.000Z'],
    ['2025-04-25', 'Africa/Cairo', '2025-04-24T22:00:00.000Z'],
    ['2025-03-09', 'America/Havana', '2025-03-09T05:00:00.000Z'],
    ['2025-09-07', 'America/Santiago', '2025-09-07T04:00:00.000Z'],
    ['2025-03-30', 'Atlantic/Azores', '2025-03-30T01:00:00.000Z'],
    // These show it, or the hour before it, twice.
    ['2025-11-02', 'America/Havana', '2025-11-02T04:00:00.000Z'],
    ['2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00.000Z'],
    ['2025-10-26', 'Asia/Beirut', '2025-10-25T22:00:00.000Z'],
  ])('of %s in %s is the first moment of that day: %s', (date, zone, start) => {
    expect(clockOf(zone)(`${date}T00:00`).starts_at).toBe(start);
    expect(dayStarts(zone)(date)).toBe(start);
    const former = new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10);
    expect(dayStarts(zone)(former, 1)).toBe(start);
  });
});

describe('a certificate', () => {
  test.each([
    ['2027-01-31T10:59:59.000Z', 'P1M', 'Pacific/Auckland', '2027-02-28T10:59:59.000Z'],
    ['2027-01-31T11:00:00.000Z', 'P1M', 'Pacific/Auckland', '2027-03-01T10:59:59.000Z'],
    ['2027-02-01T07:30:00.000Z', 'P1M', 'America/Los_Angeles', '2027-03-01T07:59:59.000Z'],
    ['2028-02-29T12:00:00.000Z', 'P12M', 'Europe/Berlin', '2029-02-28T22:59:59.000Z'],
    ['2027-02-28T12:00:00.000Z', 'P28D', 'Europe/Berlin', '2027-03-28T21:59:59.000Z'],
    ['2017-11-03T12:00:00.000Z', 'P1Y', 'America/Sao_Paulo', '2018-11-04T02:59:59.000Z'],
    // The last hour of 28 March 2026 does not exist there.
    ['2025-03-29T01:30:00.000Z', 'P1Y', 'America/Nuuk', '2026-03-29T00:59:59.000Z'],
  ])('of an inspection at %s is valid for %s in %s: until %s', (inspected, valid, zone, end) => {
    expect(expiryOf(inspected, valid, zone)).toBe(end);
  });

  test('is reminded of a month before its end, however long that month is', () => {
    expect(
      remindersOf('2027-03-31T21:59:59.000Z', ['P1M', 'P30D'], 'Europe/Berlin', '2027-01-01T00:00:00.000Z'),
    ).toEqual(['2027-02-28T22:59:59.000Z', '2027-03-01T22:59:59.000Z']);
  });
});

describe('the next visit', () => {
  const plan = (every: string) => ({
    recurrence: { rrule: '', dtstart_local: '2024-01-01T09:00', timezone: 'UTC' },
    starts_on: null,
    ends_on: null,
    after: { of: 'pass' as const, every },
    window: { due_after: 'P1D' },
  });

  test.each([
    ['2027-01-31T12:00:00.000Z', 'P1M', 'UTC', '2027-02-28'],
    ['2027-01-31T12:00:00.000Z', 'P1M', 'Pacific/Auckland', '2027-03-01'],
    ['2028-02-29T12:00:00.000Z', 'P12M', 'UTC', '2029-02-28'],
    ['2027-03-01T07:30:00.000Z', 'P1M', 'America/Los_Angeles', '2027-03-28'],
    ['2025-03-29T01:30:00.000Z', 'P1Y', 'America/Nuuk', '2026-03-28'],
  ])('after one at %s by %s in %s is on %s', (counted_at, every, zone, date) => {
    const dates = { first_on: '2024-01-01', last_on: '2024-01-01' };
    const visits = { counted_at, ended_at: counted_at, is_open: false };
    expect(nextVisit(plan(every), zone, dates, visits)?.date).toBe(date);
  });

  test.each([
    ['2027-03-28', 'Europe/Berlin', '2027-03-28T07:00:00.000Z'],
    ['2027-10-31', 'Europe/Berlin', '2027-10-31T08:00:00.000Z'],
    ['2027-10-03', 'Australia/Lord_Howe', '2027-10-02T22:00:00.000Z'],
  ])('on %s in %s starts at nine on the clocks: %s', (date, zone, start) => {
    expect(visitStart(plan('P1M'), date, zone)).toBe(start);
  });
});

test.each([
  ['2027-03-27', '2027-03-28', 'Europe/Berlin', ['2027-03-27T01:15:00.000Z', '2027-03-28T01:15:00.000Z']],
  ['2027-10-30', '2027-10-31', 'Europe/Berlin', ['2027-10-30T00:15:00.000Z', '2027-10-31T00:15:00.000Z']],
  [
    '2027-10-02',
    '2027-10-03',
    'Australia/Lord_Howe',
    ['2027-10-01T15:45:00.000Z', '2027-10-02T15:45:00.000Z'],
  ],
])('a schedule of 02:15 occurs on %s and %s in %s', (from, until, timezone, starts) => {
  const recurrence = { rrule: 'FREQ=DAILY', dtstart_local: '2027-01-31T02:15', timezone };
  const found = [...occurrences(recurrence, { starts_on: null, ends_on: null }, { from, until })];
  expect(found.map(({ starts_at }) => starts_at)).toEqual(starts);
});

describe('an action', () => {
  const settings = { title: 'Mend it', due_by_severity: { minor: 'P1D' } };
  const rule: ActionRule = FindingRule.parse({ corrective_action: settings }).corrective_action!;

  test.each([
    ['2027-01-31T12:00:00.000Z', 'Pacific/Auckland', '2027-02-02T10:59:59.000Z'],
    ['2027-02-01T05:00:00.000Z', 'America/Los_Angeles', '2027-02-02T07:59:59.000Z'],
    ['2028-02-28T12:00:00.000Z', 'UTC', '2028-02-29T23:59:59.000Z'],
    ['2027-10-30T12:00:00.000Z', 'Europe/Berlin', '2027-10-31T22:59:59.000Z'],
    ['2018-11-02T12:00:00.000Z', 'America/Sao_Paulo', '2018-11-04T02:59:59.000Z'],
    ['2025-10-24T12:00:00.000Z', 'Asia/Beirut', '2025-10-25T21:59:59.000Z'],
  ])('of a visit at %s in %s is due at the end of the next day: %s', (at, timezone, due) => {
    const times = { visited_at: at, created_at: at };
    expect(dueDate(rule, 'minor', times, { timezone, weekend_days: [] }).due_at).toBe(due);
  });

  test('escalates after days of 24 hours, on the last of a month and a leap day as well', () => {
    const levels = [{ after: 'P1D', to: 'admins' }] as unknown as Parameters<typeof escalationAt>[0];
    const next = (due: string) => escalationAt(levels, due, undefined, due).next;
    expect(next('2027-01-31T22:59:59.000Z')).toBe('2027-02-01T22:59:59.000Z');
    expect(next('2028-02-28T22:59:59.000Z')).toBe('2028-02-29T22:59:59.000Z');
    expect(next('2027-10-30T21:59:59.000Z')).toBe('2027-10-31T21:59:59.000Z');
  });
});

test.each([
  ['2026-12-31T12:00:00.000Z', 'Pacific/Auckland', '2027-01-03T18:00:00.000Z'],
  ['2027-01-31T23:40:00.000Z', 'America/Los_Angeles', '2027-02-01T15:00:00.000Z'],
  ['2028-02-28T23:00:00.000Z', 'UTC', '2028-03-06T07:00:00.000Z'],
  ['2027-10-30T12:00:00.000Z', 'Europe/Berlin', '2027-11-01T06:00:00.000Z'],
])('from %s on, the digest of Mondays in %s follows at %s, a week after the last one', (now, zone, next) => {
  expect(nextDigest(now, 'monday', zone)).toBe(next);
  expect(nextDigest(weekBefore(next, zone), 'monday', zone)).toBe(next);
});

test('holidays that recur are read until ten years later on a leap day as well', () => {
  const text = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'BEGIN:VEVENT',
    'UID:1',
    'DTSTART;VALUE=DATE:20360228',
    'RRULE:FREQ=YEARLY',
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n');
  expect(holidaysOf(text, '2028-02-29', 10).map(({ date }) => date)).toEqual([
    '2036-02-28',
    '2037-02-28',
    '2038-02-28',
  ]);
});
