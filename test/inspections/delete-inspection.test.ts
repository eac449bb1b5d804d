import * as createFinding from '../../functions/findings/create-finding.ts';
import * as deleteInspection from '../../functions/inspections/delete-inspection.ts';
import * as getInspection from '../../functions/inspections/get-inspection.ts';
import * as createReport from '../../functions/reports/create-report.ts';
import * as correctiveActions from '../../shared/db/corrective-actions/corrective-actions.ts';
import * as inspections from '../../shared/db/inspections/inspections.ts';
import { change } from '../../shared/db/table/change.ts';
import { keys } from '../../shared/db/table/keys.ts';
import { usageOf } from '../../shared/db/table/usage.ts';
import * as write from '../../shared/db/table/writes.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { newDocument, usedBy } from '../answers/fixtures.ts';
import { attach, newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { call } from '../support/call.ts';
import type { Sending } from '../support/commands.ts';
import { first, installFaults, on, withFault } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { contentWith, field, uuid } from '../templates/fixtures.ts';
import { answer, begun, completed, newClient, newInspection, sortKeys } from './fixtures.ts';

installFaults();

describe('DELETE /inspections/{inspection_id}', () => {
  let person: Person;
  const remove = ({ id }: { id: string }) =>
    call(deleteInspection, { as: person.key, params: { inspection_id: id } });
  const below = ({ id }: { id: string }) => sortKeys(person, keys.below(person.caller, 'INSPECTION', id));

  /** Rows of a finding, with no answer to have led to it. */
  const find = ({ id }: Inspection, n: number) =>
    change(person.caller, () => ({
      writes: [
        write.put({ ...keys.child(person.caller, id, 'FINDING', uuid(n)), id: uuid(n) }),
        write.put({ ...keys.reference(person.caller, 'FINDING', uuid(n)), inspection_id: id }),
        write.update(inspections.key(person.caller, id), { add: { findings_count: 1 } }),
      ],
      reply: null,
    }));

  beforeAll(async () => {
    person = await newPerson('Remover');
  });

  test('204 leaving no row that belonged to it', async () => {
    const client = await newClient(person);
    const inspection = await newInspection(person, {
      client_account_id: client.id,
      due_at: '2020-01-01T00:00:00Z',
      external_ref: 'erp-1',
      participants: [{ user_id: person.adminId }],
    });
    await answer(person, inspection, uuid(2), 'early');
    await find(inspection, 500);
    expect(await remove(inspection)).toMatchObject({ status: 204 });
    expect(
      (await call(getInspection, { as: person.key, params: { inspection_id: inspection.id } })).status,
    ).toBe(404);
    expect(await below(inspection)).toEqual([]);
    expect(await sortKeys(person, keys.due(person.caller, '', '').pk)).toEqual([]);
    expect(await sortKeys(person, keys.assignment(person.caller, person.adminId, '').pk)).toEqual([]);
    expect(await sortKeys(person, keys.reference(person.caller, 'FINDING', '').pk)).toEqual([]);
    expect((await usageOf(person.caller, 'CLIENT', client.id)).inspections).toBe(0);
    await newInspection(person, { external_ref: 'erp-1' });
  });

  test('204 with the end of every use of a document, also where two places show it', async () => {
    const document = await newDocument(person);
    const photos = [{ document_id: document, caption: '' }];
    const site = { key: 'site', type: 'photo', label: 'Site' };
    const content = { ...contentWith(field(2, { type: 'photo' })), start: { fields: [site] } };
    const inspection = await newInspection(person, { family: { content }, start_answers: { site: photos } });
    await answer(person, inspection, uuid(2), photos);
    expect(await usedBy(person, document)).toBe(2);
    expect((await remove(inspection)).status).toBe(204);
    expect(await usedBy(person, document)).toBe(0);
  });

  test('204 in progress as long as nothing is answered', async () => {
    const inspection = await begun(person);
    expect((await remove(inspection)).status).toBe(204);
    expect((await remove(inspection)).status).toBe(404);
  });

  test('204 with its corrective actions, their histories and documents', async () => {
    const document = await newDocument(person);
    const inspection = await newInspection(person);
    const finding = await newFinding(person, {}, inspection);
    const action = await newAction(person, { assignee_id: person.adminId, external_ref: 'cmms-1' }, finding);
    await attach(person, action, document);
    expect((await remove(inspection)).status).toBe(204);
    expect(await below(inspection)).toEqual([]);
    expect(await sortKeys(person, keys.below(person.caller, 'ACTION', action.id))).toEqual([]);
    expect(await sortKeys(person, keys.reference(person.caller, 'ACTION', '').pk)).toEqual([]);
    expect(await sortKeys(person, keys.actionAssignment(person.caller, person.adminId, '').pk)).toEqual([]);
    expect(await usedBy(person, document)).toBe(0);
    await newAction(person, { external_ref: 'cmms-1' });
  });

  test('409 with an answer, and once it is locked, pointing at archiving', async () => {
    const answered = await begun(person);
    await answer(person, answered, uuid(2), 'yes');
    for (const inspection of [answered, await completed(person)]) {
      const { status, body } = await remove(inspection);
      expect([status, body.detail]).toEqual([409, expect.stringContaining('archive it instead')]);
    }
    expect(await below(answered)).toHaveLength(1);
  });

  test('never beside an answer that is saved at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const inspection = await begun(person);
      const [{ status }] = await Promise.all([
        remove(inspection),
        answer(person, inspection, uuid(2), 'yes').catch(() => null),
      ]);
      expect([status, (await below(inspection)).length]).toEqual(status === 204 ? [204, 0] : [409, 1]);
    }
  });

  test('never beside a finding or a report that is begun at the same time', async () => {
    for (let round = 0; round < 12; round += 1) {
      const inspection = await newInspection(person);
      const params = { inspection_id: inspection.id };
      const [removed, ...begunBelow] = await Promise.all([
        remove(inspection),
        call(createFinding, { as: person.key, params, body: { label: 'Loose bolt' } }),
        call(createReport, { as: person.key, params, body: {} }),
      ]);
      expect(removed.status).toBe(204);
      for (const { status } of begunBelow) expect([201, 202, 404]).toContain(status);
      expect(await below(inspection)).toEqual([]);
    }
  });

  test('a whole one goes in chunks, in any state, however often that is begun', async () => {
    const inspection = await begun(person, { participants: [{ user_id: person.adminId }] });
    for (let n = 0; n < 30; n += 1) await find(inspection, 600 + n);
    await inspections.deleteWhole(person.caller, inspection.id);
    expect(await below(inspection)).toEqual([]);
    expect(await inspections.find(person.caller, inspection.id)).toBeUndefined();
    expect(await sortKeys(person, keys.assignment(person.caller, person.adminId, '').pk)).not.toContain(
      inspection.id,
    );
    await inspections.deleteWhole(person.caller, inspection.id);
  });

  test('a whole one takes along an action’s long history, and what is said while it goes', async () => {
    const inspection = await begun(person);
    const action = await newAction(person, {}, await newFinding(person, {}, inspection));
    const comment = () => correctiveActions.comment(person.caller, action.id, { note: 'Well' });
    for (let n = 0; n < 50; n += 1) await comment();
    const isLast = ({ input }: Sending) =>
      JSON.stringify(input['TransactItems'] ?? '').includes(`"sk":"ACTION#${action.id}"`);
    const interposed = first(1, async ({ send }) => {
      await comment();
      return send();
    });
    await withFault(on(isLast, interposed), () => inspections.deleteWhole(person.caller, inspection.id));
    expect(await below(inspection)).toEqual([]);
    expect(await sortKeys(person, keys.below(person.caller, 'ACTION', action.id))).toEqual([]);
  });
});
