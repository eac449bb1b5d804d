import * as archiveInspection from '../../functions/inspections/archive-inspection.ts';
import * as restoreInspection from '../../functions/inspections/restore-inspection.ts';
import * as errors from '../../shared/base/errors.ts';
import { keys } from '../../shared/table/keys.ts';
import { as } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { startedInspection, completedInspection, eventsOf, newInspection, sortKeys } from './fixtures.ts';

let person: Person;
const send = (endpoint: typeof archiveInspection | typeof restoreInspection, { id }: { id: string }) =>
  as(person).call(endpoint, { params: { inspection_id: id } });

beforeAll(async () => {
  person = await newPerson('Archivist');
});

describe('POST /inspections/{inspection_id}/archive', () => {
  test('200 in any status, which archived_from then shows', async () => {
    for (const inspection of [
      await newInspection(person),
      await startedInspection(person),
      await completedInspection(person),
    ]) {
      const { status, body } = await send(archiveInspection, inspection);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        status: 'archived',
        archived_from: inspection.status,
        archived_at: expect.any(String),
      });
      expect((await eventsOf(person, inspection.id)).at(-1)).toBe('inspection.archived');
    }
  });

  test('200, and the inspection is no longer overdue', async () => {
    const inspection = await newInspection(person, { due_at: '2020-01-01T00:00:00Z' });
    expect((await send(archiveInspection, inspection)).body.is_overdue).toBe(false);
    expect(await sortKeys(person, keys.due.partition(person.caller))).toEqual([]);
  });

  test('409 for an archived inspection', async () => {
    const inspection = await newInspection(person);
    await send(archiveInspection, inspection);
    const { status, body } = await send(archiveInspection, inspection);
    expect([status, body.detail]).toEqual([409, errors.inspectionStatus('archived').detail]);
  });
});

describe('POST /inspections/{inspection_id}/restore', () => {
  test('200 with the inspection as it was before', async () => {
    const inspection = await completedInspection(person, { due_at: '2020-01-01T00:00:00Z' });
    await send(archiveInspection, inspection);
    const { status, body } = await send(restoreInspection, inspection);
    expect(status).toBe(200);
    expect(body).toEqual({ ...inspection, version: inspection.version + 2, updated_at: body.updated_at });
  });

  test('200, and the inspection is overdue again', async () => {
    const inspection = await startedInspection(person, { due_at: '2020-01-01T00:00:00Z' });
    await send(archiveInspection, inspection);
    expect((await send(restoreInspection, inspection)).body.is_overdue).toBe(true);
    expect(await sortKeys(person, keys.due.partition(person.caller))).toHaveLength(1);
  });

  test('409 for an inspection that is not archived', async () => {
    const { status, body } = await send(restoreInspection, await newInspection(person));
    expect([status, body.detail]).toEqual([409, errors.inspectionStatus('scheduled').detail]);
  });
});
