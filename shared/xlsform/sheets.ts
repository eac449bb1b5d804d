/** A sheet as texts: what a workbook holds, and what a form is given as in JSON. */
export interface Sheet {
  name: string;
  /** By position. */
  header: ReadonlyMap<number, string>;
  /** Rows with anything in them, the header's left out. */
  rows: readonly SheetRow[];
}

export interface SheetRow {
  /** As Excel counts them, from 1; in JSON the position in its list, from 0. */
  number: number;
  /** By position; never blank. */
  cells: ReadonlyMap<number, string>;
}

/** A cell's text as it is read: without what surrounds it, and with plain spaces and line ends. */
export const cleaned = (text: string): string =>
  text.replaceAll('\u00a0', ' ').replaceAll(/\r\n?/g, '\n').toWellFormed().trim();

/** What XML 1.0 (section 2.2) cannot hold. */
// oxlint-disable-next-line no-control-regex -- these are what is left out
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A text as a cell holds it: reading it gives the same again. */
export const cellText = (text: string): string => cleaned(text.replaceAll(UNWRITABLE, ''));

/** The longest text of a cell (Excel specifications and limits). */
export const LONGEST_CELL = 32_767;

/** A column's letters, as Excel shows them above it. */
export const lettersOf = (position: number): string =>
  position < 26
    ? String.fromCharCode(65 + position)
    : lettersOf(Math.floor(position / 26) - 1) + lettersOf(position % 26);

/** A sheet of rows that name their columns; a column stands where it is first named. */
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
