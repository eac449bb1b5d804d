import { trimmed } from '../../base/text.ts';
import type { Field, FieldType } from '../../schemas/templates/content.ts';
import type { FormRow } from '../../schemas/templates/xlsform.ts';
import { type Column, columnOf, isTranslated, vocabularyOf } from './columns.ts';
import { isSameLanguage } from './same-languages.ts';

/** A sheet as texts, from a workbook or from JSON. */
export interface Sheet {
  name: string;
  /** Headers by column position, from 0. */
  header: ReadonlyMap<number, string>;
  /** The rows that are not empty, without the header. */
  rows: readonly SheetRow[];
}

export interface SheetRow {
  /** In a workbook as Excel counts rows, from 1; in JSON the position in the list, from 0. */
  number: number;
  /** Texts by column position, from 0; never blank. */
  cells: ReadonlyMap<number, string>;
}

/** A cell's text as the import reads it: trimmed, with plain spaces and line ends; empty if it shows nothing. */
export const cleaned = (text: string): string =>
  trimmed(text.replaceAll('\u00a0', ' ').replaceAll(/\r\n?/g, '\n').toWellFormed());

/** The characters that XML 1.0 (section 2.2) does not allow. */
// oxlint-disable-next-line no-control-regex -- the control characters are what is removed
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A text as a cell can hold it: reading the cell gives the same text. */
export const cellText = (text: string): string => cleaned(text.replaceAll(UNWRITABLE, ''));

/** A column's letters, as Excel shows them above it; `position` counts from 0. */
export const lettersOf = (position: number): string =>
  position < 26
    ? String.fromCharCode(65 + position)
    : lettersOf(Math.floor(position / 26) - 1) + lettersOf(position % 26);

/**
 * A sheet of rows whose cells are named by their columns.
 * @param columns headers that come first; every other column follows in the order of its first use
 */
export const sheetOf = (
  name: string,
  rows: readonly { number: number; cells: Iterable<readonly [string, string]> }[],
  columns: readonly string[] = [],
): Sheet => {
  const positions = new Map(columns.map((column, position) => [column, position]));
  const placed = rows.map(({ number, cells }) => ({
    number,
    cells: new Map(
      [...cells].flatMap(([column, text]) => {
        if (!positions.has(column)) positions.set(column, positions.size);
        return text === '' ? [] : [[positions.get(column)!, text] as const];
      }),
    ),
  }));
  return {
    name,
    header: new Map([...positions].map(([column, position]) => [position, column])),
    rows: placed,
  };
};

const textOf = (value: string | number | boolean | null): string => {
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return value === null ? '' : cleaned(String(value));
};

/** A sheet that JSON gives as a list of rows. */
export const sheetOfRows = (name: string, rows: readonly FormRow[]): Sheet =>
  sheetOf(
    name,
    rows.map((row, number) => ({
      number,
      cells: Object.entries(row).flatMap(([column, value]): [string, string][] =>
        typeof value === 'object' && value !== null
          ? Object.entries(value).map(([language, text]) => [`${column}::${language}`, textOf(text)])
          : [[column, textOf(value)]],
      ),
    })),
  );

/** How many letters of a word may be wrong, and of a word of up to four letters. */
const MAX_WRONG_LETTERS = 2;
const MAX_WRONG_OF_FOUR = 1;

/** The longest text that is compared, in characters. */
const MAX_COMPARED_LENGTH = 40;

/**
 * How many letters have to be changed, added, removed or exchanged with the next one to make one text of the other
 * (Damerau and Levenshtein; "optimal string alignment").
 */
const distance = (a: string, b: string): number => {
  let [before, previous] = [[0], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 0; i < a.length; i += 1) {
    const current = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const isExchanged = a[i] === b[j - 1] && a[i - 1] === b[j];
      current.push(
        Math.min(
          previous[j]! + (a[i] === b[j] ? 0 : 1),
          previous[j + 1]! + 1,
          current[j]! + 1,
          isExchanged ? before[j - 1]! + 1 : Infinity,
        ),
      );
    }
    [before, previous] = [previous, current];
  }
  return previous[b.length]!;
};

/** The word that a misspelt text may mean, such as `survey` for `surveys`; undefined for none. */
export const similarTo = (text: string, words: Iterable<string>): string | undefined => {
  const plain = text.trim().toLowerCase();
  if (plain.length > MAX_COMPARED_LENGTH) return undefined;
  const most = plain.length <= 4 ? MAX_WRONG_OF_FOUR : MAX_WRONG_LETTERS;
  const found = Array.from(words, (word) => ({ word, wrong: distance(plain, word) }));
  return found.filter(({ wrong }) => wrong <= most).toSorted((a, b) => a.wrong - b.wrong)[0]?.word;
};

type Kind = ReadonlySet<FieldType>;

export const numeric: Kind = new Set<FieldType>(['number', 'slider', 'rating', 'temperature']);
export const textual: Kind = new Set<FieldType>(['text', 'long_text', 'barcode']);
export const boolean: Kind = new Set<FieldType>(['yes_no', 'checkbox']);
export const dated: Kind = new Set<FieldType>(['date', 'time', 'datetime']);
export const choice: Kind = new Set<FieldType>([
  'yes_no_na',
  'pass_fail_na',
  'single_select',
  'multi_select',
]);

/** The limits of a field that XLSForm writes as a constraint. */
export type Limits = Pick<Field, 'min' | 'max' | 'pattern' | 'max_length'>;

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
  /** The same cells by the names of their columns: rows are searched once for each name that forms can have. */
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
 * @param spellings the spelling that stands for a language, by each other spelling of it
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
 * @param languages null stands for the column without a language
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
