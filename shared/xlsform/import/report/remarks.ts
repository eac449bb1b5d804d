import { type Column, isTranslated, similarSheet } from '../../form/columns.ts';
import type { Row, Table } from '../../form/table.ts';
import { nameOf, type Remark } from '../diagnostics.ts';
import type { Form } from '../read/form.ts';

/** How many ranges of row numbers a message lists. */
const MAX_RANGES = 50;

/** Why the cells of a column are not in the content. */
const reasons: Record<string, string> = {
  choice_filter: 'options cannot be filtered: all of them are always offered',
  trigger: 'every calculation runs whenever an answer changes',
  constraint_message: 'the app has its own message for an answer that is not allowed',
  required_message: 'the app has its own message for a missing answer',
  parameters: 'these parameters are not supported',
  read_only: 'only calculated fields are read-only',
};

const reasonOf = (column: string): string =>
  reasons[column] ??
  (column.startsWith('media::')
    ? 'a question shows no media of its own'
    : `${column} is not used in this row`);

/** Row numbers as ranges, such as `2–5, 8`. */
export const rangesOf = (numbers: readonly number[]): string => {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const shown = ranges.slice(0, MAX_RANGES).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  return [...shown, ...(ranges.length > shown.length ? ['…'] : [])].join(', ');
};

/** The reason that is the same for all unused cells of a column; undefined where each cell has its own remark. */
const columnReason = (
  column: Column,
  namesakes: readonly Column[],
  languages: readonly (string | null)[],
): string | undefined => {
  if (!column.isKnown) return 'the column is not supported';
  if (namesakes.find(({ language }) => language === column.language) !== column)
    return `an earlier column ${column.name} is used instead`;
  const carried = isTranslated(column) ? languages : languages.slice(0, 1);
  if (namesakes.length === 1 || carried.includes(column.language)) return undefined;
  const reason = isTranslated(column)
    ? 'the language has no valid name, or the form has too many languages'
    : 'templates have this text in one language only';
  const language = column.language === null ? 'without a language' : `in ${column.language}`;
  return `texts of ${column.name} ${language} are not imported: ${reason}`;
};

/**
 * The remarks on the cells of a sheet that the import has not used: one for each cell, or one for a whole column.
 * @param languages the languages that the content has, its own first
 */
const unusedCells = ({ name, columns, rows }: Table, languages: readonly (string | null)[]): Remark[] => {
  const namesakes = Map.groupBy(columns, (column) => column.name);
  const unused = new Map<Column, Row[]>(columns.map((column) => [column, []]));
  for (const row of rows)
    for (const { column, isUsed } of row.cells) if (!isUsed) unused.get(column)!.push(row);
  return [...unused].flatMap(([column, left]): Remark[] => {
    if (left.length === 0) return [];
    const shared = { sheet: name, column: column.header, severity: 'lost' as const };
    const reason = columnReason(column, namesakes.get(column.name)!, languages);
    if (reason !== undefined) {
      const places = rangesOf(left.map(({ number }) => number));
      return [{ ...shared, row: null, name: null, message: `${reason} (rows ${places})` }];
    }
    const message = reasonOf(column.name);
    return left.map((row) => ({ ...shared, row: row.number, name: nameOf(row), message }));
  });
};

const unusedSheet = (name: string): string => {
  const similar = similarSheet(name);
  return similar === undefined
    ? 'the sheet is not part of an XLSForm, so nothing of it was imported'
    : `nothing of this sheet was imported: if it is meant to be "${similar}", rename it`;
};

/**
 * All remarks on a form, in the order of its sheets and rows.
 * @param others the names of the sheets that are not part of the XLSForm standard
 */
export const remarksOf = (
  { tables, languages, log }: Pick<Form, 'tables' | 'languages' | 'log'>,
  others: readonly string[],
): Remark[] => {
  const carried = [languages.own, ...languages.translations.keys()];
  const remarks = [
    ...log.remarks,
    ...tables.flatMap((table) => unusedCells(table, carried)),
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
