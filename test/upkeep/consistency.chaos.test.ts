import { drawSignature } from '../../infra/demo/photos.ts';
import type { Caller } from '../../shared/base/caller.ts';
import { continueBulkExport } from '../../shared/reports/bulk-export.ts';
import type { Location } from '../../shared/schemas/location.ts';
import { change } from '../../shared/table/change.ts';
import type { ChildReference } from '../../shared/table/entities/inspections.ts';
import { type Key, keys, shardOf, shards } from '../../shared/table/keys.ts';
import { getRow, queryRows, type Row } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import type { Write } from '../../shared/table/writes.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { RECHECK } from '../../shared/upkeep/consistency/row-checks.ts';
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
} from '../answers/fixtures.ts';
import { attach, newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { newDocument as storedDocument } from '../documents/scenarios.ts';
import { completedInspection, newClient, newInspection, newLocation } from '../inspections/fixtures.ts';
import { newCategory, newIssue } from '../issues/fixtures.ts';
import { renderedReport } from '../reports/fixtures/reports.ts';
import { generateAt, inspectionsOf, newSchedule } from '../schedules/fixtures.ts';
import { as } from '../support/call.ts';
import type { Sending } from '../support/commands.ts';
import { uuid } from '../support/content.ts';
import { type Fault, first, installFaults, on, withFault } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { newLayout, newPicture, publishedFamily } from '../templates/fixtures.ts';

installFaults();

// Nothing else writes to this organization, so a short pause is enough.
Object.assign(RECHECK, { pauseMs: 1 });

/**
 * Whether each damage is looked at before it is repaired, and each repair afterwards. In a small run the next test would
 * find what is left, and a few damages are looked at before.
 */
const LOOKS = scaled(false, true);

const FUTURE = '2099-01-01T00:00:00.000Z';

/** A bulk export whose file the worker has made. */
const bulkExport = async (person: Person, inspection_ids: string[]): Promise<{ id: string }> => {
  const body = { inspection_ids, format: 'json' };
  const { id } = await person.reports.createBulkExport({ body });
  await continueBulkExport(person.caller, id, Date.now() + 60_000);
  return { id };
};

/** An organization that has rows and counters of every kind. */
const newWorld = async (name: string) => {
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
  const report = await as(key).reports.create({
    params: { inspection_id: inspection.id },
    body: {},
  });
  const { report: rendered } = await renderedReport(person);
  const bulk = await bulkExport(person, [inspection.id]);
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(await drawSignature(1))]), 'logo.png');
  await as(key).organization.uploadLogo({ form });
  await newInspection(person, { template_family_id: family.id, client_account_id: client.id });
  await completedInspection(person);
  const schedule = await newSchedule(person, {
    template_family_id: family.id,
    client_account_id: client.id,
    create_ahead_days: 1,
    external_ref: 'cmms-1',
  });
  await generateAt(person, 0);
  const [scheduled] = await inspectionsOf(person, schedule);
  const category = await newCategory(person);
  const issue = await newIssue(person, {
    category_id: category.id,
    location_id: site.id,
    assignee_id: adminId,
    due_at: FUTURE,
    external_ref: 'help-1',
  });
  return {
    issue,
    schedule,
    scheduled: scheduled!,
    person,
    caller,
    client,
    site,
    yard,
    family,
    logo,
    inspection,
    photo,
    finding,
    action,
    report,
    rendered,
    bulk,
  };
};
type World = Awaited<ReturnType<typeof newWorld>>;

const commit = (caller: Caller, ...writes: Write[]): Promise<null> =>
  change(caller, () => ({ writes, reply: null }));

const inspectionKey = ({ caller, inspection }: World): Key => keys.one(caller, 'INSPECTION', inspection.id);
const below = ({ caller, inspection }: World, kind: 'FINDING' | 'ACTION', id: string): Key =>
  keys.child(caller, inspection.id, kind, id);

/** The rows of a partition, so that one of them can be damaged. */
const rowsOf = ({ caller }: World, partition: string, prefix?: string): Promise<Row[]> =>
  Array.fromAsync(queryRows<Record<string, unknown>>(caller, { partition, prefix }));

const rowAt = async ({ caller }: World, { pk, sk }: Key): Promise<Row> =>
  (await getRow<Record<string, unknown>>(caller, { pk, sk }))!;

/** Kinds of damage: its name, the names of the differences that are found, and the writes that cause it. */
const DAMAGE: [name: string, found: string[], (world: World) => Promise<Write[]> | Write[]][] = [
  [
    'the count of a bulk export',
    ['bulk export'],
    ({ caller, bulk }) => [
      write.update(keys.one(caller, 'BULK_EXPORT', bulk.id), { add: { done: -1, failed: 2 } }),
    ],
  ],
  [
    'an inspection’s counters',
    ['inspection'],
    (world) => [
      write.update(inspectionKey(world), { add: { answered: 2, required: 1, findings_count: -1 } }),
    ],
  ],
  [
    'an inspection’s count of open actions',
    ['inspection'],
    (world) => [write.update(inspectionKey(world), { add: { open_corrective_actions_count: 3 } })],
  ],
  [
    'the index attributes of an inspection',
    ['inspection'],
    (world) => [write.update(inspectionKey(world), { set: { by_status: 'ORG#elsewhere', by_client: 'x' } })],
  ],
  [
    'a missing state of the answers',
    ['state of the answers'],
    ({ caller, inspection }) => [write.drop(keys.answerState(caller, inspection.id))],
  ],
  [
    'a state of earlier answers',
    ['state of the answers'],
    async (world) => {
      const { caller, person, inspection } = world;
      const earlier = await rowAt(world, keys.answerState(caller, inspection.id));
      await saved(person, inspection, { field_id: uuid(2), value: 'late' });
      const now = await rowAt(world, keys.answerState(caller, inspection.id));
      return [write.put({ ...now, body: earlier['body'] })];
    },
  ],
  [
    'missing rows that follow from an inspection',
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
    [
      'assignment',
      'assignment of an action',
      'due action',
      'due inspection',
      're-inspection',
      'running inspection',
    ],
    ({ caller, inspection, family, action }) => [
      write.put<ChildReference>({
        ...keys.due(caller, '2020-01-01T00:00:00.000Z', inspection.id),
        inspection_id: inspection.id,
      }),
      write.put({ ...keys.assignment(caller, caller.user_id, inspection.id) }),
      write.put({ ...keys.running(caller, family.id, uuid(9), inspection.id) }),
      write.put({ ...keys.reinspection(caller, uuid(9), inspection.id) }),
      write.put<ChildReference>({ ...keys.actionDue(caller, FUTURE, uuid(9)), inspection_id: inspection.id }),
      write.put({
        ...keys.actionAssignment(caller, caller.user_id, uuid(9)),
        inspection_id: action.inspection_id,
      }),
    ],
  ],
  [
    'rows that follow from a deleted row',
    ['finding by its own id', 'location by name'],
    ({ caller, client }) => [
      write.put({ ...keys.reference(caller, 'FINDING', uuid(9)), inspection_id: uuid(9) }),
      write.put<Partial<Location>>({
        pk: keys.locationsByName(caller, client.id),
        sk: `somewhere\u0001${uuid(9)}`,
        name: 'Somewhere',
      }),
    ],
  ],
  [
    'a due row with wrong values',
    ['due inspection'],
    ({ caller, inspection }) => [
      write.update(keys.due(caller, FUTURE, inspection.id), {
        set: { inspection_id: uuid(9), by_due: 'DUE#X' },
      }),
    ],
  ],
  [
    'missing rows that follow from an action',
    ['action by its own id', 'assignment of an action', 'due action', 'unique value'],
    ({ caller, action }) => [
      write.drop(keys.actionDue(caller, FUTURE, action.id)),
      write.drop(keys.actionAssignment(caller, caller.user_id, action.id)),
      write.drop(keys.reference(caller, 'ACTION', action.id)),
      write.drop(keys.unique(caller, 'external_ref of corrective actions', 'ca-1')),
    ],
  ],
  [
    'missing references to a finding and a report',
    ['finding by its own id', 'report by its own id'],
    ({ caller, finding, report }) => [
      write.drop(keys.reference(caller, 'FINDING', finding.id)),
      write.drop(keys.reference(caller, 'REPORT', report.id)),
    ],
  ],
  [
    'the counters of findings and actions',
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
      const other = shard === 0 ? 1 : 0;
      return [
        write.update(keys.counter(caller, 'INSPECTION', shard), { add: { in_progress: 2, scheduled: -1 } }),
        write.update(keys.counter(caller, 'INSPECTION', other), { add: { completed: 1 } }),
      ];
    },
  ],
  [
    'a missing shard of the summary’s counters',
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
    'the uses by a schedule, and its external_ref',
    ['unique value', 'usage', 'usage'],
    ({ caller, family, client, schedule }) => [
      write.update(keys.usage(caller, 'FAMILY', family.id, shardOf(schedule.id)), { add: { schedules: 1 } }),
      write.update(keys.usage(caller, 'CLIENT', client.id, shardOf(schedule.id)), { add: { schedules: -1 } }),
      write.drop(keys.unique(caller, 'external_ref of schedules', 'cmms-1')),
    ],
  ],
  [
    'the calendar',
    ['calendar', 'inspection of a schedule', 'inspection of a schedule'],
    async (world) => {
      const { caller, schedule, scheduled } = world;
      const starts = scheduled.scheduled_for!;
      const entry = await rowAt(world, keys.calendarEntry(caller, starts, scheduled.id));
      const elsewhere = { inspection_id: scheduled.id };
      return [
        write.put({ ...entry, status: 'completed' }),
        write.drop(keys.scheduledStart(caller, schedule.id, starts, scheduled.id)),
        write.put({ ...keys.scheduledStart(caller, schedule.id, FUTURE, scheduled.id), ...elsewhere }),
      ];
    },
  ],
  [
    'the index attributes of an issue',
    ['index keys'],
    ({ caller, issue }) => [
      write.update(keys.one(caller, 'ISSUE', issue.id), {
        set: { by_status: 'ORG#elsewhere', by_family: 'x' },
      }),
    ],
  ],
  [
    'missing rows that follow from an issue, and its use of a category',
    ['assignment of an issue', 'due issue', 'unique value', 'usage'],
    ({ caller, person, issue }) => [
      write.drop(keys.issueDue(caller, FUTURE, issue.id)),
      write.drop(keys.issueAssignment(caller, person.adminId, issue.id)),
      write.drop(keys.unique(caller, 'external_ref of issues', 'help-1')),
      write.drop(keys.usage(caller, 'ISSUE_CATEGORY', issue.category_id!, shardOf(issue.id))),
    ],
  ],
  [
    'a client that exists but is closed for use, and a deleted one that is open',
    ['usage', 'usage'],
    ({ caller, client, site }) => [
      write.update(keys.usage(caller, 'CLIENT', client.id, shardOf(site.id)), { set: { closed: true } }),
      write.put({ ...keys.usage(caller, 'CLIENT', uuid(9), 0), locations: 0 }),
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
    'the bytes of documents, reports and the logo',
    shards().map(() => 'bytes stored'),
    ({ caller }) =>
      shards().map((shard) => write.put({ ...keys.storedBytes(caller, shard), bytes: 99_999_999 })),
  ],
  [
    'bytes of a document',
    ['bytes stored'],
    ({ caller, logo }) => [write.drop(keys.storedBytes(caller, shardOf(logo)))],
  ],
  [
    'bytes of the logo',
    ['bytes stored'],
    ({ caller }) => [write.drop(keys.storedBytes(caller, shardOf(caller.org_id)))],
  ],
  [
    'bytes of a report',
    ['bytes stored'],
    ({ caller, rendered }) => [write.drop(keys.storedBytes(caller, shardOf(rendered.id)))],
  ],
  [
    'locations in the lists by name',
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

/** Damages that a small run looks at before it repairs them: of a resource, of what follows from one, of a count. */
const LOOKED_AT = new Set([
  'an inspection’s counters',
  'missing rows that follow from an inspection',
  'the bytes of documents, reports and the logo',
  'locations in the lists by name',
]);

const whatOf = ({ differences }: Awaited<ReturnType<typeof checkOrganization>>): string[] =>
  differences.map(({ what }) => what).toSorted();

/** Does something once, before the first command of this kind that concerns the damaged row. */
const once = (concerned: (sending: Sending) => boolean, rival: () => Promise<unknown>): Fault =>
  on(
    concerned,
    first(1, async ({ send }) => {
      await rival();
      return send();
    }),
  );

describe('checkOrganization', () => {
  let world: World;
  const check = (repair = false) => checkOrganization(world.caller, { repair });

  beforeAll(async () => {
    world = await newWorld('Damaged');
  });

  test('finds nothing in consistent data, and checks everything', async () => {
    expect(await check()).toEqual({
      checked: {
        inspections: 5,
        resources: 7,
        followers: expect.any(Number),
        counters: expect.any(Number),
        rows: expect.any(Number),
      },
      found: 0,
      mended: 0,
      unsettled: 0,
      differences: [],
    });
  });

  test.each(DAMAGE)('finds and repairs %s', async (name, found, damage) => {
    await commit(world.caller, ...(await damage(world)));

    if (LOOKS || LOOKED_AT.has(name)) {
      const seen = await check();
      expect(whatOf(seen)).toEqual(found);
      expect(seen).toMatchObject({ found: found.length, mended: 0, unsettled: 0 });
    }

    const repaired = await check(true);
    expect(whatOf(repaired)).toEqual(found);
    expect(repaired).toMatchObject({ found: found.length, mended: found.length, unsettled: 0 });
    expect(repaired.differences.filter(({ mended }) => !mended)).toEqual([]);

    if (LOOKS) expect(whatOf(await check())).toEqual([]);
  });

  test('reports the stored and the expected values of each difference', async () => {
    const { caller, inspection } = world;
    const key = keys.counter(caller, 'INSPECTION', shardOf(inspection.id));
    await commit(
      caller,
      write.update(inspectionKey(world), { set: { findings_count: 40 } }),
      write.update(key, { add: { in_progress: 5 } }),
    );
    const { in_progress } = await rowAt(world, key);
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
        id: `COUNTER#INSPECTION ${key.sk}`,
        stored: { in_progress },
        found: { in_progress: Number(in_progress) - 5 },
        mended: true,
      },
    ]);
  });

  const COUNTERS: [name: string, counted: string, keyOf: (world: World) => Key][] = [
    [
      'summary',
      'in_progress',
      ({ caller, inspection }) => keys.counter(caller, 'INSPECTION', shardOf(inspection.id)),
    ],
    ['storage', 'bytes', ({ caller, logo }) => keys.storedBytes(caller, shardOf(logo))],
  ];

  describe.each(COUNTERS)(
    'looks again before it repairs the counters of the %s',
    (_counter, counted, keyOf) => {
      const counterKey = () => keyOf(world);
      const shift = (by: number) =>
        commit(world.caller, write.update(counterKey(), { add: { [counted]: by } }));
      const isRead = ({ command, input }: Sending) =>
        command === 'GetItem' && JSON.stringify(input['Key']) === JSON.stringify(counterKey());
      const isWritten = ({ command }: Sending) => command === 'TransactWriteItems';

      test.each([
        ['before the counter is read again', isRead],
        ['after the counter was read again', isWritten],
      ])('at a counter that another repair has mended %s', async (_, moment) => {
        await shift(5);
        let mended = 0;
        const rival = async () => {
          mended += 1;
          await shift(-5);
        };
        const checked = await withFault(once(moment, rival), () => check(true));
        expect(mended).toBe(1);
        expect(checked).toMatchObject({ found: 0, mended: 0, unsettled: 0 });
        expect(whatOf(await check())).toEqual([]);
      });
    },
  );

  describe('looks again before it repairs', () => {
    const isWritten = ({ command }: Sending) => command === 'TransactWriteItems';

    test('at a document that is stored meanwhile, whose bytes are counted as well', async () => {
      const { caller, person, logo } = world;
      const used = async () => (await person.organization.get()).storage.used_bytes;
      const before = await used();
      await commit(caller, write.update(keys.storedBytes(caller, shardOf(logo)), { add: { bytes: 5_000 } }));
      let size = 0;
      const traffic = async () => {
        size = (await storedDocument(person)).size_bytes;
      };
      await withFault(once(isWritten, traffic), () => check(true));
      expect((await check(true)).unsettled).toBe(0);
      expect([await used(), whatOf(await check())]).toEqual([before + size, []]);
    });

    test('at an inspection that gets a finding meanwhile', async () => {
      await commit(world.caller, write.update(inspectionKey(world), { set: { findings_count: 40 } }));
      const traffic = () => newFinding(world.person, {}, world.inspection);
      const checked = await withFault(once(isWritten, traffic), () => check(true));
      expect(checked.differences.filter(({ mended }) => mended)).toEqual([]);
      expect(whatOf(await check(true))).toEqual(['inspection']);
      expect(await check()).toMatchObject({ found: 0 });
    });
  });

  test('reports what it cannot repair', async () => {
    const { caller, photo } = world;
    const document = await rowAt(world, keys.one(caller, 'DOCUMENT', photo));
    const count = (bytes: number) =>
      write.update(keys.storedBytes(caller, shardOf(photo)), { add: { bytes } });
    await commit(caller, write.drop(document), count(-Number(document['size_bytes'])));
    expect((await check(true)).differences).toEqual([
      {
        what: 'document',
        id: `DOCUMENT ${photo}`,
        stored: { used_by_count: 0 },
        found: { used_by_count: 3 },
        mended: false,
      },
    ]);
    await commit(caller, write.put(document), count(Number(document['size_bytes'])));
    expect(whatOf(await check())).toEqual([]);
  });

  test('leaves the counts of other organizations alone', async () => {
    const other: Person = await newPerson('Bystander');
    await completedInspection(other);
    const partition = keys.counter.partition(other.caller, 'INSPECTION');
    const counters = () => Array.fromAsync(queryRows(other.caller, { partition }));
    const before = await counters();
    await check(true);
    expect(await counters()).toEqual(before);
  });
});
