import {
  datesOf,
  heldElsewhere,
  missedSpan,
  nextSpan,
} from '../../infra/web/admin/explore/schedule-dates.ts';
import type { CalendarRow, Schedule } from '../../shared/schemas/schedules/schedule.ts';

const NOW = '2027-03-10T12:00:00.000Z';

type Given = Parameters<typeof nextSpan>[0];

const schedule = (rrule: string, more: Partial<Given> = {}): Given => ({
  recurrence: { rrule, dtstart_local: '2027-01-01T09:00', timezone: 'Europe/Lisbon' },
  after: null,
  places: null,
  location_ids: [],
  asset_ids: [],
  next_occurrence_at: null,
  ...more,
});

const many = Array.from({ length: 51 }, (_, n) => String(n));

describe('The days that the page of a schedule reads', () => {
  test.each<[string, Given, string, string]>([
    ['a daily rule', schedule('FREQ=DAILY'), '2027-03-09', '2027-03-25'],
    [
      'a daily rule at many places',
      schedule('FREQ=DAILY', { location_ids: many }),
      '2027-03-09',
      '2027-03-12',
    ],
    ['every second week', schedule('FREQ=WEEKLY;INTERVAL=2;BYDAY=MO'), '2027-03-09', '2027-07-01'],
    ['a yearly rule', schedule('FREQ=YEARLY'), '2027-03-09', '2028-03-08'],
    [
      'a rule whose next date is far away',
      schedule('FREQ=YEARLY;INTERVAL=4', { next_occurrence_at: '2030-05-02T08:00:00.000Z' }),
      '2030-05-01',
      '2031-05-01',
    ],
    [
      'visits that follow the last one',
      schedule('', { after: { of: 'pass', every: 'P12M' }, location_ids: many }),
      '2027-03-09',
      '2028-03-08',
    ],
  ])('follow from %s', (_, given, from, to) => {
    expect(nextSpan(given, NOW)).toEqual({ from, to });
  });

  test('are never more than a calendar may have', () => {
    for (const rrule of ['FREQ=DAILY;INTERVAL=99', 'FREQ=MONTHLY', 'FREQ=YEARLY;INTERVAL=9'])
      for (const { from, to } of [nextSpan(schedule(rrule), NOW), missedSpan(schedule(rrule), NOW)])
        expect((Date.parse(to) - Date.parse(from)) / 86_400_000 + 1).toBeLessThanOrEqual(366);
  });
});

const row = (more: Partial<CalendarRow>): CalendarRow => ({
  kind: 'projected',
  schedule_id: 's',
  title: 'Doors',
  inspection_id: null,
  occurrence_date: '2027-03-12',
  starts_at: '2027-03-12T09:00:00.000Z',
  due_at: null,
  location_id: null,
  asset_id: null,
  assignee_ids: [],
  status: 'projected',
  is_overdue: false,
  is_missed: false,
  override: null,
  ...more,
});

test('the rows of one occurrence are one date, with all its places and statuses; those left out stand apart', () => {
  const dates = datesOf([
    row({ location_id: 'a' }),
    row({ location_id: 'b', status: 'scheduled' }),
    row({ location_id: 'c' }),
    row({ location_id: 'd', status: 'skipped' }),
    row({ occurrence_date: '2027-03-13' }),
  ]);
  expect(dates.map(({ date, rows, statuses }) => [date, rows.length, statuses])).toEqual([
    ['2027-03-12', 3, ['projected', 'scheduled']],
    ['2027-03-12', 1, ['skipped']],
    ['2027-03-13', 1, ['projected']],
  ]);
});

test('a date is held elsewhere when it was moved, or starts on another day where the schedule is', () => {
  const where = (timezone: Schedule['timezone'] = null) => ({ ...schedule('FREQ=DAILY'), timezone });
  const held = (
    starts_at: string,
    timezone?: Schedule['timezone'],
    override: CalendarRow['override'] = null,
  ) => {
    const [date] = datesOf([row({ starts_at, override })]);
    return heldElsewhere(where(timezone), date!);
  };
  const move = { action: 'move' } as CalendarRow['override'];
  expect([
    held('2027-03-12T09:00:00.000Z'),
    held('2027-03-15T09:00:00.000Z'),
    held('2027-03-13T09:00:00.000Z', 'location'),
    held('2027-03-12T15:00:00.000Z', null, move),
  ]).toEqual([false, true, false, true]);
});
