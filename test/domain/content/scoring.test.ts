import fc from 'fast-check';
import Fraction from 'fraction.js';
import { evaluate, type KnownAnswer } from '../../../shared/domain/content/conditions.ts';
import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { canScore, explainScore, scoreOf, shareOf } from '../../../shared/domain/content/scoring.ts';
import { Content, type Section } from '../../../shared/schemas/templates/content.ts';
import { uuid } from '../../support/uuid.ts';

const field = (n: number, type: string, more: object = {}) => ({
  id: uuid(n),
  type,
  label: `Field ${n}`,
  ...more,
});
const section = (n: number, fields: object[], more: object = {}) => ({
  id: uuid(n),
  title: `Section ${n}`,
  fields,
  ...more,
});
const scored = (sections: object[], scoring: object = {}) =>
  indexContent(Content.parse({ sections, scoring: { enabled: true, ...scoring } }));
const inOne = (fields: object[], scoring: object = {}) => scored([section(1_000, fields)], scoring);

const NA = Symbol('not applicable');
const answer = (n: number, value: unknown, instance_path = ''): KnownAnswer => ({
  field_id: uuid(n),
  instance_path,
  value: value === NA ? null : value,
  is_na: value === NA,
});
const explained = (index: ReturnType<typeof scored>, answers: KnownAnswer[] = []) =>
  explainScore(evaluate(index, answers, {}));
const score = (index: ReturnType<typeof scored>, answers: KnownAnswer[] = []) =>
  scoreOf(evaluate(index, answers, {}));

const option = (value: string, more: object = {}) => ({ value, label: value, ...more });
const graded = [
  option('good', { score: 10 }),
  option('fair', { score: 2.5 }),
  option('bad', { score: -5, is_failed: true }),
  option('unsaid'),
  option('na', { score: 99, is_na: true }),
];
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
    ['count takes what can fail as one', { method: 'count' }, { max_score: 7 }, 'yes', [1, 1]],
    ['a weight of 0 has no part', { method: 'weighted' }, { weight: 0 }, 'yes', null],
    ['weights do not matter to points', { method: 'points' }, { weight: 0 }, 'yes', [1, 1]],
    ['nothing is scored unless enabled', { enabled: false }, {}, 'yes', null],
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
      'points where failures are counted',
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
      'a section within one without weight',
      [section(9, [], { weight: 0, sections: [section(8, [field(1, 'yes_no_na')])] })],
      { method: 'weighted' },
      false,
    ],
    ['an instruction', [section(9, [field(1, 'instruction', { max_score: 2 })])], {}, false],
  ])('of %s', (_, sections, scoring, expected) => expect(canScore(scored(sections, scoring))).toBe(expected));
});

describe('scoreOf', () => {
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

  test('counts conforming answers among those that can fail', () => {
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
  ])('%i of 10,000 against %f is a %s, whatever it is rounded to', (points, passing_score, result) => {
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
    ['unanswered fields leave', unanswered('exclude'), [answer(1, 'yes')], { percentage: 100, max: 1 }],
    ['unanswered fields are deficient', unanswered('zero', 'count'), [answer(1, 'yes')], { percentage: 50 }],
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
      'all that failed where nothing is scored',
      inOne([field(1, 'yes_no_na', { critical: true, max_score: 0 }), field(2, 'text', { max_score: 1 })], {
        unanswered: 'exclude',
      }),
      [answer(1, 'no')],
      'fail',
    ],
  ])('a critical field that is %s', (_, index, answers, result) =>
    expect(score(index, answers)?.result).toBe(result),
  );

  test('a hidden section leaves with all that is in it', () => {
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

  test('every instance of a repeat counts, and what is missing of its least', () => {
    const answers = [answer(1, 'yes'), answer(2, 'yes', at(1)), answer(3, 'no', at(1))];
    expect(score(rooms({ repeat: { min: 3 } }), answers)).toMatchObject({ points: 2, max: 7 });
    expect(score(rooms({}, { method: 'count' }), answers)).toMatchObject({ points: 2, max: 3 });
  });

  test('the instances of a repeat weigh as one section', () => {
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

  test('a section without anything scored fails nothing', () => {
    const index = rooms({ passing_score: 80, repeat: { min: 0 } });
    expect(score(index, [answer(1, 'yes')])).toMatchObject({ percentage: 100, result: 'pass' });
  });
});

describe('explainScore', () => {
  test('is empty where nothing is scored', () => {
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

  test('says which fields leave, and why', () => {
    const index = inOne(
      [
        field(1, 'yes_no_na'),
        field(2, 'yes_no_na', { visible_if: { field_id: uuid(1), op: 'eq', value: 'no' } }),
        field(3, 'yes_no_na'),
        field(4, 'yes_no_na', { critical: true, max_score: 0 }),
        field(5, 'yes_no_na', { critical: true, max_score: 0 }),
      ],
      { unanswered: 'exclude' },
    );
    const { fields } = explained(index, [
      answer(1, 'yes'),
      answer(2, 'no'),
      answer(4, 'no'),
      answer(5, 'yes'),
    ]);
    expect(fields.map(({ label, status, is_failed }) => [label, status, is_failed])).toEqual([
      ['Field 1', 'counted', false],
      ['Field 2', 'hidden', false],
      ['Field 3', 'excluded', false],
      ['Field 4', 'excluded', true],
    ]);
  });
});

describe('whatever the content and its answers', () => {
  const tenths = (least: number, most: number) =>
    fc.integer({ min: least * 10, max: most * 10 }).map((n) => n / 10);
  const weight = tenths(0, 4);
  /** A field but for its id, and what may answer it. */
  const kind = (more: object, values: fc.Arbitrary<unknown>) => ({ more, values });
  const kinds = fc.oneof(
    fc
      .boolean()
      .map((critical) =>
        kind({ type: 'yes_no_na', allow_na: true, critical }, fc.constantFrom('yes', 'no', NA)),
      ),
    fc
      .tuple(tenths(0, 50), fc.integer({ min: 1, max: 9 }))
      .map(([max_score, max]) => kind({ type: 'number', max_score, max }, tenths(-1, 12))),
    fc.constant(
      kind({ type: 'single_select', options: graded }, fc.constantFrom('good', 'fair', 'bad', 'unsaid', NA)),
    ),
    fc
      .constantFrom(null, 7, 30)
      .map((max_score) =>
        kind(
          { type: 'multi_select', options: graded, max_score },
          fc.subarray(['good', 'fair', 'bad', 'unsaid'], { minLength: 1 }),
        ),
      ),
    fc.constant(kind({ type: 'text' }, fc.constant('seen'))),
  );
  const rules = fc.record({
    method: fc.constantFrom('points', 'weighted', 'count'),
    unanswered: fc.constantFrom('zero', 'exclude'),
    decimals: fc.integer({ min: 0, max: 4 }),
    passing_score: fc.option(tenths(0, 100), { nil: null }),
  });

  /** Two outermost sections, 8 and 9, and a repeat, 7, within the first. */
  const cases = fc
    .tuple(
      fc.array(fc.tuple(kinds, weight), { minLength: 8, maxLength: 8 }),
      fc.tuple(weight, weight, weight),
      rules,
    )
    .chain(([asked, weights, scoring]) => {
      const fields = asked.map(([{ more }, w], i) => field(i + 1, 'text', { ...more, weight: w }));
      const repeat = section(7, fields.slice(3, 6), { weight: weights[1], repeat: {} });
      const sections = [
        section(8, fields.slice(0, 3), { weight: weights[0], sections: [repeat] }),
        section(9, fields.slice(6), { weight: weights[2] }),
      ];
      const paths = (i: number) => (i < 3 || i > 5 ? [''] : [0, 1].map((at) => `${uuid(7)}[${at}]`));
      const answers = asked.flatMap(([{ values }], i) =>
        paths(i).map((path) =>
          fc.option(
            values.map((value) => answer(i + 1, value, path)),
            { nil: undefined },
          ),
        ),
      );
      return fc.record({
        sections: fc.constant(sections),
        scoring: fc.constant(scoring),
        answers: fc.tuple(...answers).map((given) => given.filter((one) => one !== undefined)),
      });
    });

  const exact = (n: number) => new Fraction(String(n));
  const mean = (parts: [weight: Fraction, ratio: Fraction][]): Fraction | null => {
    const whole = parts.reduce((total, [w]) => total.add(w), exact(0));
    const earned = parts.reduce((total, [w, ratio]) => total.add(w.mul(ratio)), exact(0));
    return whole.equals(0) ? null : earned.div(whole);
  };

  /** The total in percent as the method defines it, from the fields up to the whole. */
  const byDefinition = (index: ReturnType<typeof scored>, answers: KnownAnswer[]): Fraction | null => {
    const parts = explained(index, answers).fields.flatMap(
      ({ field_id, instance_path, score: s, max_score }) => {
        if (s === null || max_score === null) return [];
        const { field: asked, section: around } = index.fields.get(field_id)!;
        const given = answers.find((one) => one.field_id === field_id && one.instance_path === instance_path);
        // Its score alone is not exact.
        const isProportion = asked.type === 'number' && given;
        const ratio = isProportion
          ? exact(given.value as number).div(asked.max!)
          : exact(s).div(exact(max_score));
        const within = ratio.compare(0) < 0 ? exact(0) : ratio.compare(1) > 0 ? exact(1) : ratio;
        return [{ around, weight: exact(asked.weight), max: exact(max_score), ratio: within }];
      },
    );
    const meanOf = (sections: Section[], around?: Section): Fraction | null =>
      mean([
        ...parts
          .filter((part) => part.around === around)
          .map(({ weight: w, ratio }): [Fraction, Fraction] => [w, ratio]),
        ...sections.flatMap((inner): [Fraction, Fraction][] => {
          const ratio = meanOf(inner.sections, inner);
          return ratio ? [[exact(inner.weight), ratio]] : [];
        }),
      ]);
    const total =
      index.content.scoring.method === 'weighted'
        ? meanOf(index.content.sections)
        : mean(parts.map(({ max, ratio }) => [max, ratio]));
    return total && total.mul(100);
  };

  test('the percentage is the mean that the method defines, exactly', () => {
    fc.assert(
      fc.property(cases, ({ sections, scoring, answers }) => {
        const index = scored(sections, scoring);
        const total = byDefinition(index, answers);
        const { percentage } = score(index, answers)!;
        if (total === null) expect(percentage).toBeNull();
        else {
          const scale = 10n ** BigInt(scoring.decimals);
          const halfUp = (2n * total.n * scale + total.d) / (2n * total.d);
          expect(percentage).toBe(Number(halfUp) / Number(scale));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('the shares of all fields, and of all outermost sections, add up', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const index = scored(given.sections, given.scoring);
        const { sections, fields } = explained(index, given.answers);
        const total = byDefinition(index, given.answers);
        for (const parts of [fields, sections.filter(({ section_id }) => section_id !== uuid(7))]) {
          const earned = parts.reduce((sum, { share }) => sum + share, 0);
          const possible = parts.reduce((sum, { share_max }) => sum + share_max, 0);
          expect(earned).toBeCloseTo(total?.valueOf() ?? 0, 4);
          expect(possible).toBeCloseTo(total ? 100 : 0, 4);
          for (const { share, share_max } of parts) expect(share).toBeLessThanOrEqual(share_max);
        }
      }),
    );
  });

  test('a percentage lies within 0 and 100, and is what a section contributes of what it could', () => {
    fc.assert(
      fc.property(cases, (given) => {
        const { score: total, sections } = explained(scored(given.sections, given.scoring), given.answers);
        for (const { percentage } of [total!, ...sections]) {
          expect(percentage ?? 0).toBeGreaterThanOrEqual(0);
          expect(percentage ?? 0).toBeLessThanOrEqual(100);
        }
        for (const { percentage, share, share_max } of sections) {
          if (share_max > 0.01) expect(Math.abs((100 * share) / share_max - percentage!)).toBeLessThan(0.51);
        }
      }),
    );
  });

  test('the order of answers does not matter', () => {
    const shuffled = cases.chain((given) =>
      fc.tuple(fc.constant(given), fc.shuffledSubarray(given.answers, { minLength: given.answers.length })),
    );
    fc.assert(
      fc.property(shuffled, ([{ sections, scoring, answers }, others]) => {
        const index = scored(sections, scoring);
        expect(explained(index, others)).toEqual(explained(index, answers));
      }),
    );
  });

  test('what is not applicable leaves all others as they are', () => {
    fc.assert(
      fc.property(cases, fc.nat(), ({ sections, scoring, answers }, at) => {
        fc.pre(answers.length > 0);
        const index = scored(sections, scoring);
        const left = answers[at % answers.length]!;
        const othersOf = (given: KnownAnswer[]) =>
          explained(index, given)
            .fields.filter(
              (one) => one.field_id !== left.field_id || one.instance_path !== left.instance_path,
            )
            .map((one) => [one.status, one.score, one.max_score]);
        const without = answers.map((one) => (one === left ? { ...one, value: null, is_na: true } : one));
        expect(othersOf(without)).toEqual(othersOf(answers));
      }),
    );
  });

  test('an answer of the full mark never lowers the percentage', () => {
    fc.assert(
      fc.property(cases, fc.constantFrom(7, 8, 9), weight, ({ sections, scoring, answers }, into, w) => {
        const extra = field(99, 'yes_no_na', { weight: w });
        const within = (all: object[]): object[] =>
          (all as Section[]).map((each) => ({
            ...each,
            fields: each.id === uuid(into) ? [...each.fields, extra] : each.fields,
            sections: within(each.sections ?? []),
          }));
        const index = scored(within(sections), { ...scoring, unanswered: 'exclude' });
        const full = answer(99, 'yes', into === 7 ? `${uuid(7)}[0]` : '');
        const before = score(index, answers)!.percentage;
        const after = score(index, [...answers, full])!.percentage;
        if (before !== null) expect(after).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  test('thousands of unlike fractions are added in no time', () => {
    const odd = (i: number) => 1 + ((i * 7_919) % 999_983) / 1_000_003;
    const fields = Array.from({ length: 5_000 }, (_, i) =>
      field(i + 1, 'number', { max_score: odd(i), max: odd(i + 77), weight: odd(i + 5) }),
    );
    const index = inOne(fields, { method: 'weighted' });
    const answers = fields.map((_, i) => answer(i + 1, odd(i + 77) / 2));
    const begun = performance.now();
    expect(score(index, answers)).toMatchObject({ percentage: 50 });
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
