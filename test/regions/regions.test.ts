import fc from 'fast-check';
import * as errors from '../../shared/base/errors.ts';
import { MAX_LEVELS } from '../../shared/domain/tree.ts';
import type { Region } from '../../shared/schemas/region.ts';
import { newPerson, type Person } from '../support/people.ts';
import { runs } from '../support/scale.ts';
import { newRegion } from './scenarios.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Franchise');
});

const at = (region_id: string) => ({ params: { region_id } });
const move = (id: string, parent_id: string | null) =>
  person.try.regions.update({ ...at(id), body: { parent_id } });

describe('regions', () => {
  test('show the regions above them, whatever these are called by then', async () => {
    const country = await newRegion(person, { name: 'Portugal' });
    const district = await newRegion(person, { name: 'Lisbon', parent_id: country.id });
    const quarter = await newRegion(person, { name: 'Alfama', parent_id: district.id });
    expect(quarter.path.map(({ name }) => name)).toEqual(['Portugal', 'Lisbon']);
    await person.regions.update({ ...at(country.id), body: { name: 'Iberia' } });
    expect((await person.regions.get(at(quarter.id))).path).toEqual([
      { id: country.id, name: 'Iberia' },
      { id: district.id, name: 'Lisbon' },
    ]);
    expect(await person.regions.list({ query: { parent_id: country.id } })).toMatchObject([
      { id: district.id, path: [{ name: 'Iberia' }] },
    ]);
  });

  test('do not exist for another organization, nor as its parents', async () => {
    const other = await newPerson('Other');
    const { id } = await newRegion(person);
    expect((await other.try.regions.get(at(id))).status).toBe(404);
    const { status, body } = await other.try.regions.create({ body: { name: 'X', parent_id: id } });
    expect([status, body.detail]).toEqual([400, errors.referenceNotFound('parent_id').detail]);
  });

  test('have people, who are active members', async () => {
    const people = [{ user_id: person.adminId, role: 'manager' }];
    const { id } = await newRegion(person);
    const update = (body: object) => person.try.regions.update({ ...at(id), body });
    expect((await update({ people })).body.people).toEqual(people);
    const stranger = await newPerson('Stranger');
    const refused = await update({ people: [{ user_id: stranger.adminId, role: 'manager' }] });
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      errors.referenceNotFound('people.0.user_id').detail,
    ]);
    expect((await update({ people: [...people, ...people] })).status).toBe(422);
    expect((await person.regions.get(at(id))).people).toEqual(people);
  });

  test('cannot be deleted while others are in them', async () => {
    const outer = await newRegion(person);
    const inner = await newRegion(person, { parent_id: outer.id });
    expect((await person.try.regions.delete(at(outer.id))).status).toBe(409);
    expect((await person.try.regions.delete(at(inner.id))).status).toBe(204);
    expect((await person.try.regions.delete(at(outer.id))).status).toBe(204);
  });

  test('form no circle when two move below each other at the same time', async () => {
    const [a, b] = [await newRegion(person), await newRegion(person)];
    const answers = await Promise.all([move(a.id, b.id), move(b.id, a.id)]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
  });

  test('stand in one another as a model says, in whatever order they move', async () => {
    const MANY = 12;
    const moves = fc.array(fc.tuple(fc.nat(MANY - 1), fc.option(fc.nat(MANY - 1))), {
      minLength: 15,
      maxLength: 15,
    });
    await fc.assert(
      fc.asyncProperty(moves, async (steps) => {
        const by = await newPerson('Moves');
        const regions = await Promise.all(
          Array.from({ length: MANY }, (_, name) => newRegion(by, { name: `R${name}` })),
        );
        const parents: (number | null)[] = regions.map(() => null);
        const pathOf = (at: number): number[] => {
          const parent = parents[at]!;
          return parent === null ? [] : [...pathOf(parent), parent];
        };
        // A chain first, so that circles and depth are reached.
        const chain = Array.from({ length: MAX_LEVELS - 1 }, (_, level) => [level + 1, level] as const);
        for (const [moved, parent] of [...chain, ...steps]) {
          const isCircle = parent === moved || (parent !== null && pathOf(parent).includes(moved));
          const below = regions.map((_, each) => pathOf(each)).filter((path) => path.includes(moved));
          const height = Math.max(0, ...below.map((path) => path.length - path.indexOf(moved)));
          const isDeep = parent !== null && pathOf(parent).length + 2 + height > MAX_LEVELS;
          const parent_id = parent === null ? null : regions[parent]!.id;
          const { status } = await by.try.regions.update({ ...at(regions[moved]!.id), body: { parent_id } });
          expect(status).toBe(isCircle || isDeep ? 409 : 200);
          if (status === 200) parents[moved] = parent;
        }
        const shown: Region[] = await by.regions.list({});
        const paths = shown.map(({ name, path }) => [name, ...path.map((each) => each.name)]);
        const expected = regions.map((_, each) => [each, ...pathOf(each)].map((one) => `R${one}`));
        expect(paths).toHaveLength(MANY);
        expect(paths).toEqual(expect.arrayContaining(expected));
      }),
      { numRuns: runs(3) },
    );
  });
});
