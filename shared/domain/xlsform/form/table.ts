import { type Column, columnOf, isTranslated, vocabularyOf } from './columns.ts';
import { isSameLanguage } from './same-languages.ts';
import { lettersOf, type Sheet } from './sheets.ts';

interface Cell {
  column: Column;
  text: string;
  /** Whether the import has used the text or made a remark on it. The report lists every other cell. */
  isUsed: boolean;
}

export interface Row {
  sheet: string;
  number: number;
  cells: readonly Cell[];
  /** The same cells by the names of their columns, because a row is searched for every name that a form can have. */
  cellsByName: ReadonlyMap<string, readonly Cell[]>;
}

/** A sheet of an XLSForm with its headers understood. */
export interface Table {
  name: string;
  columns: readonly Column[];
  rows: readonly Row[];
}

/**
 * Reads the headers of a sheet for which `isFormSheet` is true.
 * @param spellings for each other spelling of a language, the one to use
 */
export const tableOf = (
  { name, header, rows }: Sheet,
  spellings: ReadonlyMap<string, string> = new Map(),
): Table => {
  const vocabulary = vocabularyOf(name);
  const isOld = ![...header.values()].some((text) => text.includes('::'));
  const columns = new Map(
    [...header].map(([at, text]) => {
      const column = columnOf(text, isOld, vocabulary);
      return [at, { ...column, language: spellings.get(column.language ?? '') ?? column.language }];
    }),
  );
  const columnAt = (at: number): Column => {
    const letters = lettersOf(at);
    const column = columns.get(at) ?? { header: letters, name: letters, language: null, isKnown: false };
    columns.set(at, column);
    return column;
  };
  return {
    name,
    rows: rows.map(({ number, cells: texts }) => {
      const cells = [...texts].map(([at, text]) => ({ column: columnAt(at), text, isUsed: false }));
      return {
        sheet: name,
        number,
        cells,
        cellsByName: Map.groupBy(cells, ({ column }) => column.name),
      };
    }),
    columns: [...columns.values()],
  };
};

const cellsOf = ({ cellsByName }: Row, name: string) => cellsByName.get(name) ?? [];

/** Whether a row has a text in a column. */
export const has = (row: Row, name: string): boolean => cellsOf(row, name).length > 0;

/** The text of a cell, "" for none. The cell stays unused. */
export const peek = (row: Row, name: string): string => cellsOf(row, name)[0]?.text ?? '';

/** The text of a cell, "" for none. Marks the cell as used. */
export const take = (row: Row, name: string): string => {
  const [cell] = cellsOf(row, name);
  if (cell) cell.isUsed = true;
  return cell?.text ?? '';
};

const cellIn = (row: Row, name: string, languages: readonly (string | null)[]): Cell | undefined => {
  const cells = new Map(
    cellsOf(row, name)
      .toReversed()
      .map((cell) => [cell.column.language, cell]),
  );
  const language = languages.find((each) => cells.has(each));
  return language === undefined ? undefined : cells.get(language);
};

/**
 * The text in the first of the languages that has one. Marks the cell as used.
 * @param languages null for the column without a language
 */
export const takeIn = (
  row: Row,
  name: string,
  languages: readonly (string | null)[],
): { text: string; language: string | null } | undefined => {
  const cell = cellIn(row, name, languages);
  if (!cell) return undefined;
  cell.isUsed = true;
  return { text: cell.text, language: cell.column.language };
};

/** The text in a language, or else in the column without a language; "" for none. The cell stays unused. */
export const peekIn = (row: Row, name: string, language: string | null): string =>
  cellIn(row, name, [language, null])?.text ?? '';

/**
 * The header of a column as it stands in the sheet.
 * @param name of the column, with `::` and a language for a text in that language
 */
export const headerOf = (row: Row, name: string): string => {
  const [plain = '', language] = name.split(/::(.*)/s);
  const cells = cellsOf(row, name);
  // A header may spell the language in another way, or leave out the default language.
  const translated = cellsOf(row, plain).filter(
    ({ column }) => column.language === null || isSameLanguage(column.language, language ?? ''),
  );
  const cell =
    cells.find(({ isUsed }) => isUsed) ??
    cells[0] ??
    translated.find(({ column }) => column.language !== null) ??
    translated[0];
  return cell?.column.header ?? name;
};

/** Marks a cell as used. Where the column has several languages and one of them is used already, nothing changes. */
export const settle = (row: Row, name: string): void => {
  const cells = cellsOf(row, name);
  if (cells[0] && !cells.some(({ isUsed }) => isUsed)) cells[0].isUsed = true;
};

/** Marks all cells of a row as used. */
export const settleAll = ({ cells }: Row): void => {
  for (const cell of cells) cell.isUsed = true;
};

/** The languages of the given columns, as their headers write them; null for columns without a language. */
export const languagesOf = (
  tables: readonly Table[],
  names: readonly string[] = ['label', 'hint'],
): (string | null)[] => [
  ...new Set(
    tables.flatMap(({ columns }) =>
      columns
        .filter((column) => isTranslated(column) && names.includes(column.name))
        .map(({ language }) => language),
    ),
  ),
];
