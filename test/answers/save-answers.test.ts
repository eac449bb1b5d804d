import * as saveAnswers from '../../functions/answers/save-answers.ts';
import * as errors from '../../shared/base/errors.ts';
import type { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import type { AnswerResult } from '../../shared/schemas/inspections/answer.ts';
import { advance, startedInspection } from '../inspections/fixtures.ts';
import { call, locs, statusCounts } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { waitingEvents } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import {
  answering,
  DOOR,
  DOOR_STATE,
  findingsOf,
  inspectionOf,
  newDocument,
  NUMBER,
  PHOTO,
  RAIL,
  recordsOf,
  ROOM,
  ROOM_NAME,
  saved,
  SECTION,
  TEXT,
  usedBy,
} from './fixtures.ts';
import { crowdedInspection } from './hiding.ts';

installRecorder();
installFaults();

let person: Person;

beforeEach(async () => {
  person = await newPerson('Batcher');
});

type At = { id: string };

const batch = ({ id }: At, responses: object[], as = person.key) =>
  call(saveAnswers, {
    as,
    params: { inspection_id: id },
    body: { responses: responses.map((row) => ({ section_id: SECTION, ...row })) },
  });

const results = async (inspection: At, responses: object[]): Promise<AnswerResult[]> => {
  const { status, body } = await batch(inspection, responses);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.results;
};

const statuses = (rows: AnswerResult[]) => rows.map(({ status }) => status);

describe('PUT /inspections/{inspection_id}/responses/batch', () => {
  test('200 with a result for each row, and the valid rows are saved', async () => {
    const inspection = await answering(person);
    const standing = await saved(person, inspection, { field_id: TEXT, value: 'a' });
    const rows = await results(inspection, [
      { field_id: NUMBER, value: 11 },
      { field_id: NUMBER, value: 10 },
      { field_id: uuid(98), value: 'a' },
      { field_id: PHOTO, value: [{ document_id: uuid(98) }] },
      { field_id: TEXT, value: 'b', expected_version: 2 },
      { field_id: TEXT, value: 'a' },
      { section_id: DOOR, field_id: DOOR_STATE, value: 'yes' },
    ]);
    expect(rows.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(statuses(rows)).toEqual([
      'invalid',
      'saved',
      'invalid',
      'invalid',
      'conflict',
      'unchanged',
      'invalid',
    ]);
    expect(rows[0]!.detail).toMatchObject([{ loc: ['body', 'value'], type: 'less_than_equal' }]);
    expect(rows[1]!.response).toMatchObject({ field_id: NUMBER, value: 10, version: 1 });
    expect(rows[2]!.detail).toBe(errors.notInTemplate('field_id is not a field of this inspection').detail);
    expect(rows[3]!.detail).toBe(errors.answerReferenceNotFound('value', uuid(98)).detail);
    expect(rows[4]).toMatchObject({
      detail: errors.versionMismatch('answer', 1, 2).detail,
      response: standing,
    });
    expect(rows[5]!.response).toEqual(standing);
    expect(rows[6]!.detail).toMatchObject([{ loc: ['body', 'instance_path'] }]);
    const records = await recordsOf(person, inspection);
    expect(records.map(({ field_id }) => field_id)).toEqual([TEXT, NUMBER]);
    expect((await inspectionOf(person, inspection)).progress.answered).toBe(2);
  });

  test('200 and several rows for one record are applied in their order, a version each', async () => {
    const inspection = await answering(person);
    const rows = await results(inspection, [
      { field_id: TEXT, value: 'a' },
      { field_id: RAIL, value: 'fail' },
      { field_id: TEXT, value: 'b', expected_version: 1 },
      { field_id: TEXT, value: 'b', expected_version: 2 },
      { field_id: TEXT, value: null, expected_version: 2 },
      { field_id: RAIL, value: 'pass' },
    ]);
    expect(rows.map(({ status, response }) => [status, response?.version])).toEqual([
      ['saved', 1],
      ['saved', 1],
      ['saved', 2],
      ['unchanged', 2],
      ['saved', 3],
      ['saved', 2],
    ]);
    expect(await recordsOf(person, inspection)).toEqual([rows[4]!.response, rows[5]!.response]);
    expect(await findingsOf(person, inspection)).toEqual([]);
    expect((await inspectionOf(person, inspection)).progress.answered).toBe(1);
  });

  test('200 and a row with version 0 is saved only where there is no answer', async () => {
    const inspection = await answering(person);
    const standing = await saved(person, inspection, { field_id: TEXT, value: 'a' });
    const row = { field_id: NUMBER, value: 1, expected_version: 0, client_mutation_id: 'm-1' };
    const rows = await results(inspection, [
      { field_id: TEXT, value: 'b', expected_version: 0 },
      row,
      { field_id: NUMBER, value: 2, expected_version: 0 },
    ]);
    expect(statuses(rows)).toEqual(['conflict', 'saved', 'conflict']);
    expect(rows[0]).toMatchObject({
      detail: errors.versionMismatch('answer', 1, 0).detail,
      response: standing,
    });
    expect(statuses(await results(inspection, [row]))).toEqual(['unchanged']);
  });

  test("200 with each row's own time of the client, in the event too; one in the future fails alone", async () => {
    const inspection = await answering(person);
    const client_answered_at = '2026-03-02T09:30:00.000Z';
    const rows = await results(inspection, [
      { field_id: TEXT, value: 'a', client_answered_at },
      { field_id: NUMBER, value: 1 },
      { field_id: RAIL, value: 'pass', client_answered_at: new Date(Date.now() + 90_000_000).toISOString() },
    ]);
    expect(statuses(rows)).toEqual(['saved', 'saved', 'invalid']);
    expect(rows[2]!.detail).toMatchObject([{ loc: ['body', 'client_answered_at'], type: 'value_error' }]);
    expect(rows.map(({ response }) => response?.client_answered_at)).toEqual([
      client_answered_at,
      null,
      undefined,
    ]);
    const events = await waitingEvents(person.caller);
    expect(events.find(({ type }) => type === 'inspection.answers_saved')).toMatchObject({
      data: {
        answers: [
          { field_id: TEXT, client_answered_at, version: 1 },
          { field_id: NUMBER, client_answered_at: null, version: 1 },
        ],
      },
    });
  });

  test('200 with 500 rows, and no change when they are sent again', async () => {
    const inspection = await answering(person);
    const rows = Array.from({ length: 500 }, (_, n) => ({
      section_id: ROOM,
      field_id: ROOM_NAME,
      instance_index: n % 290,
      value: `Room ${n}`,
      client_mutation_id: `m-${n}`,
    }));
    const { result, sent } = await recording(() => results(inspection, rows));
    expect(new Set(statuses(result))).toEqual(new Set(['saved']));
    // For each 98 answers a read and a transaction, beside authentication, inspection and content.
    expect(sent.tableCalls).toBeLessThanOrEqual(21);
    const records = await recordsOf(person, inspection);
    expect(records).toHaveLength(290);
    expect(statusCounts(records.map(({ version }) => ({ status: version }) as never))).toEqual({
      1: 80,
      2: 210,
    });
    expect((await inspectionOf(person, inspection)).progress.answered).toBe(290);
    expect(new Set(statuses(await results(inspection, rows)))).toEqual(new Set(['unchanged']));
    expect(await recordsOf(person, inspection)).toEqual(records);
  });

  test('200 and a repeated mutation changes nothing, whatever was saved since and however many were sent with it', async () => {
    const inspection = await answering(person);
    const mutations = Array.from({ length: 120 }, (_, n) => ({
      field_id: TEXT,
      value: `value ${n}`,
      client_mutation_id: `m-${n}`,
    }));
    const first = await results(inspection, [...mutations, mutations[119]!]);
    expect(statuses(first).filter((status) => status === 'saved')).toHaveLength(120);
    expect(first[120]).toMatchObject({ status: 'unchanged', response: { version: 120 } });
    const other = await saved(person, inspection, { field_id: TEXT, value: 'by another' });
    const again = await results(inspection, [
      ...mutations,
      { field_id: TEXT, value: 'new', client_mutation_id: 'm-120', expected_version: 121 },
    ]);
    expect(new Set(statuses(again.slice(0, 120)))).toEqual(new Set(['unchanged']));
    expect(again[0]!.response).toEqual(other);
    expect(again[120]).toMatchObject({ status: 'saved', response: { value: 'new', version: 122 } });
  });

  test('200 and a mutation whose answer was stored already is remembered too, without a new version', async () => {
    const inspection = await answering(person);
    const record = await saved(person, inspection, { field_id: TEXT, value: 'Oak' });
    const { updated_at } = await inspectionOf(person, inspection);
    const row = { field_id: TEXT, value: 'Oak', client_mutation_id: 'm-1' };
    expect(await results(inspection, [row])).toEqual([{ index: 0, status: 'unchanged', response: record }]);
    expect(await inspectionOf(person, inspection)).toMatchObject({ updated_at });
    const other = await saved(person, inspection, { field_id: TEXT, value: 'Elm' });
    expect(await results(inspection, [row])).toEqual([{ index: 0, status: 'unchanged', response: other }]);
  });

  test('200 when a request that failed halfway is sent again, and each row is saved once', async () => {
    const inspection = await answering(person);
    const rows = Array.from({ length: 250 }, (_, n) => ({
      field_id: n % 2 ? TEXT : NUMBER,
      value: n % 2 ? `value ${n}` : n / 25,
      client_mutation_id: `m-${n}`,
    }));
    let commits = 0;
    const breakOff = on(
      ({ command }) => command === 'TransactWriteItems' && (commits += 1) === 2,
      async ({ send }) => {
        await send();
        throw sdkError('ValidationException');
      },
    );
    expect((await withFault(breakOff, () => batch(inspection, rows))).status).toBe(500);
    expect(statusCounts((await results(inspection, rows)) as never)).toEqual({ unchanged: 191, saved: 59 });
    expect((await recordsOf(person, inspection)).map(({ value, version }) => [value, version])).toEqual([
      ['value 249', 125],
      [248 / 25, 125],
    ]);
  });

  test('200 and the actions of one save are listed in the order of their findings', async () => {
    // All ids have the same time.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const inspection = await crowdedInspection(person).finally(() => clock.mockRestore());
    const findings = await findingsOf(person, inspection);
    const actions: CorrectiveAction[] = await person.correctiveActions.list({
      params: { inspection_id: inspection.id },
    });
    expect(actions.map(({ finding_id }) => finding_id)).toEqual(findings.map(({ id }) => id));
    expect(new Set([...actions, ...findings].map(({ id }) => id)).size).toBe(2 * findings.length);
  });

  test('200 with as many transactions as documents and findings need', async () => {
    const fields = [2, 3, 4].map((n) => field(n, 'photo'));
    const failing = Array.from({ length: 40 }, (_, n) =>
      field(n + 50, 'pass_fail_na', { finding: { create: 'auto' } }),
    );
    const content = contentWith(...fields, ...failing);
    const inspection = await startedInspection(person, { family: { content } });
    const documents = await Promise.all(Array.from({ length: 120 }, () => newDocument(person)));
    const shown = (from: number) => documents.slice(from, from + 50).map((document_id) => ({ document_id }));
    const rows = await results(inspection, [
      ...[0, 35, 70].map((from, n) => ({ field_id: uuid(n + 2), value: shown(from) })),
      ...failing.map(({ id }) => ({ field_id: id, value: 'fail' })),
    ]);
    expect(new Set(statuses(rows))).toEqual(new Set(['saved']));
    expect(await Promise.all([0, 40, 60, 80, 119].map((n) => usedBy(person, documents[n]!)))).toEqual([
      1, 2, 1, 2, 1,
    ]);
    const found = await findingsOf(person, inspection);
    expect(new Set(found.map(({ number }) => number)).size).toBe(40);
    expect((await inspectionOf(person, inspection)).findings_count).toBe(40);
    const mended = await results(
      inspection,
      failing.map(({ id }) => ({ field_id: id, value: 'pass' })),
    );
    expect(new Set(statuses(mended))).toEqual(new Set(['saved']));
    expect((await inspectionOf(person, inspection)).findings_count).toBe(0);
  });

  test('200 with what was saved before the inspection was completed, and a conflict for the rest', async () => {
    const inspection = await answering(person);
    const rows = Array.from({ length: 300 }, (_, n) => ({
      section_id: ROOM,
      field_id: ROOM_NAME,
      instance_index: n,
      value: `Room ${n}`,
    }));
    const [answer] = await Promise.all([batch(inspection, rows), advance(person.key, inspection)]);
    expect([200, 409]).toContain(answer.status);
    const saves = answer.status === 200 ? statuses(answer.body.results) : [];
    expect((await recordsOf(person, inspection)).length).toBe(
      saves.filter((status) => status === 'saved').length,
    );
    expect(saves.filter((status) => !['saved', 'conflict'].includes(status))).toEqual([]);
  });

  test('200, and a malformed row fails alone, with what a PUT of it alone would answer', async () => {
    const inspection = await answering(person);
    const malformed: [row: unknown, locs: string[]][] = [
      ['a', ['body']],
      [null, ['body']],
      [{ section_id: SECTION, field_id: 'x', color: 1 }, ['body.field_id', 'body.color']],
      [{ section_id: SECTION, field_id: TEXT, value: 'a\u0000' }, ['body.value']],
      [{ section_id: SECTION, field_id: TEXT, value: 'a', expected_version: '1' }, ['body.expected_version']],
    ];
    const valid = { section_id: SECTION, field_id: NUMBER };
    const { status, body } = await call(saveAnswers, {
      as: person.key,
      params: { inspection_id: inspection.id },
      body: {
        responses: [{ ...valid, value: 1 }, ...malformed.map(([row]) => row), { ...valid, value: 2 }],
      },
    });
    expect(status).toBe(200);
    const rows: AnswerResult[] = body.results;
    expect(rows.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(statuses(rows)).toEqual(['saved', ...malformed.map(() => 'invalid'), 'saved']);
    const located = (detail: unknown) => (detail as { loc: string[] }[]).map(({ loc }) => loc.join('.'));
    expect(rows.slice(1, -1).map(({ detail }) => located(detail))).toEqual(malformed.map(([, at]) => at));
    const [alone] = malformed.slice(2);
    const single = await person.try.answers.replace({
      params: { inspection_id: inspection.id },
      body: alone![0],
    });
    expect([single.status, single.body.detail]).toEqual([422, rows[3]!.detail]);
    expect((await recordsOf(person, inspection)).map(({ value }) => value)).toEqual([2]);
  });

  test('200, and more malformed rows than a request reports problems all fail alone', async () => {
    const inspection = await answering(person);
    const rows = await results(inspection, [
      ...Array.from({ length: 300 }, () => ({ field_id: TEXT, value: '\u0001' })),
      { field_id: TEXT, value: 'a' },
    ]);
    expect(statusCounts(rows as never)).toEqual({ invalid: 300, saved: 1 });
  });

  test('200, and the findings of one save are numbered in the order of the form', async () => {
    const failing = Array.from({ length: 130 }, (_, n) =>
      field(n + 50, 'pass_fail_na', { finding: { create: 'auto' } }),
    );
    const room = {
      id: ROOM,
      title: 'Rooms',
      repeat: {},
      fields: [
        field(21, 'pass_fail_na', { finding: { create: 'auto' } }),
        field(22, 'pass_fail_na', { finding: { create: 'auto' } }),
      ],
    };
    const content = contentWith(...failing);
    const inspection = await startedInspection(person, {
      family: { content: { ...content, sections: [...content.sections, room] } },
    });
    const inRoom = (n: number, instance_index: number) => ({
      section_id: ROOM,
      field_id: uuid(n),
      instance_index,
    });
    const form = [
      ...failing.map(({ id }) => ({ field_id: id })),
      inRoom(21, 0),
      inRoom(22, 0),
      inRoom(21, 1),
      inRoom(22, 1),
    ];
    const rows = await results(
      inspection,
      form.toReversed().map((place) => ({ ...place, value: 'fail' })),
    );
    expect(new Set(statuses(rows))).toEqual(new Set(['saved']));
    const found = (await findingsOf(person, inspection)).toSorted((a, b) => a.number - b.number);
    const named = form.map((place) => [place.field_id, 'instance_index' in place ? place.instance_index : 0]);
    const indexOf = (path: string) => Number(/\[(\d+)\]/.exec(path)?.[1] ?? 0);
    expect(found.map(({ field_id, instance_path }) => [field_id, indexOf(instance_path)])).toEqual(named);
  });

  test('200 for no rows', async () => {
    expect(await results(await answering(person), [])).toEqual([]);
  });

  test('403, 404, 409 and 422 for the request as a whole', async () => {
    const inspection = await answering(person);
    const row = { field_id: TEXT, value: 'a' };
    expect((await batch(inspection, [row], person.readOnlyKey)).status).toBe(403);
    expect((await batch(inspection, [row], (await newPerson('Stranger')).key)).status).toBe(404);
    const unnamed = { as: person.key, params: { inspection_id: inspection.id } };
    for (const [body, loc] of [
      [{}, 'body.responses'],
      [{ responses: 'x' }, 'body.responses'],
      [{ responses: [{ field_id: 'x' }], rows: [] }, 'body.rows'],
      [{ responses: [{ field_id: 'x' }], title: '\u0000' }, 'body.title'],
    ] as const) {
      const malformed = await call(saveAnswers, { ...unnamed, body });
      expect([malformed.status, locs(malformed)]).toEqual([422, [loc]]);
    }
    expect(
      (
        await batch(
          inspection,
          Array.from({ length: 501 }, () => row),
        )
      ).status,
    ).toBe(422);
    await advance(person.key, inspection);
    const locked = await batch(inspection, [row]);
    expect(locked).toMatchObject({
      status: 409,
      body: { detail: errors.inspectionLocked('completed').detail },
    });
    expect(await recordsOf(person, inspection)).toEqual([]);
  });

  test('200 together with single saves of the same record, and no version is given twice', async () => {
    const inspection = await answering(person);
    const [rows, ...singles] = await Promise.all([
      results(
        inspection,
        Array.from({ length: 20 }, (_, n) => ({ field_id: TEXT, value: `batch ${n}` })),
      ),
      ...Array.from({ length: 10 }, (_, n) =>
        person.answers.replace({
          params: { inspection_id: inspection.id },
          body: { section_id: SECTION, field_id: TEXT, value: `single ${n}` },
        }),
      ),
    ]);
    const versions = [
      ...rows.map(({ response }) => response!.version),
      ...singles.map(({ version }) => version),
    ];
    expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
  });
});
