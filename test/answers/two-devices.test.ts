import fc from 'fast-check';
import type { AnswerRecord, AnswerResult, FormerAnswer } from '../../shared/schemas/inspections/answer.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { newPerson, type Person } from '../support/people.ts';
import { runs } from '../support/scale.ts';
import {
  answering,
  DOOR,
  DOOR_STATE,
  NUMBER,
  recordsOf,
  reserved,
  ROOM,
  ROOM_NAME,
  save,
  SECTION,
  TEXT,
} from './fixtures.ts';

interface Given {
  field_id: string;
  value: unknown;
  client_answered_at: string;
}

let ana: Person;
let inspection: Inspection;
beforeAll(async () => {
  ana = await newPerson('Ana');
});
beforeEach(async () => {
  inspection = await answering(ana);
});

const at = () => ({ inspection_id: inspection.id });
/** A moment of the visit, in minutes since it began. */
const minute = (minutes: number) => new Date(Date.UTC(2026, 2, 2, 9, minutes)).toISOString();
const given = (value: unknown, minutes: number, field_id = TEXT): Given => ({
  field_id,
  value,
  client_answered_at: minute(minutes),
});

const sendAll = async (answers: readonly object[]): Promise<AnswerResult[]> => {
  const responses = answers.map((answer) => ({ section_id: SECTION, ...answer }));
  const { results } = await ana.answers.save({ params: at(), body: { responses } });
  return results as never;
};
const statuses = async (answers: readonly object[]) => (await sendAll(answers)).map(({ status }) => status);

const valueNow = async () =>
  (await recordsOf(ana, inspection)).find(({ field_id }) => field_id === TEXT)?.value;
const history = async (query = {}): Promise<FormerAnswer[]> =>
  (await ana.answers.listHistory({ params: at(), query })) as never;

describe('an answer that was given before the stored one', () => {
  test('is superseded in a batch, and the record stays', async () => {
    expect(await statuses([given('late in the visit', 20)])).toEqual(['saved']);
    const [result] = await sendAll([given('early in the visit', 10)]);
    expect(result).toMatchObject({
      status: 'superseded',
      response: { value: 'late in the visit', version: 1 },
    });
    expect(await valueNow()).toBe('late in the visit');
  });

  test('does not replace it by PUT or PATCH: the reply is the record as it is', async () => {
    const body = { section_id: SECTION, ...given('early', 10) };
    await sendAll([given('late', 20)]);
    const put: AnswerRecord = await ana.answers.replace({ params: at(), body });
    const patched: AnswerRecord = await ana.answers.update({ params: at(), body });
    for (const record of [put, patched]) expect(record).toMatchObject({ value: 'late', version: 1 });
  });

  test('does not bring an answer back that was cleared later', async () => {
    await sendAll([given('early', 10), given(null, 20)]);
    expect(await statuses([given('in between', 15)])).toEqual(['superseded']);
    expect(await valueNow()).toBeNull();
  });

  test('replaces it for a client that names the version, and where one of them has no time', async () => {
    await sendAll([given('late', 20)]);
    expect(await statuses([{ ...given('early', 10), expected_version: 1 }])).toEqual(['saved']);
    expect(await statuses([{ field_id: TEXT, value: 'at the desk', client_answered_at: null }])).toEqual([
      'saved',
    ]);
    expect(await statuses([given('early', 5)])).toEqual(['saved']);
  });

  test('is a revision like any other in a correction', async () => {
    const { id } = inspection;
    await sendAll([given('late', 20)]);
    await ana.inspections.advance({ params: at(), body: {} });
    expect((await ana.inspections.get({ params: { inspection_id: id } }))['status']).toBe('completed');
    await ana.corrections.create({ params: at(), body: { reason: 'A typing error' } });
    expect(await statuses([given('early', 10)])).toEqual(['saved']);
    expect(await history()).toEqual([]);
  });
});

describe('GET /inspections/{inspection_id}/responses/history', () => {
  test('200 with each answer that was replaced, cleared or late, by field and in order', async () => {
    await sendAll([given('first', 10)]);
    await sendAll([given('second', 20), given('late', 15)]);
    await sendAll([given(null, 30), given(7, 10, NUMBER)]);
    await sendAll([given(8, 20, NUMBER)]);
    const shown = (await history()).map(({ value, is_late }) => [value, is_late]);
    expect(shown).toEqual([
      ['first', false],
      ['late', true],
      ['second', false],
      [7, false],
    ]);
    const [number, ...others] = await history({ field_id: NUMBER });
    expect(others).toEqual([]);
    expect(number).toMatchObject({
      field_id: NUMBER,
      value: 7,
      client_answered_at: minute(10),
      answered_by: ana.caller.user_id,
      replaced_at: expect.any(String),
    });
  });

  test('200 without what was only repeated, and page by page', async () => {
    for (const value of ['a', 'a', 'b', 'c']) await sendAll([{ field_id: TEXT, value }]);
    expect((await history()).map(({ value }) => value)).toEqual(['a', 'b']);
    const page = await ana.try.answers.listHistory({ params: at(), query: { limit: 1 } });
    expect(page.headers['link']).toContain('rel="next"');
  });

  test('404 for an inspection of another organization', async () => {
    const other = await newPerson('Other');
    expect((await other.try.answers.listHistory({ params: at() })).status).toBe(404);
  });
});

describe('client_instance_id', () => {
  const room = (client_instance_id: string, value: string) => ({
    section_id: ROOM,
    field_id: ROOM_NAME,
    client_instance_id,
    value,
  });
  const rooms = async () =>
    (await recordsOf(ana, inspection, { section_id: ROOM })).map(({ instance_path, value }) => [
      instance_path,
      value,
    ]);

  test('two devices that each add rooms offline keep all of them', async () => {
    await Promise.all([
      sendAll([room('a-1', 'Hall'), room('a-2', 'Attic')]),
      sendAll([room('b-1', 'Cellar'), room('b-2', 'Kitchen')]),
    ]);
    const all = await rooms();
    expect(new Set(all.map(([path]) => path)).size).toBe(4);
    expect(new Set(all.map(([, name]) => name))).toEqual(new Set(['Hall', 'Attic', 'Cellar', 'Kitchen']));
  });

  test('a request that is sent again leads to the same instances', async () => {
    const queue = [room('a-1', 'Hall'), room('a-2', 'Attic'), room('a-1', 'Great hall')];
    await sendAll(queue);
    const before = await rooms();
    expect(before).toEqual([
      [`${ROOM}[0]`, 'Great hall'],
      [`${ROOM}[1]`, 'Attic'],
    ]);
    await sendAll(queue);
    expect(await rooms()).toEqual(before);
  });

  test('PUT reserves with it as well, and takes an instance that is reserved already', async () => {
    const { instance_path } = await reserved(ana, inspection, 'a-1');
    const put = await save(ana, inspection, room('a-1', 'Hall'));
    expect(put.body).toMatchObject({ instance_path, value: 'Hall' });
    const nested = await save(ana, inspection, {
      section_id: DOOR,
      field_id: DOOR_STATE,
      client_instance_id: 'door-1',
      parent_path: instance_path,
      value: 'yes',
    });
    expect(nested.body).toMatchObject({ instance_path: `${instance_path}/${DOOR}[0]` });
  });

  test('422 beside a path, in a section that does not repeat, and for a parent alone', async () => {
    const refused = async (body: object) => {
      const { status, body: reply } = await save(ana, inspection, body);
      return [status, reply.detail[0]?.loc];
    };
    const named = room('a-1', 'Hall');
    expect(await refused({ ...named, instance_path: `${ROOM}[0]` })).toEqual([
      422,
      ['body', 'client_instance_id'],
    ]);
    expect(await refused({ ...named, section_id: SECTION, field_id: TEXT })).toEqual([
      422,
      ['body', 'client_instance_id'],
    ]);
    expect(await refused({ field_id: TEXT, value: 'a', parent_path: '' })).toEqual([
      422,
      ['body', 'parent_path'],
    ]);
    expect(await statuses([{ ...named, section_id: SECTION, field_id: TEXT }, given('a', 10)])).toEqual([
      'invalid',
      'saved',
    ]);
  });
});

test('the answers of two devices end in the same state, in whatever order their queues arrive', async () => {
  const answer = fc.record({
    field_id: fc.constantFrom(TEXT),
    value: fc.constantFrom('a', 'b', 'c', null),
    minutes: fc.integer({ min: 0, max: 3 }),
  });
  const queue = fc.array(answer, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      queue,
      queue,
      fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      async (one, other, turns) => {
        // The two do not answer at the same moment, and each sends its answers in their order.
        const queueOf = (device: typeof one, first: number) =>
          device
            .toSorted((a, b) => a.minutes - b.minutes)
            .map(({ value, minutes, field_id }) => given(value, 2 * minutes + first, field_id));
        const queues = [queueOf(one, 0), queueOf(other, 1)];
        // A key of its own has its own limit of requests.
        ana = await newPerson('Ana');
        const arrive = async (mixed: readonly boolean[]) => {
          inspection = await answering(ana);
          const left = queues.map((each) => [...each]);
          for (const isFirst of mixed) {
            const next = left[Number(isFirst)]!.shift();
            if (next) await sendAll([next]);
          }
          for (const next of left.flat()) await sendAll([next]);
          return valueNow();
        };
        const before = await arrive([]);
        expect(await arrive(turns)).toEqual(before);
        expect(await arrive(turns.map((turn) => !turn))).toEqual(before);
      },
    ),
    { numRuns: runs(12), endOnFailure: true },
  );
});
