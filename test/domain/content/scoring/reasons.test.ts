import { evaluate, type KnownAnswer } from '../../../../shared/domain/content/conditions/evaluate.ts';
import { failReasons } from '../../../../shared/domain/content/scoring/reasons.ts';
import { field, section, uuid } from '../../../support/content.ts';
import { answer, inOne, NA, scored } from './fixtures.ts';

const reasons = (index: ReturnType<typeof scored>, answers: KnownAnswer[]) => {
  const { criticalItems, shortfalls } = failReasons(evaluate(index, answers));
  return { critical: criticalItems.map(({ place }) => place.field.label), shortfalls };
};

/** A content that earns `points` of 10,000, and needs `passing_score` percent. */
const share = (points: number, passing_score: number | null, decimals: number) =>
  reasons(inOne([field(1, 'number', { max: 10_000, max_score: 1 })], { passing_score, decimals }), [
    answer(1, points),
  ]).shortfalls;

describe('failReasons', () => {
  const house = (scoring: object = {}) =>
    scored(
      [
        section(8, [field(1, 'yes_no_na'), field(2, 'yes_no_na', { critical: true })], {
          passing_score: 60,
          sections: [section(7, [field(3, 'yes_no_na', { critical: true })], { passing_score: 50 })],
        }),
        section(9, [field(4, 'yes_no_na')], { passing_score: 100 }),
        section(6, [field(5, 'yes_no_na')]),
        section(5, [field(6, 'yes_no_na', { allow_na: true })], { passing_score: 50 }),
      ],
      { passing_score: 70, ...scoring },
    );
  const answers = [
    answer(1, 'yes'),
    answer(2, 'yes'),
    answer(3, 'no'),
    answer(4, 'yes'),
    answer(5, 'no'),
    answer(6, NA),
  ];

  test('are the critical items that failed, and each section below its passing score, then the total', () =>
    expect(reasons(house(), answers)).toEqual({
      critical: ['Field 3'],
      shortfalls: [
        { section_id: uuid(7), percentage: 0, passing_score: 50 },
        { section_id: null, percentage: 60, passing_score: 70 },
      ],
    }));

  test('are none where every section and the total just reach their passing scores', () =>
    expect(
      reasons(
        house({ passing_score: 100 }),
        [1, 2, 3, 4, 5, 6].map((n) => answer(n, 'yes')),
      ),
    ).toEqual({
      critical: [],
      shortfalls: [],
    }));

  test('are none while scoring is disabled', () =>
    expect(reasons(house({ enabled: false }), answers)).toEqual({ critical: [], shortfalls: [] }));

  test.each<[number, number | null, number, number | undefined]>([
    [7_949, 80, 0, 79],
    [7_950, 80, 0, 79.5],
    [7_995, 80, 0, 79.95],
    [7_999, 80, 1, 79.99],
    [7_999, 80, 2, 79.99],
    [8_000, 80, 0, undefined],
    [10, null, 0, undefined],
  ])('%i of 10,000 against %j with %i decimals shows as %j', (points, passing, decimals, shown) =>
    expect(share(points, passing, decimals).map(({ percentage }) => percentage)).toEqual(
      shown === undefined ? [] : [shown],
    ),
  );

  test('have at most six decimals, however near a percentage is to the passing score', () => {
    const index = inOne([field(1, 'number', { max: 1e10, max_score: 1 })], { passing_score: 80 });
    const shown = (points: number) => reasons(index, [answer(1, points)]).shortfalls[0]?.percentage;
    expect(shown(7_999_999_900)).toBe(79.999999);
    expect(shown(7_999_999_999)).toBe(80);
  });
});
