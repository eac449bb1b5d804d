import {
  afterWork,
  nextWork,
  outlook,
  passOver,
  type Plan,
  replan,
} from '../../shared/domain/schedules/plan.ts';
import { timesFrom } from '../../shared/schedules/occurrence.ts';
import { withOutlook } from '../../shared/schedules/records.ts';
import type { StoredSchedule } from '../../shared/table/entities/schedules.ts';

const at = (day: number, hour = 9): string => new Date(Date.UTC(2027, 2, day, hour)).toISOString();
const date = (day: number): string => at(day).slice(0, 10);

/** Every day at 09:00 of March 2027; nothing is handled yet. */
const planWith = (fields: Partial<Plan> = {}): Plan => ({
  status: 'active',
  recurrence: { rrule: 'FREQ=DAILY', dtstart_local: '2027-03-01T09:00', timezone: 'UTC' },
  starts_on: null,
  ends_on: null,
  create_ahead_days: 0,
  overrides: [],
  handled_until: at(1, 0),
  restored: [],
  after: null,
  timezone: null,
  on_holiday: null,
  ...fields,
});

const override = (
  day: number,
  action: 'skip' | 'move' | 'reassign' | 'cancel',
  new_at: string | null = null,
) => ({
  occurrence_date: date(day),
  action,
  new_at,
  is_settled: false,
});

/** The dates whose inspections are created by a time, in their order, and the plan after that. */
const created = (plan: Plan, now: string): { dates: string[]; plan: Plan } => {
  const dates: string[] = [];
  let current = plan;
  for (let work = nextWork(current, now); work; work = nextWork(current, now)) {
    dates.push(work.occurrence_date);
    current = afterWork(current, work);
  }
  return { dates, plan: current };
};

test('after downtime every occurrence is created once, the first to start first', () => {
  const { dates, plan } = created(planWith(), at(4));
  expect(dates).toEqual([1, 2, 3, 4].map(date));
  expect(created(plan, at(4)).dates).toEqual([]);
  expect(created(planWith({ create_ahead_days: 2 }), at(1)).dates).toEqual([1, 2, 3].map(date));
});

test('a moved occurrence comes at its new time, before or after others, and once', () => {
  const later = planWith({ overrides: [override(1, 'move', at(3, 12))] });
  expect(created(later, at(4)).dates).toEqual([2, 3, 1, 4].map(date));
  const earlier = planWith({ overrides: [override(4, 'move', at(2, 8))] });
  const { dates, plan } = created(earlier, at(5));
  expect(dates).toEqual([1, 4, 2, 3, 5].map(date));
  expect(created(plan, at(5)).dates).toEqual([]);
});

test('what is left out is not created; what changes hands is', () => {
  const overrides = [override(1, 'skip'), override(2, 'cancel'), override(3, 'reassign')];
  expect(created(planWith({ overrides }), at(4)).dates).toEqual([3, 4].map(date));
});

test('a restored date is created although later ones were, and leaves the list', () => {
  const { dates, plan } = created(planWith({ handled_until: at(5), restored: [date(2)] }), at(6));
  expect(dates).toEqual([2, 6].map(date));
  expect(plan.restored).toEqual([]);
});

test('resuming passes over what has started meanwhile, also restored and moved, and keeps what is ahead', () => {
  const overrides = [override(2, 'move', at(3, 12)), override(3, 'move', at(8, 12))];
  const resumed = passOver(planWith({ overrides, restored: [date(1), date(7)] }), at(6, 10));
  expect(resumed).toMatchObject({ handled_until: at(6, 10), restored: [date(7)] });
  expect(resumed.overrides.map(({ is_settled }) => is_settled)).toEqual([true, false]);
  const ahead = planWith({ handled_until: at(9) });
  expect(passOver(ahead, at(6)).handled_until).toBe(at(9));
});

test('a schedule with an end has nothing ahead after its last occurrence, unless one was moved behind it', () => {
  const ending = planWith({ ends_on: date(2) });
  expect(outlook(ending, at(1, 0))).toEqual({ next_occurrence_at: at(1), due_at: at(1) });
  const { dates, plan } = created(ending, at(5));
  expect(dates).toEqual([1, 2].map(date));
  expect(outlook(plan, at(5))).toEqual({ next_occurrence_at: null, due_at: undefined });
  const moved = created(planWith({ ends_on: date(2), overrides: [override(2, 'move', at(9))] }), at(5)).plan;
  expect(outlook(moved, at(5))).toEqual({ next_occurrence_at: at(9), due_at: at(9) });
});

test('another rule takes the open overrides of its lost dates with it', () => {
  const overrides = [override(3, 'skip'), override(8, 'skip')];
  const ended = replan(planWith({ handled_until: at(6), ends_on: date(5), overrides }), at(2, 0));
  expect(ended.handled_until).toBe(at(2, 0));
  expect(ended.overrides.map(({ occurrence_date }) => occurrence_date)).toEqual([date(3)]);
});

test('what is to be created next says why, and a moved occurrence comes before another of the same time', () => {
  const plan = planWith({
    overrides: [override(4, 'move', at(2))],
    restored: [date(1)],
    handled_until: at(1),
  });
  const works: unknown[] = [];
  let current = plan;
  for (let work = nextWork(current, at(3)); work; work = nextWork(current, at(3))) {
    works.push(work);
    current = afterWork(current, work);
  }
  expect(works).toEqual([
    { occurrence_date: date(1), starts_at: at(1), by: 'restoration' },
    { occurrence_date: date(4), starts_at: at(2), by: 'move' },
    { occurrence_date: date(2), starts_at: at(2), by: 'rule' },
    { occurrence_date: date(3), starts_at: at(3), by: 'rule' },
  ]);
});

test('each restored date stays until it is created, and one that the rule no longer has is none', () => {
  const plan = planWith({ handled_until: at(9), restored: [date(2), '2026-01-01', date(3)] });
  const work = nextWork(plan, at(9))!;
  expect(work.occurrence_date).toBe(date(2));
  expect(afterWork(plan, work).restored).toEqual(['2026-01-01', date(3)]);
  expect(created(plan, at(9)).dates).toEqual([2, 3].map(date));
});

test('resuming passes over what starts in that very moment', () => {
  const overrides = [override(2, 'move', at(6))];
  const resumed = passOver(planWith({ overrides, restored: [date(6), date(7)] }), at(6));
  expect(resumed.restored).toEqual([date(7)]);
  expect(resumed.overrides.map(({ is_settled }) => is_settled)).toEqual([true]);
});

test('another rule keeps what is settled or past, and what should have been created before', () => {
  const sundays = { rrule: 'FREQ=WEEKLY;BYDAY=SU', dtstart_local: '2027-03-07T09:00', timezone: 'UTC' };
  const overrides = [
    override(3, 'skip'),
    override(4, 'skip'),
    { ...override(5, 'move', at(6)), is_settled: true },
    override(7, 'skip'),
    override(8, 'skip'),
  ];
  const changed = replan(planWith({ recurrence: sundays, handled_until: at(2), overrides }), at(4));
  expect(changed.handled_until).toBe(at(2));
  expect(changed.overrides.map(({ occurrence_date }) => occurrence_date)).toEqual([3, 5, 7].map(date));
});

test('what lies ahead starts later than now, and is created some days before', () => {
  const moved = (day: number, hour: number) => ({
    overrides: [{ ...override(20, 'move', at(day, hour)), is_settled: true }],
  });
  const next = (fields: Partial<Plan>, now: string) => outlook(planWith(fields), now).next_occurrence_at;
  expect(next(moved(5, 12), at(5, 10))).toBe(at(5, 12));
  expect(next(moved(5, 10), at(5, 10))).toBe(at(6));
  expect(next(moved(4, 10), at(5, 10))).toBe(at(6));
  expect(outlook(planWith({ create_ahead_days: 3, handled_until: at(5) }), at(5, 10))).toEqual({
    next_occurrence_at: at(6),
    due_at: at(3),
  });
});

test('an inspection is created so many days before its start, in that very moment', () => {
  const plan = planWith({ create_ahead_days: 2 });
  const due = new Date(Date.parse(at(1)) - 2 * 86_400_000);
  expect(nextWork(plan, new Date(due.valueOf() - 1).toISOString())).toBeUndefined();
  expect(nextWork(plan, due.toISOString())).toMatchObject({ occurrence_date: date(1) });
});

test('another rule takes the overrides from today on, by the date where the schedule is', () => {
  const sundays = {
    rrule: 'FREQ=WEEKLY;BYDAY=SU',
    dtstart_local: '2027-03-07T09:00',
    timezone: 'Pacific/Kiritimati',
  };
  const overrides = [override(3, 'skip'), override(4, 'skip')];
  // At 23:00 of the third in UTC it is the fourth there.
  const changed = replan(planWith({ recurrence: sundays, overrides }), at(3, 23));
  expect(changed.overrides.map(({ occurrence_date }) => occurrence_date)).toEqual([date(3)]);
});

test('a day until the due date is a day of the schedule’s time zone, also when clocks change', () => {
  const recurrence = { rrule: 'FREQ=DAILY', dtstart_local: '2027-03-01T09:00', timezone: 'Europe/Berlin' };
  const schedule = { recurrence, timezone: null, window: { due_after: 'P1D', miss_after: 'P2D' } };
  expect(timesFrom(schedule, '2027-03-27T08:00:00.000Z', null)).toEqual({
    scheduled_for: '2027-03-27T08:00:00.000Z',
    due_at: '2027-03-28T07:00:00.000Z',
    missed_after: '2027-03-29T07:00:00.000Z',
  });
});

describe('the generator finds a schedule', () => {
  const dueAtOf = (fields: Partial<StoredSchedule>, notBefore?: string) =>
    withOutlook({ ...planWith(), problems: [], ...fields } as StoredSchedule, at(1, 0), notBefore).due_at;
  const following = [{ ...override(5, 'skip'), following: 'override' }] as never;
  const oneMinuteLater = at(1, 0).replace(':00:00.000Z', ':01:00.000Z');

  test.each([
    ['when the next inspection is to be created', {}, undefined, at(1)],
    ['not before a time', {}, at(1, 12), at(1, 12)],
    ['at its own time, if that is later', {}, at(1, 6), at(1)],
    ['never while it is paused', { status: 'paused' as const }, undefined, undefined],
    ['one minute after an override was begun', { overrides: following }, undefined, oneMinuteLater],
    [
      'one minute after an override was begun, also while it is paused',
      { overrides: following, status: 'paused' as const },
      undefined,
      oneMinuteLater,
    ],
  ])('%s', (_, fields, notBefore, dueAt) => {
    expect(dueAtOf(fields, notBefore)).toBe(dueAt);
  });
});
