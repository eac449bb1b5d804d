import fc from 'fast-check';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { newLocation } from '../locations/scenarios.ts';
import { installFaults } from '../support/faults.ts';
import { waitingEvents } from '../support/outbox.ts';
import { newMember, newPerson, type Person } from '../support/people.ts';
import { killedAtPlaces } from '../support/places.ts';
import { scaled } from '../support/scale.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { ask, commit, dryRun, newInspections, read, rowsOf, work } from './fixtures.ts';

installFaults();

/** A lease of a worker that was killed ends after this time, in milliseconds. */
const LEASE = 61_000;
let passed = 0;

beforeAll(() => {
  const now = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + passed);
});

const inspectionOf = (by: Person, id: string) => by.inspections.get({ params: { inspection_id: id } });

describe('a worker that is killed', () => {
  it.each([false, true])(
    'at any call, before and after it is done by turns (first after: %s), changes each row once, and another one goes on',
    async (isFirstDone) => {
      const by = await newPerson('Killed');
      const { id: familyId } = await publishedFamily(by.key);
      const ana = await newMember(by, 'inspector', 'Ana');
      let round = 0;
      await killedAtPlaces(
        async ({ place, fault, isReached }) => {
          round += 1;
          const tag = `round ${round}`;
          const visits = await newInspections(by, { id: familyId }, 2, () => ({ tags: [tag] }));
          const bulk = await ask(by, {
            resource: 'inspections',
            filter: { tag: [tag] },
            action: { type: 'reassign', to: ana.user_id },
            dry_run: false,
          });
          await work(by, bulk, fault);
          if (isReached()) {
            passed += LEASE;
            expect(await work(by, bulk)).toBe(true);
          }
          expect([place, await read(by, bulk)]).toMatchObject([
            place,
            { status: 'completed', total: 2, changed: 2, planned: 0, refused: 0, outdated: 0 },
          ]);
          const ids = visits.map(({ id }) => id);
          for (const id of ids) expect((await inspectionOf(by, id)).version).toBe(2);
          const events = (await waitingEvents(by.caller)).filter(({ data }) => ids.includes(data.id));
          expect(events.map(({ type }) => type).toSorted()).toEqual([
            'inspection.created',
            'inspection.created',
            'inspection.updated',
            'inspection.updated',
          ]);
        },
        { isFirstDone },
      );
      expect((await checkOrganization(by.caller, { repair: false })).differences).toEqual([]);
    },
    600_000,
  );
});

describe('a dry run', () => {
  it('lists exactly what is then carried out, whatever the filter, the action and the data', async () => {
    const by = await newPerson('Random');
    const [one, two] = [await publishedFamily(by.key), await publishedFamily(by.key)];
    const people = [await newMember(by, 'inspector', 'Ana'), await newMember(by, 'inspector', 'Ben')];
    const places = [await newLocation(by), await newLocation(by)];
    const person = fc.constantFrom(...people.map(({ user_id }) => user_id));
    const place = fc.constantFrom(...places.map(({ id }) => id));
    const family = fc.constantFrom(one.id, two.id);
    const tag = fc.constantFrom('a', 'b', 'c');
    const due = fc.constantFrom('2031-01-01T00:00:00.000Z', '2032-01-01T00:00:00.000Z');
    const visit = fc.record({
      template_family_id: family,
      location_id: fc.option(place),
      participants: fc.option(person, { nil: undefined }).map((id) => (id ? [{ user_id: id }] : [])),
      tags: fc.uniqueArray(tag),
      due_at: fc.option(due),
    });
    const few = <Value>(value: fc.Arbitrary<Value>) => fc.uniqueArray(value, { minLength: 1, maxLength: 2 });
    const filter = fc.record(
      {
        status: few(fc.constantFrom('scheduled', 'in_progress', 'archived')),
        tag: few(tag),
        location_id: few(place),
        template_family_id: few(family),
        assignee_id: few(person),
        due_before: due,
      },
      { requiredKeys: [] },
    );
    const action = fc.oneof(
      fc.record({ type: fc.constant('reassign'), to: fc.option(person) }),
      fc.record({ type: fc.constant('reassign'), from: person, to: fc.option(person) }),
      fc.record({ type: fc.constant('set_due'), due_at: fc.option(due) }),
      fc.record({ type: fc.constant('archive') }),
      fc.record({ type: fc.constant('tag'), add: fc.uniqueArray(tag), remove: fc.uniqueArray(tag) }),
      fc.record({ type: fc.constant('move'), location_id: fc.option(place) }),
    );
    const made: string[] = [];
    let requests = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(visit, { minLength: 1, maxLength: 4 }),
        filter,
        action,
        async (visits, wanted, act) => {
          // A key may send only so many requests in a minute.
          requests += 40;
          if (requests > 250) {
            passed += 60_000;
            requests = 0;
          }
          for (const { template_family_id, ...fields } of visits)
            made.push(
              ...(await newInspections(by, { id: template_family_id }, 1, () => fields)).map(({ id }) => id),
            );
          const before = new Map<string, Record<string, unknown>>();
          for (const each of await by.inspections.list({ query: {} })) before.set(each.id, each);
          const expected = await dryRun(by, { resource: 'inspections', filter: wanted, action: act });
          const rows = await rowsOf(by, expected);
          const listed: { id: string }[] = await by.inspections.list({ query: wanted });
          expect(rows.map(({ resource_id }) => resource_id)).toEqual(listed.map(({ id }) => id));
          const after = await commit(by, expected);
          expect(after).toMatchObject({
            status: 'completed',
            planned: 0,
            outdated: 0,
            changed: expected.planned,
          });
          const planned = new Map(rows.map((row) => [row.resource_id, row]));
          for (const now of await by.inspections.list({ query: {} })) {
            const was = before.get(now.id)!;
            const row = planned.get(now.id);
            if (row?.outcome !== 'planned') {
              expect(now).toEqual(was);
              continue;
            }
            const times = new Set(['version', 'updated_at', 'archived_at', 'is_overdue']);
            const changed = Object.keys(now).filter(
              (name) => !times.has(name) && JSON.stringify(now[name]) !== JSON.stringify(was[name]),
            );
            expect(row.changes.map(({ field }) => field).toSorted()).toEqual(changed.toSorted());
            for (const { field, from, to } of row.changes) {
              expect(was[field]).toEqual(from);
              expect(now[field]).toEqual(to);
            }
          }
        },
      ),
      { numRuns: scaled(12, 200) },
    );
    expect(made.length).toBeGreaterThan(10);
    expect((await checkOrganization(by.caller, { repair: false })).differences).toEqual([]);
  }, 600_000);
});
