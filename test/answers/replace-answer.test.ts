import * as errors from '../../shared/base/errors.ts';
import * as documents from '../../shared/files/documents.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { advance, eventsOf, newClient, newLocation, startedInspection } from '../inspections/fixtures.ts';
import { as, locs, statusCounts } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import {
  answering,
  CONTENT,
  DOOR,
  DOOR_STATE,
  edited,
  findingsOf,
  inspectionOf,
  newDocument,
  NOTED,
  NUMBER,
  PHOTO,
  RAIL,
  recordsOf,
  ROOM,
  ROOM_NAME,
  save,
  saved,
  SECTION,
  TEXT,
  usedBy,
  WALLS,
  WALLS_STATE,
} from './fixtures.ts';

installRecorder();

const DAY_MS = 86_400_000;

let person: Person;
let stranger: Person;

beforeAll(async () => {
  stranger = await newPerson('Stranger');
});

// A key allows 300 requests in a minute, so each group of tests has a person of its own.
const asAnswerer = () =>
  beforeAll(async () => {
    person = await newPerson('Answerer');
  });

/** Stores a row that a sync has brought. */
const synced = async ({ caller }: Person, source_id: string, external_id: string) => {
  const item = { external_id, item_id: external_id, resource_id: uuid(98), hash: '', is_active: true };
  const written = { run_id: uuid(97), outcome: 'created', updated_at: new Date().toISOString() } as const;
  const row = { ...item, target_ref: 'locations' as const, ...written };
  const writes = [write.put({ ...keys.syncedItem(caller, source_id, external_id), ...row })];
  await change(caller, () => ({ writes, reply: undefined }));
};

describe('PUT /inspections/{inspection_id}/responses', () => {
  asAnswerer();

  test('200 with the record, which is then listed and counted', async () => {
    const inspection = await answering(person);
    const { status, body, headers } = await save(person, inspection, {
      field_id: TEXT,
      value: 'Rusty',
      note: 'North side',
    });
    expect(status).toBe(200);
    expect(headers['etag']).toMatch(/^"1-/);
    expect(body).toEqual({
      id: expect.any(String),
      section_id: SECTION,
      field_id: TEXT,
      instance_index: 0,
      instance_path: '',
      value: 'Rusty',
      note: 'North side',
      is_na: false,
      media: [],
      is_failed: false,
      is_active: true,
      is_prefilled: false,
      is_carried_over: false,
      is_asked_again: false,
      earlier_finding_id: null,
      score: null,
      max_score: null,
      answered_by: person.caller.user_id,
      acted_via_key_id: null,
      answered_at: expect.any(String),
      client_answered_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      version: 1,
    });
    expect(await recordsOf(person, inspection)).toEqual([body]);
    expect(await inspectionOf(person, inspection)).toMatchObject({
      progress: { answered: 1 },
      version: inspection.version,
    });
  });

  test('200 with every type of field, read back as it was saved', async () => {
    const document_id = await newDocument(person);
    const recorded = await newDocument(person, 'audio/mpeg');
    const filmed = await newDocument(person, 'video/mp4');
    const signed = { document_id, typed: null, signed_name: 'Ada', signed_at: '2024-02-29T10:00:00Z' };
    const options = ['good', 'fair'].map((value) => ({ value, label: value }));
    const shown = (id: string) => [{ document_id: id, caption: 'Close up' }];
    const values: [type: string, value: unknown, more?: object][] = [
      ['text', 'Zürich 🏗️'],
      ['long_text', 'x'.repeat(20_000)],
      ['barcode', '4006381333931'],
      ['number', -0.1],
      ['slider', 100],
      ['rating', 5],
      ['temperature', -19.5],
      ['yes_no', false],
      ['checkbox', true],
      ['yes_no_na', 'no'],
      ['pass_fail_na', 'na'],
      ['single_select', 'good', { options }],
      ['multi_select', ['good', 'fair'], { options }],
      ['date', '2024-02-29'],
      ['time', '23:59:59'],
      ['datetime', '2024-02-29T10:00:00.5+02:00'],
      ['photo', shown(document_id)],
      ['video', shown(filmed)],
      ['audio', shown(recorded)],
      ['file', shown(document_id)],
      ['drawing', shown(document_id)],
      ['signature', signed],
      ['geo_point', { lat: 47.4, lng: -8.5, accuracy_m: null }],
      ['address', { line1: 'Quay 1', line2: '', city: '', region: '', postal_code: '', country: 'CH' }],
      ['member', person.adminId],
      ['client_account', (await newClient(person)).id],
      ['location', (await newLocation(person)).id],
      [
        'reference',
        { source_id: uuid(99), external_id: '7', label: '' },
        { reference: { target_ref: 'locations' } },
      ],
    ];
    await synced(person, uuid(99), '7');
    const fields = values.map(([type, , more], n) => field(n + 100, type, more));
    const inspection = await startedInspection(person, { family: { content: contentWith(...fields) } });
    for (const [n, [type, value]] of values.entries()) {
      const { status, body } = await save(person, inspection, { field_id: uuid(n + 100), value });
      expect({ type, status, value: body.value }).toEqual({ type, status: 200, value });
    }
    for (const value of [
      { source_id: uuid(99), external_id: '8' },
      { source_id: uuid(96), external_id: '7' },
    ]) {
      const refused = await save(person, inspection, { field_id: uuid(values.length + 99), value });
      expect([refused.status, refused.headers['x-error-code']]).toEqual([400, 'answer_reference_not_found']);
    }
    const records = await recordsOf(person, inspection);
    expect(records.map(({ value }) => value)).toEqual(values.map(([, value]) => value));
    expect((await inspectionOf(person, inspection)).progress.answered).toBe(values.length);
  });

  test('200 without a new version for the answer that is stored already, and with one for each change', async () => {
    const inspection = await answering(person);
    const first = await saved(person, inspection, { field_id: TEXT, value: 'a', note: null });
    expect(await saved(person, inspection, { field_id: TEXT.toUpperCase(), value: 'a' })).toEqual(first);
    expect(await saved(person, inspection, { field_id: TEXT, value: 'a', note: 'b' })).toMatchObject({
      id: first.id,
      version: 2,
      created_at: first.created_at,
    });
    expect(await saved(person, inspection, { field_id: TEXT, value: null })).toMatchObject({
      id: first.id,
      version: 3,
      value: null,
      note: '',
      answered_by: null,
      answered_at: null,
    });
    expect((await inspectionOf(person, inspection)).progress.answered).toBe(0);
    expect(await recordsOf(person, inspection)).toHaveLength(1);
    expect(await saved(person, inspection, { field_id: RAIL, is_na: true })).toMatchObject({
      value: null,
      is_na: true,
    });
    expect((await inspectionOf(person, inspection)).progress.answered).toBe(1);
  });

  test('200 with the time of the client, which stays with the answer that it belongs to', async () => {
    const inspection = await answering(person);
    const at = (time: string) => `2026-03-02T09:30:00${time}`;
    const body = { field_id: TEXT, value: 'a' };
    const first = await saved(person, inspection, { ...body, client_answered_at: at('+01:00') });
    expect(first.client_answered_at).toBe('2026-03-02T08:30:00.000Z');
    expect(await saved(person, inspection, { ...body, client_answered_at: at('+01:00') })).toEqual(first);
    expect(await saved(person, inspection, body)).toEqual(first);
    const moved = await saved(person, inspection, { ...body, client_answered_at: at('Z') });
    expect(moved).toMatchObject({ client_answered_at: '2026-03-02T09:30:00.000Z', version: 2 });
    const unknown = await saved(person, inspection, { ...body, client_answered_at: null });
    expect(unknown).toMatchObject({ client_answered_at: null, version: 3 });
    await saved(person, inspection, { ...body, client_answered_at: at('Z') });
    const other = await saved(person, inspection, { ...body, value: 'b' });
    expect(other).toMatchObject({ client_answered_at: null, version: 5 });
    const cleared = await saved(person, inspection, { field_id: TEXT, client_answered_at: at('Z') });
    expect(cleared).toMatchObject({ value: null, client_answered_at: null, version: 6 });
  });

  test('422 for a time of the client more than a day in the future, 200 up to then', async () => {
    const inspection = await answering(person);
    const ahead = (milliseconds: number) => ({
      field_id: TEXT,
      value: 'a',
      client_answered_at: new Date(Date.now() + milliseconds).toISOString(),
    });
    const refused = await save(person, inspection, ahead(DAY_MS + 3_600_000));
    expect([refused.status, locs(refused)]).toEqual([422, ['body.client_answered_at']]);
    expect(refused.body.detail[0].type).toBe('value_error');
    expect((await save(person, inspection, ahead(DAY_MS - 3_600_000))).status).toBe(200);
    const early = await save(person, inspection, { ...ahead(0), client_answered_at: '1999-12-31T23:59:59Z' });
    expect(early.status).toBe(200);
    const untimely = await save(person, inspection, { ...ahead(0), client_answered_at: 'yesterday' });
    expect([untimely.status, locs(untimely)]).toEqual([422, ['body.client_answered_at']]);
  });

  test('200 with a record of its own for each instance of a repeat section', async () => {
    const inspection = await answering(person);
    const at = (section_id: string, field_id: string, more: object) =>
      saved(person, inspection, {
        section_id,
        field_id,
        value: field_id === DOOR_STATE ? 'yes' : 'x',
        ...more,
      });
    const paths = [
      await at(ROOM, ROOM_NAME, {}),
      await at(ROOM, ROOM_NAME, { instance_index: 2 }),
      await at(WALLS, WALLS_STATE, { instance_index: 2 }),
      await at(WALLS, WALLS_STATE, { instance_path: `${ROOM}[2]`.toUpperCase(), instance_index: 2 }),
      await at(DOOR, DOOR_STATE, { instance_path: `${ROOM}[2]/${DOOR}[4]` }),
    ].map(({ instance_path, instance_index, version }) => [instance_path, instance_index, version]);
    expect(paths).toEqual([
      [`${ROOM}[0]`, 0, 1],
      [`${ROOM}[2]`, 2, 1],
      [`${ROOM}[2]`, 2, 1],
      [`${ROOM}[2]`, 2, 1],
      [`${ROOM}[2]/${DOOR}[4]`, 4, 1],
    ]);
  });

  test('404 for an inspection that does not exist, before anything else is checked', async () => {
    const inspection = await answering(stranger);
    expect((await save(person, inspection, { field_id: uuid(98), value: {} })).status).toBe(404);
    expect((await save(person, { id: uuid(97) }, { field_id: TEXT, value: 'a' })).status).toBe(404);
  });

  test('400 for a field or a section that the content does not have', async () => {
    const inspection = await answering(person);
    const elsewhere = await save(person, inspection, { field_id: uuid(98), value: 'a' });
    expect(elsewhere).toMatchObject({
      status: 400,
      body: { detail: errors.notInTemplate('field_id is not a field of this inspection').detail },
    });
    const moved = await save(person, inspection, { section_id: ROOM, field_id: TEXT, value: 'a' });
    expect(moved).toMatchObject({
      status: 400,
      body: { detail: errors.notInTemplate('section_id is not the section of this field').detail },
    });
  });

  test("400 for another organization's document, member, client and location", async () => {
    const fields = ['photo', 'member', 'client_account', 'location'].map((type, n) => field(n + 2, type));
    const inspection = await startedInspection(person, {
      family: { content: contentWith(...fields, field(9)) },
    });
    const foreign = await newDocument(stranger);
    const ids = [foreign, stranger.adminId, (await newClient(stranger)).id, (await newLocation(stranger)).id];
    for (const [n, id] of ids.entries()) {
      const value = n === 0 ? [{ document_id: id }] : id;
      const answer = await save(person, inspection, { field_id: uuid(n + 2), value });
      expect(answer).toMatchObject({
        status: 400,
        body: { detail: errors.answerReferenceNotFound('value', id).detail },
      });
    }
    const beside = await save(person, inspection, { field_id: uuid(9), media: [{ document_id: foreign }] });
    expect(beside).toMatchObject({
      status: 400,
      body: { detail: errors.answerReferenceNotFound('media', foreign).detail },
    });
    expect(await recordsOf(person, inspection)).toEqual([]);
  });

  test('409 with the status of a locked inspection, whatever the value, but after the check of references', async () => {
    const inspection = await answering(person);
    await advance(person.key, inspection);
    for (const body of [
      { field_id: TEXT, value: 'a' },
      { field_id: TEXT, value: 5 },
      { field_id: TEXT, instance_index: 9 },
    ]) {
      const answer = await save(person, inspection, body);
      expect(answer).toMatchObject({
        status: 409,
        body: { detail: errors.inspectionLocked('completed').detail },
      });
    }
    const foreign = [{ document_id: await newDocument(stranger) }];
    expect((await save(person, inspection, { field_id: PHOTO, value: foreign })).status).toBe(400);
  });

  test('409 for another version, with the current one in the error', async () => {
    const inspection = await answering(person);
    const absent = await save(person, inspection, { field_id: TEXT, value: 'a', expected_version: 1 });
    expect(absent).toMatchObject({
      status: 409,
      body: { detail: errors.versionMismatch('answer', 0, 1).detail },
    });
    const first = await saved(person, inspection, { field_id: TEXT, value: 'a' });
    const body = { field_id: TEXT, value: 'b' };
    expect(await save(person, inspection, { ...body, expected_version: 2 })).toMatchObject({
      status: 409,
      body: { detail: errors.versionMismatch('answer', 1, 2).detail },
    });
    expect(await save(person, inspection, body, { 'If-Match': '"7"' })).toMatchObject({
      status: 409,
      body: { detail: errors.versionMismatch('answer', 1, 7).detail },
    });
    expect(await recordsOf(person, inspection)).toEqual([first]);
    const guarded = await save(person, inspection, { field_id: TEXT, value: 'b' }, { 'If-Match': '"1"' });
    expect(guarded).toMatchObject({ status: 200, body: { version: 2 } });
  });

  test('200 for version 0 while there is no answer, 409 afterwards, also when it is cleared', async () => {
    const inspection = await answering(person);
    const body = { field_id: TEXT, value: 'a', expected_version: 0 };
    expect((await save(person, inspection, body)).status).toBe(200);
    const again = await save(person, inspection, body);
    expect(again).toMatchObject({
      status: 409,
      body: { detail: errors.versionMismatch('answer', 1, 0).detail },
    });
    await saved(person, inspection, { field_id: TEXT, value: null });
    expect((await save(person, inspection, body)).body.detail).toBe(
      errors.versionMismatch('answer', 2, 0).detail,
    );
    const header = { 'If-Match': '"0"' };
    expect((await save(person, inspection, { field_id: NUMBER, value: 1 }, header)).status).toBe(200);
    expect((await save(person, inspection, { field_id: NUMBER, value: 2 }, header)).status).toBe(409);
  });

  test('200 for one of several devices that save the first answer at once, 409 for the others', async () => {
    const inspection = await answering(person);
    const result = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        save(person, inspection, { field_id: TEXT, value: `device ${n}`, expected_version: 0 }),
      ),
    );
    expect(statusCounts(result)).toEqual({ 200: 1, 409: 5 });
    const winner = result.find(({ status }) => status === 200)!;
    expect(await recordsOf(person, inspection)).toEqual([winner.body]);
  });

  test('422 for version -1, and for version 0 of a resource that always has one', async () => {
    const inspection = await answering(person);
    const below = await save(person, inspection, { field_id: TEXT, value: 'a', expected_version: -1 });
    expect([below.status, locs(below)]).toEqual([422, ['body.expected_version']]);
    const params = { inspection_id: inspection.id };
    const body = { name: 'Spring', expected_version: 0 };
    const other = await person.try.inspections.update({ params, body });
    expect([other.status, locs(other)]).toEqual([422, ['body.expected_version']]);
  });

  test.each<[string, object, string]>([
    ['a value of another type', { field_id: TEXT, value: 5 }, 'body.value'],
    ['a value beyond its limits', { field_id: NUMBER, value: 11 }, 'body.value'],
    ['a part of a value', { field_id: PHOTO, value: [{ document_id: 'x' }] }, 'body.value.0.document_id'],
    ['an answer that always applies', { field_id: TEXT, is_na: true }, 'body.is_na'],
    ['an instruction', { field_id: uuid(7), value: 'a' }, 'body.value'],
    ['an index outside repeats', { field_id: TEXT, value: 'a', instance_index: 1 }, 'body.instance_index'],
    [
      'an index out of range',
      { section_id: ROOM, field_id: ROOM_NAME, instance_index: 300 },
      'body.instance_index',
    ],
    [
      'an index alone where repeats are nested',
      { section_id: DOOR, field_id: DOOR_STATE },
      'body.instance_path',
    ],
    [
      'an index and a path that disagree',
      { section_id: ROOM, field_id: ROOM_NAME, instance_path: `${ROOM}[1]`, instance_index: 2 },
      'body.instance_index',
    ],
    [
      'a path that no key could hold',
      { field_id: TEXT, instance_path: '🏗️'.repeat(100) },
      'body.instance_path',
    ],
    ['an unknown member', { field_id: TEXT, answer: 'a' }, 'body.answer'],
  ])('422 for %s', async (_, body, loc) => {
    const answer = await save(person, await shared(), body);
    expect(answer.status).toBe(422);
    expect(locs(answer)).toContain(loc);
  });

  let inspection: { id: string } | undefined;
  const shared = async () => (inspection ??= await answering(person));

  test('422 for media that the field does not take', async () => {
    const recorded = [{ document_id: await newDocument(person, 'audio/mpeg') }];
    const inValue = await save(person, await shared(), { field_id: PHOTO, value: recorded });
    expect([inValue.status, locs(inValue)]).toEqual([422, ['body.value.0.document_id']]);
    const beside = await save(person, await shared(), { field_id: NOTED, value: true, media: recorded });
    expect([beside.status, locs(beside)]).toEqual([422, ['body.media.0.document_id']]);
    const twice = await save(person, await shared(), { field_id: PHOTO, value: [], media: recorded });
    expect([twice.status, locs(twice)]).toEqual([422, ['body.media']]);
  });

  test('403 for a key that only reads', async () => {
    const answer = await as(person.readOnlyKey).try.answers.replace({
      params: { inspection_id: (await shared()).id },
      body: { section_id: SECTION, field_id: TEXT },
    });
    expect(answer.status).toBe(403);
  });
});

describe('PUT /inspections/{inspection_id}/responses, with findings', () => {
  asAnswerer();

  const rail = (inspection: { id: string }, value: string) =>
    saved(person, inspection, { field_id: RAIL, value });

  test('200 and the finding is created and removed with it', async () => {
    const inspection = await answering(person);
    expect(await rail(inspection, 'pass')).toMatchObject({ is_failed: false });
    expect(await findingsOf(person, inspection)).toEqual([]);
    expect(await rail(inspection, 'fail')).toMatchObject({ is_failed: true });
    const [finding, ...others] = await findingsOf(person, inspection);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      inspection_id: inspection.id,
      label: 'Loose rail',
      severity: 'major',
      origin: 'auto',
      status: 'open',
      section_id: SECTION,
      field_id: RAIL,
      instance_path: '',
      version: 1,
    });
    expect((await inspectionOf(person, inspection)).findings_count).toBe(1);
    await saved(person, inspection, { field_id: RAIL, value: 'fail', note: 'still' });
    expect(await findingsOf(person, inspection)).toEqual([finding]);
    await rail(inspection, 'na');
    expect(await findingsOf(person, inspection)).toEqual([]);
    expect((await inspectionOf(person, inspection)).findings_count).toBe(0);
    await rail(inspection, 'fail');
    const [again] = await findingsOf(person, inspection);
    expect(again!.number).toBeGreaterThan(finding!.number);
    const told = await eventsOf(person, inspection.id);
    expect(told.filter((type) => type === 'finding.created')).toHaveLength(2);
  });

  test('200 and a finding that somebody has worked on is kept, and says whether its answer still fails', async () => {
    const inspection = await answering(person);
    await rail(inspection, 'fail');
    const [finding] = await findingsOf(person, inspection);
    await edited(person, { ...finding!, label: 'Loose rail, north side' });
    await rail(inspection, 'pass');
    expect(await findingsOf(person, inspection)).toMatchObject([
      { id: finding!.id, trigger_cleared: true, version: 3 },
    ]);
    await rail(inspection, 'fail');
    expect(await findingsOf(person, inspection)).toMatchObject([
      { id: finding!.id, trigger_cleared: false, version: 4 },
    ]);
    expect((await inspectionOf(person, inspection)).findings_count).toBe(1);
  });

  test('200 with one finding for each instance, however many requests fail it at once', async () => {
    const inspection = await answering(person);
    const door = (room: number, value: string, note: string) =>
      saved(person, inspection, {
        section_id: DOOR,
        field_id: DOOR_STATE,
        instance_path: `${ROOM}[${room}]/${DOOR}[0]`,
        value,
        note,
      });
    await Promise.all(Array.from({ length: 20 }, (_, n) => door(n % 2, 'no', `${n}`)));
    const found = await findingsOf(person, inspection);
    expect(found.map(({ instance_path }) => instance_path).toSorted()).toEqual([
      `${ROOM}[0]/${DOOR}[0]`,
      `${ROOM}[1]/${DOOR}[0]`,
    ]);
    expect((await inspectionOf(person, inspection)).findings_count).toBe(2);
    await Promise.all([door(0, 'yes', ''), door(1, 'yes', ''), door(0, 'yes', 'x')]);
    expect(await findingsOf(person, inspection)).toEqual([]);
    expect((await inspectionOf(person, inspection)).findings_count).toBe(0);
  });
});

describe('PUT /inspections/{inspection_id}/responses, with documents', () => {
  asAnswerer();

  test('200 and each document counts as used while the answer shows it', async () => {
    const inspection = await answering(person);
    const [first, second] = [await newDocument(person), await newDocument(person)];
    const uses = async () => [await usedBy(person, first), await usedBy(person, second)];
    const show = (...ids: string[]) =>
      saved(person, inspection, { field_id: PHOTO, value: ids.map((document_id) => ({ document_id })) });
    await show(first);
    await saved(person, inspection, { field_id: NOTED, media: [{ document_id: first, caption: 'Bolt' }] });
    expect(await uses()).toEqual([2, 0]);
    await show(first);
    await show(second, first);
    expect(await uses()).toEqual([2, 1]);
    await show(second);
    await saved(person, inspection, { field_id: NOTED, value: null });
    expect(await uses()).toEqual([0, 1]);
    await saved(person, inspection, { field_id: PHOTO, value: null });
    expect(await uses()).toEqual([0, 0]);
  });

  test('200 and the document is used, or 400 because it is deleted, when both happen at once', async () => {
    const inspection = await answering(person);
    for (let round = 0; round < 10; round += 1) {
      const document_id = await newDocument(person);
      const deleted = documents.remove(person.caller, document_id).then(
        () => true,
        () => false,
      );
      const { status } = await save(person, inspection, { field_id: PHOTO, value: [{ document_id }] });
      expect([status, await deleted]).toEqual(status === 200 ? [200, false] : [400, true]);
    }
  });

  test('422 for more documents than one transaction can count', async () => {
    const inspection = await answering(person);
    const some = () => Promise.all(Array.from({ length: 50 }, () => newDocument(person)));
    const value = async () => (await some()).map((document_id) => ({ document_id }));
    await saved(person, inspection, { field_id: PHOTO, value: await value() });
    const answer = await save(person, inspection, { field_id: PHOTO, value: await value() });
    expect([answer.status, locs(answer)]).toEqual([422, ['body.value']]);
    await saved(person, inspection, { field_id: PHOTO, value: [] });
  });
});

describe('PUT /inspections/{inspection_id}/responses, number of calls', () => {
  asAnswerer();

  const calls = async (work: () => Promise<unknown>) => (await recording(work)).sent;

  test('200 in three calls, and in one more for each reason that the operation declares', async () => {
    const inspection = await answering(person);
    await saved(person, inspection, { field_id: NUMBER, value: 1 });
    const document_id = await newDocument(person);
    const plain = await calls(() => save(person, inspection, { field_id: TEXT, value: 'a' }));
    const again = await calls(() => save(person, inspection, { field_id: TEXT, value: 'a' }));
    const shown = await calls(() => save(person, inspection, { field_id: PHOTO, value: [{ document_id }] }));
    const failed = await calls(() => save(person, inspection, { field_id: RAIL, value: 'fail' }));
    const mended = await calls(() => save(person, inspection, { field_id: RAIL, value: 'pass' }));
    const byIndex = await calls(() =>
      save(person, inspection, { section_id: WALLS, field_id: WALLS_STATE, instance_index: 1, value: 'a' }),
    );
    const counts = [plain, again, shown, failed, mended, byIndex].map(
      ({ tableCalls, stamps }) => tableCalls - stamps + 1,
    );
    expect(counts).toEqual([3, 2, 4, 5, 4, 4]);
  });

  test('200 in four calls when the content is not in memory', async () => {
    const family = await publishedFamily(person.key, { content: CONTENT });
    const { body } = await person.try.inspections.create({
      body: { template_family_id: family.id },
    });
    const { tableCalls, stamps } = await calls(() => save(person, body, { field_id: TEXT, value: 'a' }));
    expect(tableCalls - stamps + 1).toBeLessThanOrEqual(4);
  });
});
