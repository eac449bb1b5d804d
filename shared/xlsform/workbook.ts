import { type CellValue, readXlsx, type WriteSheet, writeXlsx } from 'hucre/xlsx';
import { cleaned, type Sheet, type SheetRow } from './sheets.ts';

/** Bytes that are no workbook, or one that is not read; the message says which. */
export class WorkbookError extends Error {
  override name = 'WorkbookError';
}

/** What a workbook may be unpacked. */
const MOST_UNPACKED = 64 * 1024 * 1024;
const MOST_PARTS = 2_000;
/** A content of 5 MB may have as many options. */
const MOST_ROWS = 60_000;
const MOST_CELLS = 600_000;

const refuse = (what: string): never => {
  throw new WorkbookError(what);
};

interface Part {
  name: string;
  size: number;
}

/** The parts that a zip's central directory lists (PKWARE APPNOTE, section 4.3.12), by what they claim to hold. */
const partsOf = (bytes: Uint8Array): Part[] => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const has = (at: number, signature: number) =>
    at >= 0 && at + 4 <= bytes.length && view.getUint32(at, true) === signature;
  let end = bytes.length - 22;
  const first = Math.max(0, bytes.length - 22 - 0xff_ff);
  while (end >= first && !has(end, 0x06_05_4b_50)) end -= 1;
  if (end < first || !has(0, 0x04_03_4b_50)) return refuse('the file is no .xlsx workbook');
  const count = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (count > MOST_PARTS || at === 0xff_ff_ff_ff) refuse(`the workbook has more than ${MOST_PARTS} parts`);
  return Array.from({ length: count }, () => {
    if (at + 46 > bytes.length || !has(at, 0x02_01_4b_50)) return refuse('the workbook is damaged');
    const [flags, packed, size, nameLength] = [
      view.getUint16(at + 8, true),
      view.getUint32(at + 20, true),
      view.getUint32(at + 24, true),
      view.getUint16(at + 28, true),
    ];
    const name = new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength));
    // Whoever unpacks takes these sizes as limits, and has none where they are left open.
    if ((flags & 1) !== 0) refuse('the workbook is encrypted');
    if (size === 0 ? packed > 2 || (flags & 8) !== 0 : packed === 0)
      refuse('the workbook does not say how large its parts are');
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    return { name, size: Math.max(size, packed) };
  });
};

const inspect = (bytes: Uint8Array): void => {
  const isCompound = [0xd0, 0xcf, 0x11, 0xe0].every((byte, i) => bytes[i] === byte);
  if (isCompound)
    refuse('the workbook is encrypted, or of the old .xls format: save it as .xlsx without a password');
  const parts = partsOf(bytes);
  const has = (form: RegExp) => parts.some(({ name }) => form.test(name));
  if (has(/(^|\/)vbaProject\.bin$/i)) refuse('the workbook has macros: save it as .xlsx');
  if (!has(/^\[Content_Types\]\.xml$/) || has(/^xl\/workbook\.bin$/i))
    refuse('the file is no .xlsx workbook');
  if (parts.reduce((sum, { size }) => sum + size, 0) > MOST_UNPACKED)
    refuse(`the workbook should have at most ${MOST_UNPACKED / 1024 / 1024} MB unpacked`);
};

/** Excel's day 1; what is before is a time of day. */
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
  // Excel computes with 15 digits and stores 17.
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
 * The sheets of an .xlsx workbook as texts: dates as `YYYY-MM-DD[ HH:MM:SS]`, booleans as TRUE and FALSE, formulas
 * as their last result. The first row with anything in it is a sheet's header.
 * @param wanted which sheets are read; of the others only the name is known
 * @throws WorkbookError for bytes that are no workbook, an encrypted one, one with macros, and one too large
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
    // One after the other: a sheet is read as a rectangle, however little stands in it.
    for (const [position, name] of names.entries()) {
      if (!wanted(name)) continue;
      const [read] = (await readXlsx(bytes, { sheets: [position] })).sheets;
      const rows: SheetRow[] = (read?.rows ?? [])
        .map((values, row) => ({ number: row + 1, cells: cellsOf(values) }))
        .filter(({ cells }) => cells.size > 0);
      filled += rows.reduce((sum, { cells }) => sum + cells.size, 0);
      if (rows.length > MOST_ROWS || filled > MOST_CELLS)
        refuse(`a form should have at most ${MOST_ROWS} rows in a sheet and ${MOST_CELLS} filled cells`);
      const [header, ...rest] = rows;
      sheets.push({ name, header: header?.cells ?? new Map(), rows: rest });
    }
    return { sheets, others: names.filter((name) => !wanted(name)) };
  } catch (error) {
    if (error instanceof WorkbookError) throw error;
    // Whatever a reader throws at bytes that only look like a workbook.
    throw new WorkbookError(`the workbook cannot be read: ${(error as Error).message}`, { cause: error });
  }
};

/** Readers take `_x0041_` for the character of that code (ECMA-376 part 1, section 22.9.2.19). */
const escaped = (text: string) => text.replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_');

const written = ({ name, header, rows }: Sheet): WriteSheet => {
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

/** An .xlsx workbook of sheets, which `readWorkbook` gives back as they are. */
export const writeWorkbook = (sheets: readonly Sheet[]): Promise<Uint8Array> =>
  writeXlsx({ sheets: sheets.map(written) });
