import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { Finding, ListedFinding } from '../../shared/schemas/finding.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { Stored } from '../../shared/table/forms.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';
import { writeRow } from '../../shared/table/single-write.ts';
import * as write from '../../shared/table/writes.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { RECHECK } from '../../shared/upkeep/consistency/row-checks.ts';
import { deleteRemains } from '../../shared/upkeep/remains.ts';
import { CONTENT, TEXT } from '../answers/fixtures.ts';
import { newAsset } from '../assets/scenarios.ts';
import { moveThrough, newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { startedInspection } from '../inspections/fixtures.ts';
import { newRegion } from '../regions/scenarios.ts';
import { waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';

RECHECK.pauseMs = 1;

let person: Person;
let region: { id: string };
let client: { id: string };
let other: { id: string };
/** A store of the client in the region, a counter in it, and a store of the other client. */
let store: { id: string };
let counter: { id: string };
let elsewhere: { id: string };
let inspections: Inspection[];
let loose: Finding;
let rusty: Finding;
let resolved: Finding;
let urgent: CorrectiveAction;
let late: CorrectiveAction;

const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

/** Parameters of a query. */
type Query = Readonly<Record<string, string | number | boolean | readonly string[]>>;

const findings = async (query: Query): Promise<string[]> => ids(await person.findings.listAll({ query }));
const actions = async (query: Query): Promise<string[]> =>
  ids(await person.correctiveActions.listAll({ query }));

beforeAll(async () => {
  person = await newPerson('Chain');
  const place = (body: object) => person.locations.create({ body: { name: 'Store', ...body } });
  region = await newRegion(person);
  [client, other] = [
    await person.clientAccounts.create({ body: { name: 'Grand Foods' } }),
    await person.clientAccounts.create({ body: { name: 'Corner Shops' } }),
  ];
  store = await place({ client_account_id: client.id, region_id: region.id });
  counter = await place({ client_account_id: client.id, parent_id: store.id, name: 'Counter' });
  elsewhere = await place({ client_account_id: other.id });
  const inspect = (location: { id: string }, client_account_id: string) =>
    startedInspection(person, { family: { content: CONTENT }, location_id: location.id, client_account_id });
  inspections = [
    await inspect(store, client.id),
    await inspect(counter, client.id),
    await inspect(elsewhere, other.id),
  ];
  const [first, second, third] = inspections;
  loose = await newFinding(person, { severity: 'critical', field_id: TEXT }, first);
  rusty = await newFinding(person, { label: 'Rusty door' }, second);
  resolved = await newFinding(person, {}, third);
  await person.findings.update({ params: { finding_id: resolved.id }, body: { status: 'resolved' } });
  urgent = await newAction(
    person,
    { priority: 'critical', tags: ['roof'], contact: { email: 'Smith@example.com' }, external_ref: 'cmms-1' },
    loose,
  );
  late = await newAction(
    person,
    { title: 'Paint it', due_at: '2026-01-02T00:00:00Z', assignee_id: person.caller.user_id },
    rusty,
  );
  await moveThrough(person, late, 'in_progress');
});

describe('findings and actions of an asset', () => {
  test('are found by it, name it, and follow their inspection to another one', async () => {
    const owner = await newPerson('Lifts');
    const [lift, other] = [await newAsset(owner), await newAsset(owner, { name: 'Lift B' })];
    const inspection = await startedInspection(owner, { asset_id: lift.id });
    const finding = await newFinding(owner, {}, inspection);
    const action = await newAction(owner, {}, finding);
    await newAction(owner);
    const found = async ({ id }: { id: string }) => {
      const query = { asset_id: [id], limit: 10 };
      const findings: ListedFinding[] = await owner.findings.listAll({ query });
      const actions: ListedFinding[] = await owner.correctiveActions.listAll({ query });
      return [...findings, ...actions].map((each) => [each.id, each.asset?.name, each.asset_id]);
    };
    expect(await found(lift)).toEqual([
      [finding.id, 'Lift A', lift.id],
      [action.id, 'Lift A', lift.id],
    ]);
    await owner.inspections.update({
      params: { inspection_id: inspection.id },
      body: { asset_id: other.id },
    });
    for (const task of await waitingTasks(owner.caller))
      if (task.outbox === 'cleanup') await deleteRemains(owner.caller, task.data, Infinity);
    expect(await found(lift)).toEqual([]);
    expect(await found(other)).toEqual([
      [finding.id, 'Lift B', other.id],
      [action.id, 'Lift B', other.id],
    ]);
    expect((await owner.findings.get({ params: { finding_id: finding.id } })).asset_id).toBe(other.id);
    expect((await checkOrganization(owner.caller, { repair: false })).differences).toEqual([]);
  });
});

describe('GET /findings', () => {
  test('200 with all findings, the newest first, each with what it belongs to', async () => {
    const rows: ListedFinding[] = await person.findings.listAll({});
    expect(ids(rows)).toEqual([resolved.id, rusty.id, loose.id]);
    expect(rows[1]).toMatchObject({
      label: 'Rusty door',
      location_id: null,
      client_account: { id: client.id, name: 'Grand Foods' },
      location: { id: counter.id, name: 'Counter' },
      template_family: { id: inspections[1]!.template_family_id },
      inspection: { id: inspections[1]!.id, number: inspections[1]!.number },
    });
  });

  test('200 with those that pass each filter', async () => {
    const time = loose.created_at;
    for (const [query, expected] of [
      [{ client_account_id: [client.id] }, [rusty, loose]],
      [{ client_account_id: [client.id, other.id], limit: 10 }, [resolved, rusty, loose]],
      [{ location_id: [store.id] }, [loose]],
      [{ within: store.id }, [rusty, loose]],
      [{ within: store.id, location_id: [counter.id, elsewhere.id] }, [rusty]],
      [{ region_id: region.id }, [loose]],
      [{ template_family_id: [inspections[2]!.template_family_id] }, [resolved]],
      [{ field_id: [TEXT] }, [loose]],
      [{ status: 'resolved' }, [resolved]],
      [{ severity: ['critical', 'major'] }, [loose]],
      [{ status: 'open', severity: ['minor'] }, [rusty]],
      [{ created_before: time }, []],
      [{ created_after: time, client_account_id: [client.id] }, [rusty, loose]],
      [{ closed_after: time }, [resolved]],
      [{ q: 'rUsty' }, [rusty]],
      [{ q: String(loose.number) }, [loose]],
      [{ repeat: true }, []],
      [{ origin: 'auto' }, []],
      [{ within: loose.id }, []],
    ] as const)
      expect([query, await findings(query)]).toEqual([query, ids(expected)]);
  });

  test('200 page by page', async () => {
    const query = { client_account_id: [client.id], limit: 1 };
    const page = await person.try.findings.listAll({ query });
    const cursor = new URL(/<(.+)>/.exec(page.headers['link'] ?? '')![1]!).searchParams.get('cursor')!;
    expect(ids(page.body)).toEqual([rusty.id]);
    expect(await findings({ ...query, cursor })).toEqual([loose.id]);
  });
});

describe('GET /corrective-actions', () => {
  test('200 with those that pass each filter, each with its finding', async () => {
    const [row] = await person.correctiveActions.listAll({ query: { status: ['open'] } });
    expect(row).toMatchObject({
      id: urgent.id,
      client_account: { name: 'Grand Foods' },
      finding: { id: loose.id, severity: 'critical', field_id: TEXT },
    });
    for (const [query, expected] of [
      [{}, [late, urgent]],
      [{ is_overdue: true }, [late]],
      [{ is_overdue: false, limit: 5 }, [urgent]],
      [{ overdue: true }, [late]],
      [{ overdue: false, limit: 5 }, [urgent]],
      [{ is_overdue: true, overdue: false }, []],
      [{ priority: ['critical'] }, [urgent]],
      [{ status: ['in_progress', 'open'] }, [late, urgent]],
      [{ assignee_id: [person.caller.user_id] }, [late]],
      [{ contact: 'smith@EXAMPLE.com' }, [urgent]],
      [{ external_ref: 'cmms-1' }, [urgent]],
      [{ tag: ['Roof'] }, [urgent]],
      [{ severity: ['critical'] }, [urgent]],
      [{ field_id: [TEXT] }, [urgent]],
      [{ region_id: region.id, client_account_id: [client.id] }, [urgent]],
      [{ within: store.id }, [late, urgent]],
      [{ due_before: '2026-01-03T00:00:00Z' }, [late]],
      [{ q: 'paint' }, [late]],
      [{ q: 'CMMS' }, [urgent]],
    ] as const)
      expect([query, await actions(query)]).toEqual([query, ids(expected)]);
  });
});

test('findings and actions follow their inspection to another client and location', async () => {
  const [first] = inspections;
  const move = (location: { id: string }, { id: client_account_id }: { id: string }) =>
    person.inspections.update({
      params: { inspection_id: first!.id },
      body: { location_id: location.id, client_account_id },
    });
  await move(elsewhere, other);
  expect(await findings({ location_id: [elsewhere.id] })).toEqual(ids([resolved, loose]));
  expect(await actions({ client_account_id: [other.id] })).toEqual(ids([urgent]));
  expect(await findings({ client_account_id: [client.id] })).toEqual(ids([rusty]));
  expect(await checkOrganization(person.caller, { repair: false })).toMatchObject({ found: 0 });
  await move(store, client);
});

test('`org check --repair` lists what is in no list', async () => {
  for (const [kind, { id, inspection_id }] of [
    ['FINDING', rusty],
    ['ACTION', late],
  ] as const) {
    const key = keys.child(person.caller, inspection_id, kind, id);
    const { by_status: _, by_client: __, ...row } = (await getRow(person.caller, key)) as unknown as Stored;
    await writeRow('system', write.put<object>(row));
  }
  expect(await findings({ client_account_id: [client.id] })).toEqual([loose.id]);
  expect(await findings({})).toHaveLength(3);
  expect(await checkOrganization(person.caller, { repair: true })).toMatchObject({ found: 2, mended: 2 });
  expect(await findings({ client_account_id: [client.id] })).toEqual(ids([rusty, loose]));
  expect(await actions({ client_account_id: [client.id] })).toEqual(ids([late, urgent]));
});
