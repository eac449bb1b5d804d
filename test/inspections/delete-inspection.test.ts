import * as createFinding from '../../functions/findings/create-finding.ts';
import * as deleteInspection from '../../functions/inspections/delete-inspection.ts';
import * as getInspection from '../../functions/inspections/get-inspection.ts';
import * as createReport from '../../functions/reports/create-report.ts';
import * as errors from '../../shared/base/errors.ts';
import * as correctiveActions from '../../shared/db/corrective-actions/corrective-actions.ts';
import * as inspections from '../../shared/db/inspections/inspections.ts';
import { change } from '../../shared/db/table/change.ts';
import { keys } from '../../shared/db/table/keys.ts';
import { usageOf } from '../../shared/db/table/usage.ts';
import * as write from '../../shared/db/table/writes.ts';
import type { Finding } from '../../shared/schemas/finding.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { newDocument, usedBy } from '../answers/fixtures.ts';
import { attach, newAction, newFinding } from '../corrective-actions/fixtures.ts';
import { as } from '../support/call.ts';
import type { Sending } from '../support/commands.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { first, installFaults, on, withFault } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import {
  answer,
  startedInspection,
  completedInspection,
  newClient,
  newInspection,
  sortKeys,
} from './fixtures.ts';

installFaults();

let person: Person;
const remove = ({ id }: { id: string }) =>
  as(person).delete(deleteInspection, { params: { inspection_id: id } });
const below = ({ id }: { id: string }) => sortKeys(person, keys.below(person.caller, 'INSPECTION', id));

/** Stores the rows of a finding without an answer. */
const addFinding = ({ id }: Inspection, n: number) =>
  change(person.caller, () => ({
    writes: [
      write.put<Partial<Finding>>({ ...keys.child(person.caller, id, 'FINDING', uuid(n)), id: uuid(n) }),
      write.put({ ...keys.reference(person.caller, 'FINDING', uuid(n)), inspection_id: id }),
      write.update(inspections.key(person.caller, id), { add: { findings_count: 1 } }),
    ],
    reply: null,
  }));

beforeAll(async () => {
  person = await newPerson('Remover');
});

describe('DELETE /inspections/{inspection_id}', () => {
  test('204, and no row of the inspection remains', async () => {
    const client = await newClient(person);
    const inspection = await newInspection(person, {
      client_account_id: client.id,
      due_at: '2020-01-01T00:00:00Z',
      external_ref: 'erp-1',
      participants: [{ user_id: person.adminId }],
    });
    await answer(person, inspection, uuid(2), 'early');
    await addFinding(inspection, 500);
    expect(await remove(inspection)).toMatchObject({ status: 204 });
    expect((await as(person).get(getInspection, { params: { inspection_id: inspection.id } })).status).toBe(
      404,
    );
    expect(await below(inspection)).toEqual([]);
    expect(await sortKeys(person, keys.due(person.caller, '', '').pk)).toEqual([]);
    expect(await sortKeys(person, keys.assignment(person.caller, person.adminId, '').pk)).toEqual([]);
    expect(await sortKeys(person, keys.reference(person.caller, 'FINDING', '').pk)).toEqual([]);
    expect((await usageOf(person.caller, 'CLIENT', client.id)).inspections).toBe(0);
    await newInspection(person, { external_ref: 'erp-1' });
  });

  test('204, and its documents are unused, even one that was used twice', async () => {
    const document = await newDocument(person);
    const photos = [{ document_id: document, caption: '' }];
    const site = { key: 'site', type: 'photo', label: 'Site' };
    const content = { ...contentWith(field(2, 'photo')), start: { fields: [site] } };
    const inspection = await newInspection(person, { family: { content }, start_answers: { site: photos } });
    await answer(person, inspection, uuid(2), photos);
    expect(await usedBy(person, document)).toBe(2);
    expect((await remove(inspection)).status).toBe(204);
    expect(await usedBy(person, document)).toBe(0);
  });

  test('204 in progress without answers', async () => {
    const inspection = await startedInspection(person);
    expect((await remove(inspection)).status).toBe(204);
    expect((await remove(inspection)).status).toBe(404);
  });

  test('204, and its corrective actions are deleted with their histories and attachments', async () => {
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

  test('409 with an answer, and for a locked inspection', async () => {
    const answered = await startedInspection(person);
    await answer(person, answered, uuid(2), 'yes');
    const cases: [Inspection, number][] = [
      [answered, 1],
      [await completedInspection(person), 0],
    ];
    for (const [inspection, answers] of cases) {
      const { status, body } = await remove(inspection);
      expect([status, body.detail]).toEqual([
        409,
        errors.inspectionNotEmpty(inspection.status, answers).detail,
      ]);
    }
    expect(await below(answered)).toHaveLength(1);
  });

  test('204 or 409 in parallel with an answer, and a deleted inspection has no answer left', async () => {
    for (let round = 0; round < 5; round += 1) {
      const inspection = await startedInspection(person);
      const [{ status }] = await Promise.all([
        remove(inspection),
        answer(person, inspection, uuid(2), 'yes').catch(() => null),
      ]);
      expect([status, (await below(inspection)).length]).toEqual(status === 204 ? [204, 0] : [409, 1]);
    }
  });

  test('204 in parallel with a new finding and a new report, and neither of them remains', async () => {
    for (let round = 0; round < 12; round += 1) {
      const inspection = await newInspection(person);
      const params = { inspection_id: inspection.id };
      const [removed, ...created] = await Promise.all([
        remove(inspection),
        as(person).post(createFinding, { params, body: { label: 'Loose bolt' } }),
        as(person).post(createReport, { params, body: {} }),
      ]);
      expect(removed.status).toBe(204);
      for (const { status } of created) expect([201, 202, 404]).toContain(status);
      expect(await below(inspection)).toEqual([]);
    }
  });
});

describe('inspections.deleteWhole', () => {
  test('deletes the inspection in chunks, in any status, and can be repeated', async () => {
    const inspection = await startedInspection(person, { participants: [{ user_id: person.adminId }] });
    for (let n = 0; n < 30; n += 1) await addFinding(inspection, 600 + n);
    await inspections.deleteWhole(person.caller, inspection.id);
    expect(await below(inspection)).toEqual([]);
    expect(await inspections.find(person.caller, inspection.id)).toBeUndefined();
    expect(await sortKeys(person, keys.assignment(person.caller, person.adminId, '').pk)).not.toContain(
      inspection.id,
    );
    await inspections.deleteWhole(person.caller, inspection.id);
  });

  test('deletes the long history of a corrective action, and a comment that is added meanwhile', async () => {
    const inspection = await startedInspection(person);
    const action = await newAction(person, {}, await newFinding(person, {}, inspection));
    const comment = () => correctiveActions.comment(person.caller, action.id, { note: 'Well' });
    for (let n = 0; n < 50; n += 1) await comment();
    const isLast = ({ input }: Sending) =>
      JSON.stringify(input['TransactItems'] ?? '').includes(`"sk":"ACTION#${action.id}"`);
    const commentFirst = first(1, async ({ send }) => {
      await comment();
      return send();
    });
    await withFault(on(isLast, commentFirst), () => inspections.deleteWhole(person.caller, inspection.id));
    expect(await below(inspection)).toEqual([]);
    expect(await sortKeys(person, keys.below(person.caller, 'ACTION', action.id))).toEqual([]);
  });
});
