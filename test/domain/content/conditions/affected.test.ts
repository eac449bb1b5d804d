import fc from 'fast-check';
import { affectedFields } from '../../../../shared/domain/content/conditions/affected.ts';
import { evaluate, type KnownAnswer } from '../../../../shared/domain/content/conditions/evaluate.ts';
import { progressChange, progressOf } from '../../../../shared/domain/content/progress.ts';
import { field, uuid } from '../../../support/content.ts';
import { runs } from '../../../support/scale.ts';
import { answer, DOOR, door, isTrue, publishable, ROOM, room } from './fixtures.ts';

describe('progressChange', () => {
  // Has every kind of dependency: on a field, of a section, across and inside repeats, by formula, and of required_if.
  const plan = publishable([
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

  test('is the difference between the progress before and after a save', () => {
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
      { numRuns: runs(400) },
    );
  });
});

describe('affectedFields', () => {
  const plan = publishable([
    {
      id: uuid(100),
      title: 'General',
      fields: [field(1, 'yes_no'), field(2, 'text', { visible_if: isTrue(1) }), field(3)],
    },
    {
      id: ROOM,
      title: 'Rooms',
      repeat: {},
      visible_if: isTrue(1),
      fields: [
        field(11, 'number'),
        field(12, 'text', { visible_if: { field_id: uuid(11), op: 'not_empty' } }),
      ],
      sections: [
        {
          id: DOOR,
          title: 'Doors',
          repeat: {},
          visible_if: { field_id: uuid(12), op: 'not_empty' },
          fields: [field(21)],
        },
      ],
    },
    {
      id: uuid(103),
      title: 'Summary',
      fields: [field(31, 'calculated', { formula: `sum({${uuid(11)}})` })],
    },
  ]);
  /** The numbers of the affected fields, each with its paths. */
  const affected = (before: KnownAnswer[], after: KnownAnswer[], ...changed: [n: number, path: string][]) =>
    Object.fromEntries(
      [
        ...affectedFields(
          evaluate(plan, before),
          evaluate(plan, after),
          changed.map(([n, instance_path]) => ({ place: plan.fields.get(uuid(n))!, instance_path })),
        ),
      ].map(
        ([
          {
            field: { id },
          },
          paths,
        ]) => [Number(id.slice(-3)), [...paths]],
      ),
    );

  test('are only the field itself where nothing depends on it', () =>
    expect(affected([], [answer(3, 'x')], [3, ''])).toEqual({ 3: [''] }));

  test('are those within the instance, and those outside that depend on it', () =>
    expect(affected([answer(11, 1, room(4))], [answer(11, 2, room(4))], [11, room(4)])).toEqual({
      11: [room(4)],
      12: [room(4)],
      21: [room(4)],
      31: [''],
    }));

  test('are every instance of what depends on a field outside', () =>
    expect(affected([answer(1, false)], [answer(1, true)], [1, ''])).toEqual({
      1: [''],
      2: [''],
      11: [''],
      12: [''],
      21: [''],
      31: [''],
    }));

  test('are all fields of a repeat section where an instance begins, another one inside it too', () => {
    const one = [answer(12, 'x', room(0))];
    expect(affected(one, [...one, answer(12, 'y', room(1))], [12, room(1)])).toEqual({
      11: [''],
      12: [room(1), ''],
      21: [''],
      31: [''],
    });
    expect(affected(one, [...one, answer(21, 'y', door(0, 1))], [21, door(0, 1)])).toEqual({
      21: [door(0, 1), room(0)],
    });
  });

  test('are all fields where one instance ends and another begins', () =>
    expect(
      affected([answer(12, 'x', room(0))], [answer(12, 'x', room(1))], [12, room(0)], [12, room(1)]),
    ).toMatchObject({ 11: [''], 21: [''] }));

  test('name no instance again where all instances are affected', () =>
    expect(
      affected([answer(1, false)], [answer(1, true), answer(11, 1, room(0))], [1, ''], [11, room(0)]),
    ).toMatchObject({ 11: [room(0), ''], 12: [''] }));
});
