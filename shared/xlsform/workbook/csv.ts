import { CsvError, parse } from 'csv-parse/sync';
import { isText } from '../../base/text.ts';
import { MAX_COLUMNS, MAX_CSV_ROWS, MAX_HEADER_LENGTH } from '../../schemas/templates/xlsform-limits.ts';
import { cleaned } from '../form/sheets.ts';
import { refuse } from './workbook-error.ts';

/** A CSV file with a list of options. */
export interface CsvFile {
  /** The first row; a column of the same name as an earlier one is "". */
  columns: readonly string[];
  /** The other rows that are not empty: texts in the order of the columns. A row may have fewer. */
  rows: readonly CsvRow[];
  /** Whether the file has more than MAX_CSV_ROWS rows. Those after them were not read. */
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
