import { evaluate, type KnownAnswer } from '../../../../shared/domain/content/conditions/evaluate.ts';
import { indexContent } from '../../../../shared/domain/content/content-index.ts';
import { answerBlockers, missingStart, progressOf } from '../../../../shared/domain/content/progress.ts';
import { Content } from '../../../../shared/schemas/templates/content.ts';
import { field, uuid } from '../../../support/content.ts';
import { answer, DOOR, door, isTrue, publishable, ROOM, room } from './fixtures.ts';

describe('standingOf', () => {
  const plan = publishable(
    [
      {
        id: uuid(100),
        title: 'General',
        fields: [
          field(1, 'yes_no'),
          field(2, 'text', { visible_if: isTrue(1), required: true }),
          field(3, 'text', { visible_if: { field_id: uuid(2), op: 'not_empty' } }),
          field(4, 'text', { required_if: isTrue(1) }),
          field(5, 'yes_no_na', {
            visible_if: { any: [{ start_key: 'kind', op: 'in', value: ['a', 'b'] }, isTrue(1)] },
          }),
          field(6, 'text', { required: true, visible_if: { field_id: uuid(5), op: 'failed' } }),
        ],
      },
      {
        id: uuid(103),
        title: 'Details',
        visible_if: isTrue(1),
        fields: [field(7, 'text', { required: true })],
        sections: [{ id: uuid(104), title: 'Inner', fields: [field(8, 'text')] }],
      },
    ],
    [
      { key: 'kind', type: 'text', label: 'Kind' },
      {
        key: 'why',
        type: 'text',
        label: 'Why',
        required: true,
        visible_if: { start_key: 'kind', op: 'eq', value: 'a' },
      },
    ],
  );
  const standing = (n: number, answers: KnownAnswer[], start = {}) =>
    evaluate(plan, answers, start).standingOf(plan.fields.get(uuid(n))!, '');

  test('follows the field’s own condition', () => {
    expect(standing(2, [])).toBe('hidden');
    expect(standing(2, [answer(1, false)])).toBe('hidden');
    expect(standing(2, [answer(1, true)])).toBe('required');
  });

  test('ignores the answer to a hidden field', () => {
    expect(standing(3, [answer(1, true), answer(2, 'x')])).toBe('optional');
    expect(standing(3, [answer(1, false), answer(2, 'x')])).toBe('hidden');
  });

  test('follows required_if', () => {
    expect(standing(4, [])).toBe('optional');
    expect(standing(4, [answer(1, true)])).toBe('required');
  });

  test('uses answers to start fields, unless these are hidden', () => {
    expect(standing(5, [])).toBe('hidden');
    expect(standing(5, [], { kind: 'b' })).toBe('optional');
    const evaluation = evaluate(plan, [], { kind: 'b', why: 'x' });
    expect([...plan.startFields.values()].map(evaluation.startStandingOf)).toEqual(['optional', 'hidden']);
    expect(missingStart(evaluation)).toEqual([]);
    expect(missingStart(evaluate(plan, [], { kind: 'a' }))).toMatchObject([{ label: 'Why' }]);
  });

  test.each<[string, object, boolean]>([
    ['all', { all: [isTrue(1), isTrue(2)] }, false],
    ['any', { any: [isTrue(1), isTrue(2)] }, true],
    ['all of any', { all: [isTrue(1), { any: [isTrue(1), isTrue(2)] }] }, true],
    ['any of all', { any: [isTrue(2), { all: [isTrue(1), isTrue(2)] }] }, false],
  ])('%s: one of two conditions holds', (_, visible_if, expected) => {
    const index = publishable([
      {
        id: uuid(100),
        title: 'S',
        fields: [field(1, 'yes_no'), field(2, 'yes_no'), field(3, 'text', { visible_if })],
      },
    ]);
    const { standingOf } = evaluate(index, [answer(1, true), answer(2, false)]);
    expect(standingOf(index.fields.get(uuid(3))!, '') !== 'hidden').toBe(expected);
  });

  test('knows whether the answer to a start field failed', () => {
    const index = publishable(
      [
        {
          id: uuid(100),
          title: 'S',
          fields: [field(1, 'text', { visible_if: { start_key: 'safe', op: 'failed' } })],
        },
      ],
      [{ key: 'safe', type: 'yes_no_na', label: 'Safe' }],
    );
    const standingAt = (safe: string) =>
      evaluate(index, [], { safe }).standingOf(index.fields.get(uuid(1))!, '');
    expect([standingAt('no'), standingAt('yes')]).toEqual(['optional', 'hidden']);
  });

  test('knows whether an answer failed', () => {
    expect(standing(6, [answer(1, true), answer(5, 'no')])).toBe('required');
    expect(standing(6, [answer(1, true), answer(5, 'na', '', true)])).toBe('hidden');
    expect(standing(6, [answer(5, 'no')])).toBe('hidden');
  });

  test('hides everything in a hidden section, at any depth', () => {
    expect([7, 8].map((n) => standing(n, []))).toEqual(['hidden', 'hidden']);
    expect([7, 8].map((n) => standing(n, [answer(1, true)]))).toEqual(['required', 'optional']);
  });

  test('ignores a hidden required field in blockers and progress', () => {
    const blocked = (...answers: KnownAnswer[]) =>
      answerBlockers(
        evaluate(plan, answers),
        answers.map((each) => ({ ...each, note: '' })),
      ).map(({ field_id }) => Number(field_id.slice(-3)));
    expect(blocked()).toEqual([]);
    expect(blocked(answer(1, true))).toEqual([2, 4, 7]);
    expect(progressOf(evaluate(plan, []))).toEqual({ answered: 0, required: 0, total: 2 });
    expect(progressOf(evaluate(plan, [answer(2, 'x'), answer(7, 'x')]))).toEqual({
      answered: 0,
      required: 0,
      total: 2,
    });
    expect(progressOf(evaluate(plan, [answer(1, true), answer(2, 'x')]))).toEqual({
      answered: 2,
      required: 3,
      total: 7,
    });
  });
});

describe('a condition or formula on a field of a repeat section', () => {
  const plan = publishable([
    {
      id: ROOM,
      title: 'Rooms',
      repeat: {},
      fields: [
        field(1, 'yes_no'),
        field(2, 'text', { visible_if: isTrue(1) }),
        field(3, 'number'),
        field(4, 'calculated', { formula: `{${uuid(3)}} * 2` }),
        field(5, 'calculated', { formula: `sum({${uuid(13)}})` }),
      ],
      sections: [
        {
          id: DOOR,
          title: 'Doors',
          repeat: {},
          fields: [field(11, 'text', { visible_if: isTrue(1) }), field(13, 'number')],
        },
      ],
    },
    {
      id: uuid(105),
      title: 'Summary',
      fields: [
        field(21, 'text', { visible_if: isTrue(1) }),
        field(22, 'calculated', { formula: `sum({${uuid(4)}}) + count({${uuid(13)}})` }),
        field(23, 'text', { visible_if: { field_id: uuid(1), op: 'empty' } }),
      ],
    },
  ]);
  const shown = (n: number, path: string, answers: KnownAnswer[]) =>
    evaluate(plan, answers).standingOf(plan.fields.get(uuid(n))!, path) !== 'hidden';
  const result = (n: number, path: string, answers: KnownAnswer[]) =>
    evaluate(plan, answers).answerOf(plan.fields.get(uuid(n))!, path)?.value;

  test('means the same instance inside the section, at any depth', () => {
    const answers = [answer(1, true, room(0)), answer(1, false, room(1))];
    expect([0, 1, 2].map((i) => shown(2, room(i), answers))).toEqual([true, false, false]);
    expect(shown(11, door(0, 3), answers)).toBe(true);
    expect(shown(11, door(1, 3), answers)).toBe(false);
  });

  test('means any instance outside the section', () => {
    expect(shown(21, '', [answer(1, false, room(0)), answer(1, true, room(7))])).toBe(true);
    expect(shown(21, '', [answer(1, false, room(0))])).toBe(false);
    expect(shown(23, '', [])).toBe(true);
    expect(shown(23, '', [answer(1, true, room(0))])).toBe(false);
    expect(shown(23, '', [answer(1, true, room(0)), answer(3, 1, room(1))])).toBe(true);
  });

  test('gives a result for each instance inside, and a sum outside', () => {
    const answers = [
      answer(3, 4, room(0)),
      answer(3, 0.1, room(2)),
      answer(13, 1, door(0, 0)),
      answer(13, 2, door(0, 4)),
      answer(13, 5, door(2, 0)),
    ];
    expect(result(4, room(0), answers)).toBe(8);
    expect(result(4, room(1), answers)).toBeUndefined();
    expect([0, 2].map((i) => result(5, room(i), answers))).toEqual([3, 5]);
    expect(result(22, '', answers)).toBe(11.2);
  });
});

describe('a condition on a field of another repeat section', () => {
  const plan = publishable([
    { id: ROOM, title: 'Rooms', repeat: {}, fields: [field(1, 'yes_no')] },
    { id: DOOR, title: 'Doors', repeat: {}, fields: [field(2, 'text', { visible_if: isTrue(1) })] },
  ]);

  test('means any of its instances', () => {
    const shown = (...answers: KnownAnswer[]) =>
      evaluate(plan, answers).standingOf(plan.fields.get(uuid(2))!, `${DOOR}[0]`) !== 'hidden';
    expect(shown(answer(1, false, room(0)), answer(1, true, room(3)))).toBe(true);
    expect(shown(answer(1, false, room(0)))).toBe(false);
  });
});

describe('a draft', () => {
  test('hides sections and start fields that depend on themselves', () => {
    const onItself = { start_key: 'a', op: 'not_empty' };
    const plan = indexContent(
      Content.parse({
        start: { fields: [{ key: 'a', type: 'text', label: 'A', visible_if: onItself }] },
        sections: [{ id: uuid(100), title: 'S', fields: [field(1, 'yes_no')], visible_if: isTrue(1) }],
      }),
    );
    const { standingOf, startStandingOf } = evaluate(plan, [answer(1, true)], { a: 'x' });
    expect(standingOf(plan.fields.get(uuid(1))!, '')).toBe('hidden');
    expect(startStandingOf(plan.startFields.get('a')!)).toBe('hidden');
  });

  test('has no answer to a field that it does not have', () => {
    const plan = indexContent(
      Content.parse({
        sections: [
          {
            id: uuid(100),
            title: 'S',
            fields: [field(1, 'calculated', { formula: `count({${uuid(99)}})` })],
          },
        ],
      }),
    );
    expect(evaluate(plan, []).answerOf(plan.fields.get(uuid(1))!, '')?.value).toBe(0);
  });

  test('is evaluated quickly where two fields depend on each other many times', () => {
    const twice = (n: number) => ({ visible_if: { any: [isTrue(n), isTrue(n)] } });
    const plan = indexContent(
      Content.parse({
        sections: [
          { id: uuid(100), title: 'S', fields: [field(1, 'yes_no', twice(2)), field(2, 'yes_no', twice(1))] },
        ],
      }),
    );
    const { standingOf } = evaluate(plan, [answer(1, false), answer(2, false)]);
    expect(standingOf(plan.fields.get(uuid(1))!, '')).toBe('hidden');
  });

  test('hides conditions that depend on themselves, and evaluates all others', () => {
    const plan = indexContent(
      Content.parse({
        sections: [
          {
            id: uuid(100),
            title: 'S',
            fields: [
              field(1, 'yes_no', { visible_if: isTrue(2) }),
              field(2, 'yes_no', { visible_if: isTrue(1) }),
              field(3, 'calculated', { formula: `{${uuid(3)}} + 1` }),
              field(4, 'calculated', { formula: '((' }),
              field(5, 'text', { visible_if: isTrue(99) }),
            ],
          },
        ],
      }),
    );
    const evaluation = evaluate(plan, [answer(1, true), answer(2, true)]);
    const [first, second, third, fourth, fifth] = plan.fields.values();
    expect([first, second, fifth].map((place) => evaluation.standingOf(place!, ''))).toEqual(
      Array.from({ length: 3 }, () => 'hidden'),
    );
    expect([third, fourth].map((place) => evaluation.answerOf(place!, ''))).toEqual([undefined, undefined]);
  });

  test('evaluates a chain of 5,000 conditions without overflowing the stack', () => {
    const fields = Array.from({ length: 5_000 }, (_, n) =>
      field(n + 1, 'yes_no', n === 0 ? {} : { visible_if: isTrue(n) }),
    );
    const plan = indexContent(Content.parse({ sections: [{ id: uuid(9_999), title: 'S', fields }] }));
    const answers = fields.map((_, n) => answer(n + 1, true));
    expect(progressOf(evaluate(plan, answers)).total).toBeGreaterThan(500);
    const last = plan.fields.get(uuid(5_000))!;
    expect(evaluate(plan, answers).standingOf(last, '')).toBe('hidden');
  });
});
