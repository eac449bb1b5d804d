import fc from 'fast-check';
import { nextVisit } from '../../shared/domain/schedules/after.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { Schedule } from '../../shared/schemas/schedules/schedule.ts';
import type { VisitedPlace } from '../../shared/table/entities/schedules.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { closeOf, openCorrection } from '../corrections/fixtures.ts';
import { advance, answer, newLocation, start } from '../inspections/fixtures.ts';
import { useClock } from '../support/clock.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { runs } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { cleanUp, DAY, generateAt, inspectionsOf, newSchedule, of, shown } from './fixtures.ts';

const clock = useClock();

/** A question that passes or fails, and with it the inspection. */
const LIFT = {
  content: { ...contentWith(field(3, 'pass_fail_na')), scoring: { enabled: true, passing_score: 75 } },
};

let person: Person;
let place: string;
let template_family_id: string;

beforeEach(async () => {
  person = await newPerson('Lifts');
  place = (await newLocation(person)).id;
  template_family_id = (await publishedFamily(person.key, LIFT)).id;
});

/** Visits a place every thirty days at 09:00 UTC, from tomorrow on. */
const body = (fields: object = {}) => ({
  template_family_id,
  location_ids: [place],
  create_ahead_days: 0,
  recurrence: { dtstart_local: `${today(1)}T09:00`, timezone: 'UTC' },
  after: { of: 'pass', every: 'P30D' },
  window: { due_after: 'P3D', miss_after: null },
  ...fields,
});

const today = (days = 0): string => new Date(Date.now() + days * DAY).toISOString().slice(0, 10);

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

const passDays = (days: number): void => clock.pass((days * DAY) / 1_000);

const settle = async (): Promise<void> => {
  await cleanUp(person);
  await generateAt(person, 0);
};

const nextOf = async (schedule: Schedule): Promise<string | null> => {
  const row: VisitedPlace | undefined = await getRow(
    person.caller,
    keys.visitedPlace(person.caller, schedule.id, place),
  );
  return row!.next_on;
};

const complete = async (inspection: Inspection, value: 'pass' | 'fail'): Promise<void> => {
  await start(person.key, inspection);
  await answer(person, inspection, uuid(3), value);
  await advance(person.key, inspection);
};

const archive = (inspection: Inspection) =>
  person.inspections.archive({ params: { inspection_id: inspection.id } });

const correct = async (inspection: Inspection, value: 'pass' | 'fail'): Promise<void> => {
  const correction = await openCorrection(person, inspection);
  await answer(person, inspection, uuid(3), value);
  expect((await closeOf(person, correction)).status).toBe(200);
};

const statusOf = (fields: object, path: object = {}) =>
  person.try.schedules.create({ body: { title: 'Lift', ...body(fields), ...path } });

describe('a schedule that counts from the last visit', () => {
  test('201 says so in words; 422 together with a rule, without locations, or where a holiday leaves none', async () => {
    const { status, body: made } = await statusOf({});
    expect([status, made.description]).toEqual([
      201,
      '30 days after the last visit that passed, at 09:00, UTC',
    ]);
    const recurrence = { ...body().recurrence, rrule: 'FREQ=DAILY' };
    expect((await statusOf({ recurrence })).status).toBe(422);
    expect((await statusOf({ after: null })).status).toBe(422);
    expect((await statusOf({ location_ids: [] })).status).toBe(422);
    expect((await statusOf({ after: { of: 'pass', every: 'PT8H' } })).status).toBe(422);
    const changes = { after: null, recurrence: { rrule: 'FREQ=DAILY' } };
    expect((await person.try.schedules.update({ ...of(made), body: changes })).status).toBe(422);
  });

  test('the calendar shows the next date of each place, which a late visit moves', async () => {
    const other = (await newLocation(person)).id;
    const schedule = await newSchedule(person, body({ location_ids: [place, other] }));
    await settle();
    const query = { from: today(), to: today(60) };
    const dates = async () => {
      const rows: { kind: string; location_id: string; occurrence_date: string }[] =
        await person.schedules.getCalendar({ query });
      return rows.map(({ kind, location_id, occurrence_date }) => [kind, location_id, occurrence_date]);
    };
    const first = today(1);
    expect(new Set(await dates())).toEqual(
      new Set([
        ['projected', place, first],
        ['projected', other, first],
      ]),
    );
    passDays(2);
    await settle();
    const visits = await inspectionsOf(person, schedule);
    expect(visits).toMatchObject([{ occurrence_date: first }, { occurrence_date: first }]);
    passDays(5);
    await complete(
      visits.find(({ location_id }) => location_id === place)!,
      'pass',
    );
    await settle();
    expect(new Set(await dates())).toEqual(
      new Set([
        ['inspection', place, first],
        ['inspection', other, first],
        ['projected', place, today(30)],
      ]),
    );
    expect(await shown(person, schedule)).toMatchObject({ generated_count: 2, status: 'active' });
  });

  test('a re-inspection that passes counts, and no other visit is created meanwhile', async () => {
    const schedule = await newSchedule(person, body());
    await settle();
    passDays(2);
    await settle();
    const [visit] = await inspectionsOf(person, schedule);
    await complete(visit!, 'fail');
    const params = { inspection_id: visit!.id };
    const again = await person.inspections.createReinspection({ params, body: {} });
    await settle();
    passDays(10);
    await settle();
    expect(await nextOf(schedule)).toBeNull();
    await complete(again, 'pass');
    await settle();
    expect(await nextOf(schedule)).toBe(today(30));
    expect(await inspectionsOf(person, schedule)).toHaveLength(1);
  });

  test('places that come are enrolled, and those that go are not visited', async () => {
    const schedule = await newSchedule(person, body());
    await settle();
    const other = (await newLocation(person)).id;
    await person.schedules.update({ ...of(schedule), body: { location_ids: [other] } });
    await settle();
    passDays(2);
    await settle();
    expect(await inspectionsOf(person, schedule)).toMatchObject([{ location_id: other }]);
    await person.schedules.delete(of(schedule));
    await settle();
    expect(await getRow(person.caller, keys.visitedPlace(person.caller, schedule.id, other))).toBeUndefined();
  });
});

/** What may happen next, and a number that chooses of what. */
const STEPS = fc.array(fc.constantFrom('pass', 'fail', 'correct', 'archive', 'wait', 'long wait'), {
  minLength: 4,
  maxLength: 10,
});

interface ModelVisit {
  inspection: Inspection;
  ended: number;
  isPassed: boolean;
  isArchived: boolean;
}

/** The next date as the description of `after` has it. */
const modelled = (first: string, visits: readonly ModelVisit[], last: string | null): string => {
  const inOrder = visits.toSorted((one, other) => one.ended - other.ended);
  const counted = inOrder.findLast(({ isPassed, isArchived }) => isPassed && !isArchived);
  const regular = counted ? dateOf(counted.ended + 30 * DAY) : first;
  const ended = inOrder.at(-1);
  const retry = ended && ended !== counted ? dateOf(ended.ended + 3 * DAY) : '';
  const date = retry > regular ? retry : regular;
  return last !== null && date <= last ? dateOf(Date.parse(last) + DAY) : date;
};

test('after any visits, corrections and archives the next date is that of a model', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      place = (await newLocation(person)).id;
      const schedule = await newSchedule(person, body());
      const first = today(1);
      await settle();
      const visits: ModelVisit[] = [];
      for (const step of steps) {
        const inspections = await inspectionsOf(person, schedule);
        const open = inspections.find(({ status }) => status === 'scheduled');
        const done = visits.findLast(({ isArchived }) => !isArchived);
        if (step === 'wait' || step === 'long wait') passDays(step === 'wait' ? 2 : 31);
        else if (step === 'correct' && done) {
          await correct(done.inspection, done.isPassed ? 'fail' : 'pass');
          done.isPassed = !done.isPassed;
        } else if (step === 'archive' && (open || done)) {
          const known = open ? undefined : done;
          const { archived_at } = await archive(open ?? done!.inspection);
          const ended = Date.parse(archived_at);
          if (known) Object.assign(known, { ended, isArchived: true });
          else visits.push({ inspection: open!, ended, isPassed: false, isArchived: true });
        } else if ((step === 'pass' || step === 'fail') && open) {
          await complete(open, step);
          const { submitted_at } = await person.inspections.get({ params: { inspection_id: open.id } });
          const ended = Date.parse(submitted_at);
          visits.push({ inspection: open, ended, isPassed: step === 'pass', isArchived: false });
        }
        await settle();
        const now = await inspectionsOf(person, schedule);
        const isOpen = now.some(({ status }) => status === 'scheduled');
        const last =
          now
            .map(({ occurrence_date }) => occurrence_date!)
            .toSorted()
            .at(-1) ?? null;
        const known =
          inspections
            .map(({ occurrence_date }) => occurrence_date!)
            .toSorted()
            .at(-1) ?? null;
        if (isOpen && now.length > inspections.length) expect(last).toBe(modelled(first, visits, known));
        else expect(await nextOf(schedule)).toBe(isOpen ? null : modelled(first, visits, last));
      }
    }),
    { numRuns: runs(8) },
  );
  const { differences } = await checkOrganization(person.caller, { repair: false });
  expect(differences).toEqual([]);
});

test('days are those of the place, and nothing comes after the end', () => {
  const plan = {
    recurrence: { rrule: '', dtstart_local: '2027-03-01T09:00', timezone: 'UTC' },
    after: { of: 'pass' as const, every: 'P1M' },
    window: { due_after: 'P1D' },
    starts_on: null,
    ends_on: '2028-01-31',
  };
  const dates = { first_on: '2027-03-01', last_on: '2027-03-01' };
  const counted = (counted_at: string) => ({ counted_at, ended_at: counted_at, is_open: false });
  const late = counted('2027-03-30T23:00:00.000Z');
  expect(nextVisit(plan, 'UTC', dates, late)?.date).toBe('2027-04-30');
  expect(nextVisit(plan, 'Pacific/Auckland', dates, late)?.date).toBe('2027-04-30');
  expect(nextVisit(plan, 'America/New_York', dates, late)?.date).toBe('2027-04-30');
  const midnight = counted('2027-05-01T02:00:00.000Z');
  expect(nextVisit(plan, 'America/New_York', dates, midnight)?.date).toBe('2027-05-30');
  expect(nextVisit(plan, 'UTC', dates, counted('2028-01-02T10:00:00.000Z'))).toBeUndefined();
});
