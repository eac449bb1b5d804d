import { holds, isFailed } from '../../../../shared/domain/content/values/comparison.ts';
import { fieldOf, index, options } from './fixtures.ts';

describe('holds', () => {
  test.each<[Parameters<typeof holds>[0], unknown, Parameters<typeof holds>[2], boolean]>([
    ['eq', 'a', 'a', true],
    ['eq', 1, '1', false],
    ['eq', ['a', 'b'], ['b', 'a'], true],
    ['eq', ['a', 'b'], 'a', false],
    ['eq', ['a'], 'a', true],
    ['eq', null, 'a', false],
    ['eq', '10:30', '10:30:00', true],
    ['eq', '2024-01-01T12:00:00+02:00', '2024-01-01T10:00:00Z', true],
    ['ne', 'a', 'b', true],
    ['ne', 'a', 'a', false],
    ['ne', null, 'a', true],
    ['in', 'a', ['a', 'b'], true],
    ['in', ['c', 'b'], ['a', 'b'], true],
    ['in', 'c', ['a', 'b'], false],
    ['not_in', 'c', ['a'], true],
    ['not_in', null, ['a'], true],
    ['not_in', 'a', ['a'], false],
    ['gt', 2, 1, true],
    ['gt', 1, 1, false],
    ['gt', 2, '1', false],
    ['gte', 1, 1, true],
    ['gte', null, 0, false],
    ['lt', '2024-01-31', '2024-02-01', true],
    ['lt', '2024-01-01T12:00:00+05:00', '2024-01-01T08:00:00Z', true],
    ['lte', '10:30:00', '10:30', true],
    ['lte', 2, 1, false],
    ['contains', 'abc', 'b', true],
    ['contains', ['a', 'b'], 'b', true],
    ['contains', ['a', 'b'], ['b', 'c'], false],
    ['contains', 5, 5, false],
    ['empty', ' ', undefined, true],
    ['empty', [], undefined, true],
    ['empty', false, undefined, false],
    ['empty', 0, undefined, false],
    ['not_empty', 'a', undefined, true],
    ['outside', 8, [2, 8], false],
    ['outside', 2, [2, 8], false],
    ['outside', 8.1, [2, 8], true],
    ['outside', 1.9, [2, 8], true],
  ])('%s %j %j: %p', (op, answer, operand, expected) => expect(holds(op, answer, operand)).toBe(expected));
});

describe('isFailed', () => {
  test.each<[string, object, unknown, boolean]>([
    ['yes_no_na', {}, 'no', true],
    ['yes_no_na', {}, 'yes', false],
    ['yes_no_na', {}, 'na', false],
    ['pass_fail_na', {}, 'fail', true],
    ['single_select', { options }, 'bad', true],
    ['multi_select', { options }, ['good', 'bad'], true],
    ['multi_select', { options }, ['good'], false],
    ['yes_no', {}, false, false],
    ['yes_no', { fail_if: { op: 'eq', value: false } }, false, true],
    ['yes_no', { fail_if: { op: 'eq', value: false } }, null, false],
    ['temperature', { fail_if: { op: 'outside', value: [2, 8] } }, 8.5, true],
    ['temperature', { fail_if: { op: 'outside', value: [2, 8] } }, 8, false],
    ['single_select', { options, fail_if: { op: 'ne', value: 'good' } }, null, false],
    ['long_text', { fail_if: { op: 'not_empty' } }, 'a crack', true],
  ])('%s %j answered %j: %p', (type, more, value, failed) =>
    expect(isFailed(fieldOf(type, more), index, value)).toBe(failed),
  );
});
