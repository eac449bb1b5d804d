import * as archiveInspection from '../../functions/inspections/archive-inspection.ts';
import * as restoreInspection from '../../functions/inspections/restore-inspection.ts';
import { keys } from '../../shared/db/table/keys.ts';
import { call } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { begun, completed, eventsOf, newInspection, sortKeys } from './fixtures.ts';

let person: Person;
const on = (endpoint: typeof archiveInspection | typeof restoreInspection, { id }: { id: string }) =>
  call(endpoint, { as: person.key, params: { inspection_id: id } });

beforeAll(async () => {
  person = await newPerson('Archivist');
});

describe('POST /inspections/{inspection_id}/archive', () => {
  test('200 from any status, which it remembers', async () => {
    for (const inspection of [await newInspection(person), await begun(person), await completed(person)]) {
      const { status, body } = await on(archiveInspection, inspection);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        status: 'archived',
        archived_from: inspection.status,
        archived_at: expect.any(String),
      });
      expect((await eventsOf(person, inspection.id)).at(-1)).toBe('inspection.archived');
    }
  });

  test('200 no longer overdue', async () => {
    const inspection = await newInspection(person, { due_at: '2020-01-01T00:00:00Z' });
    expect((await on(archiveInspection, inspection)).body.is_overdue).toBe(false);
    expect(await sortKeys(person, keys.due(person.caller, '', '').pk)).toEqual([]);
  });

  test('409 when it is archived', async () => {
    const inspection = await newInspection(person);
    await on(archiveInspection, inspection);
    const { status, body } = await on(archiveInspection, inspection);
    expect([status, body.detail]).toEqual([409, 'inspection is archived']);
  });
});

describe('POST /inspections/{inspection_id}/restore', () => {
  test('200 as it was before', async () => {
    const inspection = await completed(person, { due_at: '2020-01-01T00:00:00Z' });
    await on(archiveInspection, inspection);
    const { status, body } = await on(restoreInspection, inspection);
    expect(status).toBe(200);
    expect(body).toEqual({ ...inspection, version: inspection.version + 2, updated_at: body.updated_at });
  });

  test('200 watched again when it is due', async () => {
    const inspection = await begun(person, { due_at: '2020-01-01T00:00:00Z' });
    await on(archiveInspection, inspection);
    expect((await on(restoreInspection, inspection)).body.is_overdue).toBe(true);
    expect(await sortKeys(person, keys.due(person.caller, '', '').pk)).toHaveLength(1);
  });

  test('409 unless it is archived', async () => {
    const { status, body } = await on(restoreInspection, await newInspection(person));
    expect([status, body.detail]).toEqual([409, 'inspection is scheduled']);
  });
});
