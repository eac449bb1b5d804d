import { type Column, isTranslated, sheetName, similarColumn, similarSheet } from '../../form/columns.ts';
import type { Row, Table } from '../../form/table.ts';
import type { BuiltForm } from '../build/content.ts';
import type { Item } from '../convert/convert.ts';
import { nameOf, type Remark } from '../diagnostics.ts';

/** How many ranges of row numbers a message lists. */
const MAX_RANGES = 50;

/** Why the cells of a column are not in the content. */
const reasons: Record<string, string> = {
  choice_filter: 'only the options of a list that is imported can be filtered',
  trigger: 'this calculation now runs whenever an answer changes, and not only by its trigger',
  constraint_message: 'only a question that people answer has this message',
  required_message: 'only a question that people answer has this message',
  parameters: 'this row is imported without its parameters',
  read_only: 'people can now change this answer, because only calculations are read-only',
};

const isMedia = (column: string) => column.startsWith('media::');

const NO_MEDIA = 'questions and choices show no media of their own';

const reasonOf = (column: string, isLeftOut: boolean): string =>
  (isLeftOut ? 'not imported, because this row was left out' : reasons[column]) ??
  (isMedia(column) ? `not imported, because ${NO_MEDIA}` : `a row of this type makes no use of ${column}`);

/** The rows that a remark is about, such as `(rows 2–5, 8)`. */
export const placesOf = (numbers: readonly number[]): string => {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const shown = ranges.slice(0, MAX_RANGES).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  const list = [...shown, ...(ranges.length > shown.length ? ['…'] : [])].join(', ');
  return `(${numbers.length === 1 ? 'row' : 'rows'} ${list})`;
};

/** Why a setting is not imported, if a template has it in another way or not at all. */
const settings: Record<string, string> = {
  instance_name: 'inspections are not named by their answers',
  public_key: 'inspections are not encrypted by a key of the form',
  submission_url: 'inspections are sent to this service',
  style: 'the app decides how a form looks',
};

const unknownColumn = (sheet: string, { header }: Column): string => {
  const similar = similarColumn(sheet, header);
  if (similar !== undefined)
    return `nothing of this column was imported: did you mean "${similar}"? Rename it`;
  const known = sheetName(sheet) === 'settings' ? settings[header.trim().toLowerCase()] : undefined;
  return `nothing of this column was imported, because ${known ?? 'columns of this name are not supported'}`;
};

/** The reason that is the same for all unused cells of a column; undefined where each cell has its own remark. */
const columnReason = (
  sheet: string,
  column: Column,
  namesakes: readonly Column[],
  languages: readonly (string | null)[],
): string | undefined => {
  if (!column.isKnown) return unknownColumn(sheet, column);
  const first = namesakes.find(({ language }) => language === column.language)!;
  if (first !== column) return `the texts of the column "${first.header}" before it are used instead`;
  const carried = isTranslated(column) ? languages : languages.slice(0, 1);
  if (namesakes.length === 1 || carried.includes(column.language)) return undefined;
  const reason = isMedia(column.name)
    ? NO_MEDIA
    : isTranslated(column)
      ? 'its language has no valid name, or the form has too many languages'
      : 'a template has this in one language only';
  return `nothing of this column was imported, because ${reason}`;
};

/**
 * The remarks on the cells of a sheet that the import has not used: one for each cell, or one for a whole column.
 * @param languages the languages that the content has, its own first
 * @param isLeftOut whether a row is not in the content
 */
const unusedCells = (
  { name, columns, rows }: Table,
  languages: readonly (string | null)[],
  isLeftOut: (row: Row) => boolean,
): Remark[] => {
  const namesakes = Map.groupBy(columns, (column) => column.name);
  const unused = new Map<Column, Row[]>(columns.map((column) => [column, []]));
  for (const row of rows)
    for (const { column, isUsed } of row.cells) if (!isUsed) unused.get(column)!.push(row);
  return [...unused].flatMap(([column, left]): Remark[] => {
    if (left.length === 0) return [];
    const shared = { sheet: name, column: column.header, severity: 'lost' as const };
    const reason = columnReason(name, column, namesakes.get(column.name)!, languages);
    if (reason !== undefined) {
      const places = placesOf(left.map(({ number }) => number));
      return [{ ...shared, row: null, name: null, message: `${reason} ${places}` }];
    }
    return left.map((row) => ({
      ...shared,
      row: row.number,
      name: nameOf(row),
      message: reasonOf(column.name, isLeftOut(row)),
    }));
  });
};

/** The remarks on the unused columns of a file with options. */
const unusedColumns = ({ name: sheet, columns, rows }: Table): Remark[] => {
  const isUsed = new Map(columns.map((column) => [column, true]));
  for (const row of rows) for (const cell of row.cells) if (!cell.isUsed) isUsed.set(cell.column, false);
  return columns
    .filter((column) => !isUsed.get(column))
    .map(({ header: column }) => ({
      sheet,
      row: null,
      column,
      name: null,
      severity: 'lost',
      message: 'not imported, because no choice_filter that is imported asks for this column',
    }));
};

const unusedSheet = (name: string): string => {
  const similar = similarSheet(name);
  return similar === undefined
    ? 'nothing of this sheet was imported, because it is not part of an XLSForm'
    : `nothing of this sheet was imported: did you mean "${similar}"? Rename it`;
};

/** The rows that are in the content. */
function* rowsOf(items: readonly Item[]): Generator<Row> {
  for (const item of items) {
    yield item.node.row;
    if ('items' in item) yield* rowsOf(item.items);
  }
}

/**
 * All remarks on a form, in the order of its sheets and rows.
 * @param others the names of the sheets that are not part of the XLSForm standard
 */
export const remarksOf = (
  {
    tables,
    fileLists,
    languages,
    log,
    items,
  }: Pick<BuiltForm, 'tables' | 'fileLists' | 'languages' | 'log' | 'items'>,
  others: readonly string[],
): Remark[] => {
  const carried = [languages.own, ...languages.translations.keys()];
  const kept = new Set(rowsOf(items));
  const isLeftOut = (row: Row) => sheetName(row.sheet) === 'survey' && !kept.has(row);
  const remarks = [
    ...log.remarks,
    ...tables.flatMap((table) => unusedCells(table, carried, isLeftOut)),
    ...fileLists.tables.flatMap(unusedColumns),
    ...others.map((sheet): Remark => ({
      sheet,
      row: null,
      column: null,
      name: null,
      severity: 'lost',
      message: unusedSheet(sheet),
    })),
  ];
  const order = new Map(tables.map(({ name }, i) => [name, i]));
  const positionOf = ({ sheet }: Remark) => order.get(sheet) ?? tables.length;
  return remarks.toSorted((a, b) => positionOf(a) - positionOf(b) || (a.row ?? 0) - (b.row ?? 0));
};
