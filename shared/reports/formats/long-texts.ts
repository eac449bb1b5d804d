import type { ReportTexts } from '../../base/i18n/texts/report.ts';
import { cutTo } from '../../base/text.ts';
import { type Cell, columnName, MAX_CELL_TEXT, type Sheet, type SheetRow } from './workbook.ts';

/** The whole of a text in parts that cells can have. */
const partsOf = (text: string): string[] => {
  const parts: string[] = [];
  for (let start = 0; start < text.length; start += parts.at(-1)!.length)
    parts.push(cutTo(text.slice(start), MAX_CELL_TEXT));
  return parts;
};

const isTooLong = (cell: Cell): cell is string => typeof cell === 'string' && cell.length > MAX_CELL_TEXT;

/** The sheet of long texts, and rows whose long texts stand there. */
export interface LongTexts {
  /** The last sheet of the workbook. */
  sheet: Sheet;
  /** The same rows with a mark at the end of each text that had to be cut, and the rows of this sheet. */
  moved: (sheets: readonly Pick<Sheet, 'name'>[], rows: AsyncIterable<SheetRow>) => AsyncGenerator<SheetRow>;
}

/**
 * A sheet for texts that are longer than a cell may be. Each has a number, which the mark in its cell names, because
 * its row may be sorted to another place. The texts of the rows with its number, joined, are the whole text.
 */
export const longTexts = (
  { workbook: names }: ReportTexts,
  { isRightToLeft }: { isRightToLeft: boolean },
): LongTexts => ({
  sheet: {
    name: names.longTexts,
    columns: [
      [names.number, 10],
      [names.cell, 24],
      [names.part, 9],
      [names.text, 100, 'one line'],
    ],
    isRightToLeft,
    isLeftOutWhenEmpty: true,
  },
  moved: async function* (sheets, rows) {
    const lastRows = sheets.map(() => 1);
    let count = 0;
    for await (const { sheet, cells } of rows) {
      lastRows[sheet]! += 1;
      const long: { number: number; column: number; text: string }[] = [];
      const cut = cells.map((cell, column): Cell => {
        if (!isTooLong(cell)) return cell;
        count += 1;
        long.push({ number: count, column, text: cell });
        const mark = ` … [${names.longTexts}: ${count}]`;
        return cutTo(cell, MAX_CELL_TEXT - mark.length) + mark;
      });
      yield { sheet, cells: cut };
      for (const { number, column, text } of long) {
        const place = `${sheets[sheet]!.name}!${columnName(column)}${lastRows[sheet]}`;
        for (const [index, part] of partsOf(text).entries())
          yield { sheet: sheets.length, cells: [number, place, index + 1, part] };
      }
    }
  },
});
