import fc from 'fast-check';
import { indexContent, resolveInstance } from '../../../shared/domain/content/content-index.ts';
import { checkAnswer, checkMedia, isAnswered, isFailed } from '../../../shared/domain/content/values.ts';
import { buildPayload } from '../../../shared/domain/report/build.ts';
import { sampleSources } from '../../../shared/domain/report/sample.ts';
import { DEFAULT_LAYOUT, ReportPayload } from '../../../shared/schemas/reports/report-payload.ts';
import { Content, FieldType } from '../../../shared/schemas/templates/content.ts';
import { anyContent } from '../../reports/contents.ts';
import { foodEstablishment, uuid } from '../../reports/food-establishment.ts';

const SETTING = {
  organization: foodEstablishment().organization,
  layout: DEFAULT_LAYOUT,
  template: { id: uuid(9, 1), name: 'Kitchen', version_number: 3 },
};

const sampleOf = (content: Content) => sampleSources(indexContent(content), SETTING);
type Sample = ReturnType<typeof sampleOf>;

const payloadOf = (sample: Sample) =>
  buildPayload(sample, { id: null, version: 1, generated_at: '2026-03-14T10:00:00.000Z' });

const field = (n: number, type: string, more: object = {}) => ({
  id: uuid(6, n),
  type,
  label: `Question ${n}`,
  ...more,
});
const section = (n: number, fields: object[], more: object = {}) => ({
  id: uuid(5, n),
  title: `Section ${n}`,
  fields,
  ...more,
});
const contentOf = (...sections: object[]) => Content.parse({ sections });
const valuesOf = (sample: Sample, n: number) =>
  sample.answers.filter(({ field_id }) => field_id === uuid(6, n)).map(({ value }) => value);

/** What keeps an answer from being saved as it is. */
const faultsOf = ({ index, answers, startAnswers }: Sample) => {
  const faults: unknown[] = [];
  const expectSame = (checked: unknown, value: unknown) => {
    if (JSON.stringify(checked) !== JSON.stringify(value)) faults.push({ checked, value });
  };
  for (const { field_id, instance_path, value, is_na, media } of answers) {
    const place = index.fields.get(field_id)!;
    expectSame(checkAnswer(place.field, index, value, { is_na }), { value, is_na });
    if (media) expectSame(checkMedia(place.field, media), { value: media });
    const instance = resolveInstance(index, field_id, undefined, instance_path);
    expectSame('instance_path' in instance && instance.instance_path, instance_path);
  }
  for (const [key, value] of Object.entries(startAnswers)) {
    expectSame(checkAnswer(index.startFields.get(key)!, index, value), { value, is_na: false });
  }
  return faults;
};

describe('sampleSources', () => {
  it('holds what could be saved, and makes a payload, whatever a draft asks', () => {
    fc.assert(
      fc.property(anyContent, (content) => {
        const sample = sampleOf(content);
        expect(faultsOf(sample)).toEqual([]);
        expect(ReportPayload.safeParse(payloadOf(sample)).error).toBeUndefined();
        expect(sampleOf(content)).toEqual(sample);
      }),
      { numRuns: 150 },
    );
  });

  it('answers every type of field', () => {
    const options = [
      { value: 'good', label: 'Good' },
      { value: 'fair', label: 'Fair' },
      { value: 'bad', label: 'Bad', is_failed: true },
    ];
    const fields = FieldType.options.map((type, n) =>
      field(n, type, type.endsWith('_select') ? { options } : {}),
    );
    const { answers, index } = sampleOf(contentOf(section(1, fields)));
    expect(
      new Set(answers.filter(isAnswered).map(({ field_id }) => index.fields.get(field_id)!.field.type)),
    ).toEqual(new Set(FieldType.exclude(['calculated', 'instruction']).options));
  });

  it('stays within limits, and leaves what it cannot guess unanswered', () => {
    const sample = sampleOf(
      contentOf(
        section(1, [
          field(1, 'number', { min: 0.5, max: 2, step: 0.25 }),
          field(2, 'temperature', { max: -18 }),
          field(3, 'text', { max_length: 4 }),
          field(4, 'text', { pattern: '[A-Z]{3}-\\d{3}' }),
          field(5, 'text', { pattern: '(red|green) lamp' }),
          field(6, 'photo', { media: { min: 3 } }),
          field(7, 'number', { min: 1.2, max: 1.8 }),
        ]),
      ),
    );
    expect(faultsOf(sample)).toEqual([]);
    expect([1, 2, 3, 4, 5, 7].map((n) => valuesOf(sample, n).length)).toEqual([1, 1, 1, 1, 0, 1]);
    expect(valuesOf(sample, 6)[0]).toHaveLength(3);
  });

  it('tries nothing against a pattern that a draft has and no version may have', () => {
    const patterns = ['(', '.*.*.*.*'];
    const fields = patterns.map((pattern, n) => field(n, 'long_text', { pattern, allow_na: true }));
    const { answers } = sampleOf(contentOf(section(1, fields)));
    expect(answers.filter(({ value }) => value !== null)).toEqual([]);
  });

  it('fails some answers, with a note and a photo, and leaves one not applicable', () => {
    const fields = Array.from({ length: 20 }, (_, n) => field(n, 'pass_fail_na'));
    const { answers, index } = sampleOf(contentOf(section(1, fields)));
    const failed = answers.filter(({ field_id, value }) =>
      isFailed(index.fields.get(field_id)!.field, index, value),
    );
    expect(failed).toHaveLength(3);
    for (const { note, media } of failed)
      expect([note, media?.length]).toEqual([expect.stringMatching(/\w/), 1]);
    expect(answers.filter(({ is_na }) => is_na)).toHaveLength(1);
  });

  it('finds a tolerance’s outside, too', () => {
    const within = field(1, 'number', { min: -40, max: 400, fail_if: { op: 'outside', value: [2, 8] } });
    const { answers, index } = sampleOf(contentOf(section(1, [within])));
    expect(isFailed(index.fields.get(uuid(6, 1))!.field, index, answers[0]!.value)).toBe(true);
  });

  it('repeats twice where that is allowed, nested repeats too', () => {
    const sample = sampleOf(
      contentOf(
        section(1, [field(1, 'text')], {
          repeat: {},
          sections: [section(2, [field(2, 'text')], { repeat: { min: 3 } })],
        }),
        section(3, [field(3, 'text')], { repeat: { max: 1 } }),
      ),
    );
    expect([1, 2, 3].map((n) => valuesOf(sample, n).length)).toEqual([2, 6, 1]);
  });

  it('opens a finding by the rule of each failed field, and one by hand where there is none', () => {
    const rule = {
      create: 'auto',
      label: 'Loose rail',
      severity: 'major',
      corrective_action: { title: 'Fix it' },
    };
    const ruled = payloadOf(sampleOf(contentOf(section(1, [field(1, 'pass_fail_na', { finding: rule })]))));
    expect(ruled.findings).toMatchObject([
      { label: 'Loose rail', severity: 'major', origin: 'auto', field_label: 'Question 1' },
    ]);
    expect(ruled.corrective_actions).toMatchObject([
      { title: 'Fix it', finding_number: 1, is_overdue: false },
    ]);
    const free = payloadOf(sampleOf(contentOf(section(1, [field(1, 'text')]))));
    expect(free.findings).toMatchObject([{ label: 'Sample finding', origin: 'manual', section_title: null }]);
  });

  it('shows nothing that a condition hides', () => {
    const hidden = { visible_if: { field_id: uuid(6, 1), op: 'eq', value: 'never' } };
    const rule = { finding: { create: 'auto' } };
    const sample = sampleOf(
      contentOf(
        section(1, [field(1, 'text'), field(2, 'pass_fail_na', { ...hidden, ...rule })]),
        section(2, [field(3, 'pass_fail_na', rule)], hidden),
      ),
    );
    expect(sample.answers.map(({ field_id }) => field_id)).toEqual([uuid(6, 1)]);
    expect(sample.findings.map(({ origin }) => origin)).toEqual(['manual']);
  });

  it('answers the start, too', () => {
    const { startAnswers } = sampleOf(
      Content.parse({
        start: {
          fields: [
            { key: 'weather', type: 'text', label: 'Weather' },
            { key: 'guide', type: 'member', label: 'Guide' },
            { key: 'intro', type: 'instruction', label: 'Welcome' },
          ],
        },
      }),
    );
    expect(Object.keys(startAnswers)).toEqual(['weather', 'guide']);
  });

  it('is quick with the largest content, and does not multiply it', () => {
    const nested = (depth: number): object =>
      section(
        depth,
        Array.from({ length: 1_000 }, (_, n) => field(depth * 1_000 + n, 'pass_fail_na')),
        {
          repeat: {},
          sections: depth < 5 ? [nested(depth + 1)] : [],
        },
      );
    const { answers } = sampleOf(contentOf(nested(1)));
    expect(answers).toHaveLength(5_000);
  });
});
