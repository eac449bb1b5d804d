import type { Finding } from '../../shared/schemas/finding.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { startedInspection } from '../inspections/fixtures.ts';
import { statusCounts } from '../support/call.ts';
import { waitingEvents } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';

let person: Person;
beforeAll(async () => (person = await newPerson('Labels')));

type Query = Readonly<Record<string, string | readonly string[]>>;

const of = ({ id }: { id: string }) => ({ params: { finding_id: id } });
const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
const found = async (query: Query): Promise<string[]> => ids(await person.findings.listAll({ query }));
const change = (finding: { id: string }, body: object, one = person) =>
  one.try.findings.update({ ...of(finding), body });

/** What the last event of a finding says of it. */
const lastEvent = async ({ id }: { id: string }): Promise<Partial<Finding>> => {
  const events = await waitingEvents(person.caller);
  return events.findLast(({ data }) => data['id'] === id)!.data;
};

describe('tags, metadata and external_ref of findings', () => {
  test('are given when a finding is created, and find it in the organization and in its inspection', async () => {
    const inspection = await startedInspection(person);
    const labels = { tags: ['Roof', 'lift'], metadata: { contract: 'C-7' }, external_ref: 'cmms-1' };
    const first = await newFinding(person, labels, inspection);
    expect(first).toMatchObject(labels);
    expect(await lastEvent(first)).toMatchObject(labels);
    const later = await newFinding(person, { tags: ['roof'] }, inspection);
    const params = { inspection_id: inspection.id };
    for (const [query, expected] of [
      [{ tag: 'ROOF' }, [later, first]],
      [{ tag: ['roof', 'lift'], 'metadata.contract': 'C-7' }, [first]],
      [{ external_ref: 'cmms-1' }, [first]],
      [{ external_ref: 'cmms-1', tag: 'floor' }, []],
      [{ tag: 'lift', status: 'resolved' }, []],
      [{ tag: 'lift', status: 'open,resolved' }, [first]],
    ] as const) {
      expect(await found(query)).toEqual(ids(expected));
      expect(ids(await person.findings.list({ params, query })).toSorted()).toEqual(ids(expected).toSorted());
    }
    expect(
      await (await newPerson('Stranger')).findings.listAll({ query: { external_ref: 'cmms-1' } }),
    ).toEqual([]);
  });

  test('change with a PATCH: null takes a pair and a reference away', async () => {
    const finding = await newFinding(person, { metadata: { lot: '1', row: '2' }, external_ref: 'cmms-2' });
    const body = { tags: ['paid'], metadata: { lot: null }, external_ref: null };
    const changed = { tags: ['paid'], metadata: { row: '2' }, external_ref: null, version: 2 };
    expect(await person.findings.update({ ...of(finding), body })).toMatchObject(changed);
    expect(await lastEvent(finding)).toMatchObject(changed);
    expect(await found({ tag: 'paid' })).toEqual([finding.id]);
    expect(await found({ 'metadata.lot': '1' })).toEqual([]);
    expect(await found({ external_ref: 'cmms-2' })).toEqual([]);
    const pairs = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, 'x']));
    expect((await change(finding, { metadata: pairs })).status).toBe(422);
    expect((await change(finding, { metadata: { ...pairs, row: null } })).status).toBe(200);
  });

  test('409 for an external_ref in use: one of five requests at once gets it, and deletion gives it back', async () => {
    const findings = [];
    for (let n = 0; n < 5; n += 1) findings.push(await newFinding(person));
    const replies = await Promise.all(findings.map((one) => change(one, { external_ref: 'cmms-3' })));
    expect(statusCounts(replies)).toEqual({ 200: 1, 409: 4 });
    const [owner] = await person.findings.listAll({ query: { external_ref: 'cmms-3' } });
    const other = findings.find(({ id }) => id !== owner!.id)!;
    await person.findings.delete(of(owner));
    expect((await change(other, { external_ref: 'cmms-3' })).status).toBe(200);
    const stranger = await newPerson('Stranger');
    expect((await change(other, { tags: ['mine'] }, stranger)).status).toBe(404);
    expect((await change(await newFinding(stranger), { external_ref: 'cmms-3' }, stranger)).status).toBe(200);
  });

  test('leave no row behind', async () => {
    const { differences } = await checkOrganization(person.caller, { repair: false });
    expect(differences).toEqual([]);
  });
});

test('labels find actions among those of the caller and those of an inspection', async () => {
  const finding = await newFinding(person);
  const assignee_id = person.caller.user_id;
  const due_at = '2026-01-02T00:00:00Z';
  const roof = await newAction(
    person,
    { assignee_id, tags: ['roof'], metadata: { lot: '9' }, due_at },
    finding,
  );
  await newAction(person, { assignee_id, tags: ['floor'] }, finding);
  const params = { inspection_id: finding.inspection_id };
  for (const query of [
    { tag: 'ROOF' },
    { 'metadata.lot': '9' },
    { tag: ['roof', 'door'], 'metadata.lot': '9' },
  ]) {
    expect(ids(await person.correctiveActions.listMy({ query }))).toEqual([roof.id]);
    expect(ids(await person.correctiveActions.list({ params, query }))).toEqual([roof.id]);
  }
  expect(ids(await person.correctiveActions.listMy({ query: { is_overdue: true } }))).toEqual([roof.id]);
  expect(await person.correctiveActions.listMy({ query: { asset_id: [finding.id] } })).toEqual([]);
});
