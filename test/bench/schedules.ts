import { v7 as uuidv7 } from 'uuid';
import { startEngines } from '../../infra/local/engines.ts';
import { serviceOf } from '../../shared/base/caller.ts';
import { calendar } from '../../shared/schedules/calendar.ts';
import {
  duePlaces,
  dueSchedules,
  generate,
  generateAll,
  visitPlaces,
} from '../../shared/schedules/generator.ts';
import { create as createOverride } from '../../shared/schedules/overrides.ts';
import { enrolledPlaces } from '../../shared/schedules/visits.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { dueAt } from '../../shared/table/outbox/due.ts';
import { getRow, MAX_BATCH_KEYS } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import {
  inDays,
  inspectionsOf,
  manyListedLocations,
  manyLocations,
  newSchedule,
} from '../schedules/fixtures.ts';
import { newPerson, type Person } from '../support/people.ts';
import { print, RATIO, ratio, rounded } from './table.ts';
import { traffic } from './traffic.ts';

const SIZES = [100, 1_000] as const;
/** A row may cost this much more where there are ten times as many schedules. */
const GOAL = 1.3;
const YEAR = { from: '2031-01-01', to: '2031-12-31' };
const WEEKLY = {
  rrule: 'FREQ=WEEKLY;BYDAY=MO',
  dtstart_local: '2026-01-05T09:00',
  timezone: 'Europe/Athens',
};

/** Writes of one transaction. */
const AT_ONCE = 90;

/** An organization with this many schedules, all alike. */
const newSample = async (size: number): Promise<Person> => {
  const person = await newPerson(`Bench of ${size}`);
  const { id } = await newSchedule(person, { recurrence: WEEKLY });
  const row = await getRow(person.caller, keys.one(person.caller, 'SCHEDULE', id));
  for (let made = 1; made < size; made += AT_ONCE) {
    const writes = Array.from({ length: Math.min(AT_ONCE, size - made) }, () => {
      const other = uuidv7();
      return write.put({ ...row!, ...keys.one(person.caller, 'SCHEDULE', other), id: other });
    });
    await change(person.caller, async () => ({ writes, reply: undefined }));
  }
  return person;
};

/** Reads the calendar of a year. */
const readYear = async ({ caller }: Person, format: 'json' | 'ics') => {
  const start = performance.now();
  let parts = 0;
  const { calls } = await traffic(async () => {
    const result = await calendar(caller, { ...YEAR, format });
    for await (const _ of 'rows' in result ? result.rows : result.text) parts += 1;
  });
  return { milliseconds: performance.now() - start, calls, parts };
};

/** Schedules that are due in each sample, however many others there are. */
const DUE = 100;
/** Of all schedules, the due ones included. */
const ALL = [DUE, 10_000] as const;
const PLACES = 200;

/** The row of a schedule, with the time at which the generator finds it. */
const rowOf = async ({ caller }: Person, { id }: { id: string }) => {
  const row = await getRow(caller, keys.one(caller, 'SCHEDULE', id));
  return row as unknown as typeof row & { by_due_at: string };
};

/** What the generator does, until nothing is due at a time. */
const generation = async (now: Date) => {
  const start = performance.now();
  const { calls } = await traffic(async () => {
    const causes = await generateAll(now, 600_000);
    if (causes.length > 0) throw new AggregateError(causes);
  });
  return { milliseconds: performance.now() - start, calls };
};

/**
 * Schedules of a new organization, of which the first ones are due tomorrow and the others in a year.
 * @param ahead so much earlier the generator finds the first ones, in milliseconds
 * @returns when the first ones are due
 */
const newDueSample = async (size: number, due: number, ahead = 0): Promise<Date> => {
  const person = await newPerson(`Bench of ${size}, ${due} due`);
  const row = await rowOf(person, await newSchedule(person, { create_ahead_days: 0 }));
  const found = new Date(Date.parse(row.by_due_at) - ahead).toISOString();
  for (let made = 1; made < size; made += AT_ONCE) {
    const writes = Array.from({ length: Math.min(AT_ONCE, size - made) }, (_, position) => {
      const other = uuidv7();
      const at = made + position < due ? found : inDays(365);
      const key = keys.one(person.caller, 'SCHEDULE', other);
      return write.put({ ...row, ...key, id: other, ...dueAt('SCHEDULE', other, at) });
    });
    await change(person.caller, async () => ({ writes, reply: undefined }));
  }
  return new Date(row.by_due_at);
};

/** The cost of the due schedules among few and among many others. */
const measureGenerator = async (scale: number): Promise<void> => {
  const sizes = [ALL[0], Math.max(ALL[0], ALL[1] * scale)];
  const runs = [];
  for (const size of sizes) {
    runs.push(await generation(await newDueSample(size, DUE)));
  }
  const [few, many] = runs as [(typeof runs)[0], (typeof runs)[0]];
  const line = (what: string, one: number, other: number) => [
    what,
    rounded(one),
    rounded(other),
    ...ratio(other, one, GOAL),
  ];
  print(
    `schedules: the inspections of ${DUE} due schedules, among ${sizes.map((size) => size.toLocaleString('en')).join(' and ')}`,
    ['', ...sizes.map((size) => size.toLocaleString('en')), ...RATIO],
    [
      line('milliseconds', few.milliseconds, many.milliseconds),
      line('DynamoDB calls', few.calls, many.calls),
    ],
  );
};

/** One occurrence at many locations, against as many schedules of one inspection. */
const measurePlaces = async (): Promise<void> => {
  const person = await newPerson('Bench of locations');
  const location_ids = await manyLocations(person, PLACES);
  const wide = await newSchedule(person, { create_ahead_days: 0, location_ids });
  const many = await generation(new Date((await rowOf(person, wide)).by_due_at));
  const made = (await inspectionsOf(person, wide)).length;
  if (made !== PLACES) throw new Error(`${made} inspections`);
  const ones = await generation(await newDueSample(PLACES, PLACES));
  print(
    `schedules: one occurrence at ${PLACES} locations`,
    ['', `${PLACES} schedules`, `${PLACES} locations`, ...RATIO],
    [['DynamoDB calls', rounded(ones.calls), rounded(many.calls), ...ratio(many.calls, ones.calls, 1)]],
  );
};

/** Places that one schedule finds by a filter. */
const EVERYWHERE = [1_000, 10_000] as const;

/** One occurrence at the places of a filter: its cost follows their number. */
const measureEverywhere = async (scale: number): Promise<void> => {
  const sizes = EVERYWHERE.map((size) => Math.max(100, size * scale));
  const runs = [];
  for (const size of sizes) {
    const person = await newPerson(`Bench of ${size} places`);
    await manyListedLocations(person, size);
    const schedule = await newSchedule(person, {
      create_ahead_days: 0,
      places: {},
      timezone: 'location',
      assignees: 'by_place',
    });
    const { milliseconds, calls } = await generation(new Date((await rowOf(person, schedule)).by_due_at));
    const { generated_count } = await rowOf(person, schedule);
    if (generated_count !== size) throw new Error(`${generated_count} inspections`);
    runs.push({ milliseconds: milliseconds / size, calls: calls / size });
  }
  const [few, many] = runs as [(typeof runs)[0], (typeof runs)[0]];
  print(
    `schedules: one occurrence at all places of an organization, for each place`,
    ['', ...sizes.map((size) => size.toLocaleString('en')), ...RATIO],
    [
      [
        'milliseconds',
        rounded(few.milliseconds),
        rounded(many.milliseconds),
        ...ratio(many.milliseconds, few.milliseconds, GOAL),
      ],
      ['DynamoDB calls', rounded(few.calls), rounded(many.calls), ...ratio(many.calls, few.calls, GOAL)],
    ],
  );
};

/** Calls for each of some items, at few and at many. */
const printCalls = (what: string, sizes: readonly number[], [few = 0, many = 0]: readonly number[]): void =>
  print(
    what,
    ['', ...sizes.map((size) => size.toLocaleString('en')), ...RATIO],
    [['DynamoDB calls', rounded(few), rounded(many), ...ratio(many, few, GOAL)]],
  );

/** Places that are due of one schedule, however many others it has. */
const DUE_PLACES = 100;

/** The visits of due places of a schedule that counts from the last one: their cost does not follow its other places. */
const measureVisits = async (scale: number): Promise<void> => {
  const sizes = EVERYWHERE.map((size) => Math.max(2 * DUE_PLACES, size * scale));
  const costs = [];
  for (const size of sizes) {
    const person = await newPerson(`Bench of ${size} visited places`);
    await manyListedLocations(person, size);
    const schedule = await newSchedule(person, {
      create_ahead_days: 0,
      places: {},
      recurrence: { dtstart_local: `${inDays(400).slice(0, 10)}T09:00`, timezone: 'UTC' },
      after: { of: 'pass', every: 'P12M' },
    });
    await generateAll(new Date(), 600_000);
    const now = new Date(inDays(1));
    const enrolled = await Array.fromAsync(enrolledPlaces(person.caller, schedule));
    for (const place of enrolled.slice(0, DUE_PLACES)) {
      const next_on = inDays(0).slice(0, 10);
      const row = { ...place, first_on: next_on, ...dueAt('PLACE', place.location_id, inDays(0)) };
      await change(person.caller, () => ({ writes: [write.put<object>(row)], reply: undefined }));
    }
    const { calls } = await traffic(async () => {
      for await (const rows of duePlaces(now)) await visitPlaces(rows, now, () => false);
    });
    const { generated_count } = await rowOf(person, schedule);
    if (generated_count !== DUE_PLACES) throw new Error(`${generated_count} inspections`);
    costs.push(calls / DUE_PLACES);
  }
  printCalls(
    `schedules: the visit of a due place, of one schedule with so many places, ${DUE_PLACES} of them due`,
    sizes,
    costs,
  );
};

const OVERRIDDEN = [100, 1_000] as const;

/** An override of an occurrence at many locations: the cost for each stays the same. */
const measureOverride = async (scale: number): Promise<void> => {
  const sizes = OVERRIDDEN.map((size) => Math.max(40, size * scale));
  const costs = [];
  for (const size of sizes) {
    const person = await newPerson(`Bench of an override at ${size} locations`);
    const places = { location_ids: await manyLocations(person, size) };
    const schedule = await newSchedule(person, { create_ahead_days: 0, places });
    await generation(new Date((await rowOf(person, schedule)).by_due_at));
    const [inspection] = await inspectionsOf(person, schedule);
    const request = { action: 'skip' as const, new_at: null, assignee_ids: null, reason: null };
    const occurrence_date = inspection!.occurrence_date!;
    const { calls } = await traffic(async () => {
      const caller = serviceOf(person.caller.org_id);
      await createOverride(caller, schedule.id, { ...request, occurrence_date });
    });
    costs.push(calls / size);
  }
  printCalls('schedules: an override of an occurrence, for each of its locations', sizes, costs);
};

/** Due schedules of one organization that are found before the only one of another. */
const BEFORE = 2_000;
const HOUR = 3_600_000;

/** How long an organization with one due schedule waits for one with thousands: no longer than one page takes. */
const measureTurns = async (scale: number): Promise<void> => {
  const page = await generation(await newDueSample(MAX_BATCH_KEYS, MAX_BATCH_KEYS));
  const before = Math.max(2 * MAX_BATCH_KEYS, BEFORE * scale);
  await newDueSample(before, before, HOUR);
  const last = await newPerson('Bench of turns');
  const { by_due_at } = await rowOf(last, await newSchedule(last, { create_ahead_days: 0 }));
  const now = new Date(by_due_at);
  const { calls } = await traffic(async () => {
    for await (const rows of dueSchedules(now)) {
      for (const row of rows) await generate(row, now, () => false);
      if (rows.some(({ org_id }) => org_id === last.caller.org_id)) return;
    }
  });
  print(
    `schedules: the only due one of an organization, behind ${before.toLocaleString('en')} of another`,
    ['', `${MAX_BATCH_KEYS} schedules`, 'until it is served', ...RATIO],
    [['DynamoDB calls', rounded(page.calls), rounded(calls), ...ratio(calls, page.calls, GOAL)]],
  );
};

export const measure = async (scale: number): Promise<void> => {
  process.env['LOG_LEVEL'] = 'silent';
  const engines = await startEngines({ dataDir: null });
  try {
    await measureGenerator(scale);
    await measurePlaces();
    await measureEverywhere(scale);
    await measureVisits(scale);
    await measureOverride(scale);
    await measureTurns(scale);
    const [small, large] = [await newSample(SIZES[0]), await newSample(SIZES[1])];
    // The first run warms up the code.
    await readYear(small, 'json');
    const [few, many] = [await readYear(small, 'json'), await readYear(large, 'json')];
    const [fewEvents, manyEvents] = [await readYear(small, 'ics'), await readYear(large, 'ics')];
    if (many.parts !== SIZES[1] * 52) throw new Error(`${many.parts} rows`);
    const each = ({ milliseconds }: typeof few, rows: number) => (milliseconds * 1_000) / rows;
    const line = (what: string, one: number, other: number) => [
      what,
      rounded(one),
      rounded(other),
      ...ratio(other, one, GOAL),
    ];
    print(
      `schedules: the calendar of a year, ${SIZES.join(' and ')} weekly schedules (${many.parts.toLocaleString('en')} rows)`,
      ['', ...SIZES.map((size) => size.toLocaleString('en')), ...RATIO],
      [
        line('µs a row, JSON', each(few, few.parts), each(many, many.parts)),
        line('µs a row, iCalendar', each(fewEvents, few.parts), each(manyEvents, many.parts)),
        line('DynamoDB calls', few.calls, many.calls),
      ],
    );
  } finally {
    await engines.stop();
  }
};
