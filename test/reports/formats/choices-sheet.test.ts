import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { readXlsx } from 'hucre/xlsx';
import { fold } from '../../../shared/base/text.ts';
import { indexContent } from '../../../shared/domain/content/content-index.ts';
import type { ReportMaterial } from '../../../shared/domain/report/material.ts';
import type { ContentSource } from '../../../shared/reports/formats/choices-sheet.ts';
import { reportWorkbook } from '../../../shared/reports/formats/report-workbook.ts';
import { MAX_CHOICE_COLUMNS } from '../../../shared/schemas/reports/report-export.ts';
import type { ReportPayload } from '../../../shared/schemas/reports/report-payload.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { option } from '../../domain/content/fixtures.ts';
import { contentWith, field, section, uuid } from '../../support/content.ts';
import { answer, INSPECTION, instance, noContent, reportPayload } from '../fixtures/material.ts';

const options = (...values: string[]) => ({ options: values.map((value) => option(value)) });

const DAMAGE = field(2, 'multi_select', { label: 'Damage', ...options('a', 'b', 'c') });

const choicesIn = async (
  payloads: ReportPayload[],
  contentOf: ContentSource,
): Promise<unknown[][] | undefined> => {
  const bytes = await buffer(reportWorkbook(payloads, { at: new Date(0), language: 'en', contentOf }));
  const { sheets } = await readXlsx(bytes);
  return sheets.find(({ name }) => name === 'Choices')?.rows;
};

/** The sheet of reports whose template versions were deleted. */
const choicesOf = (...payloads: ReportPayload[]): Promise<unknown[][] | undefined> =>
  choicesIn(payloads, noContent);

const FIRST = ['Inspection', 'Section', 'Instance path'];

const payload = (number: number, value: unknown, given: object = {}): ReportPayload =>
  reportPayload(contentWith(DAMAGE), {
    answers: [answer(2, value, given)],
    inspection: { ...INSPECTION, number },
  });

describe('the sheet of choices', () => {
  it('has TRUE and FALSE for each option that is chosen in any of the inspections', async () => {
    expect(await choicesOf(payload(1, ['a']), payload(2, ['a', 'c']))).toEqual([
      [...FIRST, 'Damage', 'Damage: a', 'Damage: c'],
      [1, null, null, 'a', true, false],
      [2, null, null, 'a; c', true, true],
    ]);
  });

  it('has no row for an inspection without such an answer', async () => {
    const rows = await choicesOf(payload(1, ['a']), payload(2, null, { is_na: true }), payload(3, []));
    expect(rows!.slice(1).map(([number]) => number)).toEqual([1]);
  });

  it('is left out where no question takes several options, or none is answered', async () => {
    const single = field(2, 'single_select', options('a'));
    expect(await choicesOf(payload(1, []))).toBeUndefined();
    expect(
      await choicesOf(reportPayload(contentWith(single), { answers: [answer(2, 'a')] })),
    ).toBeUndefined();
  });

  it('has a row for each instance, and nothing for a question that is not answered there', async () => {
    const content = {
      sections: [
        section(
          101,
          [field(1, 'text', { label: 'Room' }), DAMAGE, { ...DAMAGE, id: uuid(3), label: 'Mended' }],
          { title: 'Rooms', repeat: { label_field_id: uuid(1) } },
        ),
      ],
    };
    const [bath, hall] = [instance(101, 0), instance(101, 2)];
    const answers = [
      answer(1, 'Bath\u2028one', { path: bath }),
      answer(2, ['a'], { path: bath }),
      answer(2, ['b'], { path: hall }),
      answer(3, ['b'], { path: hall }),
    ];
    const { number } = INSPECTION;
    expect(await choicesOf(reportPayload(content, { answers }))).toEqual([
      [...FIRST, 'Damage', 'Damage: a', 'Damage: b', 'Mended', 'Mended: b'],
      [number, 'Rooms › Bath\u2028one', bath, 'a', true, false, null, null],
      [number, 'Rooms › #2', hall, 'b', false, true, 'b', true],
    ]);
  });

  it('names each column once, also for questions and options with the same label', async () => {
    const same = { label: 'Damage', options: [option('x', { label: 'a' }), option('y', { label: 'a' })] };
    const content = contentWith(DAMAGE, field(3, 'multi_select', same));
    const answers = [answer(2, ['a']), answer(3, ['x', 'y'])];
    const [header] = (await choicesOf(reportPayload(content, { answers })))!;
    expect(header).toEqual([...FIRST, 'Damage', 'Damage: a', 'Damage (2)', 'Damage: a (2)', 'Damage: a (3)']);
  });

  it('says the value of an option whose label another one has too, in whatever case, in every row', async () => {
    const labels = { x: 'Crack', y: 'crack', z: 'Rust' };
    const same = field(2, 'multi_select', {
      label: 'Damage',
      options: Object.entries(labels).map(([value, label]) => option(value, { label })),
    });
    const chosenIn = (...value: string[]) =>
      reportPayload(contentWith(same), { answers: [answer(2, value)] });
    const rows = await choicesOf(chosenIn('x'), chosenIn('x', 'y', 'z'), chosenIn('z'));
    expect(rows!.slice(1).map((row) => row[FIRST.length])).toEqual([
      'Crack (x)',
      'Crack (x); crack (y); Rust',
      'Rust',
    ]);
    expect(rows![0]).toEqual([...FIRST, 'Damage', 'Damage: Crack', 'Damage: crack (2)', 'Damage: Rust']);
  });

  it('names each column once and tells all options apart, whatever their labels and values look like', async () => {
    const text = fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'x', ' (', ')', ': ') });
    const label = fc.constantFrom('a', 'A', 'a (x)', 'a (x) (z)', 'a (2)', 'a (b)', 'Ⅳ', 'IV');
    const value = fc.constantFrom('x', 'X', 'z', '2', 'b) (c', 'c');
    const option = fc.record({ value: fc.oneof(value, text), label: fc.oneof(label, label, text) });
    const question = fc.record({
      label: fc.oneof(fc.constantFrom('Inspection', 'Section', 'Q', 'Q: a', 'q: A'), text),
      options: fc.uniqueArray(option, { selector: ({ value }) => value, minLength: 1, maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(question, { minLength: 1, maxLength: 3 }), async (questions) => {
        const content = contentWith(...questions.map((each, n) => field(n + 2, 'multi_select', each)));
        const most = Math.max(...questions.map(({ options: { length } }) => length));
        // The report of a position has the option at that position in every question.
        const payloads = Array.from({ length: most }, (_, position) =>
          reportPayload(content, {
            answers: questions.flatMap(({ options }, n) =>
              options[position] ? [answer(n + 2, [options[position].value])] : [],
            ),
          }),
        );
        const [header, ...rows] = (await choicesOf(...payloads))! as string[][];
        const names = header!.map(fold);
        expect(new Set(names).size).toBe(names.length);
        let column = FIRST.length;
        for (const { options } of questions) {
          const joined = rows.map((row) => row[column]).filter((cell) => cell !== null);
          expect(joined).toHaveLength(options.length);
          expect(new Set(joined.map((cell) => fold(cell!))).size).toBe(options.length);
          column += 1 + options.length;
        }
      }),
      { numRuns: 100 },
    );
  });

  it('keeps start fields of different templates apart', async () => {
    const started = (label: string): ReportPayload =>
      reportPayload(
        { start: { fields: [{ key: 'kind', type: 'multi_select', label, ...options('a') }] }, sections: [] },
        { startAnswers: { kind: ['a'] } },
      );
    const [header] = (await choicesOf(started('Kind'), started('Weather'), started('Kind')))!;
    expect(header).toEqual([...FIRST, 'Kind', 'Kind: a', 'Weather', 'Weather: a']);
  });

  it('has no more columns than there may be where all options are chosen, and its joined labels are whole', async () => {
    const values = Array.from({ length: MAX_CHOICE_COLUMNS + 1 }, (_, n) => `v${n}`);
    const content = contentWith(
      field(2, 'multi_select', { label: 'Q', ...options(...values) }),
      field(3, 'multi_select', options('a')),
    );
    const answers = [answer(2, values), answer(3, ['a'])];
    const [header, row] = (await choicesOf(reportPayload(content, { answers })))!;
    expect(header).toHaveLength(FIRST.length + MAX_CHOICE_COLUMNS);
    expect(row![FIRST.length]).toBe(values.join('; '));
  });
});

describe('the sheet of choices of template versions', () => {
  /** Reports of one template version each, in the order of the file. */
  const choicesWith = (...reports: [content: object, changes: Partial<ReportMaterial>][]) => {
    const id = (n: number): string => uuid(500 + n);
    return choicesIn(
      reports.map(([content, changes], n) =>
        reportPayload(content, {
          ...changes,
          inspection: { ...INSPECTION, number: n, template: { ...INSPECTION.template, id: id(n) } },
        }),
      ),
      async (templateId) => {
        const n = reports.findIndex((_, each) => id(each) === templateId);
        return indexContent(Content.parse(reports[n]![0]));
      },
    );
  };

  it('has a column for each option, in the order of the template, whether or not anybody chose it', async () => {
    const hidden = field(3, 'multi_select', {
      label: '4.2 Mended',
      ...options('x'),
      visible_if: { field_id: uuid(2), op: 'contains', value: 'c' },
    });
    const start = { fields: [{ key: 'kind', type: 'multi_select', label: 'Kind', ...options('k') }] };
    const content = { ...contentWith(DAMAGE, hidden), start };
    expect(await choicesWith([content, { answers: [answer(2, ['b'])] }])).toEqual([
      [...FIRST, 'Kind', 'Kind: k', 'Damage', 'Damage: a', 'Damage: b', 'Damage: c', 'Mended', 'Mended: x'],
      [0, null, null, null, null, 'b', false, true, false, null, null],
    ]);
  });

  it('has the options of all versions in the file, and those that were removed from their list', async () => {
    const next = { ...DAMAGE, ...options('d', 'a') };
    expect(
      await choicesWith(
        [contentWith(DAMAGE), { answers: [answer(2, ['gone'])] }],
        [contentWith(next), { answers: [answer(2, ['d'])] }],
      ),
    ).toEqual([
      [...FIRST, 'Damage', ...['a', 'b', 'c', 'gone', 'd'].map((label) => `Damage: ${label}`)],
      [0, null, null, 'gone', false, false, false, true, false],
      [1, null, null, 'd', false, false, false, false, true],
    ]);
  });

  it('has the labels in the language of the report', async () => {
    const texts = [{ id: uuid(2), label: 'Schaden', options: [{ value: 'c', label: 'Riss' }] }];
    const content = { ...contentWith(DAMAGE), translations: [{ language: 'de', texts }] };
    const payload = reportPayload(content, { answers: [answer(2, ['a'])] }, 'de');
    const [header] = (await choicesIn([payload], async () => indexContent(Content.parse(content))))!;
    expect(header).toEqual([...FIRST, 'Schaden', 'Schaden: a', 'Schaden: b', 'Schaden: Riss']);
  });

  it('is left out where nobody has answered', async () => {
    expect(await choicesWith([contentWith(DAMAGE), {}])).toBeUndefined();
  });

  it('has the chosen options first where not all fit, and then the questions that fit as a whole', async () => {
    const values = Array.from({ length: MAX_CHOICE_COLUMNS }, (_, n) => `v${n}`);
    const content = contentWith(
      field(2, 'multi_select', { label: 'Q', ...options(...values) }),
      field(3, 'multi_select', { label: 'R', ...options('a', 'b') }),
    );
    const answers = [answer(2, ['v499', 'v7'])];
    expect(await choicesWith([content, { answers }])).toEqual([
      [...FIRST, 'Q', 'Q: v7', 'Q: v499', 'R', 'R: a', 'R: b'],
      [0, null, null, 'v499; v7', true, true, null, null, null],
    ]);
    const fits = contentWith(field(2, 'multi_select', { label: 'Q', ...options(...values.slice(1)) }));
    const [header] = (await choicesWith([fits, { answers }]))!;
    expect(header).toHaveLength(FIRST.length + MAX_CHOICE_COLUMNS);
  });
});
