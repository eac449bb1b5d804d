import { canScore, shareOf } from '../../../../shared/domain/content/scoring/worth.ts';
import { field, section, uuid } from '../../../support/content.ts';
import { option } from '../fixtures.ts';
import { answer, graded, inOne, NA, scored } from './fixtures.ts';

const judged = [option('ok'), option('broken', { is_failed: true, score: 0 })];
const over50 = { op: 'gt', value: 50 };

describe('shareOf', () => {
  test.each<[string, object, unknown, [number, number] | null]>([
    ['yes_no_na', {}, 'yes', [1, 1]],
    ['yes_no_na', {}, 'no', [0, 1]],
    ['pass_fail_na', { max_score: 5 }, 'pass', [5, 5]],
    ['pass_fail_na', { max_score: 0 }, 'pass', null],
    ['single_select', { options: graded }, 'good', [10, 10]],
    ['single_select', { options: graded }, 'fair', [2.5, 10]],
    ['single_select', { options: graded }, 'bad', [0, 10]],
    ['single_select', { options: graded }, 'unsaid', [0, 10]],
    ['single_select', { options: graded, max_score: 4 }, 'good', [4, 4]],
    ['single_select', { options: graded, max_score: 20 }, 'good', [10, 20]],
    ['single_select', { options: judged }, 'ok', [1, 1]],
    ['single_select', { options: judged, max_score: 3 }, 'broken', [0, 3]],
    ['single_select', { options: [option('a'), option('b', { score: 0 })] }, 'a', null],
    ['multi_select', { options: graded }, ['good', 'fair'], [12.5, 12.5]],
    ['multi_select', { options: graded }, ['good', 'bad'], [5, 12.5]],
    ['multi_select', { options: graded }, ['bad'], [0, 12.5]],
    ['multi_select', { options: judged }, ['ok', 'broken'], [0, 1]],
    ['yes_no', { max_score: 2 }, true, [2, 2]],
    ['yes_no', { max_score: 2 }, false, [0, 2]],
    ['yes_no', { fail_if: { op: 'eq', value: true } }, false, [1, 1]],
    ['checkbox', {}, true, null],
    ['number', { max_score: 4 }, -3, [4, 4]],
    ['number', { max_score: 4, max: 8 }, 2, [1, 4]],
    ['number', { max_score: 4, max: 8 }, -2, [0, 4]],
    ['number', { max_score: 4, max: 0 }, -2, [4, 4]],
    ['number', { max_score: 1, max: 3 }, 1, [0.333333, 1]],
    ['number', { max_score: 0.3, max: 3 }, 1, [0.1, 0.3]],
    ['slider', { max_score: 10 }, 45, [4.5, 10]],
    ['slider', { max_score: 10, fail_if: over50 }, 45, [10, 10]],
    ['slider', { max_score: 10, fail_if: over50 }, 51, [0, 10]],
    ['rating', { max_score: 10 }, 4, [8, 10]],
    ['temperature', { fail_if: { op: 'outside', value: [2, 8] } }, 8, [1, 1]],
    ['temperature', { fail_if: { op: 'outside', value: [2, 8] } }, 8.1, [0, 1]],
    ['calculated', { formula: '1', max_score: 3 }, 7, [3, 3]],
    ['calculated', { formula: '1', max_score: 3 }, 1.5, [1.5, 3]],
    ['calculated', { formula: '1', max_score: 3 }, false, [0, 3]],
    ['calculated', { formula: "'ready'", max_score: 3 }, 'ready', [3, 3]],
    ['calculated', { formula: '1', fail_if: over50 }, 70, [0, 1]],
    ['text', { max_score: 2 }, 'seen', [2, 2]],
    ['text', { fail_if: { op: 'contains', value: 'rust' } }, 'rusty', [0, 1]],
    ['date', { fail_if: { op: 'lt', value: '2026-01-01' } }, '2026-01-01', [1, 1]],
    ['photo', { max_score: 1 }, [{ document_id: uuid(9), caption: '' }], [1, 1]],
    ['text', {}, 'seen', null],
    ['yes_no_na', { max_score: 5 }, NA, null],
  ])('%s %j of %j earns %j', (type, more, value, expected) => {
    const index = inOne([field(1, type, more)]);
    const share = expected && { score: expected[0], max_score: expected[1] };
    expect(shareOf(index, index.fields.get(uuid(1))!, answer(1, value))).toEqual(share);
  });

  test.each<[string, object, object, unknown, [number, number] | null]>([
    [
      'the count method scores 1 for a field that can fail',
      { method: 'count' },
      { max_score: 7 },
      'yes',
      [1, 1],
    ],
    ['a weight of 0 does not count', { method: 'weighted' }, { weight: 0 }, 'yes', null],
    ['weights do not change points', { method: 'points' }, { weight: 0 }, 'yes', [1, 1]],
    ['nothing is scored while scoring is disabled', { enabled: false }, {}, 'yes', null],
  ])('%s', (_, scoring, more, value, expected) => {
    const index = inOne([field(1, 'yes_no_na', more)], scoring);
    const share = expected && { score: expected[0], max_score: expected[1] };
    expect(shareOf(index, index.fields.get(uuid(1))!, answer(1, value))).toEqual(share);
  });
});

describe('canScore', () => {
  test.each<[string, object[], object, boolean]>([
    ['a field that can fail', [section(9, [field(1, 'yes_no_na')])], {}, true],
    [
      'points in the count method',
      [section(9, [field(1, 'text', { max_score: 2 })])],
      { method: 'count' },
      false,
    ],
    [
      'a section without weight',
      [section(9, [field(1, 'yes_no_na')], { weight: 0 })],
      { method: 'weighted' },
      false,
    ],
    [
      'a section inside one without weight',
      [section(9, [], { weight: 0, sections: [section(8, [field(1, 'yes_no_na')])] })],
      { method: 'weighted' },
      false,
    ],
    ['an instruction', [section(9, [field(1, 'instruction', { max_score: 2 })])], {}, false],
  ])('of %s', (_, sections, scoring, expected) => expect(canScore(scored(sections, scoring))).toBe(expected));
});
