import { writeXlsx } from 'hucre/xlsx';
import { ApiError } from '../../../shared/base/api-error.ts';
import { structureProblems } from '../../../shared/domain/content/publish/structure.ts';
import { importedTemplate } from '../../../shared/http/request/xlsform.ts';
import type { FormRow } from '../../../shared/schemas/templates/xlsform.ts';
import { importReport } from '../../../shared/xlsform/import/report/report.ts';
import { cpuTime } from '../../support/cpu.ts';
import { fieldsOf, imported, labelled, lost, problemsOf } from '../small-forms.ts';

type Rows = (string | null)[][];

const upload = async (sheets: Record<string, Rows>) =>
  importedTemplate({
    file: {
      name: 'crane.xlsx',
      type: '',
      bytes: await writeXlsx({ sheets: Object.entries(sheets).map(([name, rows]) => ({ name, rows })) }),
    },
  } as unknown as Parameters<typeof importedTemplate>[0]);

const SURVEY: Rows = [
  ['type', 'name', 'label'],
  ['text', 'a', 'A'],
];

const problemsIn = async (sheets: Record<string, Rows>) => {
  const error = await upload(sheets).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ApiError);
  return JSON.stringify((error as { detail?: unknown }).detail ?? error);
};

describe('importForm: sheets', () => {
  test('takes a single sheet for the survey, whatever its name', async () => {
    const { content } = await upload({ Tabelle1: SURVEY });
    expect(content.sections[0]!.fields).toMatchObject([{ name: 'a', label: 'A' }]);
  });

  test('refuses a survey without a header', async () => {
    expect(
      await problemsIn({
        survey: [
          ['text', 'a', 'A'],
          ['text', 'b', 'B'],
        ],
      }),
    ).toContain('no column named type');
  });

  test('suggests the name of a misspelt sheet', async () => {
    expect(await problemsIn({ Surveys: SURVEY, choices: [['list_name']] })).toContain(
      'rename the sheet \\"Surveys\\"',
    );
    const { report } = await upload({
      survey: SURVEY,
      choises: [['list_name'], ['a']],
      Notes: [['x'], ['y']],
    });
    expect(report.rows.map(({ sheet, message }) => `${sheet}: ${message}`)).toEqual([
      'choises: nothing of this sheet was imported: if it is meant to be "choices", rename it',
      'Notes: the sheet is not part of an XLSForm, so nothing of it was imported',
    ]);
  });

  test('joins equal notes', async () => {
    const note = (i: number) => ['start', `start_${i}`, ''];
    const { report } = await upload({ survey: [...SURVEY, ...[1, 2, 4].map(note)] });
    expect(report.rows).toEqual([
      expect.objectContaining({ row: null, message: expect.stringMatching(/\(rows 3–5\)$/) }),
    ]);
    expect(report.counts.notes).toBe(1);
  });

  test('lists losses first when the report is cut', () => {
    const { content } = imported([{ type: 'text', name: 'a', label: 'A' }]);
    const remark = { sheet: 'survey', column: 'name', name: null };
    const notes = Array.from({ length: 6_000 }, (_, row) => ({
      ...remark,
      row,
      severity: 'note' as const,
      message: `note ${row}`,
    }));
    const report = importReport(content, [
      ...notes,
      { ...remark, row: 7, severity: 'lost', message: 'loss' },
    ]);
    expect(report.rows[0]).toMatchObject({ severity: 'lost', message: 'loss' });
    expect(report.rows.at(-1)!.message).toBe('1001 more remarks are not listed, but counted');
    expect(report.counts).toMatchObject({ notes: 6_000, lost: 1 });
  });

  const questions = (count: number): FormRow[] =>
    Array.from({ length: count }, (_, i) => ({
      type: 'select_one nothing',
      name: `q${i}`,
      relevant: i === 0 ? '' : `\${q${i - 1}} != ''`,
    }));

  test.each<[what: string, survey: FormRow[], problem: string]>([
    [
      'questions',
      questions(20_000),
      'survey 5000 type: a form can have at most 5,000 questions, but this one has 20,000. Divide it into several forms',
    ],
    [
      'groups',
      Array.from({ length: 10_000 }, (_, i) => ({
        type: i % 2 === 0 ? 'begin group' : 'end group',
        name: `g${i}`,
      })),
      'survey 600 type: a form can have at most 300 groups and repeats, but this one has 5,000. Divide it into several forms',
    ],
    [
      'columns',
      Array.from({ length: 3_000 }, (_, i) => ({ type: 'text', name: `q${i}`, label: { [`L${i}`]: 'x' } })),
      'survey null null: a sheet can have at most 2,000 columns, but this one has 3,002',
    ],
  ])('refuses too many %s before it converts any', (_what, survey, problem) => {
    const before = cpuTime();
    // The lists that do not exist would be problems of the conversion.
    expect(problemsOf(survey)).toEqual([problem]);
    // Converting them would take several times as long.
    expect(cpuTime() - before).toBeLessThan(3_000);
  });

  test('imports the most questions that a template can have, with start fields beside them', () => {
    const asked = Array.from({ length: 5_000 }, (_, i) => ({ type: 'text', name: `q${i}`, label: 'Q' }));
    const { content } = imported([{ type: 'today', name: 'today' }, ...asked]);
    expect([fieldsOf(content).length, content.start.fields.length]).toEqual([5_000, 1]);
    expect(structureProblems(content)).toEqual([]);
  });

  test('has no empty section for a condition that cannot be imported', () => {
    const form = imported([
      { type: 'begin group', name: 'g', label: 'G', relevant: 'today() > 1' },
      { type: 'text', name: 'a', label: 'A' },
      { type: 'end group' },
    ]);
    expect(form.content.sections.map(({ title }) => title)).toEqual(['G']);
  });

  test('makes a remark on ${instanceID}, which is no answer', () => {
    const form = imported([{ type: 'text', name: 'a', label: 'A', relevant: "${instanceID} != ''" }]);
    expect(labelled(form, 'A').visible_if).toBeNull();
    expect(lost(form)).toEqual([expect.stringContaining('the id of the inspection is not an answer')]);
    expect(() => problemsOf([{ type: 'text', name: 'a', label: 'A' }])).toThrow('the form was imported');
  });
});
