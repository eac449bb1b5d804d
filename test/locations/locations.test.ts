import * as errors from '../../shared/base/errors.ts';
import { Location } from '../../shared/schemas/location.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { use } from '../../shared/table/usage.ts';
import * as write from '../../shared/table/writes.ts';
import { newClientAccount } from '../client-accounts/scenarios.ts';
import { newColleague, suspend } from '../inspections/fixtures.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newLocation } from './scenarios.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Harbour');
});

const get = (id: string) => person.try.locations.get({ params: { location_id: id } });
const patch = (id: string, body: object) =>
  person.try.locations.update({ params: { location_id: id }, body });
const remove = (id: string) => person.try.locations.delete({ params: { location_id: id } });
const list = async (by: Person, query = {}): Promise<Location[]> => by.locations.list({ query });
const countOf = async (id: string) =>
  (await person.clientAccounts.get({ params: { ca_id: id } })).locations_count;

/** Marks a location as one that comes from another system. */
const makeSynced = ({ caller }: Person, id: string) =>
  change(caller, () => ({
    writes: [
      write.update(keys.one(caller, 'LOCATION', id), { set: { source: 'synced', synced_fields: ['name'] } }),
    ],
    reply: undefined,
  }));

const countInspections = (id: string, inspections: number) =>
  change(person.caller, () => ({
    writes: [
      use(person.caller, { kind: 'LOCATION', id, userId: person.adminId }, { inspections }, 'location_id'),
    ],
    reply: undefined,
  }));

describe('POST /locations', () => {
  test('201 with defaults, and the list shows it at once', async () => {
    const { status, body } = await person.try.locations.create({
      body: { name: ' Berth 1 ', address: ' ' },
    });
    expect(status).toBe(201);
    expect(Location.parse(body)).toEqual({
      id: body.id,
      name: 'Berth 1',
      kind: null,
      client_account_id: null,
      parent_id: null,
      address: null,
      lat: null,
      lng: null,
      timezone: null,
      status: 'active',
      external_ref: null,
      people: [],
      region_id: null,
      tags: [],
      metadata: {},
      path: [],
      source: 'local',
      source_id: null,
      external_id: null,
      synced_at: null,
      version: 1,
      created_at: body.created_at,
      updated_at: body.created_at,
    });
    expect((await get(body.id)).body).toEqual(body);
    expect(await list(person)).toContainEqual(body);
  });

  test('201, and the client account counts it', async () => {
    const { id: client_account_id } = await newClientAccount(person);
    await newLocation(person, { client_account_id });
    const { id } = await newLocation(person, { client_account_id });
    expect(await countOf(client_account_id)).toBe(2);
    await remove(id);
    expect(await countOf(client_account_id)).toBe(1);
  });

  test('201 for twenty parallel requests with one parent', async () => {
    const { id: parent_id } = await newLocation(person);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => person.try.locations.create({ body: { name: 'Bay', parent_id } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  });

  test('201 for one of twenty parallel requests with the same external_ref, 409 for the others', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        person.try.locations.create({ body: { name: 'Bay', external_ref: 'only-one' } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    expect(await list(person, { external_ref: 'only-one' })).toHaveLength(1);
    expect(await list(person, { external_ref: 'only-one', offset: 1 })).toHaveLength(0);
    expect(await list(person, { external_ref: 'only-one', status: 'inactive' })).toHaveLength(0);
  });

  test('201 with the people of the location, and the list shows them', async () => {
    const people = [
      { user_id: person.adminId, role: 'manager' },
      { user_id: person.adminId, role: 'owner' },
    ];
    const location = await newLocation(person, { people });
    expect(location.people).toEqual(people);
    expect(await list(person)).toContainEqual(location);
  });

  test('400 for people who are not active members of the organization', async () => {
    const other = await newPerson('Quay');
    const left = await newColleague(person, 'Otto');
    await suspend(person, left.user_id);
    for (const user_id of [crypto.randomUUID(), other.adminId, left.user_id]) {
      const people = [
        { user_id: person.adminId, role: 'manager' },
        { user_id, role: 'manager' },
      ];
      const answer = await person.try.locations.create({ body: { name: 'X', people } });
      expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining('people.1.user_id')]);
    }
  });

  test('422 for more than twenty people, and for one who is named twice as the same', async () => {
    const { adminId: user_id } = person;
    const roles = (count: number) =>
      Array.from({ length: count }, (_, position) => ({ user_id, role: `role ${position}` }));
    const twice = [
      { user_id, role: 'manager' },
      { user_id, role: ' manager' },
    ];
    expect((await person.try.locations.create({ body: { name: 'X', people: roles(20) } })).status).toBe(201);
    for (const people of [roles(21), twice, [{ user_id, role: ' ' }]]) {
      expect((await person.try.locations.create({ body: { name: 'X', people } })).status).toBe(422);
    }
  });

  test('400 for a client account or parent that the organization does not have', async () => {
    const other = await newPerson('Quay');
    for (const body of [
      { client_account_id: crypto.randomUUID() },
      { client_account_id: (await newClientAccount(other)).id },
      { parent_id: crypto.randomUUID() },
      { parent_id: (await newLocation(other)).id },
    ]) {
      const answer = await person.try.locations.create({ body: { name: 'X', ...body } });
      expect([answer.status, answer.body.detail]).toEqual([
        400,
        errors.referenceNotFound(Object.keys(body)[0]!).detail,
      ]);
    }
  });

  test('400 for a parent of another client account', async () => {
    const { id: client_account_id } = await newClientAccount(person);
    const { id: parent_id } = await newLocation(person);
    const { status, body } = await person.try.locations.create({
      body: { name: 'X', client_account_id, parent_id },
    });
    expect([status, body.detail]).toEqual([400, errors.otherClientAccount('parent_id').detail]);
  });

  test('422 for coordinates out of range, an unknown time zone, and a field that only a sync may set', async () => {
    const { status, body } = await person.try.locations.create({
      body: { name: 'X', lat: 90.1, lng: -181, timezone: 'Mars/Olympus', source: 'synced' },
    });
    expect(status).toBe(422);
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc[1]).toSorted()).toEqual([
      'lat',
      'lng',
      'source',
      'timezone',
    ]);
  });
});

describe('PATCH /locations/{location_id}', () => {
  test('200 for other people, and for another name after one of them has left', async () => {
    const { id } = await newLocation(person);
    const otto = await newColleague(person, 'Otto');
    const people = [{ user_id: otto.user_id, role: 'inspector' }];
    expect((await patch(id, { people })).body).toMatchObject({ people, version: 2 });
    await suspend(person, otto.user_id);
    expect((await patch(id, { name: 'Stern', people })).body).toMatchObject({ name: 'Stern', people });
    expect((await patch(id, { people: [...people, { ...people[0], role: 'owner' }] })).status).toBe(400);
  });

  test('200, and lists show the location in its new place', async () => {
    const { id: client_account_id } = await newClientAccount(person);
    const first = await newLocation(person, { name: 'Aft', client_account_id });
    const second = await newLocation(person, { name: 'Bow', client_account_id });
    const { status, body } = await patch(first.id, { name: 'Crow’s nest', lat: 1.5 });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...first,
      name: 'Crow’s nest',
      lat: 1.5,
      version: 2,
      updated_at: body.updated_at,
    });
    expect(await list(person, { client_account_id })).toEqual([second, body]);
    expect((await list(person)).filter(({ id }) => id === first.id)).toEqual([body]);
  });

  test('200 for an empty body and for current values, and nothing changes', async () => {
    const location = await newLocation(person, { name: 'Same' });
    for (const body of [{}, { name: 'Same', parent_id: null }]) {
      expect((await patch(location.id, body)).body).toEqual(location);
    }
  });

  test('200 for twenty parallel requests, and the location and the list agree', async () => {
    const { id } = await newLocation(person);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => patch(id, { name: `Turn ${turn}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { body } = await get(id);
    expect(body.version).toBe(21);
    expect((await list(person)).filter((each) => each.id === id)).toEqual([body]);
  });

  test('400 for a parent that does not exist', async () => {
    const { id } = await newLocation(person);
    const { status, body } = await patch(id, { parent_id: crypto.randomUUID() });
    expect([status, body.detail]).toEqual([400, errors.referenceNotFound('parent_id').detail]);
  });

  test('409 for a parent that is below the location at any depth, also after locations have moved', async () => {
    const chain = [await newLocation(person)];
    for (let depth = 0; depth < 6; depth += 1) {
      chain.push(await newLocation(person, { parent_id: chain.at(-1)!.id }));
    }
    const [top, second] = chain;
    for (const { id } of chain) expect((await patch(top!.id, { parent_id: id })).status).toBe(409);
    const hall = await newLocation(person);
    expect((await patch(second!.id, { parent_id: hall.id })).status).toBe(200);
    expect((await patch(hall.id, { parent_id: chain.at(-1)!.id })).status).toBe(409);
    expect((await patch(top!.id, { parent_id: chain.at(-1)!.id })).status).toBe(200);
    expect((await get(top!.id)).body.parent_id).toBe(chain.at(-1)!.id);
  });

  test('409 for one of two parallel requests that would put each location below the other', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [a, b] = [await newLocation(person), await newLocation(person)];
      const answers = await Promise.all([patch(a.id, { parent_id: b.id }), patch(b.id, { parent_id: a.id })]);
      expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 409]));
    }
  });

  test('409 for a synced location, for another version, and for an external_ref in use', async () => {
    const { id } = await newLocation(person);
    await newLocation(person, { external_ref: 'taken' });
    expect((await patch(id, { external_ref: 'taken' })).status).toBe(409);
    expect((await patch(id, { name: 'Y', expected_version: 7 })).status).toBe(409);
    await makeSynced(person, id);
    expect((await patch(id, { name: 'Y' })).status).toBe(409);
    expect((await patch(id, {})).status).toBe(200);
  });

  test('422 for another client account, which cannot change', async () => {
    const { id } = await newLocation(person);
    const { status, body } = await patch(id, { client_account_id: null });
    expect([status, body.detail[0].type]).toEqual([422, 'extra_forbidden']);
  });
});

describe('DELETE /locations/{location_id}', () => {
  test('204, and no list shows the location; its external_ref is free again', async () => {
    const { id: client_account_id } = await newClientAccount(person);
    const { id } = await newLocation(person, { client_account_id, external_ref: 'freed' });
    expect((await remove(id)).status).toBe(204);
    expect((await get(id)).status).toBe(404);
    expect((await remove(id)).status).toBe(404);
    expect(await list(person, { client_account_id })).toEqual([]);
    expect((await list(person)).filter((each) => each.id === id)).toEqual([]);
    await newLocation(person, { external_ref: 'freed' });
  });

  test('409 while inspections use the location or others are below it, and for a synced one', async () => {
    const { id } = await newLocation(person);
    await countInspections(id, 1);
    expect((await remove(id)).status).toBe(409);
    await countInspections(id, -1);
    const child = await newLocation(person, { parent_id: id });
    expect((await remove(id)).status).toBe(409);
    await patch(child.id, { parent_id: null });
    await makeSynced(person, child.id);
    expect((await remove(child.id)).status).toBe(409);
    expect((await remove(id)).status).toBe(204);
  });

  test('204 or 409 in parallel with twenty new locations below it, and none is left without its parent', async () => {
    const { id: parent_id } = await newLocation(person);
    const [deleted, ...children] = await Promise.all([
      remove(parent_id),
      ...Array.from({ length: 20 }, () => person.try.locations.create({ body: { name: 'Bay', parent_id } })),
    ]);
    const created = children.filter(({ status }) => status === 201).length;
    expect(children.every(({ status }) => status === 201 || status === 400)).toBe(true);
    expect(deleted.status).toBe(created > 0 ? 409 : 204);
    expect((await get(parent_id)).status).toBe(created > 0 ? 200 : 404);
  });

  test('204 while its client account is being deleted', async () => {
    const { id: client_account_id } = await newClientAccount(person);
    const { id } = await newLocation(person, { client_account_id });
    await person.clientAccounts.delete({ params: { ca_id: client_account_id } });
    expect((await remove(id)).status).toBe(204);
  });
});

describe('GET /locations', () => {
  const byName = (names: string[]) =>
    names.toSorted((a, b) =>
      Buffer.compare(
        Buffer.from(a.normalize('NFKC').toLowerCase()),
        Buffer.from(b.normalize('NFKC').toLowerCase()),
      ),
    );

  test('200 in the order of names, ignoring case, in any script and of any length', async () => {
    const other = await newPerson('Order');
    const names = [
      'b',
      'B2',
      'a',
      'Ａ1',
      'Ω',
      'ω1',
      '𝒜2',
      'é',
      'z',
      'Z 10',
      '😀',
      'zz',
      `${'ﷺ'.repeat(199)}b`,
    ];
    for (const name of names.toReversed()) await newLocation(other, { name });
    expect((await list(other)).map(({ name }) => name)).toEqual(byName(names));
    const sames = await Promise.all([0, 1, 2].map(() => newLocation(other, { name: 'A' })));
    const ids = (await list(other, { q: 'a' })).filter(({ name }) => name === 'A').map(({ id }) => id);
    expect(ids).toEqual(sames.map(({ id }) => id).toSorted());
  });

  test('200 filtered by text, client account, status, source and time', async () => {
    const other = await newPerson('Filters');
    const { id: client_account_id } = await newClientAccount(other);
    const north = await newLocation(other, { name: 'Pier NORTH', client_account_id, status: 'inactive' });
    const south = await newLocation(other, { name: 'Pier south', client_account_id });
    const tower = await newLocation(other, { name: 'Tower' });
    expect(await list(other, { q: 'pier' })).toEqual([north, south]);
    expect(await list(other, { q: 'ＮＯＲＴＨ' })).toEqual([north]);
    expect(await list(other, { client_account_id, status: 'active' })).toEqual([south]);
    expect(await list(other, { source: 'synced' })).toEqual([]);
    expect(await list(other, { client_account_id: crypto.randomUUID() })).toEqual([]);
    expect(await list(other, { updated_since: tower.updated_at })).toContainEqual(tower);
    expect(await list(other, { updated_since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
    expect(await list(await newPerson('Quay'))).toEqual([]);
  });

  test('422 for a limit or offset out of range', async () => {
    for (const query of [{ limit: 0 }, { limit: 201 }, { offset: -1 }, { limit: 'x' }, { cursor: 'x' }]) {
      const { status, body } = await person.try.locations.list({ query });
      expect([status, body.detail[0].loc]).toEqual([422, ['query', Object.keys(query)[0]]]);
    }
  });
});
