import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { startedInspection } from '../inspections/fixtures.ts';
import { field, section, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { recordsOf, save, saved } from './fixtures.ts';

installRecorder();

const [MAIN, ROOM] = [uuid(1), uuid(20)];
const self = (n: number) => `{${uuid(n)}}`;

const CONTENT = {
  sections: [
    section(1, [
      field(2, 'number', { label: 'Radius' }),
      field(3, 'number', {
        label: 'Distance',
        constraint: `${self(3)} < ${self(2)}`,
        constraint_message: 'The tree is outside the plot.',
      }),
      field(4, 'date', { constraint: `${self(4)} <= today() and ${self(4)} > today() - 400` }),
      field(5, 'number', { min: 0, max: 5, step: 1, constraint_message: 'A whole number up to 5.' }),
      field(6, 'text', { label: 'Name', required: true, required_message: 'Please sign with your name.' }),
    ]),
    section(20, [field(21, 'number'), field(22, 'number', { constraint: `${self(22)} < ${self(21)}` })], {
      repeat: { max: 5 },
    }),
  ],
};

const inRoom = (n: number, i: number, value: unknown) => ({
  section_id: ROOM,
  field_id: uuid(n),
  instance_index: i,
  value,
});
const main = (n: number, value: unknown) => ({ section_id: MAIN, field_id: uuid(n), value });

let ana: Person;
let inspection: Inspection;
beforeEach(async () => {
  ana = await newPerson('Ana');
  inspection = await startedInspection(ana, { family: { content: CONTENT } });
});

const put = (n: number, value: unknown) => save(ana, inspection, main(n, value));
const refusal = (msg: string) => ({
  status: 422,
  body: { detail: [{ loc: ['body', 'value'], type: 'value_error', msg }] },
});

describe('PUT /inspections/{inspection_id}/responses', () => {
  test("422 and the author's message for an answer that does not meet the constraint", async () => {
    expect(await put(3, 4)).toMatchObject(refusal('The tree is outside the plot.'));
    await saved(ana, inspection, main(2, 10));
    await saved(ana, inspection, main(3, 4));
    expect(await put(3, 10)).toMatchObject(refusal('The tree is outside the plot.'));
    expect(await recordsOf(ana, inspection)).toHaveLength(2);
  });

  test.each([7, -1, 2.5])("422 and the author's message for %p, which breaks a limit", async (value) => {
    const { status, body } = await put(5, value);
    expect([status, body]).toMatchObject([
      422,
      { detail: [{ msg: 'A whole number up to 5.', input: value }] },
    ]);
  });

  test('422 and another message for a value of the wrong type', async () => {
    const { body } = await put(5, 'five');
    expect(body).toMatchObject({ detail: [{ msg: 'Input should be a valid number' }] });
  });

  test('422 for a date in the future, 200 for today anywhere on Earth', async () => {
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    expect((await put(4, inDays(2))).status).toBe(422);
    expect((await put(4, inDays(-402))).status).toBe(422);
    expect((await put(4, inDays(0))).status).toBe(200);
  });

  test('200 for a cleared answer, which no constraint is asked about', async () => {
    await saved(ana, inspection, main(2, 10));
    await saved(ana, inspection, main(3, 4));
    expect((await put(3, null)).status).toBe(200);
  });

  test('422 when the answer of the same instance is too small, whatever those of others', async () => {
    await saved(ana, inspection, inRoom(21, 0, 100));
    await saved(ana, inspection, inRoom(21, 1, 5));
    expect((await save(ana, inspection, inRoom(22, 1, 7))).status).toBe(422);
    expect((await save(ana, inspection, inRoom(22, 0, 7))).status).toBe(200);
  });

  test('costs no more calls with a constraint', async () => {
    await saved(ana, inspection, main(2, 10));
    const callsFor = async (n: number) =>
      (await recording(() => saved(ana, inspection, main(n, 4)))).sent.tableCalls;
    expect(await callsFor(3)).toBe(await callsFor(5));
  });
});

describe('PUT /inspections/{inspection_id}/responses/batch', () => {
  test('200 and an answer is compared with those of the same request, whatever their order', async () => {
    const { body } = await ana.try.answers.save({
      params: { inspection_id: inspection.id },
      body: { responses: [main(3, 4), main(2, 10), inRoom(22, 0, 9), inRoom(21, 0, 8)] },
    });
    expect(body.results.map(({ status }: { status: string }) => status)).toEqual([
      'saved',
      'saved',
      'invalid',
      'saved',
    ]);
  });
});

describe('POST /inspections/{inspection_id}/advance', () => {
  test("409 and the author's messages, when an answer no longer meets its constraint or is missing", async () => {
    await saved(ana, inspection, main(2, 10));
    await saved(ana, inspection, main(3, 9));
    await saved(ana, inspection, main(2, 8));
    const { status, body } = await ana.try.inspections.advance({
      params: { inspection_id: inspection.id },
    });
    expect(status).toBe(409);
    expect(JSON.stringify(body)).toContain('Distance: invalid (The tree is outside the plot.)');
    expect(JSON.stringify(body)).toContain('Name: required (Please sign with your name.)');
  });
});
