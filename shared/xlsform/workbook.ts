import { type CellValue, readXlsx, type WriteSheet, writeXlsx } from 'hucre/xlsx';
import { MAX_ROWS } from '../schemas/templates/xlsform-limits.ts';
import { cleaned, type Sheet, type SheetRow } from './form/sheets.ts';

/** The bytes are not a workbook that is accepted. The message says why. */
export class WorkbookError extends Error {
  override name = 'WorkbookError';
}

/** The largest size of all unpacked parts together, in bytes. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/** The most files in a workbook's zip. */
const MAX_PARTS = 2_000;

/** The most cells of a form that are not empty. */
const MAX_CELLS = 600_000;

const refuse = (what: string): never => {
  throw new WorkbookError(what);
};

interface Part {
  name: string;
  size: number;
}

/**
 * The parts of a zip as its central directory lists them (PKWARE APPNOTE, section 4.3.12), with the sizes that it
 * claims.
 */
const partsOf = (bytes: Uint8Array): Part[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const has = (at: number, signature: number) =>
    at >= 0 && at + 4 <= bytes.length && view.getUint32(at, true) === signature;
  let end = bytes.length - 22;
  const first = Math.max(0, bytes.length - 22 - 0xff_ff);
  while (end >= first && !has(end, 0x06_05_4b_50)) end -= 1;
  if (end < first || !has(0, 0x04_03_4b_50)) return refuse('the file is not an .xlsx workbook');
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count > MAX_PARTS || at === 0xff_ff_ff_ff) refuse(`the workbook has more than ${MAX_PARTS} parts`);
  return Array.from({ length: count }, () => {
    if (at + 46 > bytes.length || !has(at, 0x02_01_4b_50)) return refuse('the workbook is damaged');
    const [flags, packed, size, nameLength] = [
      view.getUint16(at + 8, true),
      view.getUint32(at + 20, true),
      view.getUint32(at + 24, true),
      view.getUint16(at + 28, true),
    ];
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    // Unpacking uses these sizes as limits. A part without a size would have no limit.
    if ((flags & 1) !== 0) refuse('the workbook is encrypted: save it without a password');
    if (size === 0 ? packed > 2 || (flags & 8) !== 0 : packed === 0)
      refuse('the workbook does not say how large its parts are');
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    return { name, size: Math.max(size, packed) };
  });
};

/** @throws WorkbookError for a workbook that is not accepted, before any of it is unpacked */
const inspect = (bytes: Uint8Array): void => {
  const isCompound = [0xd0, 0xcf, 0x11, 0xe0].every((byte, i) => bytes[i] === byte);
  if (isCompound)
    refuse('the workbook is encrypted or has the old .xls format: save it as .xlsx without a password');
  const parts = partsOf(bytes);
  const has = (form: RegExp) => parts.some(({ name }) => form.test(name));
  if (has(/(^|\/)vbaProject\.bin$/i)) refuse('the workbook has macros: save it as .xlsx');
  if (!has(/^\[Content_Types\]\.xml$/) || has(/^xl\/workbook\.bin$/i))
    refuse('the file is not an .xlsx workbook');
  if (parts.reduce((sum, { size }) => sum + size, 0) > MAX_UNPACKED_BYTES)
    refuse(`the workbook is larger than ${MAX_UNPACKED_BYTES / 1024 / 1024} MB when it is unpacked`);
};

/** Excel's first day. Excel stores a time of day as a date before it. */
const FIRST_DAY = Date.UTC(1900, 0, 1);

const dateText = (date: Date): string => {
  if (Number.isNaN(date.getTime())) return '';
  const [day = '', time = ''] = new Date(Math.round(date.getTime() / 1_000) * 1_000)
    .toISOString()
    .slice(0, 19)
    .split('T');
  if (date.getTime() < FIRST_DAY) return time;
  return time === '00:00:00' ? day : `${day} ${time}`;
};

const textOf = (value: CellValue | undefined): string => {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return dateText(value);
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  // Excel calculates with 15 digits and stores 17.
  if (typeof value === 'number') return String(Number(value.toPrecision(15)));
  return cleaned(value);
};

const cellsOf = (values: readonly CellValue[]): Map<number, string> => {
  const cells = new Map<number, string>();
  for (const [position, value] of values.entries()) {
    const text = textOf(value);
    if (text !== '') cells.set(position, text);
  }
  return cells;
};

/**
 * Reads the sheets of an .xlsx workbook as texts: dates as `YYYY-MM-DD[ HH:MM:SS]`, booleans as TRUE and FALSE,
 * formulas as their last result. The first row that is not empty is a sheet's header.
 * @param wanted which sheets are read; `others` has the names of all others
 * @throws WorkbookError for bytes that are not a workbook, and for one that is encrypted, has macros or is too large
 */
export const readWorkbook = async (
  bytes: Uint8Array,
  wanted: (name: string) => boolean,
): Promise<{ sheets: Sheet[]; others: string[] }> => {
  inspect(bytes);
  try {
    const names: string[] = [];
    await readXlsx(bytes, { sheets: ({ name }) => names.push(name) < 0 });
    const sheets: Sheet[] = [];
    let filled = 0;
    // The sheets are read one by one, because reading a sheet needs memory for its empty cells too.
    for (const [position, name] of names.entries()) {
      if (!wanted(name)) continue;
      const [read] = (await readXlsx(bytes, { sheets: [position] })).sheets;
      const rows: SheetRow[] = (read?.rows ?? [])
        .map((values, row) => ({ number: row + 1, cells: cellsOf(values) }))
        .filter(({ cells }) => cells.size > 0);
      filled += rows.reduce((sum, { cells }) => sum + cells.size, 0);
      if (rows.length > MAX_ROWS || filled > MAX_CELLS)
        refuse(
          `a form can have at most ${MAX_ROWS} rows in a sheet and ${MAX_CELLS} cells that are not empty`,
        );
      const [header, ...rest] = rows;
      sheets.push({ name, header: header?.cells ?? new Map(), rows: rest });
    }
    return { sheets, others: names.filter((name) => !wanted(name)) };
  } catch (error) {
    if (error instanceof WorkbookError) throw error;
    // The reader throws various errors for bytes that only look like a workbook.
    throw new WorkbookError(`the workbook cannot be read: ${(error as Error).message}`, { cause: error });
  }
};

/** Escapes texts such as `_x0041_`, which readers replace by a character (ECMA-376 part 1, section 22.9.2.19). */
const escaped = (text: string) => text.replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_');

const writtenSheet = ({ name, header, rows }: Sheet): WriteSheet => {
  const width = Math.max(0, ...header.keys()) + 1;
  const line = (cells: ReadonlyMap<number, string>) =>
    Array.from({ length: width }, (_, position) => {
      const text = cells.get(position);
      return text === undefined ? null : escaped(text);
    });
  return {
    name,
    rows: [line(header), ...rows.map(({ cells }) => line(cells))],
    freezePane: { rows: 1 },
  };
};

/** Writes sheets as an .xlsx workbook. `readWorkbook` returns the same sheets. */
export const writeWorkbook = (sheets: readonly Sheet[]): Promise<Uint8Array> =>
  writeXlsx({ sheets: sheets.map(writtenSheet) });
