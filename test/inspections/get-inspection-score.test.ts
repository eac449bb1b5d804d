import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { ScoreExplanation } from '../../shared/schemas/inspections/score.ts';
import { inspectionOf, recordsOf, save, saved } from '../answers/fixtures.ts';
import { as } from '../support/call.ts';
import { field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { advance, startedInspection, newInspection } from './fixtures.ts';

const GATE = uuid(2);
const DEPTH = uuid(3);
const ROOM = uuid(20);
const WALL = uuid(21);
const CEILING = uuid(22);

const CONTENT = {
  start: { fields: [{ key: 'indoors', type: 'yes_no', label: 'Indoors' }] },
  sections: [
    {
      id: uuid(1),
      title: 'Outside',
      fields: [
        field(2, 'pass_fail_na', { max_score: 6, allow_na: true }),
        field(3, 'slider', { max_score: 10, visible_if: { field_id: GATE, op: 'eq', value: 'pass' } }),
      ],
    },
    {
      id: ROOM,
      title: 'Rooms',
      repeat: { max: 5 },
      visible_if: { start_key: 'indoors', op: 'eq', value: true },
      fields: [field(21, 'yes_no_na'), field(22, 'yes_no_na', { allow_na: true })],
    },
  ],
  scoring: { enabled: true, passing_score: 75 },
};

describe('GET /inspections/{inspection_id}/score', () => {
  let person: Person;

  beforeAll(async () => {
    person = await newPerson('Scorer');
  });

  const scoreOf = ({ id }: { id: string }): Promise<ScoreExplanation> =>
    as(person.readOnlyKey).inspections.getScore({ params: { inspection_id: id } });
  const scoredInspection = (family: object = {}): Promise<Inspection> =>
    startedInspection(person, { family: { content: CONTENT, ...family }, start_answers: { indoors: true } });
  const room = (i: number, field_id: string, value: unknown) => ({
    section_id: ROOM,
    field_id,
    instance_index: i,
    value,
  });
  /** The gate passes, the depth is half of its maximum, and of the two rooms one wall fails. */
  const answered = async (family?: object): Promise<Inspection> => {
    const inspection = await scoredInspection(family);
    await save(person, inspection, { section_id: uuid(1), field_id: GATE, value: 'pass' });
    await save(person, inspection, { section_id: uuid(1), field_id: DEPTH, value: 50 });
    await save(person, inspection, room(0, WALL, 'yes'));
    await save(person, inspection, { ...room(0, CEILING, null), is_na: true });
    await save(person, inspection, room(1, WALL, 'no'));
    await save(person, inspection, room(1, CEILING, 'yes'));
    return inspection;
  };

  test('200 with the current score, which regards conditions, instances and answers that are not applicable', async () => {
    const inspection = await answered();
    const { fields, sections, ...now } = await scoreOf(inspection);
    expect(now).toEqual({
      inspection_id: inspection.id,
      is_final: false,
      score: { percentage: 68.4, points: 13, max: 19, result: 'fail' },
      method: 'points',
      unanswered: 'zero',
      passing_score: 75,
      decimals: 1,
    });
    expect(sections.map(({ title, points, max, percentage }) => [title, points, max, percentage])).toEqual([
      ['Outside', 11, 16, 68.8],
      ['Rooms', 2, 3, 66.7],
    ]);
    expect(fields.map(({ label, instance_path, status }) => [label, instance_path, status])).toEqual([
      ['Field 2', '', 'counted'],
      ['Field 3', '', 'counted'],
      ['Field 21', `${ROOM}[0]`, 'counted'],
      ['Field 22', `${ROOM}[0]`, 'not_applicable'],
      ['Field 21', `${ROOM}[1]`, 'counted'],
      ['Field 22', `${ROOM}[1]`, 'counted'],
    ]);

    await save(person, inspection, { section_id: uuid(1), field_id: GATE, value: 'fail' });
    const hidden = await scoreOf(inspection);
    expect(hidden.score).toMatchObject({ points: 2, max: 9 });
    expect(hidden.fields[1]).toMatchObject({ status: 'hidden', score: null, share_max: 0 });
    expect((await inspectionOf(person, inspection)).score).toBeNull();
  });

  test('200 with the same scores as the answers have', async () => {
    const inspection = await answered();
    const { fields } = await scoreOf(inspection);
    const records = await recordsOf(person, inspection);
    expect(records).toHaveLength(fields.length);
    for (const { field_id, instance_path, score, max_score } of records) {
      const part = fields.find((one) => one.field_id === field_id && one.instance_path === instance_path);
      expect([score, max_score]).toEqual([part?.score, part?.max_score]);
    }
  });

  test('200 with the score at the time of the submission', async () => {
    const inspection = await answered({
      requires_approval: true,
      settings: { approval: { allow_api: true, four_eyes: false } },
    });
    const live = await scoreOf(inspection);
    const { score } = await advance(person.key, inspection);
    expect(score).toEqual(live.score);
    expect(await scoreOf(inspection)).toEqual({ ...live, is_final: true });

    const reopened = await advance(person.key, inspection, {
      decision: 'request_changes',
      comment: 'Look again',
    });
    expect(reopened.score).toBeNull();
    await saved(person, inspection, room(1, WALL, 'yes'));
    expect(await scoreOf(inspection)).toMatchObject({ is_final: false, score: { points: 14 } });
    expect((await advance(person.key, inspection)).score).toMatchObject({ points: 14 });
  });

  test('200 for an archived inspection, with the score at its submission if it was submitted', async () => {
    const [open, done] = [await answered(), await answered()];
    await advance(person.key, done);
    for (const { id } of [open, done]) {
      await person.inspections.archive({ params: { inspection_id: id } });
    }
    expect((await scoreOf(open)).is_final).toBe(false);
    expect(await scoreOf(done)).toMatchObject({ is_final: true, score: { points: 13 } });
  });

  test('200 with null if the template has no scoring', async () => {
    const content = { ...CONTENT, scoring: { enabled: false } };
    const inspection = await startedInspection(person, { family: { content } });
    await save(person, inspection, { section_id: uuid(1), field_id: GATE, value: 'pass' });
    expect(await scoreOf(inspection)).toMatchObject({ score: null, sections: [], fields: [] });
    expect((await advance(person.key, inspection)).score).toBeNull();
  });

  test('404 for an inspection of another organization', async () => {
    const { id } = await newInspection(await newPerson('Stranger'));
    const { status } = await person.try.inspections.getScore({ params: { inspection_id: id } });
    expect(status).toBe(404);
  });
});
