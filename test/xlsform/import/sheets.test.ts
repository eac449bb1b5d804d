import { writeXlsx } from 'hucre/xlsx';
import { ApiError } from '../../../shared/base/api-error.ts';
import { structureProblems } from '../../../shared/domain/content/publish/structure.ts';
import {
  columnOf,
  similarColumn,
  similarSheet,
  vocabularyOf,
} from '../../../shared/domain/xlsform/form/columns.ts';
import {
  sheetOfRows,
  cellText,
  cleaned,
  lettersOf,
  sheetOf,
} from '../../../shared/domain/xlsform/form/sheets.ts';
import {
  headerOf,
  peek,
  peekIn,
  settle,
  tableOf,
  take,
  takeIn,
} from '../../../shared/domain/xlsform/form/table.ts';
import { placesOf } from '../../../shared/domain/xlsform/import/report/remarks.ts';
import { importReport } from '../../../shared/domain/xlsform/import/report/report.ts';
import { importedTemplate } from '../../../shared/http/request/xlsform.ts';
import type { FormRow } from '../../../shared/schemas/templates/xlsform.ts';
import { effort } from '../../support/effort.ts';
import { fieldsOf, imported, labelled, lost, problemsOf } from '../small-forms.ts';

type Rows = (string | null)[][];

const upload = async (sheets: Record<string, Rows>) =>
  importedTemplate({
    file: {
      name: 'crane.xlsx',
      type: '',
      bytes: await writeXlsx({ sheets: Object.entries(sheets).map(([name, rows]) => ({ name, rows })) }),
    },
    media: [],
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
      'did you mean \\"Surveys\\"? Rename it to survey',
    );
    const { report } = await upload({
      survey: SURVEY,
      choises: [['list_name'], ['a']],
      Notes: [['x'], ['y']],
    });
    expect(report.rows.map(({ sheet, message }) => `${sheet}: ${message}`)).toEqual([
      'choises: nothing of this sheet was imported: did you mean "choices"? Rename it',
      'Notes: nothing of this sheet was imported, because it is not part of an XLSForm',
    ]);
  });

  test('names the cell of a text that cannot be stored', async () => {
    const rows = [...SURVEY, ['text', 'b', '_x0007_B']];
    expect(await problemsIn({ survey: rows })).toMatch(
      /^\[\{"loc":\["body","file","survey","3","label"\],"msg":"Value error, the cell contains a control character/,
    );
  });

  test('suggests the name of a misspelt column', async () => {
    expect(
      await problemsIn({
        survey: [
          ['tpye', 'name'],
          ['text', 'a'],
        ],
      }),
    ).toContain('no column named type: did you mean \\"tpye\\"? Rename it to type');
    const { remarks } = imported([
      {
        type: 'text',
        name: 'a',
        label: 'A',
        'lable::French (fr)': 'B',
        relevent: 'yes',
        remark: 'x',
        'bind::a': 1,
      },
    ]);
    const unknown = 'because columns of this name are not supported (row 0)';
    expect(remarks.map(({ column, message }) => `${column}: ${message}`)).toEqual([
      'lable::French (fr): nothing of this column was imported: did you mean "label::French (fr)"? Rename it (row 0)',
      'relevent: nothing of this column was imported: did you mean "relevant"? Rename it (row 0)',
      `remark: nothing of this column was imported, ${unknown}`,
      `bind::a: nothing of this column was imported, ${unknown}`,
    ]);
  });

  test('says in the words of the form what it means that a cell is not imported', () => {
    const { remarks } = imported(
      [
        { type: 'begin repeat', name: 'r', label: 'R', relevant: 'sqrt(4) = 2' },
        { type: 'integer', name: 'n', label: 'N' },
        { type: 'end repeat' },
        { type: 'calculate', name: 'c', label: 'C', calculation: 'pow(2, 2)' },
        { type: 'text', name: 'd', label: 'D', required: '. = 1', default: 'today()' },
        { type: 'text', name: 'e', label: 'E', calculation: 'if(1, 2)', relevant: '${c} > 1' },
        { type: 'integer', name: 'f', label: 'F', constraint: '. > 5 and . < 3' },
        { type: 'note', name: 'g', label: 'G', relevant: '${n} + 1 > 2' },
      ],
      { settings: { version: '2026-03' } },
    );
    expect(remarks.map(({ name, column, message }) => `${name} ${column}: ${message}`)).toEqual([
      'r relevant: this repeat is now always shown: the function sqrt() is not available',
      'c calculation: this calculation was left out: the function pow() is not available',
      'c label: not imported, because this row was left out',
      'd required: this question is now never required: "." stands for an answer in a constraint only',
      'd default: this question now begins without an answer: a default cannot be calculated',
      'e calculation: this question is now not calculated: if takes 3 arguments, not 2',
      'e relevant: this question is now always shown: it uses "c", which was not imported (it cannot be calculated)',
      'f constraint: answers now have no minimum: min is greater than max',
      'g relevant: this note is now always shown: it uses a question of a repeat, which may have several answers, other than in sum, count, min or max',
      'null version: this version is not kept, because each version of a template has a number of its own. An export has that number',
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

  test('names the places of a remark, of many rows the first ones', () => {
    expect(placesOf([7])).toBe('(row 7)');
    expect(placesOf([2, 3, 4, 8])).toBe('(rows 2–4, 8)');
    const even = Array.from({ length: 51 }, (_, i) => 2 * i);
    expect(placesOf(even.slice(0, 50))).toBe(`(rows ${even.slice(0, 50).join(', ')})`);
    expect(placesOf(even)).toBe(`(rows ${even.slice(0, 50).join(', ')}, …)`);
  });

  test('cuts a message that quotes a long cell', () => {
    const type = `select_one ${'x'.repeat(400)}`;
    const [problem] = problemsOf([{ type, name: 'a', label: 'A' }]);
    const message = problem!.replace('survey 0 type: ', '');
    expect([message.length, message.endsWith('x…')]).toEqual([300, true]);
  });

  test('says which choices are left out, and why', () => {
    const choices = [
      { list_name: 'l', name: 'a', label: 'A' },
      { list_name: 'l', name: '', label: 'B' },
      { list_name: '', name: 'c', label: 'C' },
    ];
    const form = imported([{ type: 'select_one l', name: 'q', label: 'Q' }], { choices });
    expect(form.remarks.map(({ row, column, message }) => [row, column, message])).toEqual([
      [1, 'name', 'this choice was left out, because it has no name'],
      [2, 'list_name', 'this choice was left out, because it has no list_name'],
    ]);
  });

  test('is refused for a row without a type, and a loop over a list that there is not', () => {
    expect(problemsOf([{ type: '', name: 'a', label: 'A' }])).toEqual([
      'survey 0 type: this row has no type',
    ]);
    expect(
      problemsOf([
        { type: 'begin loop over nothing', name: 'each', label: 'Each' },
        { type: 'text', name: 'a', label: 'A' },
        { type: 'end loop' },
      ]),
    ).toEqual(['survey 0 type: there is no list "nothing" to loop over']);
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
    const before = effort();
    // The lists that do not exist would be problems of the conversion.
    expect(problemsOf(survey)).toEqual([problem]);
    // Converting them would take several times as long.
    expect(effort() - before).toBeLessThan(300);
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
    expect(lost(form)).toEqual([
      expect.stringContaining('uses the id of the inspection, which is not an answer'),
    ]);
    expect(() => problemsOf([{ type: 'text', name: 'a', label: 'A' }])).toThrow('the form was imported');
  });
});

describe('columns of a sheet', () => {
  test.each<[header: string, name: string, language: string | null, isOld?: boolean]>([
    ['type', 'type', null],
    [' Constraint  Message ', 'constraint_message', null],
    ['label::English (en)', 'label', 'English (en)'],
    ['Label :: fr :: x', 'label', 'fr::x'],
    ['label::', 'label', null],
    ['caption', 'label', null],
    ['Relevance', 'relevant', null],
    ['bind::relevant', 'relevant', null],
    ['Control :: appearance', 'appearance', null],
    ['body::appearance', 'appearance', null],
    ['media::image', 'media::image', null],
    ['media::image::fr', 'media::image', 'fr'],
    ['image', 'media::image', null],
    ['big-image', 'media::big-image', null],
    ['bind::jr:constraintMsg', 'constraint_message', null],
    ['bind:jr:constraintMsg:fr', 'constraint_message', 'fr', true],
    ['label:fr', 'label', 'fr', true],
    ['media : image : fr', 'media::image', 'fr', true],
    ['inspection__score', 'inspection__score', null],
    ['inspection::Score', 'inspection__score', null],
    ['Inspection : max length', 'inspection__max_length', null],
    ['inspection::options::a', 'inspection__options__a', null],
  ])('%j is the column %s in the language %j', (header, name, language, isOld = false) => {
    expect(columnOf(header, isOld, vocabularyOf('survey'))).toEqual({
      header,
      name,
      language,
      isKnown: true,
    });
  });

  test.each([
    ['remark', 'survey'],
    ['label:fr', 'survey'],
    ['type::fr', 'survey'],
    ['bind', 'survey'],
    ['inspection', 'survey'],
    ['inspections__a', 'survey'],
    ['constructor', 'survey'],
    ['x'.repeat(201), 'survey'],
    [`label::${'x'.repeat(194)}`, 'survey'],
    ['hint', 'choices'],
    ['label', 'settings'],
    ['form_title::fr', 'settings'],
  ])('%j is no column of the sheet %s', (header, sheet) => {
    expect(columnOf(header, false, vocabularyOf(sheet))).toEqual({
      header,
      name: header,
      language: null,
      isKnown: false,
    });
  });

  test.each([
    ['lable', 'label'],
    ['labels::fr::x', 'label::fr::x'],
    ['nmae', 'name'],
    ['nam', 'name'],
    ['na', undefined],
    ['xame', 'name'],
    ['xaxe', undefined],
    ['relevnat', 'relevant'],
    ['elevantt', 'relevant'],
    ['relevantabc', undefined],
    ['Constraint', undefined],
    ['caption', undefined],
    ['label', undefined],
    [`${' '.repeat(40)}hnit`, 'hint'],
    ['x'.repeat(41), undefined],
  ])('%j may mean the column %s', (header, column) => {
    expect(similarColumn('survey', header)).toBe(column);
  });

  test.each([
    ['Surveys', 'survey'],
    ['choises', 'choices'],
    ['external choice', 'external_choices'],
    ['setting', 'settings'],
    ['notes', undefined],
  ])('%j may mean the sheet %s', (name, sheet) => {
    expect(similarSheet(name)).toBe(sheet);
  });

  test.each([
    [0, 'A'],
    [25, 'Z'],
    [26, 'AA'],
    [51, 'AZ'],
    [52, 'BA'],
    [701, 'ZZ'],
    [702, 'AAA'],
    [1_999, 'BXX'],
  ])('the column %s has the letters %s', (position, letters) => {
    expect(lettersOf(position)).toBe(letters);
  });
});

describe('texts of a sheet', () => {
  test('have plain spaces and line ends, and no halves of characters', () => {
    expect(cleaned(' \u00a0a\u00a0b\r\nc\rd\ud800\n')).toBe('a b\nc\nd\ufffd');
    expect(cellText('a\u0000b\u0008c\td\u000be\u001ff\ufffeg\uffff \u0007')).toBe('ab\u0063\tdefg');
  });

  test('have the form that JSON gives them', () => {
    const rows = [{ type: 'text', label: { en: ' A ', fr: '' }, a: true, b: false, c: 5, d: null }];
    expect(sheetOfRows('survey', rows)).toEqual({
      name: 'survey',
      header: new Map(['type', 'label::en', 'label::fr', 'a', 'b', 'c', 'd'].map((name, at) => [at, name])),
      rows: [
        {
          number: 0,
          cells: new Map([
            [0, 'text'],
            [1, 'A'],
            [3, 'TRUE'],
            [4, 'FALSE'],
            [5, '5'],
          ]),
        },
      ],
    });
    expect(sheetOf('s', [{ number: 4, cells: [['b', 'x']] }], ['a', 'b'])).toEqual({
      name: 's',
      header: new Map([
        [0, 'a'],
        [1, 'b'],
      ]),
      rows: [{ number: 4, cells: new Map([[1, 'x']]) }],
    });
  });

  const rowOf = (cells: [string, string][]) => tableOf(sheetOf('survey', [{ number: 2, cells }])).rows[0]!;

  test('are found by column and language', () => {
    const row = rowOf([
      ['label', 'plain'],
      ['label::en', 'first'],
      ['Label::en', 'second'],
      ['label::fr', 'autre'],
      ['type', 'text'],
    ]);
    expect([peek(row, 'label'), peek(row, 'type'), peek(row, 'hint')]).toEqual(['plain', 'text', '']);
    expect([peekIn(row, 'label', 'en'), peekIn(row, 'label', 'de'), peekIn(row, 'hint', 'en')]).toEqual([
      'first',
      'plain',
      '',
    ]);
    expect(row.cells.some(({ isUsed }) => isUsed)).toBe(false);
    expect(takeIn(row, 'label', ['de', 'fr', 'en'])).toEqual({ text: 'autre', language: 'fr' });
    expect(takeIn(row, 'label', ['de'])).toBeUndefined();
    expect([take(row, 'type'), take(row, 'hint')]).toEqual(['text', '']);
    settle(row, 'label');
    settle(row, 'hint');
    expect(row.cells.filter(({ isUsed }) => isUsed).map(({ text }) => text)).toEqual(['autre', 'text']);
    const other = rowOf([['label', 'plain']]);
    settle(other, 'label');
    expect(other.cells).toMatchObject([{ isUsed: true }]);
  });

  test('are named by the headers above them', () => {
    const row = rowOf([
      ['Caption', 'plain'],
      ['hint', 'first'],
      ['Hint::English (en)', 'second'],
      ['Relevance', '1'],
      ['bind::relevant', '2'],
    ]);
    expect(
      ['label', 'label::fr', 'hint::en', 'hint::fr', 'type', 'relevant'].map((name) => headerOf(row, name)),
    ).toEqual(['Caption', 'Caption', 'Hint::English (en)', 'hint', 'type', 'Relevance']);
    row.cells.at(-1)!.isUsed = true;
    expect(headerOf(row, 'relevant')).toBe('bind::relevant');
  });

  test('below no header are named by the letters of their column', async () => {
    const { report } = await upload({ survey: [SURVEY[0]!, ['text', 'a', 'A', null, 'extra']] });
    expect(report.rows).toMatchObject([{ column: 'E', row: null, severity: 'lost' }]);
  });
});
