import fc from 'fast-check';
import { publishProblems } from '../../shared/domain/content/publish/publish.ts';
import { isFormSheet } from '../../shared/domain/xlsform/form/columns.ts';
import { sheetOfRows, type Sheet } from '../../shared/domain/xlsform/form/sheets.ts';
import { FormError } from '../../shared/domain/xlsform/import/diagnostics.ts';
import { importForm } from '../../shared/domain/xlsform/import/import.ts';
import { readWorkbook } from '../../shared/domain/xlsform/workbook/read.ts';
import type { FormRow } from '../../shared/schemas/templates/xlsform.ts';
import { effort } from '../support/effort.ts';
import { runs } from '../support/scale.ts';
import { sampleBytes, SAMPLES } from './sample-forms.ts';
import { imported, labelled, problemsOf, YES_NO } from './small-forms.ts';

const sampleSheets = async (name: (typeof SAMPLES)[number]) => {
  const { sheets, others } = await readWorkbook(sampleBytes(name), isFormSheet);
  return { others, sheets };
};

describe('importForm of real forms', () => {
  test.each(SAMPLES)('makes a publishable content of %s', async (name) => {
    const { sheets, others } = await sampleSheets(name);
    const { content } = importForm(sheets, others, { name });
    expect(publishProblems(content)).toEqual([]);
  });

  /** Texts that mean the same as an empty cell. */
  const REDUNDANT = /^(no|false)$/i;

  test.each(SAMPLES)('imports each cell of %s or makes a remark on it', async (name) => {
    const { sheets, others } = await sampleSheets(name);
    const outcome = (given: Sheet[]): string => {
      try {
        return JSON.stringify(importForm(given, others, { name }));
      } catch (error) {
        return (error as Error).message;
      }
    };
    const whole = outcome(sheets);
    const replaced = (at: Sheet, rows: Sheet['rows']) =>
      sheets.map((sheet) => (sheet === at ? { ...sheet, rows } : sheet));
    const cells = sheets.flatMap((sheet) =>
      sheet.rows.flatMap((row) => [...row.cells].map(([position, text]) => ({ sheet, row, position, text }))),
    );
    // For a large form only some cells, from all parts of it.
    const examined = cells.filter((_, i) => i % Math.ceil(cells.length / 80) === 0);
    const silent = examined.filter(({ sheet, row, position, text }) => {
      const changed = { ...row, cells: new Map([...row.cells, [position, `${text}x`]]) };
      const without = { ...row, cells: new Map([...row.cells].filter(([at]) => at !== position)) };
      return [changed, without].every(
        (other) =>
          outcome(
            replaced(
              sheet,
              sheet.rows.map((each) => (each === row ? other : each)),
            ),
          ) === whole,
      );
    });
    expect(
      silent.filter(({ text }) => !REDUNDANT.test(text)).map(({ row, text }) => [row.number, text]),
    ).toEqual([]);
  });
});

describe('importForm', () => {
  test('gives a question the same id as long as its name stays the same', () => {
    const settings = { form_id: 'crane' };
    const first = imported([{ type: 'text', name: 'a', label: 'A' }], { settings });
    const second = imported(
      [
        { type: 'note', name: 'new', label: 'New' },
        { type: 'integer', name: 'a', label: 'Anew' },
        { type: 'begin group', name: 'g', label: 'G' },
        { type: 'text', name: 'a', label: 'Another' },
        { type: 'end group' },
      ],
      { settings },
    );
    const other = imported([{ type: 'text', name: 'a', label: 'A' }], { settings: { form_id: 'hoist' } });
    const { id } = labelled(first, 'A');
    expect(labelled(second, 'Anew').id).toBe(id);
    expect(labelled(second, 'Another').id).not.toBe(id);
    expect(labelled(other, 'A').id).not.toBe(id);
  });

  test('lists all problems of a form with their places', () => {
    expect(
      problemsOf([
        { type: 'txt', name: 'a', label: 'A' },
        { type: 'constructor', name: 'toString', label: 'A', appearance: 'valueOf', constructor: 'x' },
        { type: 'select_one colours', name: 'b', label: 'B' },
        { name: 'c', label: 'C' },
        { type: 'text', name: 'd', label: 'D', relevant: '${nobody} = 1', constraint: '. < ${nobody}' },
        { type: 'text', name: 'd', label: 'D' },
        { type: 'end group' },
        { type: 'begin group', name: 'g', label: 'G' },
      ]),
    ).toEqual([
      'survey 0 type: there is no question type "txt": did you mean "text"?',
      'survey 1 type: there is no question type "constructor"',
      'survey 3 type: this row has no type',
      'survey 5 name: the name "d" occurs twice in this group',
      'survey 6 type: there is no group to end here: a "begin group" row is missing, or this one is too many',
      'survey 7 type: the group "g" has no end: its "end" row is missing',
      'survey 4 relevant: no row is named "nobody"',
      'survey 4 constraint: no row is named "nobody"',
      'survey 2 type: the choices sheet has no list "colours"',
    ]);
    expect(() => importForm([sheetOfRows('choices', YES_NO)], [], { name: 'n' })).toThrow(FormError);
    expect(
      problemsOf([{ type: 'text', name: 'a', label: 'A' }], { choices: [...YES_NO, ...YES_NO] }),
    ).toEqual([
      'choices 2 name: the name "yes" occurs twice in the list "yes_no"',
      'choices 3 name: the name "no" occurs twice in the list "yes_no"',
    ]);
  });

  const EXPRESSIONS = `
    \${a} = 'x' ~ \${b} > 3 ~ selected(\${c}, 'yes') ~ not(selected(\${a}, "x") or \${b}=1) ~ \${a} = \${b} ~ yes
    ~ false() ~ . > 3 ~ . >= 1 and . < 10 ~ regex(., '(a+)+$') ~ string-length(.) < 5 ~ sum(\${b}) ~ today()
    ~ ../a = 1 ~ (( ~ - - -1 ~ if(\${a}='x', 1, 2) ~ 1.5 2.5 0 0 ~ = ~ not()
  `
    .split('~')
    .map((text) => text.trim());
  const TYPES = `
    text, integer, select_one yes_no, select_multiple yes_no or_other, note, calculate, date, range, acknowledge,
    image, today, start, hidden, geopoint, select_one \${a}, start-geopoint, begin group, begin repeat,
    begin loop over yes_no
  `
    .split(',')
    .map((text) => text.trim());
  const expression = fc.oneof(fc.constantFrom(...EXPRESSIONS), fc.string({ maxLength: 8 }));
  const anyRow = fc.record(
    {
      type: fc.constantFrom(...TYPES),
      ends: fc.nat(2),
      label: fc.constantFrom('L', 'L ${a}', 'x'.repeat(600)),
      relevant: expression,
      constraint: expression,
      calculation: expression,
      required: expression,
      default: expression,
      appearance: fc.constantFrom('multiline', 'signature', 'rating', 'minimal'),
      parameters: fc.constantFrom('start=0 end=5 step=0.5', 'rows=3', 'x', 'start=9 end=1'),
      repeat_count: fc.constantFrom('3', '0', '${b}', '500'),
    },
    { requiredKeys: ['type'] },
  );

  test('makes a publishable content of any form, or lists its problems', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 12 }), (rows) => {
        const open: string[] = [];
        const survey: FormRow[] = ['a', 'b', 'c'].map((name) => ({ type: 'integer', name, label: name }));
        for (const [i, { ends = 0, ...row }] of rows.entries()) {
          survey.push({ ...row, name: `row${i}` });
          const [, control] = row.type.split(' ');
          if (row.type.startsWith('begin')) open.push(control!);
          for (const control of open.splice(open.length - Math.min(ends, open.length)).toReversed())
            survey.push({ type: `end ${control}` });
        }
        for (const control of open.toReversed()) survey.push({ type: `end ${control}` });
        try {
          expect(publishProblems(imported(survey).content)).toEqual([]);
        } catch (error) {
          if (!(error instanceof FormError)) throw error;
        }
      }),
      { numRuns: runs(100) },
    );
  });

  test.each<[what: string, survey: FormRow[]]>([
    ['parentheses', [{ type: 'text', name: 'a', label: 'A', relevant: '('.repeat(30_000) }]],
    ['signs', [{ type: 'text', name: 'a', label: 'A', relevant: '-'.repeat(30_000) }]],
    ['terms', [{ type: 'text', name: 'a', label: 'A', relevant: `1${' + 1'.repeat(8_000)}` }]],
    ['groups', Array.from({ length: 20_000 }, (_, i) => ({ type: 'begin group', name: `g${i}` }))],
    ['types', [{ type: 'a '.repeat(15_000), name: 'a' }]],
    ['headers', [{ type: 'text', name: 'a', [`label::${'('.repeat(30_000)}`]: 'A' }]],
    [
      'calculations',
      Array.from({ length: 5_000 }, (_, i) => ({
        type: 'calculate',
        name: `q${i}`,
        calculation: `\${q${(i + 1) % 5_000}}`,
      })),
    ],
  ])('takes little time for a form with too many %s', (_, survey) => {
    const started = effort();
    try {
      imported(survey);
    } catch (error) {
      expect(error).toBeInstanceOf(FormError);
    }
    expect(effort() - started).toBeLessThan(500);
  });
});

describe('importForm of large forms', () => {
  test('takes time in proportion to the cells of a row', () => {
    const columns = Array.from({ length: 2_000 }, (_, i) => i);
    const header = new Map(columns.map((i) => [i, ['type', 'name'][i] ?? 'a']));
    const cellsOf = (row: number) => new Map(columns.map((i) => [i, ['text', `q${row}`][i] ?? 'x']));
    const rows = Array.from({ length: 60 }, (_, row) => ({ number: row + 2, cells: cellsOf(row) }));
    const begin = effort();
    const { remarks } = importForm([{ name: 'survey', header, rows }], [], { name: 'Wide' });
    expect(remarks.length).toBeGreaterThan(1_990);
    // It took 17 seconds when each remark searched its whole row.
    expect(effort() - begin).toBeLessThan(500);
  });
});
