import type { Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { newAsset, newAssetKind } from '../assets/scenarios.ts';
import { newClient, newLocation } from '../inspections/fixtures.ts';
import { newRegion } from '../regions/scenarios.ts';
import type { Person } from '../support/people.ts';
import { inBatch, type Scenarios } from '../support/scenarios.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { DAILY, dateIn, generateAt, inDays, newSchedule, of } from './fixtures.ts';

/** Every setting of a new schedule. */
const setup = async (person: Person): Promise<object> => {
  const client = await newClient(person);
  const locations = await Promise.all([1, 2].map(() => newLocation(person, client.id)));
  return {
    client_account_id: client.id,
    location_ids: locations.map(({ id }) => id),
    assignee_ids: [person.caller.user_id],
    approver_id: person.adminId,
    create_ahead_days: 30,
    window: { due_after: 'PT8H', miss_after: 'P2D' },
    starts_on: '2027-01-01',
    ends_on: '2030-12-31',
    external_ref: 'cmms-1',
  };
};

/** A schedule of listed places, each with its time zone and people. */
const everywhere = async (person: Person): Promise<Record<string, unknown>> => {
  const people = [{ user_id: person.adminId, role: 'manager' }];
  const { id } = await person.locations.create({
    body: { name: 'Yard', timezone: 'Europe/Athens', people },
  });
  const { id: calendar_id } = await newCalendar(person);
  return {
    places: { location_ids: [id] },
    timezone: 'location',
    assignees: 'by_place',
    calendar_id,
    on_holiday: 'after',
  };
};

/** A schedule of the places that a filter finds. */
const filtered = async (person: Person): Promise<Record<string, unknown>> => {
  const client = await newClient(person);
  const location = await newLocation(person, client.id);
  return { places: { client_account_id: client.id, within: location.id } };
};

/** A schedule of the places of a region that have a tag, without the holidays of that region. */
const regional = async (person: Person): Promise<Record<string, unknown>> => {
  const { id: calendar_id } = await newCalendar(person);
  const { id: region_id } = await newRegion(person, { calendar_id });
  await person.locations.create({ body: { name: 'Shop', region_id, tags: ['shop'] } });
  return { places: { region_id, tags: ['shop'] }, on_holiday: 'skip' };
};

/** A schedule of assets: those that it names, or those of a kind at its places. */
const ofAssets = async (person: Person): Promise<Record<string, unknown>> => ({
  asset_ids: [(await newAsset(person)).id],
});
const ofKind = async (person: Person): Promise<Record<string, unknown>> => ({
  places: { asset_kind_id: (await newAssetKind(person)).id },
});

/** A schedule that counts from the last visit of a place. */
const visiting = async (person: Person): Promise<Record<string, unknown>> => {
  const { id } = await newLocation(person);
  return {
    location_ids: [id],
    recurrence: { dtstart_local: `${dateIn(2)}T09:00`, timezone: 'UTC' },
    after: { of: 'pass', every: 'P12M' },
  };
};

/** A schedule whose first occurrence has its inspection. */
const generated = async (person: Person, fields: object = {}): Promise<Schedule> => {
  const schedule = await newSchedule(person, { create_ahead_days: 1, ...fields });
  await generateAt(person, 0);
  return schedule;
};

const overridden = async (person: Person, schedule: Schedule, body: object) => {
  const { id: override_id } = await person.schedules.createOverride({ ...of(schedule), body });
  return { params: { schedule_id: schedule.id, override_id } };
};

const newCalendar = (person: Person): Promise<{ id: string }> =>
  person.schedules.createHolidayCalendar({ body: { name: 'Hamburg', dates: [{ date: '2026-12-25' }] } });

const ofCalendar = ({ id }: { id: string }) => ({ params: { calendar_id: id } });

const ICS = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:test',
  'BEGIN:VEVENT',
  'UID:1',
  'SUMMARY:Labour Day',
  'DTSTART;VALUE=DATE:20270501',
  'END:VEVENT',
  'END:VCALENDAR',
].join('\r\n');

const creatingSchedule: Scenarios[string] = [
  async (person) => ({
    body: {
      title: 'Visit of the shops',
      recurrence: DAILY,
      template_family_id: (await publishedFamily(person.key)).id,
      ...(await regional(person)),
    },
  }),
  async (person) => ({
    body: {
      title: 'Daily walk',
      recurrence: DAILY,
      template_family_id: (await publishedFamily(person.key)).id,
    },
  }),
  async (person) => ({
    body: {
      title: 'Daily walk',
      recurrence: DAILY,
      template_family_id: (await publishedFamily(person.key)).id,
      ...(await setup(person)),
    },
  }),
  async (person) => ({
    body: {
      title: 'Daily walk',
      recurrence: DAILY,
      template_family_id: (await publishedFamily(person.key)).id,
      ...(await everywhere(person)),
    },
  }),
  async (person) => ({
    body: {
      title: 'Lift',
      template_family_id: (await publishedFamily(person.key)).id,
      ...(await visiting(person)),
    },
  }),
  async (person) => ({
    body: {
      title: 'Lifts',
      recurrence: DAILY,
      template_family_id: (await publishedFamily(person.key)).id,
      ...(await ofAssets(person)),
    },
  }),
  async (person) => ({
    body: {
      title: 'All lifts',
      recurrence: DAILY,
      template_family_id: (await publishedFamily(person.key)).id,
      ...(await ofKind(person)),
    },
  }),
];

const creatingScheduleOverride: Scenarios[string] = [
  async (person) => ({
    ...of(await newSchedule(person)),
    body: { occurrence_date: dateIn(1), action: 'skip', reason: 'Holiday' },
  }),
  async (person) => {
    const schedule = await generated(person);
    const assignee_ids = [person.caller.user_id];
    return {
      ...of(schedule),
      body: { occurrence_date: dateIn(0), action: 'move', new_at: inDays(2), assignee_ids },
    };
  },
  async (person) => ({
    ...of(await generated(person)),
    body: { occurrence_date: dateIn(0), action: 'skip' },
  }),
  async (person) => ({
    ...of(await generated(person, await everywhere(person))),
    body: { occurrence_date: dateIn(0), action: 'move', new_at: inDays(2) },
  }),
];

export const scenarios: Scenarios = {
  createHolidayCalendar: [() => ({ body: { name: 'Hamburg', ics: ICS } })],
  deleteHolidayCalendar: [async (person) => ofCalendar(await newCalendar(person))],
  getHolidayCalendar: [async (person) => ofCalendar(await newCalendar(person))],
  listHolidayCalendars: [
    async (person) => {
      await newCalendar(person);
      return {};
    },
  ],
  updateHolidayCalendar: [
    async (person) => ({
      ...ofCalendar(await newCalendar(person)),
      body: { dates: [{ date: '2027-01-01', name: 'New Year' }] },
    }),
  ],
  createSchedule: creatingSchedule,
  createScheduleBatch: inBatch(creatingSchedule),
  createScheduleOverride: creatingScheduleOverride,
  createScheduleOverrideBatch: inBatch(creatingScheduleOverride, undefined, ({ params }) => ({
    params: params!,
  })),
  deleteScheduleOverride: [
    async (person) => {
      const schedule = await newSchedule(person);
      return overridden(person, schedule, { occurrence_date: dateIn(1), action: 'cancel' });
    },
    async (person) => {
      const schedule = await generated(person);
      return overridden(person, schedule, {
        occurrence_date: dateIn(0),
        action: 'move',
        new_at: inDays(2),
        assignee_ids: [person.caller.user_id],
      });
    },
    async (person) =>
      overridden(person, await generated(person), { occurrence_date: dateIn(0), action: 'skip' }),
  ],
  deleteSchedule: [
    async (person) => of(await newSchedule(person)),
    async (person) => of(await newSchedule(person, { external_ref: 'cmms-2' })),
    async (person) => of(await newSchedule(person, await everywhere(person))),
    async (person) => ({
      ...of(await generated(person)),
      query: { created: 'archive', dry_run: true },
    }),
    async (person) => ({ ...of(await generated(person)), query: { created: 'archive' } }),
  ],
  getSchedule: [
    async (person) => of(await newSchedule(person, { ...(await setup(person)) })),
    async (person) => of(await newSchedule(person, await everywhere(person))),
  ],
  getScheduleCalendar: [
    async (person) => {
      await newSchedule(person);
      return { query: { from: dateIn(0), to: dateIn(6) } };
    },
    async (person) => {
      const schedule = await newSchedule(person);
      await generateAt(person, 0);
      return { query: { from: dateIn(0), to: dateIn(6), schedule_id: schedule.id } };
    },
    async (person) => {
      await newSchedule(person, await ofAssets(person));
      await newSchedule(person, await ofKind(person));
      return { query: { from: dateIn(0), to: dateIn(1) } };
    },
    async (person) => {
      await newSchedule(person, await everywhere(person));
      await newSchedule(person, await filtered(person));
      await newSchedule(person, await regional(person));
      return { query: { from: dateIn(0), to: dateIn(1) } };
    },
    async (person) => {
      await newSchedule(person, await visiting(person));
      await generateAt(person, 0);
      return { query: { from: dateIn(0), to: dateIn(4) } };
    },
  ],
  listSchedules: [
    async (person) => {
      const { id: location_id } = await newLocation(person);
      const { id: kind_id } = await newAssetKind(person);
      const { id: asset_id } = await newAsset(person, { location_id, kind_id });
      await newSchedule(person, { asset_ids: [asset_id] });
      await newSchedule(person, { places: { asset_kind_id: kind_id } });
      return { query: { asset_id, location_id } };
    },
    async (person) => {
      await newSchedule(person);
      return {};
    },
    async (person) => {
      await newSchedule(person);
      return { query: { q: 'wal', limit: 1 } };
    },
    async (person) => {
      const family = await publishedFamily(person.key);
      await newSchedule(person, { template_family_id: family.id, external_ref: 'cmms-3' });
      await person.families.archive({ params: { family_id: family.id } });
      return { query: { external_ref: 'cmms-3', status: 'paused', limit: 10 } };
    },
    async (person) => {
      const location = await person.locations.create({
        body: { name: 'Yard', status: 'inactive' },
      });
      await newSchedule(person, { location_ids: [location.id] });
      return { query: { has_problems: true } };
    },
    async (person) => {
      const { id: parent_id } = await newLocation(person);
      const { id } = await person.locations.create({ body: { name: 'Flat', parent_id } });
      await newSchedule(person, { places: { within: parent_id } });
      await newSchedule(person, { places: { location_ids: [id] } });
      return { query: { location_id: id } };
    },
  ],
  previewSchedule: [
    () => ({ body: { recurrence: DAILY } }),
    () => ({
      body: {
        recurrence: { ...DAILY, rrule: 'FREQ=MONTHLY;BYDAY=-1FR' },
        window: { due_after: 'PT8H', miss_after: 'P2D' },
        starts_on: '2027-01-01',
        ends_on: '2027-12-31',
        from: '2027-06-01',
        count: 3,
      },
    }),
    async (person) => {
      const { id: calendar_id } = await newCalendar(person);
      return { body: { recurrence: DAILY, calendar_id, on_holiday: 'after', count: 1 } };
    },
    async (person) => {
      const { id: calendar_id } = await newCalendar(person);
      const { id: region_id } = await newRegion(person, { calendar_id });
      return { body: { recurrence: DAILY, places: { region_id }, on_holiday: 'skip', count: 1 } };
    },
  ],
  updateSchedule: [
    async (person) => ({ ...of(await newSchedule(person)), body: { title: 'Walk', status: 'paused' } }),
    async (person) => {
      const { id: client_account_id } = await newClient(person);
      const schedule = await newSchedule(person, { external_ref: 'cmms-4' });
      return { ...of(schedule), body: { client_account_id, external_ref: null } };
    },
    async (person) => ({ ...of(await newSchedule(person)), body: await everywhere(person) }),
    async (person) => ({ ...of(await newSchedule(person)), body: await ofAssets(person) }),
    async (person) => ({
      ...of(await newSchedule(person, await everywhere(person))),
      body: await filtered(person),
    }),
    async (person) => ({
      ...of(await newSchedule(person)),
      body: await regional(person),
    }),
    async (person) => ({
      ...of(await generated(person, await everywhere(person))),
      query: { created: 'update', dry_run: true },
      body: { title: 'Walk' },
    }),
    async (person) => ({
      ...of(await generated(person)),
      query: { created: 'update' },
      body: { assignee_ids: [person.caller.user_id], title: 'Walk' },
    }),
    async (person) => ({ ...of(await generated(person)), query: { created: 'archive' }, body: {} }),
  ],
};
