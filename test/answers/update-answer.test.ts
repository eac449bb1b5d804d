import fc from 'fast-check';
import * as errors from '../../shared/base/errors.ts';
import type { AnswerRecord } from '../../shared/schemas/inspections/answer.ts';
import { at, openCorrection, revisionsOf } from '../corrections/fixtures.ts';
import { advance, newInspection, startedInspection } from '../inspections/fixtures.ts';
import { type Answer, locs } from '../support/call.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { installFaults, withFault } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { runs } from '../support/scale.ts';
import {
  answering,
  beforeWriting,
  DOOR,
  DOOR_STATE,
  findingsOf,
  inspectionOf,
  newDocument,
  NOTED,
  NUMBER,
  RAIL,
  recordsOf,
  ROOM,
  save,
  saved,
  SECTION,
  TEXT,
  usedBy,
} from './fixtures.ts';

installFaults();

let person: Person;

// A key allows 300 requests in a minute, so each test has a person of its own.
beforeEach(async () => {
  person = await newPerson('Noter');
});

type At = { id: string };

const patch = ({ id }: At, body: object): Promise<Answer> =>
  person.try.answers.update({
    params: { inspection_id: id },
    body: { section_id: SECTION, ...body },
  });

const patched = async (inspection: At, body: object): Promise<AnswerRecord> => {
  const { status, body: record } = await patch(inspection, body);
  expect({ status, record }).toMatchObject({ status: 200 });
  return record;
};

/** What a record says, without its id and the times of the service. */
const contentsOf = ({ created_at, updated_at, answered_at, ...contents }: AnswerRecord) => ({
  ...contents,
  id: undefined,
  isAnswered: answered_at !== null && answered_at <= updated_at && created_at <= updated_at,
});

const FIELD_TIME = '2026-03-02T09:30:00.000Z';
const LATER = '2026-03-02T10:00:00.000Z';

describe('PATCH /inspections/{inspection_id}/responses', () => {
  test('200 and only what is sent changes', async () => {
    const inspection = await answering(person);
    const media = [{ document_id: await newDocument(person), caption: 'North' }];
    const before = await saved(person, inspection, {
      field_id: NOTED,
      value: true,
      note: 'Two coats',
      media,
      client_answered_at: FIELD_TIME,
    });
    const noted = await patched(inspection, { field_id: NOTED, note: 'Three coats' });
    expect(noted).toEqual({
      ...before,
      note: 'Three coats',
      version: 2,
      answered_at: noted.answered_at,
      updated_at: noted.updated_at,
    });
    const turned = await patched(inspection, { field_id: NOTED, value: false, client_answered_at: LATER });
    expect(turned).toMatchObject({ value: false, note: 'Three coats', media, client_answered_at: LATER });
    const bare = await patched(inspection, { field_id: NOTED, media: [] });
    expect(bare).toMatchObject({ value: false, note: 'Three coats', media: [], version: 4 });
    expect(await usedBy(person, media[0]!.document_id)).toBe(0);
    expect(await patched(inspection, { field_id: NOTED, note: null })).toMatchObject({
      value: false,
      note: '',
    });
    expect(await recordsOf(person, inspection)).toMatchObject([{ value: false, note: '', version: 5 }]);
  });

  test('200 and a value and its being not applicable end each other', async () => {
    const inspection = await answering(person);
    await saved(person, inspection, { field_id: RAIL, value: 'pass', note: 'Rusty' });
    const exempt = await patched(inspection, { field_id: RAIL, is_na: true });
    expect(exempt).toMatchObject({ value: null, is_na: true, note: 'Rusty' });
    const failed = await patched(inspection, { field_id: RAIL, value: 'fail' });
    expect(failed).toMatchObject({ value: 'fail', is_na: false, note: 'Rusty' });
    const cleared = await patched(inspection, { field_id: RAIL, value: null });
    expect(cleared).toMatchObject({ value: null, is_na: false, note: 'Rusty', answered_at: null });
  });

  test('200 without a new version when nothing changes, or nothing is sent', async () => {
    const inspection = await answering(person);
    const before = await saved(person, inspection, { field_id: TEXT, value: 'a', note: 'b' });
    expect(await patched(inspection, { field_id: TEXT })).toEqual(before);
    expect(await patched(inspection, { field_id: TEXT, note: 'b', value: 'a' })).toEqual(before);
  });

  test('200 for a note without an answer, which counts as none', async () => {
    const inspection = await answering(person);
    const noted = await patched(inspection, { field_id: TEXT, note: 'No access', client_answered_at: LATER });
    expect(noted).toMatchObject({
      value: null,
      note: 'No access',
      answered_by: null,
      client_answered_at: null,
      version: 1,
    });
    expect((await inspectionOf(person, inspection)).progress.answered).toBe(0);
  });

  test('404 when nothing is sent and there is no answer, which stays so', async () => {
    const inspection = await answering(person);
    const { status, body } = await patch(inspection, { field_id: TEXT });
    expect([status, body.detail]).toEqual([404, errors.notFound('answer').detail]);
    expect(await recordsOf(person, inspection)).toEqual([]);
  });

  test('200 and the note does not undo what another device saves meanwhile', async () => {
    const inspection = await answering(person);
    await saved(person, inspection, { field_id: TEXT, value: 'old' });
    const other = beforeWriting(() => saved(person, inspection, { field_id: TEXT, value: 'new' }));
    const noted = await withFault(other, () => patched(inspection, { field_id: TEXT, note: 'Seen' }));
    expect(noted).toMatchObject({ value: 'new', note: 'Seen', version: 3 });

    const gone = beforeWriting(() => saved(person, inspection, { field_id: NUMBER, value: 4 }));
    const first = await withFault(gone, () => patched(inspection, { field_id: NUMBER, note: 'Seen' }));
    expect(first).toMatchObject({ value: 4, note: 'Seen', version: 2 });
  });

  test('200 for both of a value and a note that are sent at once, whichever is first', async () => {
    const inspection = await answering(person);
    await saved(person, inspection, { field_id: TEXT, value: 'old' });
    await Promise.all(
      [0, 1, 2, 3].flatMap((n) => [
        patched(inspection, { field_id: TEXT, value: `value ${n}` }),
        patched(inspection, { field_id: TEXT, note: `note ${n}` }),
      ]),
    );
    const [record] = await recordsOf(person, inspection);
    expect(record).toMatchObject({
      value: expect.stringMatching(/^value /),
      note: expect.stringMatching(/^note /),
      version: 9,
    });
  });

  test('200 with the findings that follow from the value, and none from a note', async () => {
    const inspection = await answering(person);
    await patched(inspection, { field_id: RAIL, value: 'fail' });
    await patched(inspection, { field_id: RAIL, note: 'Loose' });
    expect(await findingsOf(person, inspection)).toMatchObject([{ label: 'Loose rail' }]);
    await patched(inspection, { field_id: RAIL, value: 'pass' });
    expect(await findingsOf(person, inspection)).toEqual([]);
  });

  test('200 and a prefilled answer is confirmed', async () => {
    const earlier = await answering(person);
    await saved(person, earlier, { field_id: TEXT, value: 'White walls', note: 'Two coats' });
    const inspection = await newInspection(person, {
      template_family_id: earlier.template_family_id,
      prefill_from_inspection_id: earlier.id,
    });
    const confirmed = await patched(inspection, { field_id: TEXT, note: 'Three coats' });
    expect(confirmed).toMatchObject({ value: 'White walls', note: 'Three coats', is_prefilled: false });
  });

  test('200 in a correction, whose revisions have the note and the time; 409 before it', async () => {
    const inspection = await answering(person);
    const before = await saved(person, inspection, {
      field_id: TEXT,
      value: 'a',
      client_answered_at: FIELD_TIME,
    });
    await advance(person.key, inspection);
    const locked = await patch(inspection, { field_id: TEXT, note: 'b' });
    expect([locked.status, locked.body.detail]).toEqual([409, errors.inspectionLocked('completed').detail]);
    const correction = await openCorrection(person, inspection);
    await patched(inspection, { field_id: TEXT, note: 'b' });
    await patched(inspection, { field_id: TEXT, client_answered_at: LATER });
    expect(await revisionsOf(person, correction)).toMatchObject([
      { previous_note: '', note: 'b', previous_value: 'a', value: 'a', client_answered_at: FIELD_TIME },
      { note: 'b', value: 'a', previous_client_answered_at: FIELD_TIME, client_answered_at: LATER },
    ]);
    await person.corrections.discard(at(correction));
    const [restored] = await recordsOf(person, inspection);
    expect(contentsOf(restored!)).toEqual({ ...contentsOf(before), version: 4 });
  });

  test('409 for another version, and 200 for the stored one', async () => {
    const inspection = await answering(person);
    const change = { field_id: TEXT, note: 'b' };
    expect((await patch(inspection, { ...change, expected_version: 1 })).status).toBe(409);
    expect((await patch(inspection, { ...change, expected_version: 0 })).body).toMatchObject({ version: 1 });
    const taken = await patch(inspection, { ...change, expected_version: 0 });
    expect([taken.status, taken.body.detail]).toEqual([409, errors.versionMismatch('answer', 1, 0).detail]);
  });

  test('400 for a field that the inspection does not have, 422 with every problem otherwise', async () => {
    const inspection = await answering(person);
    expect((await patch(inspection, { field_id: uuid(98), note: 'a' })).status).toBe(400);
    const both = await patch(inspection, { field_id: RAIL, value: 'pass', is_na: true });
    expect([both.status, locs(both)]).toEqual([422, ['body.value']]);
    const outside = await patch(inspection, { field_id: NUMBER, instance_index: 3, value: 11 });
    expect([outside.status, locs(outside)]).toEqual([422, ['body.instance_index', 'body.value']]);
    const nested = await patch(inspection, { section_id: DOOR, field_id: DOOR_STATE, value: 'yes' });
    expect([nested.status, locs(nested)]).toEqual([422, ['body.instance_path']]);
    const named = await patched(inspection, {
      section_id: DOOR,
      field_id: DOOR_STATE,
      instance_path: `${ROOM}[1]/${DOOR}[2]`.toUpperCase(),
      value: 'yes',
    });
    expect(named).toMatchObject({ instance_path: `${ROOM}[1]/${DOOR}[2]`, value: 'yes' });
  });

  test('200 for a note beside every type of value', async () => {
    const document_id = await newDocument(person);
    const options = ['good', 'fair'].map((value) => ({ value, label: value }));
    const values: [type: string, value: unknown, more?: object][] = [
      ['number', -0.1],
      ['yes_no', false],
      ['yes_no_na', 'na'],
      ['multi_select', ['good'], { options }],
      ['datetime', '2024-02-29T10:00:00.5+02:00'],
      ['photo', [{ document_id }]],
      ['signature', { typed: 'Ada', signed_name: 'Ada' }],
      ['geo_point', { lat: 47.4, lng: -8.5 }],
      ['address', { line1: 'Quay 1', country: 'CH' }],
      ['member', person.adminId],
    ];
    const fields = values.map(([type, , more], n) => field(n + 100, type, more));
    const inspection = await startedInspection(person, { family: { content: contentWith(...fields) } });
    for (const n of values.keys()) {
      const before = await saved(person, inspection, { field_id: uuid(n + 100), value: values[n]![1] });
      const after = await patched(inspection, { field_id: uuid(n + 100), note: 'Seen' });
      expect(contentsOf(after)).toEqual({ ...contentsOf(before), note: 'Seen', version: 2 });
    }
  });

  test('has the outcome of a PUT of the complete answer, for any changes in any order', async () => {
    const [one, other] = [await answering(person), await answering(person)];
    const maybe = <Value>(values: Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const change = fc.record({
      value: maybe([null, 'pass', 'fail', 'na', 'maybe']),
      note: maybe(['', 'Rusty', null]),
      is_na: maybe([true, false]),
      client_answered_at: maybe([FIELD_TIME, LATER, null]),
    });
    const sentOf = (changes: object) =>
      Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    /** The complete answer, as an integrator would compute it from the record. */
    const completed = (record: Partial<AnswerRecord>, sent: Partial<AnswerRecord>): object => {
      const { value = null, note = '', is_na = false, client_answered_at } = record;
      const isAnother = 'value' in sent || 'is_na' in sent;
      return {
        note,
        value: sent.is_na ? null : value,
        is_na: 'value' in sent ? false : is_na,
        client_answered_at: isAnother ? undefined : client_answered_at,
        ...sent,
      };
    };
    let record: Partial<AnswerRecord> = {};
    await fc.assert(
      fc.asyncProperty(change, async (changes) => {
        const sent = sentOf(changes);
        fc.pre(record.version !== undefined || Object.keys(sent).length > 0);
        const partial = await patch(one, { field_id: RAIL, ...sent });
        const complete = await save(person, other, { field_id: RAIL, ...completed(record, sent) });
        expect([partial.status, partial.status === 200 && contentsOf(partial.body)]).toEqual([
          complete.status,
          complete.status === 200 && contentsOf(complete.body),
        ]);
        if (complete.status === 200) record = complete.body;
        else expect(partial.body).toEqual(complete.body);
      }),
      { numRuns: runs(40), endOnFailure: true },
    );
    const labels = async (inspection: At) =>
      (await findingsOf(person, inspection)).map(({ label, trigger_cleared }) => [label, trigger_cleared]);
    expect(await labels(one)).toEqual(await labels(other));
    const progress = async (inspection: At) => (await inspectionOf(person, inspection)).progress;
    expect(await progress(one)).toEqual(await progress(other));
  });
});
