import * as errors from '../../shared/base/errors.ts';
import type { Correction } from '../../shared/schemas/inspections/correction.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { findingsOf, inspectionOf, newDocument, save } from '../answers/fixtures.ts';
import { attach, newAction } from '../corrective-actions/fixtures.ts';
import { completedInspection, newClient, newColleague, newLocation } from '../inspections/fixtures.ts';
import { as, statusCounts } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { at, closeOf, of, openCorrection, patchOf, revisionsOf } from './fixtures.ts';

installFaults();

const [SCHEDULED, DUE] = ['2027-03-01T08:00:00.000Z', '2027-03-02T16:00:00.000Z'];

let ana: Person;
beforeEach(async () => {
  ana = await newPerson('Ana');
});

const patch = (inspection: Inspection, body: object) => patchOf(ana, inspection, body);
const discard = (correction: Correction) => ana.try.corrections.discard(at(correction));
const setupOf = async (correction: Correction) =>
  (await revisionsOf(ana, correction, { include_setup: true })).map(({ field_id, previous_value, value }) => [
    field_id,
    previous_value,
    value,
  ]);
const idsWith = async (query: Record<string, string>): Promise<string[]> =>
  (await ana.inspections.list({ query })).map(({ id }: Inspection) => id);
const expectConsistent = async () =>
  expect(await checkOrganization(ana.caller, { repair: false })).toMatchObject({ found: 0, unsettled: 0 });

/** A completed inspection at a location of a client. */
const completedAt = async (location_id: string): Promise<Inspection> =>
  completedInspection(ana, { location_id, name: 'Yard' });

describe('PATCH /inspections/{inspection_id} in an open correction', () => {
  test('200 and lists, counters and indexes move with location and client, and each field is a revision', async () => {
    const [one, other] = [await newClient(ana, 'One'), await newClient(ana, 'Other')];
    const [wrong, right] = [await newLocation(ana, one.id), await newLocation(ana, other.id)];
    const inspection = await completedAt(wrong.id);
    const correction = await openCorrection(ana, inspection);
    const { status, body } = await patch(inspection, {
      location_id: right.id,
      client_account_id: other.id,
      name: 'Quay',
      scheduled_for: SCHEDULED,
      due_at: DUE,
    });
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        status: 'completed',
        completed_at: inspection.completed_at,
        client_account_id: other.id,
        name: 'Quay',
      }),
    ]);
    expect(await idsWith({ location_id: right.id })).toEqual([inspection.id]);
    expect(await idsWith({ client_account_id: other.id })).toEqual([inspection.id]);
    expect(await idsWith({ location_id: wrong.id })).toEqual([]);
    expect(await idsWith({ client_account_id: one.id })).toEqual([]);
    expect(await setupOf(correction)).toEqual([
      ['name', 'Yard', 'Quay'],
      ['client_account_id', one.id, other.id],
      ['location_id', wrong.id, right.id],
      ['scheduled_for', null, SCHEDULED],
      ['due_at', null, DUE],
    ]);
    expect(await revisionsOf(ana, correction)).toEqual([]);
    expect(await ana.corrections.get(at(correction))).toMatchObject({ revisions_count: 5 });
    await expectConsistent();
  });

  test('200 and the sources of revisions are merged by sequence', async () => {
    const inspection = await completedInspection(ana);
    const correction = await openCorrection(ana, inspection);
    await patch(inspection, { name: 'Quay' });
    expect((await save(ana, inspection, { field_id: uuid(2), value: 'Crane' })).status).toBe(200);
    await patch(inspection, { name: 'Pier' });
    const rows = await revisionsOf(ana, correction, { include_setup: true, include_start: true });
    expect(rows.map(({ sequence, answer_source }) => [sequence, answer_source])).toEqual([
      [1, 'setup'],
      [2, 'body'],
      [3, 'setup'],
    ]);
    expect((await revisionsOf(ana, correction)).map(({ sequence }) => sequence)).toEqual([2]);
  });

  test('200 and who is added counts as having submitted, and is told nothing', async () => {
    const inspection = await completedInspection(ana);
    const rolf = await newColleague(ana, 'Rolf');
    const correction = await openCorrection(ana, inspection);
    const { body } = await patch(inspection, { participants: [{ user_id: rolf.user_id }] });
    expect(body.participants).toMatchObject([
      { user_id: rolf.user_id, status: 'submitted', submitted_at: inspection.submitted_at },
    ]);
    expect(await as(rolf.key).inspections.listAssigned()).toMatchObject([{ id: inspection.id }]);
    expect((await as(rolf.key).notifications.listMy()).items).toEqual([]);
    expect((await discard(correction)).status).toBe(200);
    expect(await as(rolf.key).inspections.listAssigned()).toEqual([]);
    expect(await setupOf(correction)).toEqual([
      ['participants', [], [expect.objectContaining({ user_id: rolf.user_id })]],
      ['participants', [expect.objectContaining({ user_id: rolf.user_id })], []],
    ]);
    await expectConsistent();
  });

  test('400 for a location that does not exist or is another client’s, as on creation', async () => {
    const [one, other] = [await newClient(ana, 'One'), await newClient(ana, 'Other')];
    const [own, foreign] = [await newLocation(ana, one.id), await newLocation(ana, other.id)];
    const inspection = await completedAt(own.id);
    const correction = await openCorrection(ana, inspection);
    const missing = await patch(inspection, { location_id: uuid(404) });
    expect([missing.status, missing.body.detail]).toEqual([
      400,
      errors.referenceNotFound('location_id').detail,
    ]);
    const mismatched = await patch(inspection, { location_id: foreign.id });
    expect([mismatched.status, mismatched.body.detail]).toEqual([
      400,
      errors.otherClientAccount('location_id').detail,
    ]);
    expect(await setupOf(correction)).toEqual([]);
  });

  test('409 for the approver, and for everything once the correction is closed', async () => {
    const inspection = await completedInspection(ana);
    const correction = await openCorrection(ana, inspection);
    const { status, body } = await patch(inspection, { name: 'Quay', approver_id: null });
    expect([status, body.detail]).toEqual([409, errors.inspectionLocked('completed').detail]);
    await closeOf(ana, correction);
    expect((await patch(inspection, { name: 'Quay' })).status).toBe(409);
  });
});

describe('PATCH /inspections/{inspection_id} of external_ref', () => {
  test('200 whatever the status, also without a correction, and it is no revision', async () => {
    const inspection = await completedInspection(ana);
    expect((await patch(inspection, { external_ref: 'a' })).body).toMatchObject({ external_ref: 'a' });
    expect((await patch(inspection, { external_ref: 'b', name: 'Quay' })).status).toBe(409);
    const correction = await openCorrection(ana, inspection);
    expect((await patch(inspection, { external_ref: 'b' })).status).toBe(200);
    expect(await setupOf(correction)).toEqual([]);
    expect((await discard(correction)).status).toBe(200);
    expect(await inspectionOf(ana, inspection)).toMatchObject({ external_ref: 'b' });
    await ana.inspections.archive(of(inspection));
    expect((await patch(inspection, { external_ref: 'c' })).status).toBe(200);
    expect(await idsWith({ external_ref: 'c' })).toEqual([inspection.id]);
    const other = await completedInspection(ana);
    expect((await patch(other, { external_ref: 'c' })).status).toBe(409);
    await expectConsistent();
  });
});

describe('POST /inspections/{inspection_id}/findings in an open correction', () => {
  const add = (inspection: Inspection, body: object = {}) =>
    ana.try.findings.create({ ...of(inspection), body: { label: 'Missed', ...body } });

  test('201 and it is a revision; 409 without a correction, and while one awaits approval', async () => {
    const inspection = await completedInspection(ana);
    expect((await add(inspection)).status).toBe(409);
    const correction = await openCorrection(ana, inspection);
    const { status, body } = await add(inspection, { severity: 'major', field_id: uuid(2) });
    expect([status, body]).toEqual([201, expect.objectContaining({ origin: 'manual', label: 'Missed' })]);
    const { id, number } = body;
    expect(await setupOf(correction)).toEqual([
      ['finding', null, { id, number, label: 'Missed', severity: 'major', field_id: uuid(2) }],
    ]);
    expect(await inspectionOf(ana, inspection)).toMatchObject({ findings_count: 1 });
    await closeOf(ana, correction);
    expect(await findingsOf(ana, inspection)).toMatchObject([{ id, trigger_cleared: false }]);
    expect((await add(inspection)).status).toBe(409);
    await expectConsistent();
  });

  test('201 for concurrent ones and changes of the setup, numbered without gaps', async () => {
    const inspection = await completedInspection(ana);
    const correction = await openCorrection(ana, inspection);
    const names = ['a', 'b', 'c', 'd'];
    const answers = await Promise.all(
      names.flatMap((name) => [add(inspection, { label: name }), patch(inspection, { name })]),
    );
    expect(statusCounts(answers)).toEqual({ 200: 4, 201: 4 });
    const rows = await revisionsOf(ana, correction, { include_setup: true });
    expect(rows.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await expectConsistent();
  });
});

describe('POST /inspections/{inspection_id}/corrections/{correction_id}/discard of a repaired setup', () => {
  /** A correction that has moved an inspection and added a finding with an open action, which has a photo. */
  const repaired = async () => {
    const [one, other] = [await newClient(ana, 'One'), await newClient(ana, 'Other')];
    const [wrong, right] = [await newLocation(ana, one.id), await newLocation(ana, other.id)];
    const inspection = await completedAt(wrong.id);
    const correction = await openCorrection(ana, inspection);
    await patch(inspection, { location_id: right.id, client_account_id: other.id, name: 'Quay' });
    const finding = await ana.findings.create({ ...of(inspection), body: { label: 'Missed' } });
    const action = await newAction(ana, {}, finding);
    expect((await attach(ana, action, await newDocument(ana))).status).toBe(201);
    return { inspection, correction, wrong, right };
  };

  const expectTakenBack = async ({
    inspection,
    correction,
    wrong,
    right,
  }: Awaited<ReturnType<typeof repaired>>) => {
    const { client_account_id, location_id, name } = inspection;
    expect(await inspectionOf(ana, inspection)).toMatchObject({
      client_account_id,
      location_id,
      name,
      findings_count: 0,
      open_corrective_actions_count: 0,
      correction_status: 'none',
    });
    expect(await idsWith({ location_id: wrong.id })).toEqual([inspection.id]);
    expect(await idsWith({ location_id: right.id })).toEqual([]);
    expect(await findingsOf(ana, inspection)).toEqual([]);
    const rows = await setupOf(correction);
    expect(rows.map(([field]) => field)).toEqual([
      'name',
      'client_account_id',
      'location_id',
      'finding',
      'finding',
      'name',
      'client_account_id',
      'location_id',
    ]);
    for (const position of [0, 1, 2, 3]) {
      const [field, was, is] = rows[position]!;
      expect(rows.slice(4)).toContainEqual([field, is, was]);
    }
    await expectConsistent();
  };

  test('200 and lists, counters and findings are as before, and each change is a revision', async () => {
    const repair = await repaired();
    const { status, body } = await discard(repair.correction);
    expect([status, body.revisions_count]).toEqual([200, 8]);
    await expectTakenBack(repair);
  });

  test.each([2, 3, 4])('200 when it is called again after transaction %i has failed', async (failing) => {
    const repair = await repaired();
    let transactions = 0;
    const breakOff = on(
      ({ command }) => command === 'TransactWriteItems' && (transactions += 1) >= failing,
      async () => {
        throw sdkError('ValidationException');
      },
    );
    expect((await withFault(breakOff, () => discard(repair.correction))).status).toBe(500);
    expect((await discard(repair.correction)).status).toBe(200);
    await expectTakenBack(repair);
  });

  test('200 for start answers whose keys are those of the setup', async () => {
    const keys = ['participants', 'finding', 'location_id'];
    const start = { fields: keys.map((key) => ({ key, type: 'text', label: key })) };
    const answers = (value: string | null) => Object.fromEntries(keys.map((key) => [key, value]));
    const inspection = await completedInspection(ana, {
      family: { content: { ...contentWith(field(2)), start } },
      start_answers: answers('was'),
    });
    const correction = await openCorrection(ana, inspection);
    await patch(inspection, { start_answers: answers(null) });
    expect((await discard(correction)).status).toBe(200);
    expect(await inspectionOf(ana, inspection)).toMatchObject({ start_answers: answers('was') });
    expect(await revisionsOf(ana, correction, { include_start: true })).toHaveLength(6);
  });

  test('200 without a location that was deleted since', async () => {
    const gone = await newLocation(ana);
    const inspection = await completedAt(gone.id);
    const correction = await openCorrection(ana, inspection);
    await patch(inspection, { location_id: (await newLocation(ana)).id });
    expect((await ana.try.locations.delete({ params: { location_id: gone.id } })).status).toBe(204);
    expect((await discard(correction)).status).toBe(200);
    expect(await inspectionOf(ana, inspection)).toMatchObject({ location_id: null });
    await expectConsistent();
  });
});

describe('GET /inspections/{inspection_id}/report-payload of a repaired setup', () => {
  test('200 and it shows the place and the findings that are in force, and what the correction changes', async () => {
    const [wrong, right] = [await newLocation(ana), await newLocation(ana)];
    const inspection = await completedAt(wrong.id);
    const correction = await openCorrection(ana, inspection);
    await patch(inspection, { location_id: right.id, name: 'Quay', due_at: DUE });
    await ana.findings.create({ ...of(inspection), body: { label: 'Missed' } });
    const open = await ana.reports.getPayload(of(inspection));
    expect(open).toMatchObject({
      report: { title: 'Yard' },
      inspection: { location: { id: wrong.id }, due_at: null },
      findings: [],
    });
    await closeOf(ana, correction);
    const closed = await ana.reports.getPayload(of(inspection));
    expect(closed).toMatchObject({
      report: { title: 'Quay' },
      inspection: { location: { id: right.id }, due_at: DUE },
      findings: [{ label: 'Missed' }],
    });
    for (const payload of [open, closed]) {
      expect(payload.corrections[0].changes).toMatchObject([
        { source: 'setup', field_id: 'name', before: { answer: { text: 'Yard' } } },
        {
          field_id: 'location_id',
          before: { answer: { id: wrong.id } },
          after: { answer: { name: 'Yard' } },
        },
        { field_id: 'due_at', before: { answer: null }, after: { answer: { kind: 'datetime', at: DUE } } },
        { field_id: 'finding', before: { answer: null }, after: { answer: { text: 'Missed' } } },
      ]);
    }
  });
});
