import * as createCorrection from '../../functions/corrections/create-correction.ts';
import * as errors from '../../shared/base/errors.ts';
import * as documents from '../../shared/files/documents.ts';
import { renderReport } from '../../shared/reports/render.ts';
import type { Correction, RevisionPage } from '../../shared/schemas/inspections/correction.ts';
import { fieldsFor } from '../../shared/schemas/inspections/fields.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import {
  beforeWriting,
  findingsOf,
  inspectionOf,
  newDocument,
  recordsOf,
  save,
  saved,
  usedBy,
} from '../answers/fixtures.ts';
import { advance, startedInspection, eventsOf } from '../inspections/fixtures.ts';
import { statusCounts } from '../support/call.ts';
import { field, uuid } from '../support/content.ts';
import { installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { at, closeOf, of, openCorrection, patchOf, revisionsOf } from './fixtures.ts';

jest.mock('../../shared/reports/pdf/render-pdf.ts', () => jest.requireActual('../support/undrawn.ts'));

installFaults();

const [GENERAL, ROOM] = [uuid(1), uuid(20)];
const CONTENT = {
  start: { fields: [{ key: 'site', type: 'text', label: 'Site' }] },
  sections: [
    {
      id: GENERAL,
      title: 'General',
      fields: [
        field(2, 'text', { required: true }),
        field(3, 'pass_fail_na', { finding: { create: 'auto' } }),
        field(4, 'photo'),
        field(5, 'pass_fail_na', { finding: { create: 'auto', corrective_action: { title: 'Mend' } } }),
      ],
    },
    { id: ROOM, title: 'Rooms', repeat: {}, fields: [field(21), field(22, 'pass_fail_na')] },
  ],
  scoring: { enabled: true, unanswered: 'exclude' },
};

let ana: Person;
beforeEach(async () => {
  ana = await newPerson('Ana');
});

/** A completed inspection: a name, a failed rail, a passed ladder, two rooms. */
const completed = async (settings: object = {}): Promise<Inspection> => {
  const inspection = await startedInspection(ana, {
    family: { content: CONTENT, settings },
    start_answers: { site: 'North' },
  });
  await saved(ana, inspection, { field_id: uuid(2), value: 'Crane' });
  await saved(ana, inspection, { field_id: uuid(3), value: 'fail' });
  await saved(ana, inspection, { field_id: uuid(5), value: 'pass' });
  for (const instance_index of [0, 1]) {
    await saved(ana, inspection, { section_id: ROOM, field_id: uuid(21), instance_index, value: 'Hall' });
  }
  return advance(ana.key, inspection);
};

const open = (inspection: Inspection) => openCorrection(ana, inspection);
const close = (correction: Correction) => closeOf(ana, correction);
const discard = (correction: Correction) => ana.try.corrections.discard(at(correction));
const revisions = (correction: Correction, query = {}) => revisionsOf(ana, correction, query);
const patch = (inspection: Inspection, body: object) => patchOf(ana, inspection, body);

describe('POST /inspections/{inspection_id}/corrections', () => {
  test('its description names every field that a correction can change', () => {
    const missing = fieldsFor('correction').filter((name) => {
      const words = name.replace(/_id$/, '').replaceAll('_', ' ');
      return ![`\`${name}\``, words].some((each) => createCorrection.operation.description.includes(each));
    });
    expect(missing).toEqual([]);
  });

  test('201 and the inspection stays completed and names its active correction', async () => {
    const inspection = await completed();
    const correction = await open(inspection);
    expect(correction).toMatchObject({
      reason: 'Misread',
      status: 'open',
      revisions_count: 0,
      closed_at: null,
    });
    expect(await inspectionOf(ana, inspection)).toMatchObject({
      status: 'completed',
      active_correction_id: correction.id,
    });
    expect(await ana.corrections.list(of(inspection))).toEqual([correction]);
  });

  test('409 before completion, while one is open, and when the template forbids corrections; 409 to archive meanwhile', async () => {
    const running = await startedInspection(ana, { family: { content: CONTENT } });
    const attempt = async (inspection: Inspection) => {
      const { status, body } = await ana.try.corrections.create({
        ...of(inspection),
        body: { reason: 'x' },
      });
      return [status, body.detail];
    };
    expect(await attempt(running)).toEqual([
      409,
      errors.inspectionStatus('in_progress', 'not completed').detail,
    ]);
    const locked = await completed({ correction_mode: 'locked' });
    expect(await attempt(locked)).toEqual([409, errors.correctionsLocked('completed').detail]);
    const inspection = await completed();
    const { id } = await open(inspection);
    expect(await attempt(inspection)).toEqual([409, errors.correctionOpen('completed', id, 'open').detail]);
    expect((await ana.try.inspections.archive(of(inspection))).status).toBe(409);
  });

  test('422 without a reason', async () => {
    const inspection = await completed();
    expect((await ana.try.corrections.create({ ...of(inspection), body: { reason: ' ' } })).status).toBe(422);
  });
});

describe('an open correction', () => {
  test('accepts answers and start answers only, and numbers all changes in one sequence', async () => {
    const inspection = await completed();
    expect((await save(ana, inspection, { field_id: uuid(2), value: 'Hoist' })).status).toBe(409);
    const correction = await open(inspection);
    const record = await saved(ana, inspection, { field_id: uuid(2), value: 'Hoist', note: 'Typo' });
    await saved(ana, inspection, { field_id: uuid(2), value: 'Hoist', note: 'Typo' });
    expect((await patch(inspection, { start_answers: { site: 'South' } })).status).toBe(200);
    await saved(ana, inspection, { field_id: uuid(2), value: 'Lift', expected_version: record.version });
    expect((await patch(inspection, { approver_id: null })).status).toBe(409);

    const body = await revisions(correction);
    expect(
      body.map(({ sequence, field_id, previous_value, value }) => [
        sequence,
        field_id,
        previous_value,
        value,
      ]),
    ).toEqual([
      [1, uuid(2), 'Crane', 'Hoist'],
      [3, uuid(2), 'Hoist', 'Lift'],
    ]);
    expect(body[0]).toMatchObject({
      answer_source: 'body',
      section_id: GENERAL,
      instance_path: '',
      previous_note: '',
      note: 'Typo',
      version: record.version,
      changed_by: ana.caller.user_id,
    });
    const all = await revisions(correction, { include_start: true });
    expect(all.map(({ answer_source, field_id, value }) => [answer_source, field_id, value])).toEqual([
      ['body', uuid(2), 'Hoist'],
      ['start', 'site', 'South'],
      ['body', uuid(2), 'Lift'],
    ]);
    expect(await ana.corrections.get(at(correction))).toMatchObject({ revisions_count: 3 });
  });

  test('keeps its pages stable while changes are added', async () => {
    const inspection = await completed();
    const correction = await open(inspection);
    for (const value of ['a', 'b', 'c']) await saved(ana, inspection, { field_id: uuid(2), value });
    const first: RevisionPage = await ana.corrections.listRevisions({
      ...at(correction),
      // Clients send a null cursor as an empty one.
      query: { limit: 2, cursor: '' },
    });
    expect(first.items.map(({ value }) => value)).toEqual(['a', 'b']);
    await saved(ana, inspection, { field_id: uuid(2), value: 'd' });
    const cursor = first.next_cursor!;
    const second: RevisionPage = await ana.corrections.listRevisions({
      ...at(correction),
      query: { cursor },
    });
    expect(second.items.map(({ value }) => value)).toEqual(['c', 'd']);
    expect(second.next_cursor).toBeNull();
    const wrong = await ana.try.corrections.listRevisions({
      ...at(correction),
      query: { cursor, include_start: true },
    });
    expect(wrong.status).toBe(422);
  });

  test('numbers concurrent changes without gaps or duplicates', async () => {
    const inspection = await completed();
    const correction = await open(inspection);
    const responses = Array.from({ length: 120 }, (_, n) => ({
      section_id: ROOM,
      field_id: uuid(21),
      instance_index: n,
      value: `Room ${n}`,
    }));
    await Promise.all([
      ana.answers.save({ ...of(inspection), body: { responses } }),
      ...Array.from({ length: 8 }, (_, n) => saved(ana, inspection, { field_id: uuid(2), value: `${n}` })),
      patch(inspection, { start_answers: { site: 'East' } }),
    ]);
    const sequences: number[] = [];
    let cursor: string | null = null;
    do {
      const page: RevisionPage = await ana.corrections.listRevisions({
        ...at(correction),
        query: { limit: 50, include_start: true, ...(cursor && { cursor }) },
      });
      sequences.push(...page.items.map(({ sequence }) => sequence));
      cursor = page.next_cursor;
    } while (cursor);
    expect(sequences).toEqual(Array.from({ length: 129 }, (_, n) => n + 1));
  });

  test('creates and removes no finding before it is closed', async () => {
    const inspection = await completed();
    await open(inspection);
    await saved(ana, inspection, { field_id: uuid(3), value: 'pass' });
    await saved(ana, inspection, { field_id: uuid(5), value: 'fail' });
    expect(await findingsOf(ana, inspection)).toMatchObject([{ trigger_cleared: false }]);
  });
});

describe('POST /inspections/{inspection_id}/corrections/{correction_id}/close', () => {
  test('200 and findings, score and reports follow the corrected answers', async () => {
    const inspection = await completed();
    expect(inspection.score).toMatchObject({ percentage: 50 });
    const report = await ana.reports.create({ ...of(inspection), body: {} });
    await renderReport(ana.caller, inspection.id, report.id);
    const correction = await open(inspection);
    await saved(ana, inspection, { field_id: uuid(3), value: 'pass' });
    await saved(ana, inspection, { field_id: uuid(5), value: 'fail' });
    await saved(ana, inspection, { section_id: ROOM, field_id: uuid(22), instance_index: 0, value: 'pass' });
    const { status, body } = await close(correction);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ status: 'closed', revisions_count: 3, closed_by: ana.caller.user_id }),
    ]);
    const after = await inspectionOf(ana, inspection);
    expect(after).toMatchObject({
      status: 'completed',
      completed_at: inspection.completed_at,
      active_correction_id: null,
      score: { percentage: 66.7 },
      findings_count: 2,
      open_corrective_actions_count: 1,
    });
    const [rail, ladder] = await findingsOf(ana, inspection);
    expect([rail!.trigger_cleared, ladder!.trigger_cleared]).toEqual([true, false]);
    expect(ladder).toMatchObject({ field_id: uuid(5), corrective_actions_count: 1, origin: 'auto' });
    expect(await ana.reports.list(of(inspection))).toMatchObject([{ is_stale: true }]);
    expect(
      (await eventsOf(ana, inspection.id)).filter((type) => type === 'inspection.corrected'),
    ).toHaveLength(1);
    expect((await save(ana, inspection, { field_id: uuid(2), value: 'x' })).status).toBe(409);
    expect((await close(correction)).body.detail).toBe(errors.correctionNotOpen('closed').detail);
  });

  test('200 and a finding that it creates shows the answers that its label refers to', async () => {
    const sections = [
      {
        ...CONTENT.sections[0],
        fields: [
          field(2, 'text'),
          field(3, 'pass_fail_na', {
            label: `Rail of \${${uuid(2)}} at \${site}`,
            finding: { create: 'auto' },
          }),
        ],
      },
    ];
    const begins = await startedInspection(ana, {
      family: { content: { ...CONTENT, sections } },
      start_answers: { site: 'North' },
    });
    await saved(ana, begins, { field_id: uuid(2), value: 'Crane 7' });
    const correction = await open(await advance(ana.key, begins));
    await saved(ana, begins, { field_id: uuid(3), value: 'fail' });
    expect((await close(correction)).status).toBe(200);
    expect(await findingsOf(ana, begins)).toMatchObject([{ label: 'Rail of Crane 7 at North' }]);
  });

  test('200 and the finding of a deleted answer is marked, or belongs to the new answer when that fails again', async () => {
    const fields = [field(21, 'pass_fail_na', { finding: { create: 'auto' } })];
    const sections = [CONTENT.sections[0], { id: ROOM, title: 'Rooms', repeat: {}, fields }];
    const begins = await startedInspection(ana, { family: { content: { ...CONTENT, sections } } });
    await saved(ana, begins, { field_id: uuid(2), value: 'Crane' });
    const failing = (instance_index: number) => ({
      section_id: ROOM,
      field_id: uuid(21),
      instance_index,
      value: 'fail',
    });
    for (const position of [0, 1]) await saved(ana, begins, failing(position));
    const inspection = await advance(ana.key, begins);
    const correction = await open(inspection);
    for (const position of [0, 1]) {
      const removal = { ...of(inspection), query: { instance_path: `${ROOM}[${position}]` } };
      expect((await ana.try.answers.deleteInstance(removal)).status).toBe(204);
    }
    await saved(ana, inspection, failing(1));
    expect((await close(correction)).status).toBe(200);
    const cleared = async () =>
      (await findingsOf(ana, inspection)).map(({ instance_path, trigger_cleared }) => [
        instance_path,
        trigger_cleared,
      ]);
    expect(await cleared()).toEqual([
      [`${ROOM}[0]`, true],
      [`${ROOM}[1]`, false],
    ]);
    const next = await open(inspection);
    await saved(ana, inspection, { ...failing(1), value: 'pass' });
    expect((await close(next)).status).toBe(200);
    expect((await cleared())[1]).toEqual([`${ROOM}[1]`, true]);
  });

  test('200 and an answer that is saved just before closing begins gets its finding', async () => {
    const inspection = await completed();
    const correction = await open(inspection);
    const saveMeanwhile = beforeWriting(() => saved(ana, inspection, { field_id: uuid(5), value: 'fail' }));
    const { status, body } = await withFault(saveMeanwhile, () => close(correction));
    expect([status, body.revisions_count]).toEqual([200, 1]);
    expect(await findingsOf(ana, inspection)).toHaveLength(2);
  });

  test('409 with the required field that is cleared just before closing begins', async () => {
    const inspection = await completed();
    const correction = await open(inspection);
    const clear = beforeWriting(() => saved(ana, inspection, { field_id: uuid(2), value: null }));
    const { status, headers } = await withFault(clear, () => close(correction));
    expect([status, headers['x-error-code']]).toEqual([409, 'inspection_blocked']);
  });

  test('200 for one of many concurrent requests, and each finding is created once', async () => {
    const inspection = await completed();
    const correction = await open(inspection);
    await saved(ana, inspection, { field_id: uuid(5), value: 'fail' });
    const closes = await Promise.all(Array.from({ length: 4 }, () => close(correction)));
    expect(statusCounts(closes)).toEqual({ 200: 1, 409: 3 });
    expect(await findingsOf(ana, inspection)).toHaveLength(2);
    expect(await inspectionOf(ana, inspection)).toMatchObject({ findings_count: 2 });
  });

  test('409 with the required field that was cleared', async () => {
    const inspection = await completed();
    const correction = await open(inspection);
    await saved(ana, inspection, { field_id: uuid(2), value: null });
    const { status, body } = await close(correction);
    expect([status, body.detail]).toEqual([
      409,
      errors.inspectionBlocked('completed', ['Field 2: required']).detail,
    ]);
    const { blockers } = await ana.inspections.listBlockers({ params: { inspection_id: inspection.id } });
    expect(blockers).toMatchObject([{ code: 'required', section_id: uuid(1), field_id: uuid(2), path: '' }]);
  });

  test('200 when it is called again after a failure between its steps, and each effect happens once', async () => {
    const inspection = await completed();
    const correction = await open(inspection);
    await saved(ana, inspection, { field_id: uuid(5), value: 'fail' });
    let transactions = 0;
    const breakOff = on(
      ({ command }) => command === 'TransactWriteItems' && (transactions += 1) > 2,
      async () => {
        throw sdkError('ValidationException');
      },
    );
    expect((await withFault(breakOff, () => close(correction))).status).toBe(500);
    expect(await findingsOf(ana, inspection)).toHaveLength(2);
    // Its findings stay right, because the answers can neither be changed nor taken back any more.
    expect((await save(ana, inspection, { field_id: uuid(5), value: 'pass' })).status).toBe(409);
    expect((await discard(correction)).body.detail).toBe(errors.correctionNotOpen('being closed').detail);
    expect((await close(correction)).status).toBe(200);
    expect(await findingsOf(ana, inspection)).toHaveLength(2);
    expect(await inspectionOf(ana, inspection)).toMatchObject({
      findings_count: 2,
      open_corrective_actions_count: 1,
    });
  });
});

describe('POST /inspections/{inspection_id}/corrections/{correction_id}/discard', () => {
  test('200 and everything is as before, and the revisions are kept', async () => {
    const inspection = await completed();
    const before = await recordsOf(ana, inspection);
    const correction = await open(inspection);
    const photo = await newDocument(ana);
    await saved(ana, inspection, { field_id: uuid(2), value: 'Hoist' });
    await saved(ana, inspection, { field_id: uuid(3), value: 'pass' });
    await saved(ana, inspection, { field_id: uuid(4), value: [{ document_id: photo }] });
    await saved(ana, inspection, { section_id: ROOM, field_id: uuid(21), instance_index: 7, value: 'New' });
    await patch(inspection, { start_answers: { site: 'South' } });
    const removal = { ...of(inspection), query: { instance_path: `${ROOM}[1]` } };
    expect((await ana.try.answers.deleteInstance(removal)).status).toBe(204);
    const { status, body } = await discard(correction);
    expect([status, body.status, body.revisions_count]).toEqual([200, 'discarded', 12]);
    const strip = (records: typeof before) =>
      records.map(({ version: _version, updated_at: _updated, ...record }) => record);
    expect(strip(await recordsOf(ana, inspection))).toEqual(strip(before));
    expect(await usedBy(ana, photo)).toBe(0);
    const after = await inspectionOf(ana, inspection);
    expect(after).toMatchObject({
      status: 'completed',
      active_correction_id: null,
      start_answers: { site: 'North' },
      score: inspection.score,
      progress: inspection.progress,
      findings_count: 1,
    });
    const all = await revisions(correction, { include_start: true });
    const valuesOf = (fieldId: string) =>
      all.flatMap(({ field_id, previous_value, value }) =>
        field_id === fieldId ? [[previous_value, value]] : [],
      );
    expect(valuesOf(uuid(2))).toEqual([
      ['Crane', 'Hoist'],
      ['Hoist', 'Crane'],
    ]);
    expect(valuesOf('site')).toEqual([
      ['North', 'South'],
      ['South', 'North'],
    ]);
    expect((await discard(correction)).body.detail).toBe(errors.correctionNotOpen('discarded').detail);
  });

  test('200 without documents that were deleted since', async () => {
    const [gone, kept, plan] = [await newDocument(ana), await newDocument(ana), await newDocument(ana)];
    const start = [...CONTENT.start.fields, { key: 'plan', type: 'photo', label: 'Plan' }];
    const begins = await startedInspection(ana, {
      family: { content: { ...CONTENT, start: { fields: start } } },
      start_answers: { site: 'North', plan: [{ document_id: plan }] },
    });
    await saved(ana, begins, { field_id: uuid(2), value: 'Crane' });
    const photos = [gone, kept].map((document_id) => ({ document_id, caption: '' }));
    await saved(ana, begins, { field_id: uuid(4), value: photos });
    const inspection = await advance(ana.key, begins);
    const correction = await open(inspection);
    await saved(ana, inspection, { field_id: uuid(4), value: null });
    await patch(inspection, { start_answers: { plan: null } });
    for (const id of [gone, plan]) await documents.remove(ana.caller, id);
    expect((await discard(correction)).status).toBe(200);
    const photo = (await recordsOf(ana, inspection)).find(({ field_id }) => field_id === uuid(4));
    expect(photo!.value).toEqual([{ document_id: kept, caption: '' }]);
    expect(await usedBy(ana, kept)).toBe(1);
    expect(await inspectionOf(ana, inspection)).toMatchObject({
      active_correction_id: null,
      start_answers: { site: 'North' },
    });
  });

  test('200 for more changes than one transaction can take back, also after a failure halfway', async () => {
    const inspection = await completed();
    const correction = await open(inspection);
    const responses = Array.from({ length: 150 }, (_, n) => ({
      section_id: ROOM,
      field_id: uuid(21),
      instance_index: n,
      value: `Room ${n}`,
    }));
    await ana.answers.save({ ...of(inspection), body: { responses } });
    let transactions = 0;
    const breakOff = on(
      ({ command }) => command === 'TransactWriteItems' && (transactions += 1) > 2,
      async () => {
        throw sdkError('ValidationException');
      },
    );
    expect((await withFault(breakOff, () => discard(correction))).status).toBe(500);
    expect((await save(ana, inspection, { field_id: uuid(2), value: 'x' })).status).toBe(409);
    expect((await close(correction)).body.detail).toBe(errors.correctionNotOpen('being discarded').detail);
    expect((await discard(correction)).status).toBe(200);
    const { progress } = await inspectionOf(ana, inspection);
    expect(progress).toEqual(inspection.progress);
  });
});
