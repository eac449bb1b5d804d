import { as, locs } from '../support/call.ts';
import { uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';

let person: Person;
beforeAll(async () => {
  person = await newPerson('Preview');
});

const ATHENS = { rrule: 'FREQ=WEEKLY', dtstart_local: '2027-03-21T03:30', timezone: 'Europe/Athens' };

const preview = (recurrence: object, fields: object = {}) =>
  as(person.readOnlyKey).try.schedules.preview({
    body: { recurrence: { ...ATHENS, ...recurrence }, ...fields },
  });

describe('POST /inspection-schedules/preview', () => {
  test('200 shows the recurrence in words, its occurrences, and that it has no end', async () => {
    expect((await preview({}, { count: 2 })).body).toEqual({
      description: 'every week on Sunday at 03:30, Europe/Athens',
      occurrences: [
        {
          occurrence_date: '2027-03-21',
          starts_at: '2027-03-21T01:30:00.000Z',
          due_at: '2027-03-22T01:30:00.000Z',
          warning: null,
        },
        {
          occurrence_date: '2027-03-28',
          starts_at: '2027-03-28T01:30:00.000Z',
          // It started at half past four on the clocks, and is due at that time.
          due_at: '2027-03-29T01:30:00.000Z',
          warning: 'moved_forward',
        },
      ],
      warnings: [],
      left_out: null,
      is_finite: false,
      total: null,
    });
    expect((await preview({})).body.occurrences).toHaveLength(10);
  });

  test('200 for the body of a schedule as it is, which is checked for its form and not for what it names', async () => {
    const schedule = {
      title: 'Weekly walk',
      template_family_id: uuid(1),
      location_ids: [uuid(2)],
      assignee_ids: [uuid(3)],
      create_ahead_days: 3,
      external_ref: 'cmms-1',
      timezone: 'location',
    };
    expect((await preview({}, { ...schedule, count: 1 })).body).toEqual(
      (await preview({}, { count: 1 })).body,
    );
    const answer = await preview({}, { ...schedule, title: '', create_ahead_days: -1, colour: 'red' });
    expect([answer.status, locs(answer).toSorted()]).toEqual([
      422,
      ['body.colour', 'body.create_ahead_days', 'body.title'],
    ]);
    const visits = { rrule: '', dtstart_local: ATHENS.dtstart_local, timezone: ATHENS.timezone };
    const after = { of: 'pass', every: 'P12M' };
    expect(locs(await preview(visits, { after }))).toEqual(['body.recurrence.rrule']);
  });

  test('200 counts all occurrences of a rule that ends, and shows those from a date on', async () => {
    const { body } = await preview(
      { rrule: 'FREQ=DAILY;COUNT=20', dtstart_local: '2027-10-20T03:30' },
      { from: '2027-10-31', count: 1, starts_on: '2027-10-25', window: { due_after: 'PT24H' } },
    );
    expect(body).toMatchObject({
      description: 'every day at 03:30, Europe/Athens, 20 times',
      occurrences: [
        {
          occurrence_date: '2027-10-31',
          starts_at: '2027-10-31T00:30:00.000Z',
          due_at: '2027-11-01T00:30:00.000Z',
          warning: 'first_of_two',
        },
      ],
      is_finite: true,
      total: 15,
    });
  });

  test('200 shows nothing outside the bounds', async () => {
    const { body } = await preview({}, { starts_on: '2027-03-28', ends_on: '2027-03-28' });
    expect(body).toMatchObject({ occurrences: [{ occurrence_date: '2027-03-28' }], total: 1 });
    expect((await preview({}, { ends_on: '2027-03-01' })).body).toMatchObject({ occurrences: [], total: 0 });
  });

  test.each([
    ['FREQ=YEARLY', '2028-02-29T09:00', ['leap_years_only']],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', '2027-01-01T09:00', ['leap_years_only']],
    ['FREQ=YEARLY;COUNT=1', '2028-02-29T09:00', ['leap_years_only']],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1', '2028-02-29T09:00', []],
    ['FREQ=YEARLY;BYMONTH=2,3;BYMONTHDAY=29', '2028-02-29T09:00', ['months_left_out']],
    ['FREQ=YEARLY;SKIP=FORWARD', '2028-02-29T09:00', []],
    ['FREQ=YEARLY', '2027-02-28T09:00', []],
    ['FREQ=MONTHLY', '2028-02-29T09:00', ['months_left_out']],
    ['FREQ=MONTHLY', '2028-02-28T09:00', []],
  ])('200 warns of %s from %s: %j', async (rrule, dtstart_local, warnings) => {
    expect((await preview({ rrule, dtstart_local })).body).toMatchObject({ warnings });
  });

  test('200 lists the months that a rule leaves out, and what would include them', async () => {
    const monthly = { rrule: 'FREQ=MONTHLY', dtstart_local: '2027-01-31T09:00' };
    expect((await preview(monthly)).body).toMatchObject({
      warnings: ['months_left_out'],
      left_out: { months: [2, 4, 6, 9, 11], sometimes: [], skip: ['BACKWARD', 'FORWARD'] },
    });
    expect((await preview(monthly, { ends_on: '2027-04-30' })).body).toMatchObject({
      left_out: { months: [2, 4] },
    });
    expect(
      (await preview({ ...monthly, rrule: 'FREQ=MONTHLY;SKIP=BACKWARD' }, { count: 2 })).body,
    ).toMatchObject({
      description: 'every month on the 31st (in shorter months the last day) at 09:00, Europe/Athens',
      occurrences: [{ occurrence_date: '2027-01-31' }, { occurrence_date: '2027-02-28' }],
      warnings: [],
      left_out: null,
    });
  });

  test('422 reports every problem of a rule at its place', async () => {
    const { status, body } = await preview({ rrule: 'FREQ=HOURLY;BYMONTH=13' });
    expect(status).toBe(422);
    expect(body.detail.map(({ loc, msg }: { loc: string[]; msg: string }) => [loc, msg])).toEqual([
      [['body', 'recurrence', 'rrule'], 'Value error, FREQ=HOURLY is more often than daily'],
      [
        ['body', 'recurrence', 'rrule'],
        'Value error, BYMONTH must be whole numbers from 1 to 12, separated by commas',
      ],
    ]);
  });

  test.each([
    ['rrule', { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }],
    ['rrule', { rrule: 'X'.repeat(501) }],
    ['timezone', { timezone: 'Europe/Nowhere' }],
    ['timezone', { timezone: '+02:00' }],
    ['dtstart_local', { dtstart_local: '2027-02-30T09:00' }],
    ['dtstart_local', { dtstart_local: '2027-03-01' }],
    ['dtstart_local', { dtstart_local: '2027-03-01T09:00Z' }],
    ['dtstart_local', { dtstart_local: '2027-03-01T09:00:30' }],
    ['dtstart_local', { dtstart_local: '1969-12-31T09:00' }],
    ['dtstart_local', { dtstart_local: '2200-01-01T09:00' }],
  ])('422 names %s for %j', async (field, recurrence) => {
    const { status, body } = await preview(recurrence);
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc)).toEqual([['body', 'recurrence', field]]);
  });

  test.each(['P', 'PT', 'P1', '1D', '-P1D', 'P1.5D', 'P1DT', 'PT0H', 'P0D', 'P367D', 'P1Y1D', 'PT30S'])(
    '422 refuses the duration %s',
    async (due_after) => {
      const { status, body } = await preview({}, { window: { due_after } });
      expect(status).toBe(422);
      expect(body.detail).toHaveLength(1);
      expect(body.detail[0]).toMatchObject({ loc: ['body', 'window', 'due_after'], type: 'value_error' });
    },
  );

  test.each(['P366D', 'P1Y', 'PT8784H', 'P1M', 'P2W', 'PT1M'])(
    '200 takes the duration %s',
    async (due_after) => {
      expect((await preview({}, { window: { due_after } })).status).toBe(200);
    },
  );
});
