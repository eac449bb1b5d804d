import type { ReportedAnswer } from '../../../shared/domain/report/material.ts';
import type { ReportAnswer, ReportSection } from '../../../shared/schemas/reports/report-answer.ts';
import { ReportPayload } from '../../../shared/schemas/reports/report-payload.ts';
import {
  CASES,
  corrected,
  failedByCriticalItem,
  failedBySection,
  finding,
  findingsWithActions,
  instances,
  passed,
  unfinished,
} from '../../reports/fixtures/hard-cases.ts';
import { reportPayload } from '../../reports/fixtures/material.ts';
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

const built = (content: object, answers: ReportedAnswer[], startAnswers: Record<string, unknown> = {}) =>
  ReportPayload.parse(reportPayload(content, { answers, startAnswers }));

/** An answer in brief; null without one. */
const brief = (answered: ReportAnswer | null): string | null => {
  if (answered?.kind === 'text') return answered.text;
  if (answered?.kind === 'number') return [answered.number, answered.unit].filter(Boolean).join(' ');
  if (answered?.kind === 'options') return answered.options.map(({ label }) => label).join();
  if (answered?.kind === 'yes_no') return answered.yes ? 'Yes' : 'No';
  return answered?.kind ?? null;
};

/** A section as its title, the labels and answers of its fields, and its inner sections. */
const outline = ({ title, fields, sections, instances }: ReportSection): unknown[] => [
  title,
  ...fields.map(({ label, answer: given }) => `${label}: ${brief(given)}`),
  ...sections.map(outline),
  ...(instances ?? []).map(({ label, position, ...own }) =>
    outline({ ...own, id: '', title: brief(label) ?? `#${position}`, description: '', instances: null }),
  ),
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
    expect(payload.start).toMatchObject([{ label: 'Indoors', answer: { kind: 'yes_no', yes: false } }]);
    expect(payload.sections.map(outline)).toEqual([['Section 101', 'Field 1: No'], ['Section 106']]);
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
      ['Section 101', 'Field 1: Yes', 'Field 2: No', 'Field 3: signature'],
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
      built(content, [answer(1, shown), ...rooms]).sections[1]!.instances!.map(({ label }) => brief(label));
    expect(titles('yes')).toEqual(['The secret room']);
    expect(titles('no')).toEqual([null]);
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
      [
        'Section 101',
        ['4 m', 'Field 1: 2', 'Field 2: 4 m'],
        ['6 m', 'Field 1: 3', 'Field 2: 6 m'],
        ['#3', 'Field 1: null', 'Field 2: null'],
      ],
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
    const { score, section_scores, verdict } = built(content, [answer(1, 'no'), answer(2, 'yes')]).summary;
    expect(score).toEqual({ percentage: 50, points: 1, max: 2 });
    expect(verdict).toMatchObject({
      result: 'fail',
      passing_score: null,
      reasons: [{ kind: 'section', section_title: 'Section 101', percentage: 50, passing_score: 80 }],
    });
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

describe('buildPayload of hard cases', () => {
  test.each(Object.entries(CASES))('%s is a valid payload', (_name, payloadOf) => {
    const { error } = ReportPayload.safeParse(payloadOf());
    expect(error).toBeUndefined();
  });

  test('an unfinished inspection has no verdict anywhere', () => {
    const { report, summary } = unfinished();
    expect(report.is_draft).toBe(true);
    expect(summary.verdict).toBeNull();
    expect(summary.section_scores.map(({ result }) => result)).toEqual([null, null]);
  });

  test('a verdict names the critical item, the sections and the total that failed it', () => {
    expect(passed().summary.verdict).toEqual({ result: 'pass', passing_score: 80, reasons: [] });
    expect(failedByCriticalItem().summary.verdict?.reasons).toMatchObject([
      { kind: 'critical_item', field_number: '1.1', field_label: 'Chilled food is held at ≤ 5 °C' },
    ]);
    expect(failedBySection().summary.verdict?.reasons).toMatchObject([
      { kind: 'section', section_title: 'Food temperatures', percentage: 50, passing_score: 90 },
      { kind: 'total', percentage: 50, passing_score: 80 },
    ]);
  });

  test('a percentage that rounds to the passing score shows why it is below it', () => {
    const questions = Array.from({ length: 1_501 }, (_, n) => field(1000 + n, 'pass_fail_na'));
    const { summary } = built(
      { sections: [section(101, questions)], scoring: { enabled: true, passing_score: 20 } },
      questions.map((_, n) => answer(1000 + n, n < 300 ? 'pass' : 'fail')),
    );
    expect(summary.score?.percentage).toBe(20);
    expect(summary.verdict?.reasons).toEqual([{ kind: 'total', percentage: 19.99, passing_score: 20 }]);
  });

  test('findings are numbered in the order of their questions, with their instance and their actions', () => {
    const inInstances = instances(50).findings;
    expect(inInstances.map(({ position }) => position)).toEqual([1, 2, 3, 4]);
    expect(inInstances.map((found) => brief(found.instances[0]!.label))).toEqual([
      'EXT-1004',
      'EXT-1016',
      'EXT-1028',
      'EXT-1040',
    ]);
    const { findings, summary } = findingsWithActions();
    expect(
      findings.map(({ position, number, corrective_actions }) => [
        position,
        number,
        corrective_actions.length,
      ]),
    ).toEqual([
      [1, 4712, 3],
      [2, 4711, 1],
      [3, 4713, 0],
    ]);
    expect(findings[0]!.corrective_actions[1]).toMatchObject({
      assignee_name: 'Γιώργος Παπαδόπουλος',
      before: [{ caption: 'The torn seal' }],
      after: [{ caption: 'The new seal' }, { caption: 'Invoice', mime_type: 'application/pdf' }],
    });
    expect(summary.corrective_actions).toEqual({
      open: 1,
      in_progress: 0,
      pending_verification: 1,
      verified: 1,
      cancelled: 1,
      overdue: 1,
    });
  });

  test('a correction says who changed what, when and why, and a signature that it came before', () => {
    const { corrections, signatures } = corrected();
    expect(corrections).toMatchObject([
      {
        position: 1,
        reason: 'The display was read wrongly: the probe shows 4.1 °C.',
        opened_by_name: 'Zofia Wiśniewska',
        changes: [
          {
            field_number: '1.2',
            before: { answer: { kind: 'number', number: 9.1, unit: '°C' }, note: 'As displayed' },
            after: { answer: { number: 4.1 }, note: 'By probe' },
          },
          { before: { answer: null, is_na: true }, after: { answer: { kind: 'options' } } },
          { source: 'start', field_label: 'Guests present', before: { answer: { number: 14 } } },
        ],
        approved_by_name: 'Şükrü Yıldız',
      },
      {
        position: 2,
        status: 'pending_approval',
        approved_at: null,
        changes: [
          { source: 'setup', field_id: 'name', after: { answer: { text: 'Kitchen of the annex' } } },
          {
            field_id: 'location_id',
            before: { answer: null },
            after: { answer: { kind: 'location', name: null } },
          },
          { field_id: 'scheduled_for', before: { answer: { kind: 'datetime' } }, after: { answer: null } },
          { after: { answer: { text: 'Zofia Wiśniewska, Şükrü Yıldız' } } },
          { field_id: 'finding', after: { answer: { text: 'The door does not close' } } },
        ],
      },
    ]);
    expect(signatures.map(({ source, before_correction }) => [source, before_correction])).toEqual([
      ['field', 1],
      ['sign_off', 1],
      ['sign_off', 1],
    ]);
    expect(signatures.map(({ typed, declined }) => [typed, declined])).toEqual([
      [null, false],
      ['Şükrü Yıldız', false],
      [null, true],
    ]);
  });

  test('the texts of a template are in the language of the report, as far as they are translated', () => {
    const content = {
      language: 'en',
      sections: [
        section(101, [
          field(1, 'single_select', { label: 'State', options: [{ value: 'ok', label: 'Good' }] }),
          field(2, 'text', { label: 'Remarks' }),
        ]),
      ],
      translations: [
        {
          language: 'Deutsch (de)',
          texts: [
            { id: uuid(101), title: 'Bereich' },
            { id: uuid(1), label: 'Zustand', options: [{ value: 'ok', label: 'Gut' }] },
          ],
        },
      ],
    };
    const outlineIn = (language: 'de' | 'fr') =>
      reportPayload(content, { answers: [answer(1, 'ok'), answer(2, 'x')] }, language).sections.map(outline);
    expect(outlineIn('de')).toEqual([['Bereich', 'Zustand: Gut', 'Remarks: x']]);
    const found = (label: string) => finding(1, { label, section_id: uuid(101), field_id: uuid(1) });
    const { findings } = reportPayload(content, { findings: [found('State'), found('Rusty')] }, 'de');
    expect(findings.map(({ label, field_label }) => [label, field_label])).toEqual([
      ['Zustand', 'Zustand'],
      ['Rusty', 'Zustand'],
    ]);
    expect(outlineIn('fr')).toEqual([['Section 101', 'State: Good', 'Remarks: x']]);
  });
});

describe('buildPayload: references in texts', () => {
  test('shows the answers in titles, labels and help texts, of the same instance', () => {
    const of = (n: number) => `\${${uuid(n)}}`;
    const content = {
      start: { fields: [{ key: 'site', type: 'text', label: 'Site' }] },
      sections: [
        section(101, [field(1, 'text', { label: 'Seen at ${site}', help_text: `As ${of(1)}` })], {
          title: 'Visit of ${site}',
        }),
        section(102, [field(2, 'text'), field(3, 'number', { label: `Doors of ${of(2)}` })], {
          repeat: { min: 1 },
        }),
      ],
    };
    const room = (i: number) => `${uuid(102)}[${i}]`;
    const { sections } = built(
      content,
      [answer(1, 'x'), answer(2, 'Kitchen', room(0)), answer(3, 2, room(1))],
      {
        site: 'Dock',
      },
    );
    expect(sections[0]).toMatchObject({
      title: 'Visit of Dock',
      fields: [{ label: 'Seen at Dock', help: 'As x' }],
    });
    expect(sections[1]!.instances!.map(({ fields }) => fields[1]!.label)).toEqual([
      'Doors of Kitchen',
      'Doors of …',
    ]);
  });
});

describe('buildPayload: what conditions hide', () => {
  const ifYes = (n: number) => ({ visible_if: { field_id: uuid(n), op: 'eq', value: 'yes' } });

  test('is left out with the instance or the section that holds nothing else', () => {
    const content = {
      sections: [
        section(101, [field(1, 'yes_no_na')], { description: 'Rooms' }),
        section(102, [field(2, 'text', ifYes(1))]),
        section(103, [field(3, 'text', ifYes(1))], { repeat: { min: 2 } }),
        section(104, [field(4, 'text')], { repeat: {} }),
        section(105),
      ],
    };
    const shown = (value: string) =>
      built(content, [answer(1, value)]).sections.map(({ title, instances }) => [
        title,
        instances?.length ?? null,
      ]);
    expect(shown('no')).toEqual([
      ['Section 101', null],
      ['Section 105', null],
    ]);
    expect(shown('yes')).toEqual([
      ['Section 101', null],
      ['Section 102', null],
      ['Section 103', 2],
      ['Section 105', null],
    ]);
    expect(built(content, []).sections.map(({ description }) => description)).toEqual(['Rooms', '']);
  });
});

describe('buildPayload: the summary', () => {
  const content = {
    sections: [section(101, [field(1, 'yes_no_na'), field(2, 'yes_no_na')])],
    scoring: { enabled: true, passing_score: 50 },
  };
  const summary = (given: object, answers: ReturnType<typeof answer>[], changes: object = {}) =>
    reportPayload(given, { answers, ...changes }).summary;
  const previousScore = { percentage: 40 } as never;

  test('counts an answer that is not applicable as no failed one', () => {
    const answers = [{ ...answer(1, 'na'), is_na: true }, answer(2, 'no')];
    expect(summary(content, answers).counts).toEqual({ answered: 2, failed: 1, na: 1 });
  });

  test('has the previous score beside a score alone, and reasons for a failure alone', () => {
    const passed = summary(content, [answer(1, 'yes'), answer(2, 'no')], { previousScore });
    expect([passed.previous_score, passed.verdict]).toEqual([
      previousScore,
      { result: 'pass', passing_score: 50, reasons: [] },
    ]);
    const unscored = summary({ ...content, scoring: { enabled: false } }, [answer(1, 'yes')], {
      previousScore,
    });
    expect([unscored.score, unscored.previous_score]).toEqual([null, null]);
  });
});
