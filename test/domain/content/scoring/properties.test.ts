import fc from 'fast-check';
import Fraction from 'fraction.js';
import type { KnownAnswer } from '../../../../shared/domain/content/conditions/evaluate.ts';
import type { Section } from '../../../../shared/schemas/templates/content.ts';
import { field, section, uuid } from '../../../support/content.ts';
import { effort } from '../../../support/effort.ts';
import { runs } from '../../../support/scale.ts';
import { answer, explained, graded, inOne, NA, score, scored } from './fixtures.ts';

describe('the score of any content and answers', () => {
  const tenths = (least: number, most: number) =>
    fc.integer({ min: least * 10, max: most * 10 }).map((n) => n / 10);
  const weight = tenths(0, 4);
  /** A field without its id, and possible answers to it. */
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

  /** Two outermost sections, 8 and 9, and a repeat, 7, inside the first. */
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
        // The score is rounded, so a proportion is computed from the answer itself.
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
      { numRuns: runs(500) },
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

  test('a percentage is from 0 to 100, and is the part of its possible share that a section contributes', () => {
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

  test('an answer that is not applicable does not change the others', () => {
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

  test('an answer with full points never lowers the percentage', () => {
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

  test('thousands of fractions with different denominators are added quickly', () => {
    const odd = (i: number) => 1 + ((i * 7_919) % 999_983) / 1_000_003;
    const fields = Array.from({ length: 5_000 }, (_, i) =>
      field(i + 1, 'number', { max_score: odd(i), max: odd(i + 77), weight: odd(i + 5) }),
    );
    const index = inOne(fields, { method: 'weighted' });
    const answers = fields.map((_, i) => answer(i + 1, odd(i + 77) / 2));
    const begun = effort();
    expect(score(index, answers)).toMatchObject({ percentage: 50 });
    expect(effort() - begun).toBeLessThan(500);
  });
});
