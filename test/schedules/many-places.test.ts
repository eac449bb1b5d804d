import { handler as deleteRemains } from '../../functions/workers/delete-remains.ts';
import { generate } from '../../shared/schedules/generator.ts';
import { foundPlaces } from '../../shared/schedules/many-places.ts';
import { readPrerequisites } from '../../shared/schedules/occurrence.ts';
import type { CalendarRow, Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow, withoutKeys } from '../../shared/table/rows.ts';
import { newClient } from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { newRegion } from '../regions/scenarios.ts';
import { type Answer, locs } from '../support/call.ts';
import { type Fault, installFaults, withFault } from '../support/faults.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import {
  DAILY,
  dateIn,
  generateAt,
  inDays,
  inspectionsOf,
  manyLocations,
  newSchedule,
  of,
  shown,
} from './fixtures.ts';

installFaults();

let person: Person;
let template_family_id: string;

beforeEach(async () => {
  person = await newPerson('Harbour');
  template_family_id = (await publishedFamily(person.key)).id;
});

const make = (fields: object): Promise<Schedule> =>
  newSchedule(person, { template_family_id, create_ahead_days: 0, ...fields });

const post = (fields: object): Promise<Answer> =>
  person.try.schedules.create({ body: { title: 'Walk', recurrence: DAILY, template_family_id, ...fields } });

const patch = (schedule: { id: string }, body: object): Promise<Answer> =>
  person.try.schedules.update({ ...of(schedule), body });

/** The places of a schedule's inspections, by the dates of their occurrences, in ascending order. */
const placesOf = async (schedule: { id: string }): Promise<Record<string, string[]>> => {
  const byDate = Map.groupBy(
    await inspectionsOf(person, schedule),
    ({ occurrence_date }) => occurrence_date!,
  );
  return Object.fromEntries(
    [...byDate].map(([date, some]) => [date, some.map(({ location_id }) => location_id!).toSorted()]),
  );
};

const sorted = (...ids: string[]): string[] => ids.toSorted();

describe('GET /inspection-schedules?location_id', () => {
  test('200 with the schedules whose list or filter of places has the location', async () => {
    const [tower, other] = await Promise.all([1, 2].map(() => newLocation(person)));
    const flat = await person.locations.create({ body: { name: 'Flat', parent_id: tower!.id } });
    await make({ title: 'Listed', places: { location_ids: [other!.id, flat.id] } });
    await make({ title: 'Below', places: { within: tower!.id } });
    await make({ title: 'Elsewhere', places: { within: other!.id } });
    await make({ title: 'Nowhere' });
    const titles = async (location_id: string) =>
      (await person.schedules.list({ query: { location_id } })).map(({ title }: { title: string }) => title);
    expect(await titles(flat.id)).toEqual(['Listed', 'Below']);
    expect(await titles(tower!.id)).toEqual(['Below']);
    expect(await titles(other!.id)).toEqual(['Listed', 'Elsewhere']);
  });
});

describe('a filter that finds too many places', () => {
  test('is listed among the problems until it finds fewer', async () => {
    await Promise.all([1, 2, 3].map(() => newLocation(person)));
    const schedule = await make({ places: {}, create_ahead_days: 1 });
    const { caller } = person;
    const row = withoutKeys((await getRow(caller, keys.one(caller, 'SCHEDULE', schedule.id)))!);
    const { placeIds, schedule: cut } = await foundPlaces(caller, row, 2);
    expect([placeIds.length, cut.places?.is_cut]).toEqual([2, true]);
    expect((await foundPlaces(caller, row, 3)).schedule.places?.is_cut).toBeUndefined();
    const readiness = await readPrerequisites(caller, cut, undefined, []);
    expect(readiness).toMatchObject({ problems: [{ kind: 'too_many_places', resource_id: schedule.id }] });
  });
});

describe('a list of places', () => {
  test('201 for more than a request of `location_ids` may have, and each has its inspection', async () => {
    const location_ids = await manyLocations(person, 230);
    const schedule = await make({ places: { location_ids } });
    const none = { client_account_id: null, within: null, region_id: null, tags: [], asset_kind_id: null };
    const places = { location_ids, locations_count: 230, ...none };
    expect(schedule.places).toEqual(places);
    expect(await shown(person, schedule)).toEqual(schedule);
    const [listed] = await person.schedules.list({ query: {} });
    expect(listed!.places).toEqual({ ...places, location_ids: null });
    await generateAt(person, 0.6);
    await generateAt(person, 0.7);
    expect(await placesOf(schedule)).toEqual({ [dateIn(0)]: location_ids });
    expect((await shown(person, schedule)).generated_count).toBe(230);
  });

  test('200 for other places, which the occurrences ahead have from then on', async () => {
    const location_ids = await manyLocations(person, 4);
    const schedule = await make({ places: { location_ids: location_ids.slice(0, 3) }, create_ahead_days: 1 });
    await generateAt(person, 0);
    const places = { location_ids: location_ids.slice(2) };
    expect((await patch(schedule, { places })).body).toMatchObject({ places, version: 2 });
    expect((await patch(schedule, { places })).body).toMatchObject({ places, version: 2 });
    expect((await patch(schedule, { title: 'Walk' })).body).toMatchObject({ places, version: 3 });
    await generateAt(person, 1);
    const added = location_ids.slice(2).toSorted();
    expect(await placesOf(schedule)).toEqual({ [dateIn(0)]: location_ids, [dateIn(1)]: added });
    const body = { places: null, location_ids: [location_ids[0]!] };
    expect((await patch(schedule, body)).body).toMatchObject({ ...body, version: 4 });
    await generateAt(person, 2);
    expect((await placesOf(schedule))[dateIn(2)]).toEqual([location_ids[0]]);
  });

  test('lists those that are missing, and creates the others', async () => {
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => newLocation(person)));
    const location_ids = [first!, second!, third!].map(({ id }) => id);
    const schedule = await make({ places: { location_ids } });
    await person.locations.delete({ params: { location_id: first!.id } });
    await person.locations.update({ params: { location_id: second!.id }, body: { status: 'inactive' } });
    await generateAt(person, 0.6);
    expect(await placesOf(schedule)).toEqual({ [dateIn(0)]: [third!.id] });
    const { problems, problem } = await shown(person, schedule);
    expect(problem).toBeNull();
    expect(problems).toMatchObject([
      { kind: 'location_deleted', location_id: first!.id },
      { kind: 'location_inactive', location_id: second!.id },
    ]);
    await person.locations.update({ params: { location_id: second!.id }, body: { status: 'active' } });
    await generateAt(person, 1.6);
    expect((await placesOf(schedule))[dateIn(1)]).toEqual(sorted(second!.id, third!.id));
    expect((await shown(person, schedule)).problems).toHaveLength(1);
  });

  test('400 and 422 for places that cannot be', async () => {
    const [client, other] = await Promise.all(['Acme', 'Umbra'].map((name) => newClient(person, name)));
    const own = await newLocation(person, { client_account_id: client!.id });
    const foreign = await newLocation(await newPerson('Quay'));
    const location_ids = [own.id];
    const detail = async (fields: object) => {
      const { status, body } = await post(fields);
      return [status, body.detail];
    };
    const naming = (field: string) => expect.stringContaining(field);
    expect(await detail({ places: { location_ids: [own.id, foreign.id] } })).toEqual([
      400,
      naming('places.location_ids.1'),
    ]);
    expect(await detail({ places: { within: foreign.id } })).toEqual([400, naming('places.within')]);
    expect(await detail({ client_account_id: other!.id, places: { location_ids } })).toEqual([
      400,
      naming('places.location_ids.0'),
    ]);
    expect(await detail({ places: { within: own.id, client_account_id: other!.id } })).toEqual([
      400,
      naming('places.within'),
    ]);
    expect(await detail({ client_account_id: client!.id, places: { client_account_id: other!.id } })).toEqual(
      [400, naming('places.client_account_id')],
    );
    expect(locs(await post({ places: { location_ids, within: own.id } }))).toEqual([
      'body.places.location_ids',
    ]);
    expect(locs(await post({ places: { location_ids: [] } }))).toEqual(['body.places.location_ids']);
    expect(locs(await post({ places: { location_ids }, location_ids }))).toEqual(['body.places']);
    const schedule = await make({ location_ids });
    expect(locs(await patch(schedule, { places: {} }))).toEqual(['body.places']);
    expect((await patch(schedule, { places: {}, location_ids: [] })).status).toBe(200);
  });

  test('204 for the schedule leaves no row behind', async () => {
    const schedule = await make({ places: { location_ids: await manyLocations(person, 2) } });
    const key = keys.schedulePlaces(person.caller, schedule.id, 0);
    expect(await getRow(person.caller, key)).toBeDefined();
    await person.schedules.delete(of(schedule));
    expect(await getRow(person.caller, key)).toBeUndefined();
  });
});

describe('a filter of places', () => {
  test('finds the active locations anew for each occurrence', async () => {
    const [acme, umbra] = await Promise.all(['Acme', 'Umbra'].map((name) => newClient(person, name)));
    const at = (client: { id: string }, fields: object = {}) =>
      newLocation(person, { client_account_id: client.id, ...fields });
    const tower = await at(acme!);
    const floor = await at(acme!, { parent_id: tower.id });
    const yard = await at(acme!);
    const flat = await at(acme!, { parent_id: yard.id });
    const resting = await at(acme!, { parent_id: tower.id, status: 'inactive' });
    const away = await at(umbra!);
    const all = await make({ places: {} });
    const ofClient = await make({ places: { client_account_id: acme!.id } });
    const below = await make({ places: { within: tower.id } });
    expect(below.places).toEqual({
      location_ids: null,
      locations_count: null,
      client_account_id: null,
      within: tower.id,
      region_id: null,
      tags: [],
      asset_kind_id: null,
    });
    await generateAt(person, 0.6);
    const ids = (...locations: { id: string }[]) => sorted(...locations.map(({ id }) => id));
    expect((await placesOf(all))[dateIn(0)]).toEqual(ids(tower, floor, yard, flat, away));
    expect((await placesOf(ofClient))[dateIn(0)]).toEqual(ids(tower, floor, yard, flat));
    expect((await placesOf(below))[dateIn(0)]).toEqual(ids(tower, floor));

    // What is below the yard moves along with it.
    const move = (location: { id: string }, body: object) =>
      person.locations.update({ params: { location_id: location.id }, body });
    await move(yard, { parent_id: floor.id });
    await move(resting, { status: 'active' });
    const room = await at(acme!, { parent_id: flat.id });
    const rows: CalendarRow[] = await person.schedules.getCalendar({
      query: { from: dateIn(1), to: dateIn(1), schedule_id: below.id },
    });
    const expected = ids(tower, floor, yard, flat, resting, room);
    expect(rows.map(({ location_id }) => location_id!).toSorted()).toEqual(expected);
    await generateAt(person, 1.6);
    expect((await placesOf(below))[dateIn(1)]).toEqual(expected);
    expect((await placesOf(below))[dateIn(0)]).toEqual(ids(tower, floor));
  });

  test('follows the regions and tags of locations that come and go', async () => {
    const country = await newRegion(person);
    const district = await newRegion(person, { parent_id: country.id });
    const at = (fields: object) => newLocation(person, fields);
    const shop = await at({ region_id: district.id, tags: ['Shop'] });
    const depot = await at({ region_id: country.id, tags: ['depot'] });
    const kiosk = await at({ tags: ['kiosk', 'shop'] });
    const ofRegion = await make({ places: { region_id: country.id } });
    const shops = await make({ places: { region_id: country.id, tags: ['shop'] } });
    const tagged = await make({ places: { tags: ['SHOP', 'depot'] } });
    await generateAt(person, 0.6);
    const ids = (...locations: { id: string }[]) => sorted(...locations.map(({ id }) => id));
    const today = async (schedule: Schedule, day = 0) => (await placesOf(schedule))[dateIn(day)];
    expect(await today(ofRegion)).toEqual(ids(shop, depot));
    expect(await today(shops)).toEqual(ids(shop));
    expect(await today(tagged)).toEqual(ids(shop, depot, kiosk));
    const listed: Schedule[] = await person.schedules.list({ query: { location_id: kiosk.id } });
    expect(listed.map(({ id }) => id)).toEqual([tagged.id]);

    const change = (location: { id: string }, body: object) =>
      person.locations.update({ params: { location_id: location.id }, body });
    await change(kiosk, { region_id: district.id });
    await change(shop, { tags: [] });
    await generateAt(person, 1.6);
    expect(await today(ofRegion, 1)).toEqual(ids(shop, depot, kiosk));
    expect(await today(shops, 1)).toEqual(ids(kiosk));
    expect((await person.try.regions.delete({ params: { region_id: country.id } })).status).toBe(409);
    await person.regions.update({ params: { region_id: district.id }, body: { parent_id: null } });
    await generateAt(person, 2.6);
    expect(await today(ofRegion, 2)).toEqual(ids(depot));
  });

  test('keeps the region that it names from being deleted, until it names another one', async () => {
    const { id: region_id } = await newRegion(person);
    const at = { params: { region_id } };
    const schedule = await make({ places: { region_id } });
    expect((await person.try.regions.delete(at)).status).toBe(409);
    await patch(schedule, { places: { tags: ['shop'] } });
    expect((await person.try.regions.delete(at)).status).toBe(204);
    expect((await patch(schedule, { places: { region_id } })).status).toBe(400);
  });

  test('creates nothing where it finds nothing, and goes on', async () => {
    const client = await newClient(person);
    const schedule = await make({ places: { client_account_id: client.id } });
    await generateAt(person, 1.6);
    expect(await placesOf(schedule)).toEqual({});
    const { id } = await newLocation(person, { client_account_id: client.id });
    await generateAt(person, 2.6);
    expect(await placesOf(schedule)).toEqual({ [dateIn(2)]: [id] });
  });

  test('409 for the deletion of the location that it names, unless it is taken out', async () => {
    const tower = await newLocation(person);
    const schedule = await make({ places: { within: tower.id } });
    const at = { params: { location_id: tower.id } };
    expect((await person.try.locations.delete(at)).status).toBe(409);
    await person.locations.delete({ ...at, query: { from_schedules: 'remove' } });
    for (const task of await waitingTasks(person.caller)) {
      if (task.outbox === 'cleanup') expect(await deliver(deleteRemains, task)).toBe(true);
    }
    expect(await shown(person, schedule)).toMatchObject({
      status: 'paused',
      places: { within: null, locations_count: 0 },
    });
  });
});

describe('an occurrence at many places', () => {
  /** What the generator does in one turn that ends after so many transactions. @returns its calls */
  const turn = async (schedule: { id: string }, days: number, transactions: number): Promise<string[]> => {
    const calls: string[] = [];
    const watch: Fault = ({ command, send }) => {
      calls.push(command);
      return send();
    };
    const row = (await getRow(person.caller, keys.one(person.caller, 'SCHEDULE', schedule.id)))!;
    const made = () => calls.filter((command) => command === 'TransactWriteItems').length;
    await withFault(watch, () => generate(row, new Date(inDays(days)), () => made() >= transactions));
    return calls;
  };

  test('takes several turns, which go on where the last one ended and look up the places once', async () => {
    const location_ids = await Promise.all(
      Array.from({ length: 60 }, async () => (await newLocation(person)).id),
    );
    const schedule = await make({ places: {} });
    const begin = await turn(schedule, 0.6, 3);
    expect(begin.filter((command) => command === 'Query')).toHaveLength(1);
    const first = (await shown(person, schedule)).generated_count;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(60);
    // A location that comes meanwhile has the next occurrence.
    const late = await newLocation(person);
    for (let turns = 0; turns < 20; turns += 1) {
      const calls = await turn(schedule, 0.6, 2);
      expect(calls).not.toContain('Query');
      expect(calls.filter((command) => /Get/.test(command)).length).toBeLessThanOrEqual(4);
    }
    expect(await placesOf(schedule)).toEqual({ [dateIn(0)]: location_ids.toSorted() });
    await generateAt(person, 1.6);
    expect((await placesOf(schedule))[dateIn(1)]).toEqual(sorted(...location_ids, late.id));
  });

  test('is left out as a whole when an override says so between two turns', async () => {
    await Promise.all(Array.from({ length: 30 }, () => newLocation(person)));
    const schedule = await make({ places: {} });
    await turn(schedule, 0.6, 2);
    const body = { occurrence_date: dateIn(0), action: 'cancel' };
    await person.schedules.createOverride({ ...of(schedule), body });
    await generateAt(person, 0.7);
    const statuses = (await inspectionsOf(person, schedule)).map(({ status }) => status);
    expect(statuses.length).toBeLessThan(30);
    expect(new Set(statuses)).toEqual(new Set(['archived']));
  });
});
