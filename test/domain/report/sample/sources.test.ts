import fc from 'fast-check';
import { indexContent, resolveInstance } from '../../../../shared/domain/content/content-index.ts';
import { isAnswered } from '../../../../shared/domain/content/values/answer.ts';
import { checkAnswer } from '../../../../shared/domain/content/values/check-answer.ts';
import { isFailed } from '../../../../shared/domain/content/values/comparison.ts';
import { checkMedia } from '../../../../shared/domain/content/values/media.ts';
import { buildPayload } from '../../../../shared/domain/report/build.ts';
import { sampleSources } from '../../../../shared/domain/report/sample/sources.ts';
import { DEFAULT_LAYOUT } from '../../../../shared/schemas/reports/report-layout-content.ts';
import { ReportPayload } from '../../../../shared/schemas/reports/report-payload.ts';
import { Content, FieldType } from '../../../../shared/schemas/templates/content.ts';
import { anyContent } from '../../../reports/fixtures/any-content.ts';
import { ORGANIZATION } from '../../../reports/fixtures/sources.ts';
import { field, section, uuid } from '../../../support/content.ts';

const SETTING = {
  organization: ORGANIZATION,
  layout: DEFAULT_LAYOUT,
  template: { id: uuid(999), name: 'Kitchen', version_number: 3 },
};

const sampleOf = (content: Content) => sampleSources(indexContent(content), SETTING);
type Sample = ReturnType<typeof sampleOf>;

const payloadOf = (sample: Sample) =>
  buildPayload(sample, { id: null, version: 1, generated_at: '2026-03-14T10:00:00.000Z', language: null });

const contentOf = (...sections: object[]) => Content.parse({ sections });
const valuesOf = (sample: Sample, n: number) =>
  sample.answers.filter(({ field_id }) => field_id === uuid(n)).map(({ value }) => value);

/** The answers that could not be saved, or would be changed by that. */
const faultsIn = ({ index, answers, startAnswers }: Sample) => {
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
  it('has answers that can be saved and give a valid payload, for any content', () => {
    fc.assert(
      fc.property(anyContent, (content) => {
        const sample = sampleOf(content);
        expect(faultsIn(sample)).toEqual([]);
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
    const { answers, index } = sampleOf(contentOf(section(101, fields)));
    expect(
      new Set(answers.filter(isAnswered).map(({ field_id }) => index.fields.get(field_id)!.field.type)),
    ).toEqual(new Set(FieldType.exclude(['calculated', 'instruction']).options));
  });

  it('stays within limits, and leaves a field unanswered when it has no valid answer', () => {
    const sample = sampleOf(
      contentOf(
        section(101, [
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
    expect(faultsIn(sample)).toEqual([]);
    expect([1, 2, 3, 4, 5, 7].map((n) => valuesOf(sample, n).length)).toEqual([1, 1, 1, 1, 0, 1]);
    expect(valuesOf(sample, 6)[0]).toHaveLength(3);
  });

  it('never matches a pattern that cannot be published', () => {
    const patterns = ['(', '.*.*.*.*'];
    const fields = patterns.map((pattern, n) => field(n, 'long_text', { pattern, allow_na: true }));
    const { answers } = sampleOf(contentOf(section(101, fields)));
    expect(answers.filter(({ value }) => value !== null)).toEqual([]);
  });

  it('has failed answers with a note and a photo, and one that is not applicable', () => {
    const fields = Array.from({ length: 20 }, (_, n) => field(n, 'pass_fail_na'));
    const { answers, index } = sampleOf(contentOf(section(101, fields)));
    const failed = answers.filter(({ field_id, value }) =>
      isFailed(index.fields.get(field_id)!.field, index, value),
    );
    expect(failed).toHaveLength(3);
    for (const { note, media } of failed)
      expect([note, media?.length]).toEqual([expect.stringMatching(/\w/), 1]);
    expect(answers.filter(({ is_na }) => is_na)).toHaveLength(1);
  });

  it('has an answer outside a tolerance', () => {
    const within = field(1, 'number', { min: -40, max: 400, fail_if: { op: 'outside', value: [2, 8] } });
    const { answers, index } = sampleOf(contentOf(section(101, [within])));
    expect(isFailed(index.fields.get(uuid(1))!.field, index, answers[0]!.value)).toBe(true);
  });

  it('has two instances of each repeat where that is allowed, nested ones too', () => {
    const sample = sampleOf(
      contentOf(
        section(101, [field(1, 'text')], {
          repeat: {},
          sections: [section(102, [field(2, 'text')], { repeat: { min: 3 } })],
        }),
        section(103, [field(3, 'text')], { repeat: { max: 1 } }),
      ),
    );
    expect([1, 2, 3].map((n) => valuesOf(sample, n).length)).toEqual([2, 6, 1]);
  });

  it('opens a finding by the rule of each failed field, and a manual one without such rules', () => {
    const rule = {
      create: 'auto',
      label: 'Loose rail',
      severity: 'major',
      corrective_action: { title: 'Fix it' },
    };
    const ruled = payloadOf(sampleOf(contentOf(section(101, [field(1, 'pass_fail_na', { finding: rule })]))));
    expect(ruled.findings).toMatchObject([
      {
        label: 'Loose rail',
        severity: 'major',
        origin: 'auto',
        field_label: 'Field 1',
        corrective_actions: [{ title: 'Fix it', is_overdue: false, before: [{}], after: [{}] }],
      },
    ]);
    const free = payloadOf(sampleOf(contentOf(section(101, [field(1, 'text')]))));
    expect(free.findings).toMatchObject([{ label: 'Sample finding', origin: 'manual', section_title: null }]);
  });

  it('leaves out what a condition hides', () => {
    const hidden = { visible_if: { field_id: uuid(1), op: 'eq', value: 'never' } };
    const rule = { finding: { create: 'auto' } };
    const sample = sampleOf(
      contentOf(
        section(101, [field(1, 'text'), field(2, 'pass_fail_na', { ...hidden, ...rule })]),
        section(102, [field(3, 'pass_fail_na', rule)], hidden),
      ),
    );
    expect(sample.answers.map(({ field_id }) => field_id)).toEqual([uuid(1)]);
    expect(sample.findings.map(({ origin }) => origin)).toEqual(['manual']);
  });

  it('answers the start fields', () => {
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

  it('has one instance of each repeat in the largest content', () => {
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
