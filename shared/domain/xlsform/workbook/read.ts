import { CsvError, parse } from 'csv-parse/sync';
import { isText, fold } from '../../../base/text.ts';
import { MAX_COLUMNS, MAX_CSV_ROWS, MAX_HEADER_LENGTH } from '../../../schemas/templates/xlsform-limits.ts';
import { cleaned, type Sheet } from '../form/sheets.ts';
import { dateStylesIn, readSheet, type Shared, sharedTextsIn } from './sheet.ts';
import { refuse, WorkbookError, parseXml, Zip } from './zip.ts';

/** A CSV file with a list of options. */
export interface CsvFile {
  /** The first row; a column of the same name as an earlier one is "". */
  columns: readonly string[];
  /** The other rows that are not empty: texts in the order of the columns. A row may have fewer. */
  rows: readonly CsvRow[];
  /** Whether the file has more than MAX_CSV_ROWS rows. The rows after these were not read. */
  isCut: boolean;
}

export interface CsvRow {
  /** The line at which the row ends, from 1. */
  number: number;
  texts: readonly string[];
}

const textOf = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuse('file is not in UTF-8: save it as "CSV UTF-8"');
  }
};

const recordsIn = (text: string): CsvRow[] => {
  try {
    // The parser counts a line end of two characters within quotes as two lines.
    const records: unknown = parse(text.replaceAll(/\r\n?/g, '\n'), {
      info: true,
      relax_column_count_less: true,
      skip_empty_lines: true,
      to: MAX_CSV_ROWS + 2,
    });
    return (records as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => ({
      number: info.lines,
      texts: record.map(cleaned),
    }));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return refuse(`file is not a CSV file with commas between its texts: ${error.message}`);
  }
};

const checkHeader = (columns: readonly string[]): void => {
  if (columns.length > MAX_COLUMNS) refuse(`file has more than ${MAX_COLUMNS} columns`);
  if (columns.some((column) => column.length > MAX_HEADER_LENGTH))
    refuse(`file has a column whose name is longer than ${MAX_HEADER_LENGTH} characters`);
};

/**
 * Reads a CSV file (RFC 4180) in UTF-8. Each text stays a text, whatever a spreadsheet would make of it.
 * @throws WorkbookError for bytes that are not such a file, and for a text that cannot be stored
 */
export const readCsv = (bytes: Uint8Array): CsvFile => {
  const [header, ...rows] = recordsIn(textOf(bytes));
  const columns = header?.texts ?? [];
  checkHeader(columns);
  for (const { number, texts } of [...(header ? [header] : []), ...rows])
    if (!texts.every(isText)) refuse(`file has a control character in line ${number}`);
  return {
    columns: columns.map((column, at) => (columns.indexOf(column) === at ? column : '')),
    rows: rows.slice(0, MAX_CSV_ROWS).filter(({ texts }) => texts.some((text) => text !== '')),
    isCut: rows.length > MAX_CSV_ROWS,
  };
};

/** Sheets of a workbook. */
const MAX_SHEETS = 1_000;

/** A link from one part to another (ECMA-376 part 2, section 6.5). */
interface Relationship {
  id: string;
  /** The last segment of its type, such as `worksheet`. */
  type: string;
  /** The name of the other part. */
  part: string;
}

const folderOf = (part: string): string => part.slice(0, part.lastIndexOf('/') + 1);

/** The name of the part that a target means. The target is relative to the part `from`. */
const resolved = (target: string, from: string): string =>
  decodeURI(new URL(target, `zip://parts/${folderOf(from)}`).pathname.slice(1));

const relationshipsOf = async (zip: Zip, part: string): Promise<Relationship[]> => {
  const found: Relationship[] = [];
  await parseXml(zip.read(`${folderOf(part)}_rels/${part.slice(folderOf(part).length)}.rels`), {
    open: (path, { Id = '', Type = '', Target = '', TargetMode }) => {
      if (path.length === 2 && TargetMode !== 'External')
        found.push({ id: Id, type: Type.slice(Type.lastIndexOf('/') + 1), part: resolved(Target, part) });
    },
  });
  return found;
};

interface Contents {
  sheets: { name: string; relationship: string }[];
  isSince1904: boolean;
}

const contentsOf = async (zip: Zip, part: string): Promise<Contents> => {
  const contents: Contents = { sheets: [], isSince1904: false };
  await parseXml(zip.read(part), {
    open: (path, attributes) => {
      const element = path.slice(1).join('/');
      if (element === 'workbookPr')
        contents.isSince1904 = ['1', 'true'].includes(attributes['date1904'] ?? '');
      if (element !== 'sheets/sheet') return;
      const relationship = Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1] ?? '';
      if (contents.sheets.push({ name: attributes['name'] ?? '', relationship }) > MAX_SHEETS)
        refuse(`the workbook has more than ${MAX_SHEETS} sheets`);
    },
  });
  return contents;
};

const checkNames = (names: readonly string[]): void => {
  const seen = new Map<string, string>();
  for (const name of names) {
    const folded = fold(name.trim());
    const other = seen.get(folded);
    if (other !== undefined) refuse(`the workbook has two sheets of the same name, "${other}" and "${name}"`);
    seen.set(folded, name);
  }
};

/** @throws WorkbookError for a file that is no workbook, and for one that is encrypted or has macros */
const openWorkbook = (bytes: Uint8Array): Zip => {
  const isCompound = [0xd0, 0xcf, 0x11, 0xe0].every((byte, i) => bytes[i] === byte);
  if (isCompound)
    refuse('the workbook is encrypted or has the old .xls format: save it as .xlsx without a password');
  const zip = new Zip(bytes);
  const has = (form: RegExp) => zip.names.some((name) => form.test(name));
  if (has(/(^|\/)vbaProject\.bin$/i)) refuse('the workbook has macros: save it as .xlsx');
  if (!has(/^\[Content_Types\]\.xml$/) || has(/^xl\/workbook\.bin$/i))
    refuse('the file is not an .xlsx workbook');
  return zip;
};

const readSheets = async (
  bytes: Uint8Array,
  wanted: (name: string) => boolean,
): Promise<{ sheets: Sheet[]; others: string[] }> => {
  const zip = openWorkbook(bytes);
  const main =
    (await relationshipsOf(zip, '')).find(({ type }) => type === 'officeDocument')?.part ??
    refuse('the file is not an .xlsx workbook');
  const relationships = await relationshipsOf(zip, main);
  const partOf = (type: string) => relationships.find((other) => other.type === type)?.part;
  const { sheets: listed, isSince1904 } = await contentsOf(zip, main);
  checkNames(listed.map(({ name }) => name));
  const [texts, styles] = [partOf('sharedStrings'), partOf('styles')];
  const shared: Shared = {
    texts: texts === undefined ? [] : await sharedTextsIn(zip.read(texts)),
    isDate: styles === undefined ? [] : await dateStylesIn(zip.read(styles)),
    isSince1904,
  };
  const tally = { cells: 0, characters: 0 };
  const sheets: Sheet[] = [];
  for (const { name, relationship } of listed.filter((sheet) => wanted(sheet.name))) {
    const part =
      relationships.find(({ id, type }) => id === relationship && type === 'worksheet')?.part ??
      refuse(`the workbook has no worksheet "${name}"`);
    sheets.push(await readSheet(name, zip.read(part), shared, tally));
  }
  return { sheets, others: listed.map(({ name }) => name).filter((name) => !wanted(name)) };
};

/**
 * Reads the sheets of an .xlsx workbook (ECMA-376) as texts: dates as `YYYY-MM-DD[ HH:MM:SS]`, booleans as TRUE and
 * FALSE, formulas as their last result. The first row that is not empty is a sheet's header.
 *
 * Only the parts that are needed are unpacked, chunk by chunk. The file cannot decide how much memory is used, because
 * every size is counted while it is read.
 * @param wanted which sheets are read; `others` has the names of all others
 * @throws WorkbookError for bytes that are not a workbook, and for one that is encrypted, has macros or is too large
 */
export const readWorkbook = async (
  ...[bytes, wanted]: Parameters<typeof readSheets>
): ReturnType<typeof readSheets> => {
  try {
    return await readSheets(bytes, wanted);
  } catch (error) {
    if (error instanceof WorkbookError) throw error;
    // Bytes that only look like a workbook cause various errors, when they are unpacked or an address of a part is
    // resolved.
    throw new WorkbookError(`the workbook cannot be read: ${(error as Error).message}`, { cause: error });
  }
};
