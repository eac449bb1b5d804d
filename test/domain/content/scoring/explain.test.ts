import type { KnownAnswer } from '../../../../shared/domain/content/conditions/evaluate.ts';
import { placeName } from '../../../../shared/domain/content/instance-paths.ts';
import { field, section, uuid } from '../../../support/content.ts';
import { answer, explained, inOne, NA, score, scored } from './fixtures.ts';

const over50 = { op: 'gt', value: 50 };

describe('the score', () => {
  test('ten 10-point items, one of them not applicable and nine full, are 100 % of 90', () => {
    const ids = Array.from({ length: 10 }, (_, i) => i + 1);
    const index = inOne(ids.map((n) => field(n, 'yes_no', { max_score: 10, allow_na: true })));
    const answers = ids.map((n) => answer(n, n === 10 ? NA : true));
    expect(score(index, answers)).toEqual({ percentage: 100, points: 90, max: 90, result: 'pass' });
  });

  test.each<[string, object[]]>([
    [
      'items',
      [
        section(
          1_000,
          [1, 2, 3].map((n) => field(n, 'slider', { max_score: 7, weight: n === 2 ? 2 : 1 })),
        ),
      ],
    ],
    [
      'sections',
      [1, 2, 3].map((n) =>
        section(1_000 + n, [field(n, 'slider', { max_score: 7, weight: 9 })], { weight: n === 2 ? 2 : 1 }),
      ),
    ],
  ])('%s of the weights 1, 2, 1 with the ratios 0, 1, 0.5 are 62.5 %%', (_, sections) => {
    const answers = [answer(1, 0), answer(2, 100), answer(3, 50)];
    expect(score(scored(sections, { method: 'weighted' }), answers)).toEqual({
      percentage: 62.5,
      points: 10.5,
      max: 21,
      result: 'pass',
    });
  });

  test('counts conforming answers among the fields that can fail', () => {
    const fields = [1, 2, 3, 4].map((n) => field(n, 'yes_no_na', { max_score: 10, allow_na: true }));
    const index = inOne([...fields, field(5, 'text', { max_score: 10 })], { method: 'count' });
    const answers = [answer(1, 'yes'), answer(2, 'no'), answer(3, NA), answer(5, 'seen')];
    expect(score(index, answers)).toMatchObject({ percentage: 33.3, points: 1, max: 3 });
  });

  test('three thirds are exactly one', () => {
    const thirds = [1, 2, 3].map((n) => field(n, 'number', { max_score: 1, max: 3 }));
    const index = inOne([...thirds, field(4, 'yes_no_na')], { passing_score: 50, decimals: 4 });
    const answers = [...[1, 2, 3].map((n) => answer(n, 1)), answer(4, 'yes')];
    expect(score(index, answers)).toEqual({ percentage: 50, points: 2, max: 4, result: 'pass' });
  });

  test.each<[number, number, string]>([
    [7_995, 80, 'fail'],
    [7_999, 80, 'fail'],
    [8_000, 80, 'pass'],
    [7_995, 79.95, 'pass'],
    [7_994, 79.95, 'fail'],
  ])('%i of 10,000 against %f is a %s, however it is rounded', (points, passing_score, result) => {
    for (const decimals of [0, 1, 2]) {
      const index = inOne([field(1, 'number', { max: 10_000, max_score: 1 })], { passing_score, decimals });
      expect(score(index, [answer(1, points)])?.result).toBe(result);
    }
  });

  test.each<[number, number, number]>([
    [0, 7_995, 80],
    [1, 7_995, 80],
    [2, 7_995, 79.95],
    [1, 7_985, 79.9],
    [0, 4_950, 50],
    [0, 4_949, 49],
  ])('rounds half up to %i decimals: %i of 10,000 shows as %f', (decimals, points, shown) => {
    const index = inOne([field(1, 'number', { max: 10_000, max_score: 1 })], { decimals });
    expect(score(index, [answer(1, points)])?.percentage).toBe(shown);
  });

  const unanswered = (how: string, method = 'points') =>
    inOne([field(1, 'yes_no_na'), field(2, 'yes_no_na')], { unanswered: how, method });

  test.each<[string, ReturnType<typeof scored>, KnownAnswer[], object | null]>([
    ['unanswered fields earn nothing', unanswered('zero'), [answer(1, 'yes')], { percentage: 50, max: 2 }],
    [
      'unanswered fields are left out',
      unanswered('exclude'),
      [answer(1, 'yes')],
      { percentage: 100, max: 1 },
    ],
    [
      'unanswered fields count as failed',
      unanswered('zero', 'count'),
      [answer(1, 'yes')],
      { percentage: 50 },
    ],
    ['nothing answered', unanswered('exclude'), [], { percentage: null, points: 0, max: 0, result: null }],
    [
      'nothing applicable',
      unanswered('zero'),
      [answer(1, NA), answer(2, NA)],
      { percentage: null, result: null },
    ],
    ['not scored', inOne([field(1, 'yes_no_na')], { enabled: false }), [answer(1, 'yes')], null],
  ])('%s', (_, index, answers, expected) => {
    if (expected) expect(score(index, answers)).toMatchObject(expected);
    else expect(score(index, answers)).toBeNull();
  });

  const critical = (more: object = {}, scoring: object = {}) =>
    inOne(
      [
        field(1, 'yes_no_na'),
        field(2, 'yes_no_na', {
          critical: true,
          allow_na: true,
          visible_if: { field_id: uuid(1), op: 'eq', value: 'yes' },
          ...more,
        }),
      ],
      scoring,
    );

  test.each<[string, ReturnType<typeof scored>, KnownAnswer[], string | null]>([
    ['failed', critical(), [answer(1, 'yes'), answer(2, 'no')], 'fail'],
    [
      'failed, of no weight',
      critical({ weight: 0 }, { method: 'weighted' }),
      [answer(1, 'yes'), answer(2, 'no')],
      'fail',
    ],
    ['failed, of no points', critical({ max_score: 0 }), [answer(1, 'yes'), answer(2, 'no')], 'fail'],
    ['conforming', critical(), [answer(1, 'yes'), answer(2, 'yes')], 'pass'],
    ['not applicable', critical(), [answer(1, 'yes'), answer(2, NA)], 'pass'],
    ['not answered', critical(), [answer(1, 'yes')], 'pass'],
    ['hidden', critical(), [answer(1, 'no'), answer(2, 'no')], 'pass'],
    [
      'the only one that failed, while nothing is scored',
      inOne([field(1, 'yes_no_na', { critical: true, max_score: 0 }), field(2, 'text', { max_score: 1 })], {
        unanswered: 'exclude',
      }),
      [answer(1, 'no')],
      'fail',
    ],
  ])('a critical field that is %s', (_, index, answers, result) =>
    expect(score(index, answers)?.result).toBe(result),
  );

  test('a hidden section is left out with everything in it', () => {
    const index = scored([
      section(8, [field(1, 'yes_no_na')]),
      section(9, [], {
        visible_if: { field_id: uuid(1), op: 'eq', value: 'no' },
        sections: [section(7, [field(2, 'yes_no_na')])],
      }),
    ]);
    expect(score(index, [answer(1, 'yes'), answer(2, 'no')])).toMatchObject({ percentage: 100, max: 1 });
    expect(score(index, [answer(1, 'no'), answer(2, 'no')])).toMatchObject({ percentage: 0, max: 2 });
  });

  test('a calculated field is scored by its result', () => {
    const sum = field(3, 'calculated', { formula: `{${uuid(1)}} + {${uuid(2)}}`, fail_if: over50 });
    const index = inOne([field(1, 'number'), field(2, 'number'), sum]);
    expect(score(index, [answer(1, 20), answer(2, 30)])?.percentage).toBe(100);
    expect(score(index, [answer(1, 20), answer(2, 31)])?.percentage).toBe(0);
    expect(score(index, [answer(1, 20)])?.percentage).toBe(0);
  });

  const rooms = (more: object = {}, scoring: object = {}) =>
    scored(
      [
        section(8, [field(1, 'yes_no_na')], { weight: 3 }),
        section(9, [field(2, 'yes_no_na'), field(3, 'yes_no_na')], { repeat: { min: 1 }, ...more }),
      ],
      scoring,
    );
  const at = (i: number) => `${uuid(9)}[${i}]`;

  test('every instance of a repeat counts, and those missing from its min', () => {
    const answers = [answer(1, 'yes'), answer(2, 'yes', at(1)), answer(3, 'no', at(1))];
    expect(score(rooms({ repeat: { min: 3 } }), answers)).toMatchObject({ points: 2, max: 7 });
    expect(score(rooms({}, { method: 'count' }), answers)).toMatchObject({ points: 2, max: 3 });
  });

  test('all instances of a repeat together have the weight of one section', () => {
    const answers = [0, 1, 2, 3].map((i) => answer(2, i < 3 ? 'yes' : 'no', at(i)));
    const index = rooms({}, { method: 'weighted', unanswered: 'exclude' });
    expect(score(index, [answer(1, 'no'), ...answers])?.percentage).toBe(18.8);
  });

  test('a section below its passing score fails the whole, whatever the total', () => {
    const index = rooms({ passing_score: 80 }, { passing_score: 50, unanswered: 'exclude' });
    const answers = [0, 1, 2, 3, 4].map((i) => answer(2, i > 0 ? 'yes' : 'no', at(i)));
    expect(score(index, [answer(1, 'yes'), ...answers])?.result).toBe('pass');
    expect(score(index, [answer(1, 'yes'), ...answers.slice(0, 4)])?.result).toBe('fail');
  });

  test('a section without scored answers does not fail the whole', () => {
    const index = rooms({ passing_score: 80, repeat: { min: 0 } });
    expect(score(index, [answer(1, 'yes')])).toMatchObject({ percentage: 100, result: 'pass' });
  });
});

describe('explainScore', () => {
  test('is empty when scoring is disabled', () => {
    const index = inOne([field(1, 'yes_no_na')], { enabled: false, method: 'count', passing_score: 80 });
    expect(explained(index, [answer(1, 'yes')])).toEqual({
      score: null,
      method: 'count',
      unanswered: 'zero',
      passing_score: 80,
      decimals: 1,
      sections: [],
      fields: [],
    });
  });

  test.each([
    ['points', {}, { percentage: 50, points: 2, max: 4 }],
    ['count', {}, { percentage: 50, points: 2, max: 4 }],
    // The field of weight 3 counts like one of weight 6 beside the two of weight 1.
    ['weighted', { weight: 3 }, { percentage: 25, points: 2, max: 4 }],
  ])('counts what fails again twice: %s', (method, more, expected) => {
    const index = inOne([field(1, 'yes_no_na', more), field(2, 'yes_no_na'), field(3, 'yes_no_na')], {
      method,
    });
    const answers = [answer(1, 'no'), answer(2, 'yes'), answer(3, 'yes')];
    // The second one is among them, but it has not failed.
    const repeated = { factor: 2, places: new Set([1, 2].map((n) => placeName(uuid(n), ''))) };
    const { score: total, fields } = explained(index, answers, repeated);
    expect(total).toMatchObject(expected);
    expect(fields.map(({ repeat_factor, max_score }) => [repeat_factor, max_score])).toEqual([
      [2, 2],
      [undefined, 1],
      [undefined, 1],
    ]);
    expect(fields.reduce((sum, { share_max }) => sum + share_max, 0)).toBe(100);
  });

  test('says what each section and field contributes', () => {
    const index = scored(
      [
        section(
          8,
          [field(1, 'slider', { max_score: 4, weight: 3 }), field(2, 'text'), field(3, 'yes_no_na')],
          {
            weight: 2,
            sections: [section(7, [field(4, 'yes_no_na')], { weight: 4, passing_score: 50 })],
          },
        ),
        section(9, [field(5, 'text')]),
        section(6, [field(6, 'yes_no_na', { allow_na: true })], { passing_score: 50 }),
      ],
      { method: 'weighted' },
    );
    const {
      sections,
      fields,
      score: total,
    } = explained(index, [answer(1, 50), answer(4, 'yes'), answer(6, NA)]);
    expect(total).toEqual({ percentage: 68.8, points: 3, max: 6, result: 'pass' });
    expect(
      sections.map(({ title, percentage, points, max, result, share, share_max }) => [
        title,
        percentage,
        points,
        max,
        result,
        share,
        share_max,
      ]),
    ).toEqual([
      ['Section 8', 68.8, 3, 6, null, 68.75, 100],
      ['Section 7', 100, 1, 1, 'pass', 50, 50],
      ['Section 6', null, 0, 0, null, 0, 0],
    ]);
    expect(
      fields.map(({ label, status, score: earned, max_score, share, share_max }) => [
        label,
        status,
        earned,
        max_score,
        share,
        share_max,
      ]),
    ).toEqual([
      ['Field 1', 'counted', 2, 4, 18.75, 37.5],
      ['Field 3', 'unanswered', 0, 1, 0, 12.5],
      ['Field 4', 'counted', 1, 1, 50, 50],
      ['Field 6', 'not_applicable', null, null, 0, 0],
    ]);
  });

  test('says which fields are left out, and why', () => {
    const index = inOne(
      [
        field(1, 'yes_no_na'),
        field(2, 'yes_no_na', { visible_if: { field_id: uuid(1), op: 'eq', value: 'no' } }),
        field(3, 'yes_no_na'),
        field(4, 'yes_no_na', { critical: true, max_score: 0 }),
        field(5, 'yes_no_na', { critical: true, max_score: 0 }),
        field(6, 'yes_no_na', { max_score: 0 }),
      ],
      { unanswered: 'exclude' },
    );
    const { fields } = explained(index, [
      answer(1, 'yes'),
      answer(2, 'no'),
      answer(4, 'no'),
      answer(5, 'yes'),
      answer(6, 'no'),
    ]);
    expect(fields.map(({ label, status, is_failed }) => [label, status, is_failed])).toEqual([
      ['Field 1', 'counted', false],
      ['Field 2', 'hidden', false],
      ['Field 3', 'excluded', false],
      ['Field 4', 'excluded', true],
    ]);
  });
});
