import { trimmed } from '../../../base/text.ts';
import type { Field, FieldType } from '../../../schemas/templates/content.ts';
import type { FormRow } from '../../../schemas/templates/xlsform.ts';

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

/** The maximum number of wrong letters in a word, and in a word of up to four letters. */
const MAX_WRONG_LETTERS = 2;
const MAX_WRONG_OF_FOUR = 1;

/** The longest text that is compared, in characters. */
const MAX_COMPARED_LENGTH = 40;

/**
 * The number of letters to change, add, remove or exchange with the next one, to turn one text into the other (Damerau
 * and Levenshtein; "optimal string alignment").
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
