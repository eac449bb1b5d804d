import { v7 as uuidv7 } from 'uuid';
import * as errors from '../../shared/base/errors.ts';
import { memberWrites, newMember } from '../../shared/organizations/members/members.ts';
import type { InspectionChanges } from '../../shared/schemas/inspections/inspection.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { usageOf } from '../../shared/table/usage.ts';
import { newDocument, usedBy } from '../answers/fixtures.ts';
import { locs, statusCounts } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import {
  advance,
  answer,
  completedInspection,
  newClient,
  newColleague,
  newInspection,
  newLocation,
  sortKeys,
  startedInspection,
} from './fixtures.ts';

describe('PATCH /inspections/{inspection_id}', () => {
  let person: Person;
  const update = (
    { id }: { id: string },
    body: InspectionChanges & { expected_version?: number },
    headers = {},
  ) => person.try.inspections.update({ params: { inspection_id: id }, body, headers });
  const get = ({ id }: { id: string }) => person.inspections.get({ params: { inspection_id: id } });

  beforeAll(async () => {
    person = await newPerson('Updater');
  });

  test('200, and only the given fields change', async () => {
    const before = await newInspection(person, { name: 'Before', due_at: '2031-01-01T00:00:00Z' });
    const { status, body } = await update(before, { name: 'After' });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, name: 'After', version: 2, updated_at: body.updated_at });
    expect(await get(before)).toEqual(body);
  });

  test('200 for an empty object in any status, and nothing changes', async () => {
    for (const inspection of [await newInspection(person), await completedInspection(person)]) {
      expect(await update(inspection, {})).toMatchObject({ status: 200, body: inspection });
      expect(await get(inspection)).toEqual(inspection);
    }
  });

  test('200 for current values, and nothing changes', async () => {
    const before = await newInspection(person, { name: 'Same', participants: [{ user_id: person.adminId }] });
    const { body } = await update(before, {
      name: 'Same',
      participants: [{ user_id: person.adminId, role: 'inspector', section_ids: [] }],
    });
    expect(body).toEqual(before);
  });

  test('200 for new participants, and those who remain keep the status of their part', async () => {
    const [ann, bob] = [await newColleague(person, 'Ann'), await newColleague(person, 'Bob')];
    const before = await startedInspection(person, {
      participants: [{ user_id: ann.user_id }, { user_id: person.adminId }],
    });
    const submitted = await advance(ann.key, before);
    const { body } = await update(before, {
      participants: [
        { user_id: ann.user_id, role: 'lead', section_ids: [uuid(1)] },
        { user_id: bob.user_id, role: 'inspector', section_ids: [] },
      ],
    });
    expect(body.participants).toEqual([
      { ...submitted.participants[0], role: 'lead', section_ids: [uuid(1)] },
      expect.objectContaining({ user_id: bob.user_id, name: 'Bob', status: 'assigned' }),
    ]);
    const assignedTo = (userId: string) => sortKeys(person, keys.assignment.partition(person.caller, userId));
    expect(await assignedTo(bob.user_id)).toContain(before.id);
    expect(await assignedTo(ann.user_id)).toContain(before.id);
    expect(await assignedTo(person.adminId)).not.toContain(before.id);
  });

  test('200 for a new client account and location, which are then used instead of the old ones', async () => {
    const [old, next] = [await newClient(person), await newClient(person)];
    const [yard, site] = [await newLocation(person, old.id), await newLocation(person, next.id)];
    const before = await newInspection(person, { location_id: yard.id });
    const moved = await update(before, { client_account_id: next.id, location_id: site.id });
    expect(moved.body).toMatchObject({ client_account_id: next.id, location_id: site.id });
    const uses = async (kind: 'CLIENT' | 'LOCATION', { id }: { id: string }) =>
      (await usageOf(person.caller, kind, id)).inspections;
    expect(await Promise.all([uses('CLIENT', old), uses('LOCATION', yard)])).toEqual([0, 0]);
    expect(await Promise.all([uses('CLIENT', next), uses('LOCATION', site)])).toEqual([1, 1]);
    const cleared = await update(before, { client_account_id: null, location_id: null });
    expect(cleared.body).toMatchObject({ client_account_id: null, location_id: null });
    expect(await uses('CLIENT', next)).toBe(0);
  });

  test('200 for a due date, and the worker for due dates looks only at the new one', async () => {
    const dueKeys = () => sortKeys(person, keys.due.partition(person.caller));
    const before = await newInspection(person, { due_at: '2030-01-01T00:00:00Z' });
    const { body } = await update(before, { due_at: '2020-01-01T00:00:00Z' });
    expect(body.is_overdue).toBe(true);
    expect((await dueKeys()).filter((key) => key.endsWith(before.id))).toEqual([
      `2020-01-01T00:00:00.000Z#${before.id}`,
    ]);
    expect((await update(before, { due_at: null })).body).toMatchObject({ due_at: null, is_overdue: false });
    expect((await dueKeys()).filter((key) => key.endsWith(before.id))).toEqual([]);
  });

  test('200 for start answers, each of which replaces the old answer as a whole', async () => {
    const family = {
      content: {
        ...contentWith(field(2)),
        start: {
          fields: [
            { key: 'site', type: 'address', label: 'Site' },
            { key: 'lead', type: 'text', label: 'Lead' },
          ],
        },
      },
    };
    const before = await newInspection(person, {
      family,
      start_answers: { site: { line1: 'Quay 1', city: 'Kiel' }, lead: 'Ann' },
    });
    const { body } = await update(before, { start_answers: { site: { line1: 'Quay 2' }, lead: null } });
    expect(body.start_answers).toEqual({ site: expect.objectContaining({ line1: 'Quay 2', city: '' }) });
    const refused = await update(before, { start_answers: { lead: 7, moon: 1 } });
    expect([refused.status, locs(refused)]).toEqual([
      422,
      ['body.start_answers.lead', 'body.start_answers.moon'],
    ]);
  });

  test('200 for a new external_ref, and the old one is free again', async () => {
    const [taken, freed] = [uuidv7(), uuidv7()];
    await newInspection(person, { external_ref: taken });
    const before = await newInspection(person, { external_ref: freed });
    expect((await update(before, { external_ref: taken })).status).toBe(409);
    expect((await update(before, { external_ref: uuidv7() })).status).toBe(200);
    await newInspection(person, { external_ref: freed });
  });

  test('200 for the largest possible change, in one transaction', async () => {
    const people = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => {
        const user_id = uuidv7();
        const fields = { user_id, name: `User ${n}`, email: '', role: 'inspector' as const };
        await change(person.caller, (work) => ({
          writes: memberWrites(work, newMember(work, fields)),
          reply: null,
        }));
        return { user_id, role: 'inspector' as const, section_ids: [] };
      }),
    );
    const shown = await Promise.all(Array.from({ length: 24 }, () => newDocument(person)));
    const photos = shown.map((document_id) => ({ document_id, caption: '' }));
    const site = { key: 'site', type: 'photo', label: 'Site' };
    const family = { content: { ...contentWith(field(2)), start: { fields: [site] } } };
    const [from, to] = await Promise.all(
      [0, 1].map(async (n) => {
        const client = await newClient(person);
        return {
          client_account_id: client.id,
          location_id: (await newLocation(person, client.id)).id,
          due_at: `203${n}-01-01T00:00:00.000Z`,
          external_ref: uuidv7(),
          participants: people.slice(n * 20, n * 20 + 20),
          start_answers: { site: photos.slice(n * 12, n * 12 + 12) },
        };
      }),
    );
    const before = await newInspection(person, { family, ...from });
    expect(await usedBy(person, shown[0]!)).toBe(1);
    const { status, body } = await update(before, to!);
    expect(status).toBe(200);
    expect(body.start_answers).toEqual(to!.start_answers);
    expect([await usedBy(person, shown[0]!), await usedBy(person, shown[23]!)]).toEqual([0, 1]);
  });

  test('200 in parallel with an answer, and neither change is lost', async () => {
    const before = await startedInspection(person);
    await Promise.all([answer(person, before, uuid(2), 'yes'), update(before, { name: 'Renamed' })]);
    expect(await get(before)).toMatchObject({ name: 'Renamed', progress: { answered: 1 }, version: 3 });
  });

  test('400 for an unknown approver, and for another client account than the current location has', async () => {
    const location = await newLocation(person, (await newClient(person)).id);
    const before = await newInspection(person, { location_id: location.id });
    const { status, body } = await update(before, { client_account_id: (await newClient(person)).id });
    expect([status, body.detail]).toEqual([400, errors.otherClientAccount('location_id').detail]);
    const unknown = await update(before, { approver_id: uuidv7() });
    expect([unknown.status, unknown.body.detail]).toEqual([
      400,
      errors.referenceNotFound('approver_id').detail,
    ]);
  });

  test('400 rather than 409, and 409 rather than 422', async () => {
    const locked = await completedInspection(person);
    expect((await update(locked, { location_id: uuidv7() })).status).toBe(400);
    expect((await update(locked, { start_answers: { moon: 1 } })).status).toBe(409);
  });

  test('409 for a locked inspection', async () => {
    const { status, body } = await update(await completedInspection(person), { name: 'Late' });
    expect([status, body.detail]).toEqual([409, errors.inspectionLocked('completed').detail]);
  });

  test('409 if expected_version or If-Match names another version', async () => {
    const before = await newInspection(person);
    expect((await update(before, { name: 'A', expected_version: 2 })).status).toBe(409);
    expect((await update(before, { name: 'A' }, { 'If-Match': '"7"' })).status).toBe(409);
    expect((await update(before, { name: 'A' }, { 'If-Match': '"1"' })).status).toBe(200);
  });

  test('200 for one of two parallel requests that expect the same version, 409 for the other', async () => {
    const before = await newInspection(person);
    const answers = await Promise.all(
      ['A', 'B'].map((name) => update(before, { name, expected_version: 1 })),
    );
    expect(statusCounts(answers)).toEqual({ 200: 1, 409: 1 });
  });

  test('200 for parallel requests without an expected version, and each of them is stored', async () => {
    const before = await newInspection(person);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => update(before, { name: `Name ${i}` })),
    );
    expect(statusCounts(answers)).toEqual({ 200: 8 });
    expect((await get(before)).version).toBe(9);
  });
});
