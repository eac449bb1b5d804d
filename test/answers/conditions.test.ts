import * as errors from '../../shared/base/errors.ts';
import type { AnswerRecord } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { advance, startedInspection, newInspection } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { field, uuid } from '../support/content.ts';
import { between, installFaults } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { findingsOf, inspectionOf, newDocument, recordsOf, save, saved, usedBy } from './fixtures.ts';

installFaults();
installRecorder();

const [GENERAL, ROOM, DOOR, SUMMARY] = [uuid(1), uuid(20), uuid(30), uuid(40)];
const isTrue = (n: number) => ({ field_id: uuid(n), op: 'eq', value: true });

const CONTENT = {
  start: { fields: [{ key: 'kind', type: 'text', label: 'Kind' }] },
  sections: [
    {
      id: GENERAL,
      title: 'General',
      fields: [
        field(2, 'yes_no'),
        field(3, 'text', { visible_if: isTrue(2), required: true }),
        field(4, 'text', { required_if: { field_id: uuid(3), op: 'not_empty' } }),
        field(5, 'text', { visible_if: { start_key: 'kind', op: 'eq', value: 'full' }, required: true }),
      ],
    },
    {
      id: ROOM,
      title: 'Rooms',
      repeat: { min: 1, max: 5 },
      fields: [
        field(21, 'text', { required: true }),
        field(22, 'number'),
        field(23, 'photo'),
        field(24, 'pass_fail_na', { finding: { create: 'auto' } }),
        field(25, 'calculated', { formula: `{${uuid(22)}} * 2` }),
      ],
      sections: [
        { id: DOOR, title: 'Doors', repeat: {}, fields: [field(31, 'text', { visible_if: isTrue(2) })] },
      ],
    },
    {
      id: SUMMARY,
      title: 'Summary',
      fields: [field(41, 'calculated', { formula: `sum({${uuid(25)}})` })],
    },
  ],
};

const room = (i: number) => `${ROOM}[${i}]`;
const inRoom = (n: number, i: number, value: unknown) => ({
  section_id: ROOM,
  field_id: uuid(n),
  instance_index: i,
  value,
});
const remove = (person: Person, { id }: Inspection, instance_path: string) =>
  person.try.answers.deleteInstance({ params: { inspection_id: id }, query: { instance_path } });

const answering = (person: Person, body: Record<string, unknown> = {}) =>
  startedInspection(person, { family: { content: CONTENT }, ...body });

let ana: Person;
let inspection: Inspection;
beforeEach(async () => {
  ana = await newPerson('Ana');
  inspection = await answering(ana);
});

const progress = async () => (await inspectionOf(ana, inspection)).progress;
/** The records of answers that somebody gave: not the results of formulas. */
const given = async () => (await recordsOf(ana, inspection)).filter(({ answered_by }) => answered_by);

describe('PUT /inspections/{inspection_id}/responses', () => {
  test('200 and the answer is kept, but inactive, while its field is hidden', async () => {
    const hidden = await saved(ana, inspection, { field_id: uuid(3), value: 'x' });
    expect(hidden.is_active).toBe(false);
    await saved(ana, inspection, { field_id: uuid(2), value: true });
    const records = await recordsOf(ana, inspection);
    expect(records.find(({ field_id }) => field_id === uuid(3))).toEqual({ ...hidden, is_active: true });
  });

  test('200 and the progress follows which fields are shown and required, and which instances exist', async () => {
    expect(inspection.progress).toEqual({ answered: 0, required: 1, total: 6 });
    await saved(ana, inspection, { field_id: uuid(2), value: true });
    expect(await progress()).toEqual({ answered: 1, required: 2, total: 7 });
    await saved(ana, inspection, { field_id: uuid(3), value: 'x' });
    expect(await progress()).toEqual({ answered: 2, required: 3, total: 7 });
    await saved(ana, inspection, inRoom(21, 2, 'Hall'));
    expect(await progress()).toEqual({ answered: 3, required: 3, total: 7 });
    await saved(ana, inspection, inRoom(21, 0, 'Attic'));
    expect(await progress()).toEqual({ answered: 4, required: 4, total: 11 });
    await saved(ana, inspection, { field_id: uuid(2), value: false });
    expect(await progress()).toEqual({ answered: 3, required: 2, total: 10 });
    await saved(ana, inspection, inRoom(21, 0, null));
    expect(await progress()).toEqual({ answered: 2, required: 1, total: 6 });
  });

  test('200 for many concurrent requests, and each answer is counted once', async () => {
    const saves = Array.from({ length: 30 }, (_, n) =>
      saved(ana, inspection, inRoom(21 + (n % 2), n % 5, n % 2 ? n : 'x')),
    );
    await Promise.all([...saves, saved(ana, inspection, { field_id: uuid(2), value: true })]);
    const records = await given();
    expect(await progress()).toEqual({ answered: records.length, required: 6, total: 23 });
    expect(records).toHaveLength(11);
  });

  test('200 with the same number of calls however many answers there are', async () => {
    const count = async (n: number) => {
      const { sent } = await recording(() =>
        saved(ana, inspection, { field_id: uuid(2), value: n % 2 === 0 }),
      );
      return sent.tableCalls;
    };
    await count(1);
    const few = await count(2);
    const responses = Array.from({ length: 5 }, (_, i) =>
      Array.from({ length: 60 }, (__, j) => ({
        section_id: DOOR,
        field_id: uuid(31),
        instance_path: `${room(i)}/${DOOR}[${j}]`,
        value: 'x'.repeat(900),
      })),
    ).flat();
    await ana.answers.save({ params: { inspection_id: inspection.id }, body: { responses } });
    expect(await count(3)).toBe(few);
    expect((await progress()).total).toBe(2 + 4 * 5);
  });
});

describe('GET /inspections/{inspection_id}/responses', () => {
  test('200 with the results of formulas, instance by instance', async () => {
    await saved(ana, inspection, inRoom(22, 0, 1.1));
    await saved(ana, inspection, inRoom(22, 3, 2.2));
    const records = await recordsOf(ana, inspection);
    const results = records.filter(({ answered_by }) => answered_by === null);
    expect(results.map(({ field_id, instance_path, value }) => [field_id, instance_path, value])).toEqual([
      [uuid(25), room(0), 2.2],
      [uuid(25), room(3), 4.4],
      [uuid(41), '', 6.6],
    ]);
    const again = await recordsOf(ana, inspection);
    expect(again).toEqual(records);
  });

  test('200 with the same records page by page and all at once', async () => {
    for (const i of [0, 1, 2]) await saved(ana, inspection, inRoom(22, i, i + 1));
    const whole = await recordsOf(ana, inspection);
    const pages: AnswerRecord[] = [];
    let cursor: string | undefined;
    const endpoint = await import('../../functions/answers/list-answers.ts');
    do {
      const page = await as(ana).call(endpoint, {
        params: { inspection_id: inspection.id },
        query: { limit: 2, ...(cursor && { cursor }) },
      });
      pages.push(...page.body);
      cursor = /[?&]cursor=([^&>]+)/.exec(page.headers['link'] ?? '')?.[1];
      cursor &&= decodeURIComponent(cursor);
    } while (cursor);
    expect(pages).toEqual(whole);
    expect(pages).toHaveLength(7);
  });
});

describe('PATCH /inspections/{inspection_id}', () => {
  const patch = (start_answers: object) =>
    ana.inspections.update({
      params: { inspection_id: inspection.id },
      body: { start_answers },
    });

  test('200 and a start answer shows and requires the fields that depend on it', async () => {
    await saved(ana, inspection, { field_id: uuid(5), value: 'x' });
    expect(await progress()).toEqual({ answered: 0, required: 1, total: 6 });
    expect((await patch({ kind: 'full' })).progress).toEqual({ answered: 1, required: 2, total: 7 });
    expect(await progress()).toEqual({ answered: 1, required: 2, total: 7 });
    expect((await patch({ kind: null })).progress).toEqual({ answered: 0, required: 1, total: 6 });
  });

  test('200 concurrently with saved answers, and the progress counts both', async () => {
    await Promise.all([
      patch({ kind: 'full' }),
      ...[0, 1, 2, 3].map((i) => saved(ana, inspection, inRoom(21, i, 'x'))),
      saved(ana, inspection, { field_id: uuid(5), value: 'x' }),
    ]);
    expect(await progress()).toEqual({ answered: 5, required: 5, total: 3 + 16 });
  });

  test('200 with the progress of both, whenever an answer is saved while the start answers change', async () => {
    const expectBoth = async () => {
      expect(await progress()).toEqual({ answered: 1, required: 2, total: 7 });
      inspection = await answering(ana);
    };
    const answer = () => saved(ana, inspection, { field_id: uuid(5), value: 'x' });
    const both = [answer, () => patch({ kind: 'full' })] as const;
    for (const [work, act] of [both, both.toReversed()]) {
      const places = await between({ prepare: async () => {}, work, act, check: expectBoth });
      expect(places).toBeGreaterThan(2);
    }
  });

  test('201 and a duplicate begins as its template does', async () => {
    const full = await newInspection(ana, { family: { content: CONTENT }, start_answers: { kind: 'full' } });
    expect(full.progress).toEqual({ answered: 0, required: 2, total: 7 });
    await saved(ana, full, { field_id: uuid(2), value: true });
    const copy = await ana.inspections.duplicate({ params: { inspection_id: full.id } });
    expect(copy.progress).toEqual({ answered: 0, required: 1, total: 6 });
  });
});

describe('POST /inspections/{inspection_id}/advance', () => {
  test('409 for a required field that a condition shows, 200 once it hides it', async () => {
    await saved(ana, inspection, inRoom(21, 0, 'Hall'));
    await saved(ana, inspection, { field_id: uuid(2), value: true });
    const refused = await ana.try.inspections.advance({ params: { inspection_id: inspection.id } });
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toBe(errors.inspectionBlocked('in_progress', ['Field 3: required']).detail);
    await saved(ana, inspection, { field_id: uuid(2), value: false });
    expect((await advance(ana.key, inspection)).status).toBe('completed');
  });
});

describe('DELETE /inspections/{inspection_id}/responses', () => {
  beforeEach(async () => {
    for (const i of [0, 1, 2]) await saved(ana, inspection, inRoom(21, i, `Room ${i}`));
  });

  test('204 and its answers, inner instances, findings and document uses are removed; other instances keep their indexes', async () => {
    const photo = await newDocument(ana);
    await saved(ana, inspection, inRoom(23, 1, [{ document_id: photo }]));
    await saved(ana, inspection, inRoom(24, 1, 'fail'));
    await saved(ana, inspection, {
      section_id: DOOR,
      field_id: uuid(31),
      instance_path: `${room(1)}/${DOOR}[0]`,
      value: 'x',
    });
    expect(await findingsOf(ana, inspection)).toHaveLength(1);
    expect((await remove(ana, inspection, room(1))).status).toBe(204);
    expect((await given()).map(({ instance_path }) => instance_path)).toEqual([room(0), room(2)]);
    expect(await findingsOf(ana, inspection)).toEqual([]);
    expect(await usedBy(ana, photo)).toBe(0);
    const { progress: left, findings_count } = await inspectionOf(ana, inspection);
    expect([left, findings_count]).toEqual([{ answered: 2, required: 2, total: 2 + 8 }, 0]);
    expect((await remove(ana, inspection, room(1))).status).toBe(404);
  });

  test('204 for more answers than one transaction can delete', async () => {
    const responses = Array.from({ length: 150 }, (_, j) => ({
      section_id: DOOR,
      field_id: uuid(31),
      instance_path: `${room(1)}/${DOOR}[${j}]`,
      value: 'x',
    }));
    await ana.answers.save({ params: { inspection_id: inspection.id }, body: { responses } });
    expect((await remove(ana, inspection, room(1))).status).toBe(204);
    expect(await given()).toHaveLength(2);
    expect((await progress()).answered).toBe(2);
  });

  test('409 for an instance that the section needs, and for a locked inspection', async () => {
    expect((await remove(ana, inspection, room(0))).status).toBe(204);
    expect((await remove(ana, inspection, room(1))).status).toBe(204);
    const refused = await remove(ana, inspection, room(2));
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      errors.tooFewInstances('Rooms', 1, 1).detail,
    ]);
    await advance(ana.key, inspection);
    expect((await remove(ana, inspection, room(2))).body.detail).toBe(
      errors.inspectionLocked('completed').detail,
    );
  });

  test('404 for an instance without answers, 422 for a path that the content does not have', async () => {
    expect((await remove(ana, inspection, room(4))).status).toBe(404);
    for (const path of [
      'x',
      GENERAL,
      `${GENERAL}[0]`,
      `${DOOR}[0]`,
      `${room(0)}/${ROOM}[0]`,
      `${ROOM}[01]`,
    ]) {
      expect([path, (await remove(ana, inspection, path)).status]).toEqual([path, 422]);
    }
  });

  test('422 for an answer beyond the maximum of instances', async () => {
    expect((await save(ana, inspection, inRoom(21, 5, 'x'))).status).toBe(422);
  });
});
