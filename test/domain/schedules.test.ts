import { feed, type FeedRow } from '../../shared/domain/schedules/feed.ts';
import { projection, type Projected, type Span } from '../../shared/domain/schedules/projection.ts';
import type { CalendarRow } from '../../shared/schemas/schedules/schedule.ts';
import { uuid } from '../support/content.ts';

const at = (day: number, hour = 9): string => new Date(Date.UTC(2027, 2, day, hour)).toISOString();
const date = (day: number): string => at(day).slice(0, 10);

describe('what a calendar shows of a schedule', () => {
  const override = (day: number, action: string, more: object = {}) =>
    ({
      occurrence_date: date(day),
      action,
      new_at: null,
      assignee_ids: null,
      reason: null,
      is_settled: false,
      ...more,
    }) as never;
  const schedule = (more: Partial<Projected> = {}): Projected => ({
    id: uuid(1),
    title: 'Cranes',
    recurrence: { rrule: 'FREQ=DAILY', dtstart_local: '2027-03-01T09:00', timezone: 'UTC' },
    starts_on: null,
    ends_on: null,
    handled_until: at(1, 0),
    restored: [],
    after: null,
    timezone: null,
    on_holiday: null,
    place_ids: null,
    assignee_ids: [uuid(2)],
    window: { due_after: 'P2D' } as never,
    overrides: [],
    ...more,
  });
  const SPAN: Span = { from: at(2, 0), until: at(4, 0) };
  const shown = (more: Partial<Projected> = {}, span = SPAN, isActive = true) =>
    [...projection(schedule(more), isActive, span)].map(
      ({ starts_at, status }) => `${starts_at.slice(5, 13)} ${status}`,
    );

  test('is each occurrence that is still to be created', () => {
    const rows = [...projection(schedule(), true, { from: at(2, 0), until: at(3, 0) })];
    expect(rows).toEqual([
      {
        kind: 'projected',
        schedule_id: uuid(1),
        title: 'Cranes',
        inspection_id: null,
        occurrence_date: date(2),
        starts_at: at(2),
        due_at: at(4),
        location_id: null,
        asset_id: null,
        assignee_ids: [uuid(2)],
        status: 'projected',
        is_overdue: false,
        is_missed: false,
        override: null,
      },
    ]);
  });

  test('is due a day later by the clocks of its time zone, also when they change', () => {
    const recurrence = { rrule: 'FREQ=DAILY', dtstart_local: '2027-03-01T09:00', timezone: 'Europe/Berlin' };
    const span = { from: at(27, 0), until: at(28, 0) };
    const [row] = [
      ...projection(schedule({ recurrence, window: { due_after: 'P1D' } as never }), true, span),
    ];
    expect(row).toMatchObject({ starts_at: at(27, 8), due_at: at(28, 7) });
  });

  test('is within its span, whose end does not belong to it', () => {
    expect(shown({}, { from: at(2, 9), until: at(4, 9) })).toEqual([
      '03-02T09 projected',
      '03-03T09 projected',
    ]);
    expect(shown({}, { from: at(2, 10), until: at(4, 10) })).toEqual([
      '03-03T09 projected',
      '03-04T09 projected',
    ]);
  });

  test('begins after what was dealt with, beside what was restored', () => {
    expect(shown({ handled_until: at(2) })).toEqual(['03-03T09 projected']);
    expect(shown({ handled_until: at(5), restored: [date(3)] })).toEqual(['03-03T09 projected']);
  });

  test('is at every location', () => {
    const rows = [...projection(schedule({ place_ids: [uuid(7), uuid(8)] }), true, SPAN)];
    expect(rows.map(({ occurrence_date, location_id }) => [occurrence_date, location_id])).toEqual([
      [date(2), uuid(7)],
      [date(2), uuid(8)],
      [date(3), uuid(7)],
      [date(3), uuid(8)],
    ]);
  });

  test('says what an override leaves out, also of a schedule that creates nothing and of what was dealt with', () => {
    const overrides = [override(2, 'skip'), override(3, 'cancel')];
    const left = ['03-02T09 skipped', '03-03T09 cancelled'];
    expect(shown({ overrides })).toEqual(left);
    expect(shown({ overrides, handled_until: at(9) })).toEqual(left);
    expect(shown({ overrides }, SPAN, false)).toEqual(left);
    expect(shown({}, SPAN, false)).toEqual([]);
  });

  test('is moved to its new time, in the order of the starts, until it has inspections', () => {
    const later = (more: object = {}) => [override(2, 'move', { new_at: at(3, 12), ...more })];
    expect(shown({ overrides: later() })).toEqual(['03-03T09 projected', '03-03T12 projected']);
    expect(shown({ overrides: later({ is_settled: true }) })).toEqual(['03-03T09 projected']);
    expect(shown({ overrides: later() }, SPAN, false)).toEqual([]);
    expect(shown({ overrides: later({ new_at: at(4, 0) }) })).toEqual(['03-03T09 projected']);
    const earlier = [override(9, 'move', { new_at: at(2, 8) }), override(8, 'move', { new_at: at(2, 7) })];
    expect(shown({ overrides: earlier })).toEqual([
      '03-02T07 projected',
      '03-02T08 projected',
      '03-02T09 projected',
      '03-03T09 projected',
    ]);
  });

  test('has other people where an override says so', () => {
    const [row] = [
      ...projection(
        schedule({ overrides: [override(2, 'reassign', { assignee_ids: [uuid(5)] })] }),
        true,
        SPAN,
      ),
    ];
    expect(row).toMatchObject({
      status: 'projected',
      assignee_ids: [uuid(5)],
      override: { action: 'reassign' },
    });
  });

  test('has an occurrence that starts on the date after its own, where clocks skip its time', () => {
    const recurrence = { rrule: 'FREQ=DAILY', dtstart_local: '2011-12-29T09:00', timezone: 'Pacific/Apia' };
    const span = { from: '2011-12-29T00:00:00.000Z', until: '2012-01-01T00:00:00.000Z' };
    const dates = [
      ...projection(schedule({ recurrence, handled_until: '2011-01-01T00:00:00.000Z' }), true, span),
    ].map(({ occurrence_date, starts_at }) => [occurrence_date, starts_at]);
    expect(dates.every(([, starts_at]) => starts_at! >= span.from && starts_at! < span.until)).toBe(true);
    expect(dates.map(([occurrence_date]) => occurrence_date)).toContain('2011-12-29');
  });
});

describe('the feed of a calendar', () => {
  const NOW = new Date('2027-03-01T08:00:00Z');
  const row = (changes: Partial<CalendarRow> = {}, more: Partial<FeedRow> = {}): FeedRow => ({
    row: {
      schedule_id: uuid(1),
      occurrence_date: date(2),
      location_id: uuid(7),
      asset_id: null,
      title: 'Cranes',
      starts_at: at(2),
      due_at: at(4),
      status: 'scheduled',
      override: null,
      ...changes,
    } as CalendarRow,
    sequence: 3,
    location: 'Yard',
    ...more,
  });
  const written = async (...rows: FeedRow[]) => {
    const parts = await Array.fromAsync(
      feed(
        'Our cranes',
        (async function* () {
          yield* rows;
        })(),
        NOW,
      ),
    );
    return { parts, lines: parts.join('').replaceAll('\r\n ', '').split('\r\n') };
  };
  const events = (lines: string[]) => lines.filter((line) => line === 'BEGIN:VEVENT').length;

  test('is a calendar, empty or not', async () => {
    const { lines } = await written();
    expect(lines).toEqual([
      'BEGIN:VCALENDAR',
      'VERSION:2.0',
      'PRODID:-//inspection-service//schedules//EN',
      'METHOD:PUBLISH',
      'NAME:Our cranes',
      'X-WR-CALNAME:Our cranes',
      'END:VCALENDAR',
    ]);
    const one = await written(row());
    expect([one.lines[0], one.lines.at(-1), events(one.lines)]).toEqual([
      'BEGIN:VCALENDAR',
      'END:VCALENDAR',
      1,
    ]);
  });

  test('has the event of each row', async () => {
    const { lines } = await written(row());
    expect(lines).toEqual(
      expect.arrayContaining([
        `UID:${uuid(1)}-2027-03-02-${uuid(7)}`,
        'SEQUENCE:3',
        'DTSTAMP:20270301T080000Z',
        'DTSTART:20270302T090000Z',
        'DTEND:20270304T090000Z',
        'SUMMARY:Cranes',
        'LOCATION:Yard',
        'STATUS:CONFIRMED',
      ]),
    );
    expect(lines.join('\n')).not.toContain('DESCRIPTION');
  });

  test('has no place, end or reason where there is none', async () => {
    const { lines } = await written(row({ location_id: null, due_at: at(2) }, { location: undefined }));
    expect(lines).toContain(`UID:${uuid(1)}-2027-03-02`);
    expect(lines.filter((line) => /^(DTEND|LOCATION|DESCRIPTION)/.test(line))).toEqual([]);
    expect((await written(row({ due_at: null }))).lines.join('\n')).not.toContain('DTEND');
    const why = await written(row({ override: { reason: 'Holiday' } as never }));
    expect(why.lines).toContain('DESCRIPTION:Holiday');
  });

  test.each([
    ['archived', 'CANCELLED'],
    ['skipped', 'CANCELLED'],
    ['cancelled', 'CANCELLED'],
    ['projected', 'TENTATIVE'],
    ['completed', 'CONFIRMED'],
  ])('shows the status %s as %s', async (status, shown) => {
    expect((await written(row({ status: status as CalendarRow['status'] }))).lines).toContain(
      `STATUS:${shown}`,
    );
  });

  test('is written two hundred events at a time', async () => {
    const rows = (count: number) => Array.from({ length: count }, () => row());
    const sizes = async (count: number) => {
      const { parts, lines } = await written(...rows(count));
      expect([events(lines), lines.filter((line) => line === 'END:VCALENDAR').length]).toEqual([count, 1]);
      return parts.map((part) => events(part.split('\r\n')));
    };
    expect(await sizes(200)).toEqual([0, 200, 0]);
    expect(await sizes(201)).toEqual([0, 200, 1, 0]);
  });
});
