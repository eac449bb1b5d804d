import { evaluate } from '../../../shared/domain/content/conditions/evaluate.ts';
import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { fieldInstances, instancesOf } from '../../../shared/domain/content/instances.ts';
import {
  answerBlockers,
  missingStart,
  progressChange,
  progressOf,
} from '../../../shared/domain/content/progress.ts';
import { publishProblems } from '../../../shared/domain/content/publish/publish.ts';
import type { Answer } from '../../../shared/domain/content/values/answer.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { field, uuid } from '../../support/content.ts';
import { document } from './fixtures.ts';

// A section without instances, and rooms (at least 2) that have doors (any number).
const [rooms, doors] = [uuid(102), uuid(103)];
const building = Content.parse({
  sections: [
    {
      id: uuid(101),
      title: 'General',
      fields: [
        field(1, 'text', { required: true }),
        field(2, 'yes_no_na', {
          note_required_on: ['failed', 'na'],
          media: { min: 2, required_on: ['failed'] },
        }),
        field(3, 'photo', { allow_na: true, media: { min: 2 } }),
        field(4, 'instruction', { required: true }),
        field(5, 'yes_no', { note_required_on: ['true'], media: { required_on: ['false'] } }),
      ],
    },
    {
      id: rooms,
      title: 'Rooms',
      repeat: { min: 2, max: 9 },
      fields: [field(6, 'text', { required: true })],
      sections: [
        {
          id: doors,
          title: 'Doors',
          repeat: {},
          fields: [field(7, 'text', { required: true }), field(8, 'number')],
        },
      ],
    },
  ],
});
const plan = indexContent(building);
const answer = (n: number, instance_path: string, value: unknown, more: Partial<Answer> = {}): Answer => ({
  field_id: uuid(n),
  instance_path,
  value,
  note: '',
  is_na: false,
  ...more,
});

test('the building can be published', () => expect(publishProblems(building)).toEqual([]));

describe('fieldInstances', () => {
  const places = (...answers: Answer[]) =>
    [...fieldInstances(plan, evaluate(plan, answers).instances)]
      .filter(({ instance_path }) => instance_path)
      .map(
        ({ place, instance_path }) =>
          `${Number(place.field.id.slice(-3))} ${instance_path.replaceAll(rooms, 'R').replaceAll(doors, 'D')}`,
      );

  test('has the minimum of instances of a repeat', () => expect(places()).toEqual(['6 R[0]', '6 R[1]']));

  test('adds answered instances in the order of their indexes, within their parents', () =>
    expect(
      places(
        answer(7, `${rooms}[0]/${doors}[10]`, 'x'),
        answer(8, `${rooms}[0]/${doors}[2]`, 0),
        answer(7, `${rooms}[4]/${doors}[0]`, 'x'),
        answer(6, `${rooms}[8]`, null),
      ),
    ).toEqual([
      '6 R[0]',
      '7 R[0]/D[2]',
      '8 R[0]/D[2]',
      '7 R[0]/D[10]',
      '8 R[0]/D[10]',
      '6 R[4]',
      '7 R[4]/D[0]',
      '8 R[4]/D[0]',
    ]));
});

describe('instancesOf', () => {
  const repeat = (min: number) =>
    indexContent(
      Content.parse({
        sections: [{ id: rooms, title: 'Rooms', repeat: { min }, fields: [field(1, 'text')] }],
      }),
    ).sections.get(rooms)!.repeats[0]!;
  const of = (min: number, ...positions: number[]) =>
    instancesOf(positions.map((position) => `${rooms}[${position}]`)).of(repeat(min), '');

  test('adds the lowest free indexes up to the minimum', () => {
    expect(of(0)).toEqual([]);
    expect(of(2)).toEqual([0, 1]);
    expect(of(2, 5)).toEqual([0, 5]);
    expect(of(2, 1, 3)).toEqual([1, 3]);
    expect(of(1, 10, 9)).toEqual([9, 10]);
  });
});

describe('answerBlockers', () => {
  const done = [answer(1, '', 'x'), answer(6, `${rooms}[0]`, 'x'), answer(6, `${rooms}[1]`, 'x')];
  const blockers = (...answers: Answer[]) =>
    answerBlockers(evaluate(plan, answers), answers).map(
      ({ field_id, instance_path, reason }) =>
        `${Number(field_id.slice(-3))} ${instance_path.replaceAll(rooms, 'R').replaceAll(doors, 'D')} ${reason}`,
    );

  test.each<[string, Answer[], string[]]>([
    ['of an inspection without answers', [], ['1  required', '6 R[0] required', '6 R[1] required']],
    ['of answers to all required fields', done, []],
    ['of a blank answer', [...done, answer(1, '', ' ')], ['1  required']],
    [
      'of an instance with a first answer',
      [...done, answer(8, `${rooms}[0]/${doors}[3]`, 1)],
      ['7 R[0]/D[3] required'],
    ],
    [
      'of an outer instance with a first answer in an inner one',
      [...done, answer(7, `${rooms}[5]/${doors}[0]`, 'x')],
      ['6 R[5] required'],
    ],
    ['of a failed answer', [...done, answer(2, '', 'no')], ['2  media', '2  note']],
    [
      'of a failed answer with too few media',
      [...done, answer(2, '', 'no', { note: 'x', media: [document(7)] })],
      ['2  media'],
    ],
    [
      'of a failed answer with its note and media',
      [...done, answer(2, '', 'no', { note: 'x', media: [document(7), document(8)] })],
      [],
    ],
    ['of an option that needs a note', [...done, answer(2, '', 'na', { is_na: true })], ['2  note']],
    ['of a conforming answer', [...done, answer(2, '', 'yes')], []],
    ['of a boolean that needs a note', [...done, answer(5, '', true)], ['5  note']],
    ['of a boolean that needs a medium', [...done, answer(5, '', false)], ['5  media']],
    ['of too few photos', [...done, answer(3, '', [document(7)])], ['3  media']],
    ['of enough photos', [...done, answer(3, '', [document(7), document(8)])], []],
    ['of photos that are not applicable', [...done, answer(3, '', null, { is_na: true })], []],
    ['of no photos where none are required', [...done, answer(3, '', [])], []],
    ['of a value that the field does not take', [...done, answer(2, '', 'maybe')], ['2  invalid']],
    [
      'of not applicable where the field does not allow it',
      [...done, answer(5, '', null, { is_na: true })],
      ['5  invalid'],
    ],
  ])('%s', (_, answers, expected) => expect(blockers(...answers)).toEqual(expected));

  test('name the field by its label', () =>
    expect(answerBlockers(evaluate(plan, []), [])[0]).toEqual({
      field_id: uuid(1),
      instance_path: '',
      label: 'Field 1',
      reason: 'required',
    }));
});

describe('answerBlockers of rules with messages', () => {
  const of = (n: number) => `\${${uuid(n)}}`;
  const index = indexContent(
    Content.parse({
      sections: [
        {
          id: rooms,
          title: 'Rooms',
          repeat: { min: 1 },
          fields: [
            field(1, 'text'),
            field(2, 'text', {
              label: `Who checked ${of(1)}?`,
              required: true,
              required_message: `Sign for ${of(1)}.`,
            }),
            field(3, 'date', {
              constraint: `{${uuid(3)}} = today()`,
              constraint_message: `Not in ${of(1)}.`,
            }),
            field(4, 'text', { note_required_on: ['true'] }),
          ],
        },
      ],
    }),
  );
  const room = `${rooms}[0]`;
  const blocked = (...answers: (Answer & { answered_at?: string })[]) =>
    answerBlockers(evaluate(index, answers), answers);
  const kitchen = answer(1, room, 'the kitchen');

  test('say in the author’s words what is missing, with the answers of the same instance', () =>
    expect(blocked(kitchen)).toEqual([
      {
        field_id: uuid(2),
        instance_path: room,
        label: 'Who checked the kitchen?',
        reason: 'required',
        message: 'Sign for the kitchen.',
      },
    ]));

  test('judge an answer by the day on which it was given', () => {
    const given = { ...answer(3, room, '2026-03-10'), answered_at: '2026-03-10T12:00:00.000Z' };
    const signed = answer(2, room, 'Jo');
    expect(blocked(kitchen, signed, given)).toEqual([]);
    expect(blocked(kitchen, signed, { ...given, answered_at: '2026-03-20T12:00:00.000Z' })).toMatchObject([
      { field_id: uuid(3), reason: 'invalid', message: 'Not in the kitchen.' },
    ]);
    expect(blocked(kitchen, signed, answer(3, room, '2026-03-10'))).toHaveLength(1);
  });

  test('take a text for what it says, not for a yes', () =>
    expect(blocked(answer(2, room, 'Jo'), answer(4, room, 'true'))).toEqual([]));
});

describe('progressOf', () => {
  test('counts answerable fields in all their instances', () => {
    expect(progressOf(evaluate(plan, []))).toEqual({ answered: 0, required: 3, total: 6 });
    const answers = [
      answer(1, '', 'x'),
      answer(2, '', 'na', { is_na: true }),
      answer(3, '', null),
      answer(7, `${rooms}[0]/${doors}[0]`, 'x'),
    ];
    expect(progressOf(evaluate(plan, answers))).toEqual({ answered: 3, required: 4, total: 8 });
  });
});

describe('a hidden field', () => {
  const shownFor = (value: boolean) => ({ visible_if: { field_id: uuid(1), op: 'eq', value } });
  const index = indexContent(
    Content.parse({
      start: {
        fields: [
          { key: 'site', type: 'text', label: 'Site', required: true },
          { key: 'note', type: 'text', label: 'Note' },
        ],
      },
      sections: [
        {
          id: uuid(101),
          title: 'General',
          fields: [
            field(1, 'yes_no'),
            field(2, 'text', { required: true, ...shownFor(true) }),
            field(3, 'text', shownFor(false)),
          ],
        },
      ],
    }),
  );
  const yes = [answer(1, '', true), answer(3, '', 'kept')];
  const no = [answer(1, '', false), answer(3, '', 'kept')];

  test('does not count, whether it is answered or required', () => {
    expect(progressOf(evaluate(index, yes))).toEqual({ answered: 1, required: 1, total: 2 });
    expect(progressOf(evaluate(index, no))).toEqual({ answered: 2, required: 0, total: 2 });
  });

  test('blocks nothing, and a required one blocks as soon as it is visible', () => {
    expect(answerBlockers(evaluate(index, no), no)).toEqual([]);
    expect(answerBlockers(evaluate(index, yes), yes)).toEqual([
      expect.objectContaining({ field_id: uuid(2), reason: 'required' }),
    ]);
  });

  test('blocks nothing by an answer that would be invalid if it were visible', () => {
    const invalid = answer(3, '', 5);
    const [shown, hidden] = [no, yes].map((answers) => [answers[0]!, invalid]);
    expect(answerBlockers(evaluate(index, shown!), shown!)).toMatchObject([{ reason: 'invalid' }]);
    expect(answerBlockers(evaluate(index, hidden!), hidden!)).toMatchObject([
      { field_id: uuid(2), reason: 'required' },
    ]);
  });

  test('changes the progress by the answer that hides or shows it', () => {
    const changed = [{ place: index.fields.get(uuid(1))!, instance_path: '' }];
    const [before, after] = [evaluate(index, no), evaluate(index, yes)];
    expect(progressChange(before, after, changed)).toEqual({ answered: -1, required: 1, total: 0 });
    expect(progressChange(after, before, changed)).toEqual({ answered: 1, required: -1, total: 0 });
    expect(progressChange(after, after, changed)).toEqual({ answered: 0, required: 0, total: 0 });
  });

  test('required start fields are missing until they are answered; others never are', () => {
    expect(missingStart(evaluate(index, []))).toMatchObject([{ label: 'Site' }]);
    expect(missingStart(evaluate(index, [], { site: '', note: 'x' }))).toMatchObject([{ label: 'Site' }]);
    expect(missingStart(evaluate(index, [], { site: 'Pier 3' }))).toEqual([]);
  });
});
