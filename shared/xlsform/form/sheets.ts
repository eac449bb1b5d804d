import { trimmed } from '../../base/text.ts';

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
