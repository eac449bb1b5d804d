import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { buildPayload } from '../../../shared/domain/report/build.ts';
import type { ReportedAnswer } from '../../../shared/domain/report/sources.ts';
import {
  DEFAULT_LAYOUT,
  ReportPayload,
  type ReportSection,
} from '../../../shared/schemas/reports/report-payload.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { foodEstablishment } from '../../reports/fixtures/food-establishment.ts';
import { field, section, uuid } from '../../support/content.ts';

const answer = (n: number, value: unknown, instance_path = ''): ReportedAnswer => ({
  field_id: uuid(n),
  instance_path,
  value,
  note: '',
  is_na: false,
  answered_by: null,
  answered_at: null,
});

const built = (content: object, answers: ReportedAnswer[], startAnswers: Record<string, unknown> = {}) => {
  const { organization, inspection } = foodEstablishment();
  const payload = buildPayload(
    {
      organization,
      layout: DEFAULT_LAYOUT,
      inspection,
      index: indexContent(Content.parse(content)),
      startAnswers,
      answers,
      findings: [],
      actions: [],
      names: new Map(),
      documents: new Map(),
    },
    { id: null, version: 1, generated_at: '2026-03-14T11:45:00.000Z' },
  );
  return ReportPayload.parse(payload);
};

/** A section as its title, the labels and answers of its fields, and its inner sections. */
const outline = ({ title, instance, fields, sections }: ReportSection): unknown[] => [
  instance === null ? title : `${title} ${instance}`,
  ...fields.map(({ label, answer: { text } }) => `${label}: ${text}`),
  ...sections.map(outline),
];

const shownBy = (n: number, value: unknown) => ({ visible_if: { field_id: uuid(n), op: 'eq', value } });

describe('buildPayload', () => {
  const signed = { typed: 'J. Doe', document_id: null, signed_name: 'Jane Doe', signed_at: null };
  const hiding = {
    start: {
      fields: [
        { key: 'indoors', type: 'yes_no', label: 'Indoors' },
        {
          key: 'floor',
          type: 'number',
          label: 'Floor',
          visible_if: { start_key: 'indoors', op: 'eq', value: true },
        },
      ],
    },
    sections: [
      section(101, [
        field(1, 'yes_no_na'),
        field(2, 'yes_no_na', shownBy(1, 'yes')),
        field(3, 'signature', shownBy(1, 'yes')),
      ]),
      section(102, [field(4, 'pass_fail_na')], {
        ...shownBy(1, 'yes'),
        sections: [section(103, [field(5, 'text')])],
      }),
      section(104, [], { sections: [section(105, [field(6, 'text', shownBy(1, 'yes'))])] }),
      section(106, []),
    ],
    scoring: { enabled: true },
  };
  const answers = [answer(2, 'no'), answer(3, signed), answer(4, 'fail'), answer(5, 'Dry'), answer(6, 'Wet')];

  test('leaves out what conditions hide, in the sections and in all figures', () => {
    const payload = built(hiding, [answer(1, 'no'), ...answers], { indoors: false, floor: 3 });
    expect(payload.sections.map(outline)).toEqual([
      ['Start', 'Indoors: No'],
      ['Section 101', 'Field 1: No'],
      ['Section 106'],
    ]);
    expect(payload.signatures).toEqual([]);
    expect(payload.summary).toMatchObject({
      progress: { answered: 1, total: 1 },
      counts: { answered: 1, failed: 1, na: 0 },
      score: { percentage: 0, points: 0, max: 1 },
    });
  });

  test('shows everything when no condition hides it', () => {
    const payload = built(hiding, [answer(1, 'yes'), ...answers], { indoors: true, floor: 3 });
    expect(payload.sections.map(outline)).toEqual([
      ['Start', 'Indoors: Yes', 'Floor: 3'],
      ['Section 101', 'Field 1: Yes', 'Field 2: No', 'Field 3: Jane Doe'],
      ['Section 102', 'Field 4: Fail', ['Section 103', 'Field 5: Dry']],
      ['Section 104', ['Section 105', 'Field 6: Wet']],
      ['Section 106'],
    ]);
    expect(payload.signatures).toHaveLength(1);
    expect(payload.summary).toMatchObject({
      progress: { answered: 6, total: 6 },
      counts: { answered: 6, failed: 2, na: 0 },
    });
  });

  test('does not print a hidden answer as the title of its instance', () => {
    const content = {
      sections: [
        section(100, [field(1, 'yes_no_na')]),
        section(101, [field(2, 'text', shownBy(1, 'yes')), field(3, 'text')], {
          repeat: { label_field_id: uuid(2) },
        }),
      ],
    };
    const rooms = [answer(2, 'The secret room', `${uuid(101)}[0]`), answer(3, 'Dry', `${uuid(101)}[0]`)];
    const titles = (shown: string) =>
      built(content, [answer(1, shown), ...rooms]).sections.map(({ instance }) => instance);
    expect(titles('yes')).toEqual([null, 'The secret room']);
    expect(titles('no')).toEqual([null, '#1']);
    expect(JSON.stringify(built(content, [answer(1, 'no'), ...rooms]))).not.toContain('secret');
  });

  test('shows the results of formulas, instance by instance', () => {
    const sum = `sum({${uuid(1)}})`;
    const content = {
      sections: [
        section(
          101,
          [
            field(1, 'number'),
            field(2, 'calculated', {
              formula: `{${uuid(1)}} * 2`,
              unit: 'm',
              fail_if: { op: 'gt', value: 5 },
            }),
          ],
          { repeat: { min: 3, label_field_id: uuid(2) } },
        ),
        section(102, [field(3, 'calculated', { formula: sum })]),
      ],
    };
    const at = (i: number) => `${uuid(101)}[${i}]`;
    const payload = built(content, [answer(1, 2, at(0)), answer(1, 3, at(1))]);
    expect(payload.sections.map(outline)).toEqual([
      ['Section 101 4 m', 'Field 1: 2', 'Field 2: 4 m'],
      ['Section 101 6 m', 'Field 1: 3', 'Field 2: 6 m'],
      ['Section 101 #3', 'Field 1: null', 'Field 2: null'],
      ['Section 102', 'Field 3: 5'],
    ]);
    expect(payload.summary.counts).toEqual({ answered: 2, failed: 1, na: 0 });
    expect(payload.summary.score).toBeNull();
    expect(payload.summary.section_scores).toEqual([]);
  });

  test('leaves out fields that the template hides in reports', () => {
    const inside = { report: { visible: false } };
    const content = {
      sections: [
        section(101, [field(1, 'text', inside), field(2, 'text')]),
        section(102, [field(3, 'text', inside)]),
      ],
    };
    const payload = built(content, [answer(1, 'x'), answer(2, 'y'), answer(3, 'z')]);
    expect(payload.sections.map(outline)).toEqual([['Section 101', 'Field 2: y']]);
  });

  test('has the scores of scored sections', () => {
    const content = {
      sections: [
        section(101, [field(1, 'yes_no_na')], {
          passing_score: 80,
          sections: [section(102, [field(2, 'yes_no_na')])],
        }),
        section(103, [field(3, 'text')]),
      ],
      scoring: { enabled: true },
    };
    const { score, section_scores } = built(content, [answer(1, 'no'), answer(2, 'yes')]).summary;
    expect(score).toEqual({ percentage: 50, points: 1, max: 2, result: 'fail' });
    expect(section_scores).toEqual([
      {
        section_id: uuid(101),
        title: 'Section 101',
        depth: 1,
        percentage: 50,
        points: 1,
        max: 2,
        passing_score: 80,
        result: 'fail',
      },
      {
        section_id: uuid(102),
        title: 'Section 102',
        depth: 2,
        percentage: 100,
        points: 1,
        max: 1,
        passing_score: null,
        result: null,
      },
    ]);
  });
});

describe('buildPayload: references in texts', () => {
  test('shows the answers in titles, labels and help texts, of the same instance', () => {
    const of = (n: number) => `\${${uuid(n)}}`;
    const content = {
      start: { fields: [{ key: 'site', type: 'text', label: 'Site' }] },
      sections: [
        section(101, [field(1, 'signature', { label: 'Signed at ${site}' })]),
        section(
          102,
          [field(2, 'text', { label: 'Name' }), field(3, 'number', { label: `Doors of ${of(2)}` })],
          {
            repeat: { min: 1 },
            title: `Room ${of(2)}`,
            description: `At \${site}`,
          },
        ),
      ],
    };
    const signed = { typed: 'J. Doe', document_id: null, signed_name: 'Jane Doe', signed_at: null };
    const room = (i: number) => `${uuid(102)}[${i}]`;
    const { sections, signatures } = built(
      content,
      [answer(1, signed), answer(2, 'Kitchen', room(0)), answer(3, 2, room(1))],
      { site: 'Dock' },
    );
    expect(sections.slice(2).map(outline)).toEqual([
      ['Room Kitchen #1', 'Name: Kitchen', 'Doors of Kitchen: null'],
      ['Room … #2', 'Name: null', 'Doors of …: 2'],
    ]);
    expect(sections.map(({ description }) => description)).toEqual(['', '', 'At Dock', 'At Dock']);
    expect(signatures).toMatchObject([{ label: 'Signed at Dock' }]);
  });
});
