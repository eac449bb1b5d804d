import { isDateFormat, serialToDate } from 'hucre';
import { MAX_CELL_LENGTH, MAX_COLUMNS, MAX_ROWS } from '../../../schemas/templates/xlsform-limits.ts';
import { cleaned, type Sheet } from '../form/sheets.ts';
import { parseXml, refuse } from './zip.ts';

/** Formats that are not listed in a workbook and show dates or times (ECMA-376 part 1, section 18.8.30). */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/** The longest format, in characters (Excel specifications and limits). */
const MAX_FORMAT_LENGTH = 255;

/** Which of a workbook's cell styles show numbers as dates or times, by their index. */
export const dateStylesIn = async (styles: AsyncIterable<Uint8Array>): Promise<boolean[]> => {
  const formats = new Map<number, boolean>();
  const formatOfStyle: number[] = [];
  await parseXml(styles, {
    open: (path, { numFmtId = '', formatCode = '' }) => {
      if (path.length !== 3) return;
      if (path[1] === 'numFmts')
        formats.set(Number(numFmtId), isDateFormat(formatCode.slice(0, MAX_FORMAT_LENGTH)));
      else if (path[1] === 'cellXfs') formatOfStyle.push(Number(numFmtId));
    },
  });
  return formatOfStyle.map((id) => formats.get(id) ?? isBuiltInDate(id));
};

/** Excel's first day. Excel stores a time of day as a date before it. */
const FIRST_DAY = Date.UTC(1900, 0, 1);

/** The end of Excel's last day (Excel specifications and limits). */
const END = Date.UTC(10_000, 0, 1);

/**
 * A number of days as `YYYY-MM-DD[ HH:MM:SS]`, or `HH:MM:SS` for a time without a day; "" for a number that is not a
 * date.
 */
export const dateText = (days: number, isSince1904: boolean): string => {
  const date = serialToDate(days, isSince1904);
  const milliseconds = Math.round(date.getTime() / 1_000) * 1_000;
  if (!(days >= 0 && milliseconds < END)) return '';
  const text = new Date(milliseconds).toISOString();
  const [day, time] = [text.slice(0, 10), text.slice(11, 19)];
  if (date.getTime() < FIRST_DAY) return time;
  return time === '00:00:00' ? day : `${day} ${time}`;
};

/** The last row of a sheet (Excel specifications and limits). */
const LAST_ROW = 1_048_576;

/** The most cells of a form that are not empty. */
const MAX_CELLS = 600_000;

/** Characters of all cells of a form. */
const MAX_CHARACTERS = 16_000_000;

/** The most texts that the sheets of a workbook share. */
const MAX_SHARED_TEXTS = 1_000_000;

/** The texts and styles that the cells of all sheets refer to. */
export interface Shared {
  texts: readonly string[];
  /** By the index of a style: whether it shows numbers as dates or times. */
  isDate: readonly boolean[];
  isSince1904: boolean;
}

/** How much of a workbook has been read so far. */
export interface Tally {
  cells: number;
  characters: number;
}

/** Decodes a stored text, in which some characters are escaped (ECMA-376 part 1, section 22.9.2.19). */
const decoded = (stored: string): string => {
  if (stored.length > MAX_CELL_LENGTH * 7) refuse(`a cell has more than ${MAX_CELL_LENGTH} characters`);
  const text = cleaned(
    stored.replaceAll(/_x([\da-f]{4})_/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    ),
  );
  return text.length <= MAX_CELL_LENGTH ? text : refuse(`a cell has more than ${MAX_CELL_LENGTH} characters`);
};

/** The texts that the sheets of a workbook share, from its part `sharedStrings.xml`. */
export const sharedTextsIn = async (part: AsyncIterable<Uint8Array>): Promise<string[]> => {
  const texts: string[] = [];
  let text = '';
  await parseXml(part, {
    close: (path, found) => {
      const isPlain = path.length === 3 && path[2] === 't';
      const isRun = path.length === 4 && path[2] === 'r' && path[3] === 't';
      if (isPlain || isRun) text += found;
      else if (path.length === 2 && path[1] === 'si') {
        if (texts.push(decoded(text)) > MAX_SHARED_TEXTS)
          refuse(`the workbook has more than ${MAX_SHARED_TEXTS} texts`);
        text = '';
      }
    },
  });
  return texts;
};

interface OpenCell {
  position: number;
  type: string;
  style: number;
  value: string;
  inline: string;
}

const textOf = ({ type, style, value, inline }: OpenCell, shared: Shared): string => {
  if (type === 's') return shared.texts[Number(value)] ?? '';
  if (type === 'inlineStr') return decoded(inline);
  if (type === 'b') return value === '1' || value.toLowerCase() === 'true' ? 'TRUE' : 'FALSE';
  const number = Number(value);
  if (type === 'str' || type === 'e' || value.trim() === '' || Number.isNaN(number)) return decoded(value);
  if (shared.isDate[style]) return dateText(number, shared.isSince1904);
  // Excel calculates with 15 digits and stores 17.
  return String(Number(number.toPrecision(15)));
};

/** The position of a column, from 0, by the letters of a reference such as `AB12`; undefined without letters. */
const positionOf = (reference: string): number | undefined => {
  const [letters = ''] = /^[A-Z]{1,3}/i.exec(reference) ?? [];
  let position = 0;
  for (const letter of letters.toUpperCase()) position = position * 26 + letter.charCodeAt(0) - 64;
  return position === 0 ? undefined : position - 1;
};

/**
 * Reads a sheet. Only cells that are not empty take memory, so the memory depends on the length of the texts.
 * @param tally is increased by the cells and characters of the sheet
 * @throws WorkbookError for a sheet beyond the limits
 */
export const readSheet = async (
  name: string,
  part: AsyncIterable<Uint8Array>,
  shared: Shared,
  tally: Tally,
): Promise<Sheet> => {
  const rows = new Map<number, Map<number, string>>();
  let row = 0;
  let position = -1;
  let cell: OpenCell | undefined;

  const addCell = (text: string) => {
    if (text === '') return;
    if (position >= MAX_COLUMNS) refuse(`a sheet can have at most ${MAX_COLUMNS} columns`);
    const cells = rows.get(row) ?? new Map<number, string>();
    rows.set(row, cells.set(position, text));
    tally.cells += 1;
    tally.characters += text.length;
    if (rows.size > MAX_ROWS || tally.cells > MAX_CELLS)
      refuse(`a form can have at most ${MAX_ROWS} rows in a sheet and ${MAX_CELLS} cells that are not empty`);
    if (tally.characters > MAX_CHARACTERS) refuse(`a form can have at most ${MAX_CHARACTERS} characters`);
  };

  await parseXml(part, {
    open: (path, { r = '', t = 'n', s = '-1' }) => {
      if (path[1] !== 'sheetData') return;
      if (path.length === 3 && path[2] === 'row') {
        row = r === '' ? row + 1 : Number(r);
        if (!Number.isInteger(row) || row < 1 || row > LAST_ROW) refuse('the workbook is damaged');
        position = -1;
      } else if (path.length === 4 && path[3] === 'c') {
        position = positionOf(r) ?? position + 1;
        cell = { position, type: t, style: Number(s), value: '', inline: '' };
      }
    },
    close: (path, text) => {
      if (!cell) return;
      const element = path.at(-1);
      if (path.length === 4) {
        addCell(textOf(cell, shared));
        cell = undefined;
      } else if (path.length === 5 && element === 'v') cell.value = text;
      else if (element === 't' && path[4] === 'is' && (path.length === 6 || path[5] === 'r'))
        cell.inline += text;
    },
  });

  const [header, ...rest] = [...rows]
    .toSorted(([a], [b]) => a - b)
    .map(([number, cells]) => ({ number, cells }));
  return { name, header: header?.cells ?? new Map(), rows: rest };
};
