import fc from 'fast-check';
import { evaluate, type KnownAnswer } from '../../../shared/domain/content/conditions.ts';
import { indexContent } from '../../../shared/domain/content/content-index.ts';
import {
  answerBlockers,
  missingStart,
  progressChange,
  progressOf,
} from '../../../shared/domain/content/progress.ts';
import { publishProblems } from '../../../shared/domain/content/publish/publish.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { uuid } from '../../support/uuid.ts';

const field = (n: number, type: string, more: object = {}) => ({
  id: uuid(n),
  type,
  label: `Field ${n}`,
  ...more,
});
const [ROOM, DOOR] = [uuid(101), uuid(102)];
const room = (i: number) => `${ROOM}[${i}]`;
const door = (i: number, j: number) => `${room(i)}/${DOOR}[${j}]`;

const answer = (n: number, value: unknown, instance_path = '', is_na = false): KnownAnswer => ({
  field_id: uuid(n),
  instance_path,
  value,
  is_na,
});

const planOf = (sections: object[], start: object[] = []) => {
  const content = Content.parse({ sections, start: { fields: start } });
  expect(publishProblems(content)).toEqual([]);
  return indexContent(content);
};

const isTrue = (n: number) => ({ field_id: uuid(n), op: 'eq', value: true });

describe('standingOf', () => {
  const plan = planOf(
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

  test('takes the answer of a hidden field for none', () => {
    expect(standing(3, [answer(1, true), answer(2, 'x')])).toBe('optional');
    expect(standing(3, [answer(1, false), answer(2, 'x')])).toBe('hidden');
  });

  test('requires by condition', () => {
    expect(standing(4, [])).toBe('optional');
    expect(standing(4, [answer(1, true)])).toBe('required');
  });

  test('asks start answers, and those of start fields that are shown only', () => {
    expect(standing(5, [])).toBe('hidden');
    expect(standing(5, [], { kind: 'b' })).toBe('optional');
    const evaluation = evaluate(plan, [], { kind: 'b', why: 'x' });
    expect([...plan.startFields.values()].map(evaluation.startStandingOf)).toEqual(['optional', 'hidden']);
    expect(missingStart(evaluation)).toEqual([]);
    expect(missingStart(evaluate(plan, [], { kind: 'a' }))).toEqual(['Why']);
  });

  test('asks whether an answer failed', () => {
    expect(standing(6, [answer(1, true), answer(5, 'no')])).toBe('required');
    expect(standing(6, [answer(1, true), answer(5, 'na', '', true)])).toBe('hidden');
    expect(standing(6, [answer(5, 'no')])).toBe('hidden');
  });

  test('hides what stands in a hidden section, at any depth', () => {
    expect([7, 8].map((n) => standing(n, []))).toEqual(['hidden', 'hidden']);
    expect([7, 8].map((n) => standing(n, [answer(1, true)]))).toEqual(['required', 'optional']);
  });

  test('lets a hidden required field block nothing, and count for nothing', () => {
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

describe('a repeat', () => {
  const plan = planOf([
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

  test('means the same instance from within, at any depth', () => {
    const answers = [answer(1, true, room(0)), answer(1, false, room(1))];
    expect([0, 1, 2].map((i) => shown(2, room(i), answers))).toEqual([true, false, false]);
    expect(shown(11, door(0, 3), answers)).toBe(true);
    expect(shown(11, door(1, 3), answers)).toBe(false);
  });

  test('means any instance from outside', () => {
    expect(shown(21, '', [answer(1, false, room(0)), answer(1, true, room(7))])).toBe(true);
    expect(shown(21, '', [answer(1, false, room(0))])).toBe(false);
    expect(shown(23, '', [])).toBe(true);
    expect(shown(23, '', [answer(1, true, room(0))])).toBe(false);
    expect(shown(23, '', [answer(1, true, room(0)), answer(3, 1, room(1))])).toBe(true);
  });

  test('is computed instance by instance, and summed from outside', () => {
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

describe('a draft', () => {
  test('whose conditions hang on themselves is hidden there, and evaluates all the same', () => {
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

  test('with a chain of 5,000 conditions ends', () => {
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

describe('progressChange', () => {
  // Every kind of dependency: plain, by section, across and within repeats, by formula, of required fields.
  const plan = planOf([
    {
      id: uuid(100),
      title: 'General',
      fields: [
        field(1, 'yes_no'),
        field(2, 'number', { visible_if: isTrue(1), required: true }),
        field(3, 'calculated', { formula: `{${uuid(2)}} + count({${uuid(12)}})` }),
        field(4, 'text', { required_if: { field_id: uuid(3), op: 'gt', value: 2 } }),
        field(5, 'text', { visible_if: { field_id: uuid(13), op: 'eq', value: true } }),
      ],
    },
    {
      id: ROOM,
      title: 'Rooms',
      repeat: { min: 2 },
      visible_if: { field_id: uuid(4), op: 'ne', value: 'none' },
      fields: [
        field(11, 'yes_no', { required: true }),
        field(12, 'number', { visible_if: isTrue(11) }),
        field(13, 'yes_no', {
          visible_if: { any: [isTrue(1), { field_id: uuid(12), op: 'gte', value: 1 }] },
        }),
      ],
      sections: [
        {
          id: DOOR,
          title: 'Doors',
          repeat: { min: 1 },
          visible_if: { field_id: uuid(13), op: 'not_empty' },
          fields: [
            field(21, 'text', { required_if: isTrue(11) }),
            field(22, 'text', { visible_if: { field_id: uuid(21), op: 'empty' } }),
          ],
        },
      ],
    },
  ]);
  const value = {
    1: fc.boolean(),
    2: fc.integer({ min: 0, max: 3 }),
    4: fc.constantFrom('none', 'x'),
    5: fc.constant('x'),
    11: fc.boolean(),
    12: fc.integer({ min: 0, max: 2 }),
    13: fc.boolean(),
    21: fc.constant('x'),
    22: fc.constant('x'),
  };
  const anyAnswer = fc
    .constantFrom(...Object.keys(value).map(Number))
    .chain((n) =>
      fc
        .tuple(fc.option<unknown>(value[n as keyof typeof value]), fc.nat(3), fc.nat(2))
        .map(([given, i, j]) => answer(n, given, n > 20 ? door(i, j) : n > 10 ? room(i) : '')),
    );

  test('of some answers is the difference between the whole before and after', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(anyAnswer, { minLength: 1, maxLength: 3 }), { maxLength: 12 }),
        (saves) => {
          const standing = new Map<string, KnownAnswer>();
          let before = evaluate(plan, []);
          for (const save of saves) {
            for (const each of save) standing.set(`${each.field_id} ${each.instance_path}`, each);
            const after = evaluate(plan, standing.values());
            const changed = save.map(({ field_id, instance_path }) => ({
              place: plan.fields.get(field_id)!,
              instance_path,
            }));
            const [was, is] = [progressOf(before), progressOf(after)];
            expect(progressChange(before, after, changed)).toEqual({
              answered: is.answered - was.answered,
              required: is.required - was.required,
              total: is.total - was.total,
            });
            before = after;
          }
        },
      ),
      { numRuns: 400 },
    );
  });
});
