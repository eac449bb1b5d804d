import { buffer } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import ExcelJs from 'exceljs';
import { readXlsx } from 'hucre/xlsx';
import type { Language } from '../../../shared/base/i18n/languages.ts';
import { answersCsv } from '../../../shared/reports/formats/csv.ts';
import { reportWorkbook } from '../../../shared/reports/formats/report-workbook.ts';
import { option } from '../../domain/content/fixtures.ts';
import { contentWith, field } from '../../support/content.ts';
import { answer, reportPayload, noContent } from '../fixtures/material.ts';

/** Characters of a cell (Microsoft, "Excel specifications and limits"). */
const MOST = 32_767;

/** Options whose codes and labels are much longer than a cell when they stand together. */
const OPTIONS = Array.from({ length: 300 }, (_, n) =>
  option(`${n} ${'c'.repeat(190)}`, { label: `${n} ${'👩‍🚒'.repeat(30)}` }),
);
const CODES = OPTIONS.map(({ value }) => value);

/** Both characters of the pair stand on either side of the end of a cell; also at the end of the next part. */
const LINES = `=${'x'.repeat(MOST - 2)}👩${'\r\n_x0041_ '.repeat(9_000)}`;

const CONTENT = contentWith(
  field(2, 'multi_select', { options: OPTIONS }),
  field(3, 'long_text'),
  field(4, 'long_text'),
);
const JUST_FITS = 'x'.repeat(MOST);
const ANSWERS = [answer(2, CODES), answer(3, LINES), answer(4, JUST_FITS)];
const payload = reportPayload(CONTENT, { answers: ANSWERS });

const made = (language: Language, ...payloads: (typeof payload)[]): Promise<Buffer> =>
  buffer(reportWorkbook(payloads, { at: new Date(0), language, contentOf: noContent }));

/** The rows of each sheet, by its name. */
const rowsOf = async (file: Buffer): Promise<Map<string, unknown[][]>> => {
  const { sheets } = await readXlsx(file);
  return new Map(sheets.map(({ name, rows }) => [name, rows]));
};

/** What the cells of the sheet of long texts say together, by the number of the text. */
const wholeTexts = (rows: readonly unknown[][]): Map<number, string> => {
  const texts = new Map<number, string>();
  for (const [number, , , part] of rows)
    texts.set(number as number, (texts.get(number as number) ?? '') + (part as string));
  return texts;
};

/** The cells of a column of answers, by its name. */
const column = ([header, ...rows]: unknown[][], name: string): unknown[] => {
  const at = header!.indexOf(name);
  return rows.map((row) => row[at] ?? null);
};

describe('a text that is longer than a cell may be', () => {
  let sheets: Map<string, unknown[][]>;
  let texts: Map<number, string>;

  /** The whole text of a cell that ends with a mark. */
  const whole = (cell: unknown): string => {
    const [, start, number] = /^(.*) … \[Long texts: (\d+)\]$/s.exec(cell as string)!;
    const text = texts.get(Number(number))!;
    // Readers of XML take ends of lines for line feeds in the columns that people read.
    expect(text.replaceAll('\r\n', '\n').startsWith(start!.replaceAll('\r\n', '\n'))).toBe(true);
    return text;
  };

  beforeAll(async () => {
    sheets = await rowsOf(await made('en', payload));
    texts = wholeTexts(sheets.get('Long texts')!.slice(1));
  });

  it('is cut with a mark, and stands whole in a sheet of its own', () => {
    const answers = sheets.get('Answers')!;
    const [codes, lines, short] = column(answers, 'value');
    expect(JSON.parse(whole(codes))).toEqual(CODES);
    expect(whole(lines)).toBe(LINES);
    expect(short).toBe(JUST_FITS);
    const [labels] = column(answers, 'labels');
    expect(JSON.parse(whole(labels))).toEqual(OPTIONS.map(({ label }) => label));
    const [shown, text] = column(answers, 'Answer');
    expect(whole(shown)).toBe(OPTIONS.map(({ label }) => label).join('; '));
    expect(whole(text)).toBe(LINES);
    expect(whole(column(sheets.get('Choices')!, 'Field 2')[0])).toBe(whole(shown));
    expect(texts.size).toBe(6);
  });

  it('is found by the place of its cell, in parts that are counted', () => {
    const [header, ...rows] = sheets.get('Long texts')!;
    expect(header).toEqual(['Number', 'Cell', 'Part', 'Text']);
    const places = new Map(rows.map(([number, place]) => [number, place]));
    const answers = sheets.get('Answers')!;
    const letter = (name: string): string => String.fromCodePoint(65 + answers[0]!.indexOf(name));
    expect([...places.values()]).toEqual([
      `Answers!${letter('Answer')}2`,
      `Answers!${letter('value')}2`,
      `Answers!${letter('labels')}2`,
      `Answers!${letter('Answer')}3`,
      `Answers!${letter('value')}3`,
      'Choices!D2',
    ]);
    for (const number of places.keys()) {
      const parts = rows.filter((row) => row[0] === number).map(([, , part]) => part);
      expect(parts).toEqual(parts.map((_, index) => index + 1));
    }
  });

  it('leaves no cell that a reader would refuse, and no half character', async () => {
    const workbook = new ExcelJs.Workbook();
    await workbook.xlsx.load((await made('ar', payload)) as never);
    const names = workbook.worksheets.map(({ name }) => name);
    expect(names.at(-1)).toBe('نصوص طويلة');
    let longest = 0;
    for (const sheet of workbook.worksheets)
      sheet.eachRow((row) =>
        row.eachCell(({ value }) => {
          if (typeof value !== 'string') return;
          // ExcelJs leaves the sign that stands for itself (ECMA-376 part 1, section 22.9.2.19).
          longest = Math.max(longest, value.replaceAll('_x005F_', '_').length);
          expect(value.isWellFormed()).toBe(true);
        }),
      );
    expect(longest).toBe(MOST);
  });

  it('has numbers that go on in the next report of the file', async () => {
    const rows = (await rowsOf(await made('en', payload, payload))).get('Long texts')!.slice(1);
    expect(new Set(rows.map(([number]) => number)).size).toBe(12);
    expect(wholeTexts(rows).get(7)).toBe(JSON.stringify(CODES));
  });

  it('is whole in a CSV', async () => {
    const file = await buffer(answersCsv([payload], { isMerged: false }));
    const rows: Record<string, string>[] = parse(file, { bom: true, columns: true });
    expect(JSON.parse(rows[0]!['value']!)).toEqual(CODES);
    expect(rows[1]!['value']).toBe(`'${LINES}`);
  });
});

it('a workbook has no sheet of long texts where all texts fit', async () => {
  const fits = reportPayload(CONTENT, { answers: [answer(4, JUST_FITS)] });
  expect([...(await rowsOf(await made('en', fits))).keys()]).not.toContain('Long texts');
});
