import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import * as errors from '../../base/errors.ts';
import { cutTo } from '../../base/text.ts';
import { archive, type ArchivedFile } from './archive.ts';

/** Days since 30 December 1899, as spreadsheets count time; the fraction is the time of day. */
export interface Moment {
  days: number;
  hasTime: boolean;
}

/** What a cell holds; null for an empty one. A text is never a formula. */
export type Cell = string | number | boolean | Moment | null;

/** A sheet of a workbook. */
export interface Sheet {
  /** At most 31 characters, without `[]:*?/\`. */
  name: string;
  /**
   * The names of the columns with their widths in characters, known when the first row of the sheet comes. Texts of a
   * column of one line are not wrapped, and keep each character as it is.
   */
  columns: readonly (readonly [title: string, width: number, form?: 'one line'])[];
  /** Whether the first column is at the right. */
  isRightToLeft?: boolean;
  /** A workbook without a row for this sheet does not have it. */
  isLeftOutWhenEmpty?: boolean;
}

/** A row for the sheet at a position. */
export interface SheetRow {
  sheet: number;
  cells: readonly Cell[];
}

/** Characters of a cell (Microsoft, "Excel specifications and limits"). */
export const MAX_CELL_TEXT = 32_767;

/** Rows of a sheet, from the same page. */
const MAX_ROWS = 1_048_576;

/* The positions of the styles in `STYLES`. */
const HEADER = 1;
const TEXT = 2;
/** Excel keeps such a text as text, also when somebody edits it or saves it as CSV. */
const QUOTED = 3;
const DATE = 4;
const DATE_TIME = 5;
const NUMBER = 6;
const BOOLEAN = 7;
const LINE = NUMBER;
const QUOTED_LINE = 8;
const QUOTED_HEADER = 9;

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const CONTENT_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const xml = (content: string): string =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${content}`;

const wrapped = '<alignment vertical="top" wrapText="1"/>';
const atTop = '<alignment vertical="top"/>';
const centred = '<alignment horizontal="center" vertical="top"/>';

const format = (alignment: string, { number = 0, font = 0, fill = 0, more = '' } = {}): string =>
  `<xf numFmtId="${number}" fontId="${font}" fillId="${fill}" borderId="0" xfId="0"${more} applyNumberFormat="1" applyFont="1" applyFill="1" applyAlignment="1">${alignment}</xf>`;

const CELL_FORMATS = [
  format(''),
  format(wrapped, { font: 1, fill: 2 }),
  format(wrapped),
  format(wrapped, { more: ' quotePrefix="1"' }),
  format(atTop, { number: 14 }),
  format(atTop, { number: 164 }),
  format(atTop),
  format(centred, { number: 165 }),
  format(atTop, { more: ' quotePrefix="1"' }),
  format(wrapped, { font: 1, fill: 2, more: ' quotePrefix="1"' }),
];

const STYLES = xml(
  `<styleSheet xmlns="${MAIN}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/>` +
    // Excel writes the words by itself; LibreOffice would write some as 0 and 1.
    '<numFmt numFmtId="165" formatCode="&quot;TRUE&quot;;&quot;TRUE&quot;;&quot;FALSE&quot;"/></numFmts>' +
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
    '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
    '<fill><patternFill patternType="solid"><fgColor rgb="FFE4E7EC"/></patternFill></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    `<cellXfs count="${CELL_FORMATS.length}">` +
    CELL_FORMATS.join('') +
    // Programs look up the style of a cell by this one (ECMA-376 part 1, section 18.8.7).
    '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string =>
  text
    // A text such as `_x0041_` would be read as the character (ECMA-376 part 1, section 22.9.2.19).
    .replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
    .replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign]!);

/** The letters of a column from its position: A … Z, AA … */
export const columnName = (index: number): string =>
  (index < 26 ? '' : columnName(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26));

const textCell = (place: string, text: string, style: number): string =>
  `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escaped(cutTo(text, MAX_CELL_TEXT))}</t></is></c>`;

/** A text that a spreadsheet takes for a formula when it is typed in (OWASP, "CSV Injection"). */
const IS_FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A text as it is. Readers of XML take a carriage return for a line feed unless it is a reference (XML, section 2.11). */
const exactCell = (place: string, text: string): string =>
  textCell(place, text, IS_FORMULA.test(text) ? QUOTED_LINE : LINE).replaceAll('\r', '&#13;');

const headerCell = (title: string, place: string): string =>
  textCell(place, title, IS_FORMULA.test(title) ? QUOTED_HEADER : HEADER);

/** @param place such as "B7" */
const cellXml = (cell: Cell, place: string, isOneLine: boolean): string => {
  if (cell === null || cell === '') return '';
  if (typeof cell === 'string' && isOneLine) return exactCell(place, cell);
  if (typeof cell === 'string') return textCell(place, cell, IS_FORMULA.test(cell) ? QUOTED : TEXT);
  const valueCell = (style: number, value: number, type = '') =>
    `<c r="${place}" s="${style}"${type}><v>${value}</v></c>`;
  if (typeof cell === 'number') return valueCell(NUMBER, cell);
  if (typeof cell === 'boolean') return valueCell(BOOLEAN, Number(cell), ' t="b"');
  return valueCell(cell.hasTime ? DATE_TIME : DATE, cell.days);
};

/** Points of a line of text, and of the highest row (Microsoft, "Excel specifications and limits"). */
const LINE_HEIGHT = 15;
const MAX_ROW_HEIGHT = 409;

/** Scripts from Hangul on are mostly twice as wide as Latin. */
const WIDE = /[\u1100-\uffff]/g;

const linesOf = (text: string, width: number): number =>
  text
    .split('\n')
    .reduce((sum, line) => sum + Math.ceil((line.length + (line.match(WIDE)?.length ?? 0)) / width || 1), 0);

/** A row as high as its texts need. Excel computes the height itself, but LibreOffice does not. */
const rowXml = (
  { columns }: Sheet,
  row: number,
  cells: readonly Cell[],
  cell: (value: Cell, place: string, isOneLine: boolean) => string,
): string => {
  const isOneLine = (index: number): boolean => columns[index]?.[2] === 'one line';
  const lines = cells.map((value, index) =>
    typeof value === 'string' && !isOneLine(index) ? linesOf(value, columns[index]?.[1] ?? Infinity) : 1,
  );
  const height = Math.min(MAX_ROW_HEIGHT, Math.max(...lines) * LINE_HEIGHT);
  const content = cells
    .map((value, index) => cell(value, `${columnName(index)}${row}`, isOneLine(index)))
    .join('');
  return `<row r="${row}" ht="${height}" customHeight="1">${content}</row>`;
};

/**
 * On paper, a sheet is as wide as a landscape page, and as long as it needs to be.
 * @param last the number of the last row
 */
const sheetEnd = ({ columns }: Sheet, last: number): string =>
  `</sheetData><autoFilter ref="A1:${columnName(columns.length - 1)}${last}"/>` +
  '<pageMargins left="0.5" right="0.5" top="0.5" bottom="0.5" header="0.3" footer="0.3"/>' +
  '<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/></worksheet>';

const sheetStart = (sheet: Sheet): string => {
  const { columns, isRightToLeft } = sheet;
  const titles = columns.map(([title]) => title);
  return xml(
    `<worksheet xmlns="${MAIN}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><sheetViews><sheetView${isRightToLeft ? ' rightToLeft="1"' : ''} workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>` +
      '<sheetFormatPr defaultRowHeight="15"/>' +
      `<cols>${columns.map(([, width], index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`).join('')}</cols>` +
      `<sheetData>${rowXml(sheet, 1, titles, (title, place) => headerCell(title as string, place))}`,
  );
};

const contentTypes = (sheets: readonly Sheet[]): string =>
  xml(
    `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      '<Default Extension="xml" ContentType="application/xml"/>' +
      `<Override PartName="/xl/workbook.xml" ContentType="${CONTENT_TYPE}.sheet.main+xml"/>` +
      `<Override PartName="/xl/styles.xml" ContentType="${CONTENT_TYPE}.styles+xml"/>` +
      sheets
        .map(
          (_, index) =>
            `<Override PartName="/xl/worksheets/sheet${index + 1}.xml" ContentType="${CONTENT_TYPE}.worksheet+xml"/>`,
        )
        .join('') +
      '</Types>',
  );

const relationship = (id: string, type: string, target: string): string =>
  `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`;

const relationships = (...all: string[]): string =>
  xml(`<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`);

/** The parts of the package beside the sheets (ECMA-376 part 1, chapter 12; part 2). */
const parts = (sheets: readonly Sheet[]): Record<string, string> => ({
  '[Content_Types].xml': contentTypes(sheets),
  '_rels/.rels': relationships(relationship('rId1', 'officeDocument', 'xl/workbook.xml')),
  'xl/workbook.xml': xml(
    `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><bookViews><workbookView/></bookViews><sheets>${sheets
      .map(
        ({ name }, index) => `<sheet name="${escaped(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
      )
      .join('')}</sheets></workbook>`,
  ),
  'xl/_rels/workbook.xml.rels': relationships(
    ...sheets.map((_, index) =>
      relationship(`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`),
    ),
    relationship(`rId${sheets.length + 1}`, 'styles', 'styles.xml'),
  ),
  'xl/styles.xml': STYLES,
});

/** Writes a text, and waits while the disk is slower than its source. @throws Error of the file, also an earlier one */
export const put = async (file: WriteStream, text: string): Promise<void> => {
  if (file.errored) throw file.errored;
  if (!file.write(text)) await once(file, 'drain');
};

/**
 * Writes each row to its sheet's file.
 * @returns the number of the last row of each sheet
 * @throws ApiError `too_many_rows`; what `rows` throws; Error of a file
 */
const writeSheets = async (
  sheets: readonly Sheet[],
  rows: AsyncIterable<SheetRow>,
  files: readonly WriteStream[],
  most: number,
): Promise<number[]> => {
  const counts = sheets.map(() => 1);
  for await (const { sheet, cells } of rows) {
    counts[sheet]! += 1;
    if (counts[sheet]! > most) throw errors.tooManyRows(most);
    await put(files[sheet]!, rowXml(sheets[sheet]!, counts[sheet]!, cells, cellXml));
  }
  for (const file of files) {
    file.end();
    await finished(file);
  }
  return counts;
};

/** A sheet whose rows stand in a file. Its columns may have become known with its rows. */
const sheetXml = async function* (sheet: Sheet, rows: string, last: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from(sheetStart(sheet));
  yield* createReadStream(rows);
  yield Buffer.from(sheetEnd(sheet, last));
};

const workbookBytes = async function* (
  sheets: readonly Sheet[],
  rows: AsyncIterable<SheetRow>,
  at: Date,
  most: number,
): AsyncGenerator<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'workbook-'));
  const pathOf = (sheet: number): string => join(folder, `sheet${sheet + 1}.xml`);
  // An error without a listener would end the process. Each write looks for it.
  const written = sheets.map((_, index) => createWriteStream(pathOf(index)).on('error', () => undefined));
  try {
    const counts = await writeSheets(sheets, rows, written, most);
    const kept = sheets
      .map((sheet, index) => ({ sheet, last: counts[index]!, rows: pathOf(index) }))
      .filter(({ sheet, last }) => last > 1 || !sheet.isLeftOutWhenEmpty);
    const files: ArchivedFile[] = [
      ...Object.entries(parts(kept.map(({ sheet }) => sheet))).map(([path, text]) => ({
        path,
        open: async () => Buffer.from(text),
        isCompressed: false,
      })),
      ...kept.map(({ sheet, last, rows }, index) => ({
        path: `xl/worksheets/sheet${index + 1}.xml`,
        open: async () => Readable.from(sheetXml(sheet, rows, last), { objectMode: false }),
        isCompressed: false,
      })),
    ];
    yield* archive(files, at);
  } finally {
    for (const file of written) file.destroy();
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * A workbook (.xlsx) of several sheets as a stream. Rows come in any order, in one pass, and pass through files in the
 * system's temporary folder, so the memory does not depend on its size. (hucre streams one sheet only.)
 * @param at the time of the package's parts, so that the same rows give the same bytes
 * @param most rows of a sheet, with its header
 * @throws in the stream ApiError `too_many_rows`, because nobody would notice a row that was left out
 */
export const workbook = (
  sheets: readonly Sheet[],
  rows: AsyncIterable<SheetRow>,
  at: Date,
  most = MAX_ROWS,
): Readable => Readable.from(workbookBytes(sheets, rows, at, most), { objectMode: false });
