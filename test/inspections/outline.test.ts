import type { InspectionSection } from '../../shared/schemas/inspections/outline.ts';
import type { InspectionWithParts } from '../../shared/schemas/inspections/parts.ts';
import { saved } from '../answers/fixtures.ts';
import { field, section, uuid } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { startedInspection } from './fixtures.ts';

const GATE = uuid(2);
const ROOM = uuid(20);
const ROOM_NAME = uuid(21);
const DOOR = uuid(30);

const CONTENT = {
  start: {
    fields: [
      { key: 'weather', type: 'text', label: 'Weather' },
      { key: 'indoors', type: 'yes_no', label: 'Indoors, with ${weather}', required: true },
      {
        key: 'storey',
        type: 'text',
        label: 'Storey',
        visible_if: { start_key: 'indoors', op: 'eq', value: true },
      },
    ],
  },
  sections: [
    section(
      1,
      [
        field(2, 'pass_fail_na', { max_score: 4, allow_na: true, required: true }),
        field(3, 'text', { visible_if: { field_id: GATE, op: 'failed' } }),
        field(4, 'instruction'),
      ],
      { title: 'Outside in ${weather}' },
    ),
    {
      id: ROOM,
      title: 'Rooms',
      repeat: { max: 5, label_field_id: ROOM_NAME },
      fields: [field(21), field(22, 'yes_no_na', { label: 'Is ${' + ROOM_NAME + '} clean?' })],
      sections: [{ id: DOOR, title: 'Doors', repeat: { max: 3 }, fields: [field(31)] }],
    },
    section(40, [field(41)], {
      visible_if: { field_id: GATE, op: 'failed' },
      sections: [section(42, [field(43)])],
    }),
  ],
  scoring: { enabled: true },
};

describe('The sections of GET /inspections/{inspection_id}', () => {
  let person: Person;
  let id: string;
  const sectionsOf = async (): Promise<InspectionSection[]> => {
    const query = { include: ['sections'] };
    const { sections } = await person.inspections.get({ params: { inspection_id: id }, query });
    return sections!;
  };

  beforeAll(async () => {
    person = await newPerson('Outliner');
    const start_answers = { weather: 'rain', indoors: false };
    ({ id } = await startedInspection(person, { family: { content: CONTENT }, start_answers }));
    const room = { section_id: ROOM, field_id: ROOM_NAME };
    await saved(person, { id }, { field_id: GATE, value: 'pass' });
    await saved(person, { id }, { ...room, instance_index: 0, value: 'Kitchen' });
    await saved(person, { id }, { ...room, field_id: uuid(22), instance_index: 2, value: 'no' });
    const instance_path = `${ROOM}[0]/${DOOR}[1]`;
    await saved(person, { id }, { section_id: DOOR, field_id: uuid(31), instance_path, value: 'Oak' });
  });

  test('say what is asked, answered and hidden, with the sections in them, and the score', async () => {
    const all = await sectionsOf();
    const numbers = all.map(({ section_id, parent_id, title, answered, required, total, score }) => [
      [section_id, parent_id, title],
      [answered, required, total],
      score && [score.points, score.max, score.percentage],
    ]);
    expect(numbers).toEqual([
      [[null, null, ''], [2, 1, 2], null],
      [
        [uuid(1), null, 'Outside in rain'],
        [1, 1, 1],
        [4, 4, 100],
      ],
      [
        [ROOM, null, 'Rooms'],
        [3, 0, 5],
        [0, 2, 0],
      ],
      [[DOOR, ROOM, 'Doors'], [1, 0, 1], null],
      [[uuid(40), null, 'Section 40'], [0, 0, 0], null],
      [[uuid(42), uuid(40), 'Section 42'], [0, 0, 0], null],
    ]);
    expect(all.map(({ instances }) => instances.map(({ hidden }) => hidden))).toEqual([
      [['storey']],
      [[uuid(3)]],
      [[], []],
      [[]],
      [[uuid(41)]],
      [[uuid(43)]],
    ]);
    const shown = all.filter(({ instances }) => instances.some(({ is_hidden }) => !is_hidden));
    expect(shown).toEqual(all.slice(0, 4));
  });

  test('have their instances, with what these are called and the labels that refer to answers', async () => {
    const [start, outside, rooms, doors] = await sectionsOf();
    expect(start!.instances[0]!.labels).toEqual([{ field_id: 'indoors', label: 'Indoors, with rain' }]);
    expect(outside!.instances[0]).toMatchObject({ instance_path: '', label_value: null, labels: [] });
    expect(rooms!.instances).toEqual([
      {
        instance_path: `${ROOM}[0]`,
        label_value: 'Kitchen',
        answered: 2,
        required: 0,
        total: 3,
        is_hidden: false,
        hidden: [],
        labels: [{ field_id: uuid(22), label: 'Is Kitchen clean?' }],
      },
      {
        instance_path: `${ROOM}[2]`,
        label_value: null,
        answered: 1,
        required: 0,
        total: 2,
        is_hidden: false,
        hidden: [],
        labels: [{ field_id: uuid(22), label: 'Is … clean?' }],
      },
    ]);
    expect(doors!.instances.map(({ instance_path }) => instance_path)).toEqual([`${ROOM}[0]/${DOOR}[1]`]);
  });

  test('add up to the progress of the inspection, without the start answers', async () => {
    const { progress } = await person.inspections.get({ params: { inspection_id: id } });
    const outer = (await sectionsOf()).filter((each) => each.section_id && !each.parent_id);
    const sum = (name: 'answered' | 'required' | 'total') =>
      outer.reduce((total, each) => total + each[name], 0);
    expect({ answered: sum('answered'), required: sum('required'), total: sum('total') }).toEqual(progress);
  });

  test('are listed without a score and without start answers where there are none', async () => {
    const plain = await startedInspection(person);
    const query = { include: ['sections'] };
    const params = { inspection_id: plain.id };
    const { sections } = (await person.inspections.get({ params, query })) as InspectionWithParts;
    expect(sections!.map(({ section_id, score }) => [section_id, score])).toEqual([[uuid(1), null]]);
  });
});
