import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { startedInspection } from '../inspections/fixtures.ts';
import { contentWith, field, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { save, saved } from './fixtures.ts';

const option = (value: string, state: string) => ({ value, label: value, attributes: { state } });
const CITIES = [option('dallas', 'texas'), option('houston', 'texas'), option('seattle', 'washington')];
const choice_filter = `{option.state} = {${uuid(2)}}`;

const CONTENT = contentWith(
  field(2, 'single_select', {
    options: [
      { value: 'texas', label: 'Texas' },
      { value: 'washington', label: 'Washington' },
    ],
  }),
  field(3, 'single_select', { label: 'City', options: CITIES, choice_filter }),
  field(4, 'multi_select', { label: 'Visited', options: CITIES, choice_filter }),
);

let ana: Person;
let inspection: Inspection;
beforeEach(async () => {
  ana = await newPerson('Ana');
  inspection = await startedInspection(ana, { family: { content: CONTENT } });
});

const put = (n: number, value: unknown) => save(ana, inspection, { field_id: uuid(n), value });
const answered = (n: number, value: unknown) => saved(ana, inspection, { field_id: uuid(n), value });

describe('PUT /inspections/{inspection_id}/responses', () => {
  test('422 for an option that is not offered with the other answers, 200 for one that is', async () => {
    expect((await put(3, 'dallas')).status).toBe(422);
    await answered(2, 'texas');
    expect(await put(3, 'seattle')).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ['body', 'value'],
            type: 'value_error',
            msg: 'Value error, the option "seattle" is not offered with the other answers',
          },
        ],
      },
    });
    expect((await put(3, 'dallas')).status).toBe(200);
  });

  test('422 with a problem for each option that is not offered', async () => {
    await answered(2, 'washington');
    const { body } = await put(4, ['dallas', 'houston', 'seattle']);
    expect(body).toMatchObject({ detail: [{ input: 'dallas' }, { input: 'houston' }] });
    expect((await put(4, ['seattle'])).status).toBe(200);
  });
});

describe('POST /inspections/{inspection_id}/advance', () => {
  test('409 while an answer is kept that is no longer offered', async () => {
    await answered(2, 'texas');
    await answered(3, 'dallas');
    await answered(2, 'washington');
    const advance = () => ana.try.inspections.advance({ params: { inspection_id: inspection.id } });
    const { status, body } = await advance();
    expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining('City: invalid')]);
    await answered(3, 'seattle');
    expect((await advance()).status).toBe(200);
  });
});
