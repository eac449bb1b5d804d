import * as getSource from '../../functions/integrations/get-source.ts';
import * as listLocations from '../../functions/locations/list-locations.ts';
import type { Location } from '../../shared/schemas/location.ts';
import { as } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newSource, sync } from './fixtures.ts';
import { useMemoryVendor } from './memory-vendor.ts';

let vendor = useMemoryVendor();

beforeEach(() => {
  vendor = useMemoryVendor();
});

const locationsOf = (person: Person): Promise<Location[]> => as(person).must.get(listLocations, {});

const items = (count: number, from = 0) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `i${String(from + n).padStart(5, '0')}`,
      { name: `Site ${from + n}`, kind: 'Bldg', where: `Street ${from + n}` },
    ]),
  );

describe('a sync', () => {
  test('brings every item as a location, and changes nothing when nothing has changed', async () => {
    const person = await newPerson('First');
    vendor.put('b', items(120));
    const source = await newSource(person);
    const run = await sync(person, source);
    expect([run.status, run.error, run.errors]).toEqual(['succeeded', null, []]);
    expect(run.counts).toMatchObject({ read: 120, created: 120, unchanged: 0, failed: 0 });
    const locations = await locationsOf(person);
    expect(locations).toHaveLength(120);
    expect(locations[0]).toMatchObject({
      name: 'Site 0',
      kind: 'Bldg',
      address: 'Street 0',
      source: 'synced',
    });
    const again = await sync(person, source);
    expect(again.counts).toMatchObject({ read: 120, created: 0, updated: 0, unchanged: 120 });
    expect(await locationsOf(person)).toEqual(locations);
    expect(await as(person).must.get(getSource, { params: { source_id: source.id } })).toMatchObject({
      status: 'active',
      rows_count: 120,
      last_run: { status: 'succeeded' },
    });
  });
});
