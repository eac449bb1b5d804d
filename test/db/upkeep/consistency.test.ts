import * as createReport from '../../../functions/reports/create-report.ts';
import type { Caller } from '../../../shared/base/caller.ts';
import { change } from '../../../shared/db/table/change.ts';
import { type Key, keys, shardOf } from '../../../shared/db/table/keys.ts';
import { getRow, queryRows, type Row } from '../../../shared/db/table/rows.ts';
import * as write from '../../../shared/db/table/writes.ts';
import type { Write } from '../../../shared/db/table/writes.ts';
import { checkOrganization } from '../../../shared/db/upkeep/consistency/check.ts';
import { LOOKS } from '../../../shared/db/upkeep/consistency/looks.ts';
import {
  answering,
  CONTENT,
  DOOR,
  DOOR_STATE,
  newDocument,
  PHOTO,
  RAIL,
  ROOM,
  saved,
} from '../../answers/fixtures.ts';
import { attach, newAction, newFinding } from '../../corrective-actions/fixtures.ts';
import { completed, newClient, newInspection, newLocation } from '../../inspections/fixtures.ts';
import { made } from '../../support/call.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { newLayout, newPicture, publishedFamily, uuid } from '../../templates/fixtures.ts';

// One engine, one client: what is on its way is there sooner than it can be seen.
Object.assign(LOOKS, { pause: 10 });

const FUTURE = '2099-01-01T00:00:00.000Z';

/** An organization in which something follows from everything. */
const settle = async (name: string) => {
  const person = await newPerson(name);
  const { caller, key, adminId } = person;
  const client = await newClient(person);
  const site = await newLocation(person, client.id);
  const yard = await newLocation(person);
  const family = await publishedFamily(key, { content: CONTENT });
  const logo = await newPicture(key);
  await newLayout(key, family.id, { theme: { logo } });
  const inspection = await answering(person, {
    template_family_id: family.id,
    location_id: site.id,
    participants: [{ user_id: adminId }],
    due_at: FUTURE,
    external_ref: 'erp-1',
  });
  const photo = await newDocument(person);
  await saved(person, inspection, { field_id: RAIL, value: 'fail' });
  await saved(person, inspection, { field_id: PHOTO, value: [{ document_id: photo }] });
  await saved(person, inspection, {
    section_id: DOOR,
    field_id: DOOR_STATE,
    instance_path: `${ROOM}[0]/${DOOR}[0]`,
    value: 'yes',
  });
  const finding = await newFinding(person, { content: { media: [{ document_id: photo }] } }, inspection);
  const action = await newAction(
    person,
    { assignee_id: caller.user_id, due_at: FUTURE, external_ref: 'ca-1' },
    finding,
  );
  await attach(person, action, photo, { stage: 'after' });
  const report = await made(createReport, {
    as: key,
    params: { inspection_id: inspection.id },
    body: {},
  });
  await newInspection(person, { template_family_id: family.id, client_account_id: client.id });
  await completed(person);
  return { person, caller, client, site, yard, family, logo, inspection, photo, finding, action, report };
};
type World = Awaited<ReturnType<typeof settle>>;

const written = (caller: Caller, ...writes: Write[]): Promise<null> =>
  change(caller, () => ({ writes, reply: null }));

const inspectionKey = ({ caller, inspection }: World): Key => keys.one(caller, 'INSPECTION', inspection.id);
const below = ({ caller, inspection }: World, kind: 'FINDING' | 'ACTION', id: string): Key =>
  keys.child(caller, inspection.id, kind, id);

/** The rows of a partition, so that one of them can be damaged. */
const rowsOf = ({ caller }: World, partition: string, prefix?: string): Promise<Row[]> =>
  Array.fromAsync(queryRows<Row>(caller, { partition, prefix }));

const rowAt = async ({ caller }: World, key: Key): Promise<Row> => (await getRow<Row>(caller, key))!;

/** Kinds of damage: what is written, and what is then found to differ. */
const DAMAGE: [name: string, found: string[], (world: World) => Promise<Write[]> | Write[]][] = [
  [
    'an inspection’s counters',
    ['inspection'],
    (world) => [write.update(inspectionKey(world), { add: { answered: 2, required: 1, findings_count: -1 } })],
  ],
  [
    'an inspection’s count of open actions',
    ['inspection'],
    (world) => [write.update(inspectionKey(world), { add: { open_corrective_actions_count: 3 } })],
  ],
  [
    'what an index finds an inspection by',
    ['inspection'],
    (world) => [write.update(inspectionKey(world), { set: { by_status: 'ORG#elsewhere', by_client: 'x' } })],
  ],
  [
    'the state of the answers, lost',
    ['all answers, briefly'],
    ({ caller, inspection }) => [write.drop(keys.answerState(caller, inspection.id))],
  ],
  [
    'the state of the answers, of other ones',
    ['all answers, briefly'],
    async (world) => {
      const { caller, person, inspection } = world;
      const earlier = await rowAt(world, keys.answerState(caller, inspection.id));
      await saved(person, inspection, { field_id: uuid(2), value: 'late' });
      const now = await rowAt(world, keys.answerState(caller, inspection.id));
      return [write.put({ ...now, body: earlier['body'] })];
    },
  ],
  [
    'the rows that follow an inspection, lost',
    ['assignment', 'due inspection', 'running inspection', 'unique value'],
    ({ caller, inspection, person: { adminId } }) => [
      write.drop(keys.due(caller, FUTURE, inspection.id)),
      write.drop(keys.assignment(caller, adminId, inspection.id)),
      write.drop(keys.running(caller, inspection.template_family_id, inspection.template_id, inspection.id)),
      write.drop(keys.unique(caller, 'external_ref of inspections', 'erp-1')),
    ],
  ],
  [
    'rows that follow from nothing',
    ['assignment', 'assignment of an action', 'due action', 'due inspection', 'running inspection'],
    ({ caller, inspection, family, action }) => [
      write.put({ ...keys.due(caller, '2020-01-01T00:00:00.000Z', inspection.id), inspection_id: inspection.id }),
      write.put({ ...keys.assignment(caller, caller.user_id, inspection.id) }),
      write.put({ ...keys.running(caller, family.id, uuid(9), inspection.id) }),
      write.put({ ...keys.actionDue(caller, FUTURE, uuid(9)), inspection_id: inspection.id }),
      write.put({ ...keys.actionAssignment(caller, caller.user_id, uuid(9)), inspection_id: action.inspection_id }),
    ],
  ],
  [
    'rows that follow from what is gone',
    ['finding by its own id', 'location by name'],
    ({ caller, client }) => [
      write.put({ ...keys.reference(caller, 'FINDING', uuid(9)), inspection_id: uuid(9) }),
      write.put({
        pk: keys.locationsByName(caller, client.id),
        sk: `somewhere\u0001${uuid(9)}`,
        name: 'Somewhere',
      }),
    ],
  ],
  [
    'a due row that says another thing',
    ['due inspection'],
    ({ caller, inspection }) => [
      write.update(keys.due(caller, FUTURE, inspection.id), { set: { inspection_id: uuid(9), by_due: 'DUE#X' } }),
    ],
  ],
  [
    'the rows that follow an action, lost',
    ['action by its own id', 'assignment of an action', 'due action', 'unique value'],
    ({ caller, action }) => [
      write.drop(keys.actionDue(caller, FUTURE, action.id)),
      write.drop(keys.actionAssignment(caller, caller.user_id, action.id)),
      write.drop(keys.reference(caller, 'ACTION', action.id)),
      write.drop(keys.unique(caller, 'external_ref of corrective actions', 'ca-1')),
    ],
  ],
  [
    'the ways to a finding and a report, lost',
    ['finding by its own id', 'report by its own id'],
    ({ caller, finding, report }) => [
      write.drop(keys.reference(caller, 'FINDING', finding.id)),
      write.drop(keys.reference(caller, 'REPORT', report.id)),
    ],
  ],
  [
    'what findings and actions count',
    ['corrective action', 'finding'],
    (world) => [
      write.update(below(world, 'FINDING', world.finding.id), { add: { corrective_actions_count: 1 } }),
      write.update(below(world, 'ACTION', world.action.id), { add: { evidence_count: -1 } }),
    ],
  ],
  [
    'the summary’s counters',
    ['counter', 'counter'],
    ({ caller, inspection: { id } }) => {
      const shard = shardOf(id);
      const other = shard === '00' ? '01' : '00';
      return [
        write.update(keys.counter(caller, 'INSPECTION', shard), { add: { in_progress: 2, scheduled: -1 } }),
        write.update(keys.counter(caller, 'INSPECTION', other), { add: { completed: 1 } }),
      ];
    },
  ],
  [
    'the summary’s counters, all of a shard lost',
    ['counter'],
    ({ caller, inspection: { id } }) => [write.drop(keys.counter(caller, 'INSPECTION', shardOf(id)))],
  ],
  [
    'the uses of a family, a client and a location',
    ['usage', 'usage', 'usage'],
    async (world) => {
      const { caller, family, client, site, inspection } = world;
      const shard = shardOf(inspection.id);
      return [
        write.update(keys.usage(caller, 'FAMILY', family.id, shard), { add: { inspections: 1 } }),
        write.update(keys.usage(caller, 'CLIENT', client.id, shardOf(site.id)), { add: { locations: -1 } }),
        write.drop(keys.usage(caller, 'LOCATION', site.id, shard)),
      ];
    },
  ],
  [
    'a client that is closed for use and there, and one that is gone and open',
    ['usage', 'usage'],
    ({ caller, client, site }) => [
      write.update(keys.usage(caller, 'CLIENT', client.id, shardOf(site.id)), { set: { closed: true } }),
      write.put({ ...keys.usage(caller, 'CLIENT', uuid(9), '00'), locations: 0 }),
    ],
  ],
  [
    'the uses of documents',
    ['document', 'document'],
    ({ caller, photo, logo }) => [
      write.update(keys.one(caller, 'DOCUMENT', photo), { add: { used_by_count: -2 } }),
      write.update(keys.one(caller, 'DOCUMENT', logo), { set: { used_by_count: 7 } }),
    ],
  ],
  [
    'a location in the lists by name',
    ['location by name', 'location by name'],
    async (world) => {
      const { caller, client, site, yard } = world;
      const all = await rowsOf(world, keys.locationsByName(caller));
      const own = await rowsOf(world, keys.locationsByName(caller, client.id));
      return [
        write.put({ ...own.find(({ id }) => id === site.id)!, name: 'Jard' }),
        write.drop(all.find(({ id }) => id === yard.id)!),
      ];
    },
  ],
];

const whatOf = ({ differences }: Awaited<ReturnType<typeof checkOrganization>>): string[] =>
  differences.map(({ what }) => what).toSorted();

describe('checkOrganization', () => {
  let world: World;
  const check = (repair = false) => checkOrganization(world.caller, { repair });

  beforeAll(async () => {
    world = await settle('Damaged');
  });

  test('finds nothing where nothing differs, and has looked at everything', async () => {
    expect(await check()).toEqual({
      checked: { inspections: 3, resources: 3, followers: expect.any(Number), counters: expect.any(Number) },
      found: 0,
      mended: 0,
      unsettled: 0,
      differences: [],
    });
  });

  test.each(DAMAGE)('finds and mends %s', async (_name, found, damage) => {
    await written(world.caller, ...(await damage(world)));

    const seen = await check();
    expect(whatOf(seen)).toEqual(found);
    expect(seen).toMatchObject({ found: found.length, mended: 0, unsettled: 0 });

    const repaired = await check(true);
    expect(whatOf(repaired)).toEqual(found);
    expect(repaired.differences.filter(({ mended }) => !mended)).toEqual([]);

    expect(whatOf(await check())).toEqual([]);
  });

  test('tells what it found, where, and what it follows to be', async () => {
    const { caller, inspection } = world;
    const shard = shardOf(inspection.id);
    await written(
      caller,
      write.update(inspectionKey(world), { set: { findings_count: 40 } }),
      write.update(keys.counter(caller, 'INSPECTION', shard), { add: { in_progress: 5 } }),
    );
    const { in_progress } = await rowAt(world, keys.counter(caller, 'INSPECTION', shard));
    expect((await check(true)).differences).toEqual([
      {
        what: 'inspection',
        id: inspection.id,
        stored: { findings_count: 40 },
        found: { findings_count: 2 },
        mended: true,
      },
      {
        what: 'counter',
        id: `COUNTER#INSPECTION ${shard}`,
        stored: { in_progress },
        found: { in_progress: Number(in_progress) - 5 },
        mended: true,
      },
    ]);
  });

  test('reports what it cannot mend', async () => {
    const { caller, photo } = world;
    const document = await rowAt(world, keys.one(caller, 'DOCUMENT', photo));
    await written(caller, write.drop(document));
    expect((await check(true)).differences).toEqual([
      {
        what: 'document',
        id: `DOCUMENT ${photo}`,
        stored: { used_by_count: 0 },
        found: { used_by_count: 3 },
        mended: false,
      },
    ]);
    await written(caller, write.put(document));
    expect(whatOf(await check())).toEqual([]);
  });

  test('leaves the counts of other organizations alone', async () => {
    const other: Person = await newPerson('Bystander');
    await completed(other);
    const { pk } = keys.counter(other.caller, 'INSPECTION', '');
    const counters = () => Array.fromAsync(queryRows(other.caller, { partition: pk }));
    const before = await counters();
    await check(true);
    expect(await counters()).toEqual(before);
  });
});
