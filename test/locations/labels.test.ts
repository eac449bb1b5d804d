import fc from 'fast-check';
import type { Location } from '../../shared/schemas/location.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { newRegion } from '../regions/scenarios.ts';
import { manyListedLocations } from '../schedules/fixtures.ts';
import { newPerson, type Person } from '../support/people.ts';
import { runs } from '../support/scale.ts';
import { newLocation } from './scenarios.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Labels');
});

const names = async (query: Record<string, string | number | readonly string[]>, by = person) =>
  (await by.locations.list({ query })).map(({ name }: Location) => name);
const patch = (id: string, body: object) =>
  person.try.locations.update({ params: { location_id: id }, body });

describe('tags and metadata of locations', () => {
  test('find them, in the order of their names', async () => {
    await newLocation(person, { name: 'Tower B', tags: ['High-Rise', 'glass'], metadata: { owner: 'Acme' } });
    await newLocation(person, {
      name: 'Tower A',
      tags: ['high-rise'],
      metadata: { owner: 'Bolt', unit: '1' },
    });
    const { id } = await newLocation(person, { name: 'Shed', tags: ['wood'] });
    expect(await names({ tag: 'HIGH-RISE' })).toEqual(['Tower A', 'Tower B']);
    expect(await names({ tag: 'high-rise', limit: 1, offset: 1 })).toEqual(['Tower B']);
    expect(await names({ tag: ['wood', 'glass'] })).toEqual(['Shed', 'Tower B']);
    expect(await names({ tag: 'high-rise', 'metadata.owner': 'Bolt' })).toEqual(['Tower A']);
    expect(await names({ 'metadata.owner': 'Bolt', 'metadata.unit': '2' })).toEqual([]);
    await patch(id, { tags: ['glass'] });
    expect(await names({ tag: 'wood' })).toEqual([]);
    expect(await names({ tag: 'glass' })).toEqual(['Shed', 'Tower B']);
  });

  test('find them page by page also where many have the same', async () => {
    const by = await newPerson('Many');
    await newLocation(by, { name: 'A' });
    await manyListedLocations(by, 505, { tags: ['many'] });
    await newLocation(by, { name: 'Z', tags: ['many'] });
    expect(await names({ tag: 'many' }, by)).toHaveLength(506);
    expect(await names({ tag: 'many', limit: 2 }, by)).toEqual(['Yard', 'Yard']);
    expect(await names({ tag: 'many', limit: 2, offset: 505 }, by)).toEqual(['Z']);
    expect(await names({ tag: 'many', q: 'z' }, by)).toEqual(['Z']);
  });

  test('are no labels of another organization', async () => {
    await newLocation(person, { tags: ['ours'] });
    expect(await names({ tag: 'ours' }, await newPerson('Other'))).toEqual([]);
  });

  test('change pair by pair: null removes one, others stay', async () => {
    const { id } = await newLocation(person, { metadata: { a: '1', b: '2' } });
    const { body } = await patch(id, { metadata: { b: null, c: '3' } });
    expect(body.metadata).toEqual({ a: '1', c: '3' });
  });

  test('422 for more than twenty of either, and for other keys', async () => {
    const { id } = await newLocation(person, { metadata: { first: '1' } });
    const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, key) => [`k${key}`, 'x']));
    const bodies = [
      { tags: Array.from({ length: 21 }, (_, tag) => `t${tag}`) },
      { metadata: twenty },
      { metadata: { 'a b': 'x' } },
      { metadata: { long: 'x'.repeat(201) } },
    ];
    for (const body of bodies) expect((await patch(id, body)).status).toBe(422);
    expect((await person.try.locations.list({ query: { 'metadata.a b': 'x' } })).status).toBe(422);
  });
});

describe('regions of locations', () => {
  test('find the locations in them and below, of any client, and keep them from being deleted', async () => {
    const country = await newRegion(person);
    const district = await newRegion(person, { parent_id: country.id });
    const { id: client_account_id } = await newClientAccount(person);
    const shop = await newLocation(person, { name: 'Shop', region_id: district.id, client_account_id });
    await newLocation(person, { name: 'Depot', region_id: country.id });
    expect(await names({ region_id: country.id })).toEqual(['Depot', 'Shop']);
    for (let more = 0; more < 10; more += 1) await newRegion(person, { parent_id: country.id });
    expect(await names({ region_id: country.id })).toEqual(['Depot', 'Shop']);
    expect(await names({ region_id: district.id })).toEqual(['Shop']);
    const params = { region_id: district.id };
    expect((await person.try.regions.delete({ params })).status).toBe(409);
    expect((await patch(shop.id, { region_id: null })).status).toBe(200);
    expect((await person.try.regions.delete({ params })).status).toBe(204);
    expect((await patch(shop.id, { region_id: district.id })).status).toBe(400);
  });
});

describe('the tree of locations', () => {
  const Tree = async () => {
    const { id: client_account_id } = await newClientAccount(person);
    const site = await newLocation(person, { name: 'Site', client_account_id, kind: 'site' });
    const tower = await newLocation(person, { name: 'Tower', client_account_id, parent_id: site.id });
    const flat = await newLocation(person, {
      name: 'Flat',
      client_account_id,
      parent_id: tower.id,
      kind: 'flat',
      address: 'Pier 3',
    });
    return { site, tower, flat };
  };

  test('is read level by level, and whole', async () => {
    const { site, tower, flat } = await Tree();
    expect(await names({ parent_id: site.id })).toEqual(['Tower']);
    expect(await names({ within: site.id })).toEqual(['Flat', 'Site', 'Tower']);
    expect(await names({ within: site.id, kind: 'flat' })).toEqual(['Flat']);
    expect(await names({ within: tower.id, q: 'pier' })).toEqual(['Flat']);
    expect(await names({ within: flat.id, q: 'tower' })).toEqual([]);
    expect(flat.path).toEqual([
      { id: site.id, name: 'Site' },
      { id: tower.id, name: 'Tower' },
    ]);
    expect(await person.locations.list({ query: { within: site.id, limit: 1 } })).toEqual([flat]);
    expect(await person.locations.list({ query: { parent_id: tower.id } })).toEqual([flat]);
  });

  test('moves with what is below, and is ten levels deep at most', async () => {
    const { site, tower, flat } = await Tree();
    const { client_account_id } = site;
    let deepest = await newLocation(person, { name: 'L1', client_account_id });
    for (let level = 2; level <= 8; level += 1) {
      deepest = await newLocation(person, { name: `L${level}`, client_account_id, parent_id: deepest.id });
    }
    expect((await patch(site.id, { parent_id: deepest.id })).status).toBe(409);
    expect((await patch(tower.id, { parent_id: deepest.id })).status).toBe(200);
    const { path } = await person.locations.get({ params: { location_id: flat.id } });
    expect(path.map(({ name }: { name: string }) => name).join(' ')).toBe('L1 L2 L3 L4 L5 L6 L7 L8 Tower');
    expect(await names({ within: site.id })).toEqual(['Site']);
    const below = { name: 'X', client_account_id, parent_id: flat.id };
    expect((await person.try.locations.create({ body: below })).status).toBe(409);
  });

  test('stays one tree in whatever order locations move, without a circle or a lost one', async () => {
    const MANY = 8;
    const moves = fc.array(fc.tuple(fc.nat(MANY - 1), fc.option(fc.nat(MANY - 1))), {
      minLength: 24,
      maxLength: 24,
    });
    await fc.assert(
      fc.asyncProperty(moves, async (steps) => {
        const by = await newPerson('Moves');
        const places: Location[] = [];
        for (let name = 0; name < MANY; name += 1) places.push(await newLocation(by, { name: `P${name}` }));
        // Pairs of moves at the same time, of which each, one or none is done.
        for (let at = 0; at < steps.length; at += 2) {
          const answers = await Promise.all(
            steps.slice(at, at + 2).map(([moved, parent]) =>
              by.try.locations.update({
                params: { location_id: places[moved]!.id },
                body: { parent_id: parent === null ? null : places[parent]!.id },
              }),
            ),
          );
          for (const { status } of answers) expect([200, 409]).toContain(status);
        }
        const found: Location[] = await by.locations.list({});
        const parentOf = new Map(found.map(({ id, parent_id }) => [id, parent_id]));
        const pathOf = (id: string | null | undefined, most = MANY): string[] => {
          if (!id) return [];
          expect(most).toBeGreaterThan(0);
          return [...pathOf(parentOf.get(id), most - 1), id];
        };
        expect(found.map(({ id }) => id).toSorted()).toEqual(places.map(({ id }) => id).toSorted());
        for (const { id, path } of found) {
          expect([...path.map((each) => each.id), id]).toEqual(pathOf(id));
          const one = await by.locations.get({ params: { location_id: id } });
          expect(one.path).toEqual(path);
          const within: Location[] = await by.locations.list({ query: { within: id } });
          expect(within.map((each) => each.id).toSorted()).toEqual(
            places
              .map((each) => each.id)
              .filter((each) => pathOf(each).includes(id))
              .toSorted(),
          );
        }
      }),
      { numRuns: runs(4) },
    );
  });
});

test('leaves nothing that `org check` would mend', async () => {
  const { differences } = await checkOrganization(person.caller, { repair: false });
  expect(differences).toEqual([]);
});
