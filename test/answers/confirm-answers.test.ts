import * as errors from '../../shared/base/errors.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { advance, newInspection, start } from '../inspections/fixtures.ts';
import { newPerson, type Person } from '../support/people.ts';
import {
  answering,
  findingsOf,
  inspectionOf,
  NUMBER,
  RAIL,
  recordsOf,
  ROOM,
  ROOM_NAME,
  saved,
  SECTION,
  TEXT,
} from './fixtures.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Landlord');
});

/** An inspection that was started from one in which the rail has failed. */
const prefilled = async (): Promise<Inspection> => {
  const earlier = await answering(person);
  await saved(person, earlier, { field_id: TEXT, value: 'White walls', note: 'Two coats' });
  await saved(person, earlier, { field_id: NUMBER, value: 3 });
  await saved(person, earlier, { field_id: RAIL, value: 'fail' });
  await saved(person, earlier, {
    section_id: ROOM,
    field_id: ROOM_NAME,
    instance_path: `${ROOM}[1]`,
    value: 'Hall',
  });
  return newInspection(person, {
    template_family_id: earlier.template_family_id,
    prefill_from_inspection_id: earlier.id,
  });
};

const confirm = ({ id }: { id: string }, body: object = {}) =>
  person.try.answers.confirm({ params: { inspection_id: id }, body });

const suggestions = async (inspection: { id: string }): Promise<unknown[]> =>
  (await recordsOf(person, inspection)).flatMap(({ field_id, is_prefilled }) =>
    is_prefilled ? [field_id] : [],
  );

describe('PUT /inspections/{inspection_id}/responses/confirm', () => {
  test('200, and what is confirmed counts, with the finding of a failed answer', async () => {
    const inspection = await prefilled();
    expect(await suggestions(inspection)).toEqual([TEXT, NUMBER, RAIL, ROOM_NAME]);
    const client_answered_at = '2026-03-02T09:30:00.000Z';
    const { status, body } = await confirm(inspection, { field_ids: [RAIL], client_answered_at });
    expect([status, body.results]).toMatchObject([
      200,
      [
        {
          index: 0,
          status: 'saved',
          response: {
            field_id: RAIL,
            is_prefilled: false,
            is_failed: true,
            client_answered_at,
            version: 2,
          },
        },
      ],
    ]);
    expect(await findingsOf(person, inspection)).toMatchObject([{ label: 'Loose rail', field_id: RAIL }]);
    expect(await suggestions(inspection)).toEqual([TEXT, NUMBER, ROOM_NAME]);
    expect((await inspectionOf(person, inspection)).progress.answered).toBe(1);
  });

  test('200 for one section, and then for all that is left, in the order of the form', async () => {
    const inspection = await prefilled();
    const first = await confirm(inspection, { section_id: SECTION });
    const fieldsOf = ({ body }: typeof first) =>
      body.results.map(({ response }: { response: { field_id: string } }) => response.field_id);
    expect(fieldsOf(first)).toEqual([TEXT, NUMBER, RAIL]);
    expect(fieldsOf(await confirm(inspection))).toEqual([ROOM_NAME]);
    expect((await confirm(inspection)).body).toEqual({ results: [] });
    expect((await recordsOf(person, inspection))[0]).toMatchObject({
      value: 'White walls',
      note: 'Two coats',
      answered_by: person.caller.user_id,
    });
  });

  test('409 for a locked inspection', async () => {
    const inspection = await prefilled();
    await start(person.key, inspection);
    await advance(person.key, inspection);
    const { status, body } = await confirm(inspection);
    expect([status, body.detail]).toEqual([409, errors.inspectionLocked('completed').detail]);
  });
});
