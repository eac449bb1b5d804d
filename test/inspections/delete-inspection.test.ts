import * as deleteRemains from '../../functions/workers/delete-remains.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/corrective-actions.ts';
import * as inspections from '../../shared/inspections/deletion.ts';
import { inspectionRecords } from '../../shared/inspections/rows/inspection-records.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { keys } from '../../shared/table/keys.ts';
import { usageOf } from '../../shared/table/usage.ts';
import { newDocument, usedBy } from '../answers/fixtures.ts';
import { newAction, newFinding } from '../corrective-actions/fixtures.ts';
import type { Sending } from '../support/commands.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { first, installFaults, on, withFault } from '../support/faults.ts';
import { deliver, waitingEvents, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import {
  answer,
  completedInspection,
  newClient,
  newInspection,
  sortKeys,
  sortKeysBelow,
  startedInspection,
} from './fixtures.ts';

installFaults();

let person: Person;
const remove = ({ id }: { id: string }) => person.try.inspections.delete({ params: { inspection_id: id } });
const below = (inspection: { id: string }) => sortKeysBelow(person, inspection);

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
    await answer(person, inspection, uuid(2), null);
    expect(await below(inspection)).toHaveLength(1);
    expect(await remove(inspection)).toMatchObject({ status: 204 });
    expect((await person.try.inspections.get({ params: { inspection_id: inspection.id } })).status).toBe(404);
    expect(await below(inspection)).toEqual([]);
    expect(await sortKeys(person, keys.due.partition(person.caller))).toEqual([]);
    expect(await sortKeys(person, keys.assignment.partition(person.caller, person.adminId))).toEqual([]);
    expect((await usageOf(person.caller, 'CLIENT', client.id)).inspections).toBe(0);
    await newInspection(person, { external_ref: 'erp-1' });
  });

  test('204 in any status, while the inspection holds no work', async () => {
    const archived = await newInspection(person);
    await person.inspections.archive({ params: { inspection_id: archived.id } });
    for (const inspection of [await startedInspection(person), await completedInspection(person), archived]) {
      expect((await remove(inspection)).status).toBe(204);
      expect((await remove(inspection)).status).toBe(404);
    }
  });

  test('204, and a worker deletes the emptied answers for which the transaction has no room', async () => {
    const fields = Array.from({ length: 60 }, (_, n) => field(100 + n));
    const inspection = await startedInspection(person, { family: { content: contentWith(...fields) } });
    const params = { inspection_id: inspection.id };
    for (const value of ['yes', null]) {
      const responses = fields.map(({ id }) => ({ section_id: uuid(1), field_id: id, value }));
      await person.answers.save({ params, body: { responses } });
    }
    expect((await remove(inspection)).status).toBe(204);
    const left = await below(inspection);
    expect(left.length).toBeGreaterThan(0);
    const tasks = (await waitingTasks(person.caller)).filter(({ outbox }) => outbox === 'cleanup');
    for (const task of tasks) expect(await deliver(deleteRemains.handler, task)).toBe(true);
    expect(await below(inspection)).toEqual([]);
  });

  test('409, and the text counts what the inspection holds', async () => {
    const inspection = await startedInspection(person, {
      family: { content: contentWith(field(2), field(3), field(4)) },
    });
    const params = { inspection_id: inspection.id };
    for (const n of [2, 3, 4]) await answer(person, inspection, uuid(n), 'yes');
    await person.reports.create({ params, body: {} });
    const { status, body } = await remove(inspection);
    expect([status, body.detail]).toEqual([
      409,
      'The inspection is in_progress and holds 3 answers and 1 report. Archive it instead.',
    ]);
    expect((await below(inspection)).filter((sk) => sk.startsWith('ANSWER#'))).toHaveLength(3);
  });

  test('409 for each kind of work alone, in any status', async () => {
    const noted = await startedInspection(person);
    await person.answers.replace({
      params: { inspection_id: noted.id },
      body: { section_id: uuid(1), field_id: uuid(2), value: null, note: 'Could not get in' },
    });
    const site = { key: 'site', type: 'photo', label: 'Site' };
    const photos = [{ document_id: await newDocument(person), caption: '' }];
    const withPhoto = await newInspection(person, {
      family: { content: { ...contentWith(field(2)), start: { fields: [site] } } },
      start_answers: { site: photos },
    });
    const acted = await newInspection(person);
    await newAction(person, {}, await newFinding(person, {}, acted));
    const corrected = await completedInspection(person);
    await person.corrections.create({
      params: { inspection_id: corrected.id },
      body: { reason: 'Wrong room' },
    });
    const archived = await newInspection(person);
    await newFinding(person, {}, archived);
    await person.inspections.archive({ params: { inspection_id: archived.id } });
    const raising = await newInspection(person);
    await person.issues.create({ body: { title: 'Leak', inspection_id: raising.id } });
    const cases: [Inspection, string][] = [
      [noted, 'in_progress and holds 1 comment. Archive it instead.'],
      [withPhoto, 'scheduled and holds 1 document. Archive it instead.'],
      [acted, 'scheduled and holds 1 finding and 1 corrective action. Archive it instead.'],
      [corrected, 'completed and holds 1 correction. Archive it instead.'],
      [archived, 'archived and holds 1 finding.'],
      [raising, 'scheduled and holds 1 reported issue. Archive it instead.'],
    ];
    for (const [inspection, held] of cases) {
      const { status, body } = await remove(inspection);
      expect([status, body.detail]).toEqual([409, `The inspection is ${held}`]);
    }
    expect(await usedBy(person, photos[0]!.document_id)).toBe(1);
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

  test('204 or 409 in parallel with a new finding and a new report, and no work is lost', async () => {
    for (let round = 0; round < 12; round += 1) {
      const inspection = await newInspection(person);
      const params = { inspection_id: inspection.id };
      const [removed, ...created] = await Promise.all([
        remove(inspection),
        person.try.findings.create({ params, body: { label: 'Loose bolt' } }),
        person.try.reports.create({ params, body: {} }),
      ]);
      const isRemoved = removed.status === 204;
      expect(created.map(({ status }) => status)).toEqual(isRemoved ? [404, 404] : [201, 202]);
      expect((await below(inspection)).length).toBe(isRemoved ? 0 : 3);
    }
  });
});

describe('inspections.deleteWhole', () => {
  test('deletes the inspection in chunks, in any status, and can be repeated', async () => {
    const inspection = await startedInspection(person, { participants: [{ user_id: person.adminId }] });
    for (let n = 0; n < 30; n += 1) await newFinding(person, {}, inspection);
    await inspections.deleteWhole(person.caller, inspection.id);
    const told = (await waitingEvents(person.caller))
      .filter(({ type }) => type.endsWith('.deleted'))
      .slice(-31);
    expect(told.map(({ type, data }) => [type, data.inspection_id ?? data.id])).toEqual([
      ...Array.from({ length: 30 }, () => ['finding.deleted', inspection.id]),
      ['inspection.deleted', inspection.id],
    ]);
    expect(await below(inspection)).toEqual([]);
    expect(await inspectionRecords.find(person.caller, inspection.id)).toBeUndefined();
    expect(await sortKeys(person, keys.assignment.partition(person.caller, person.adminId))).not.toContain(
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
