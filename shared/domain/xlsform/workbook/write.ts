import { type WriteSheet, writeXlsx } from 'hucre/xlsx';
import type { Sheet } from '../form/sheets.ts';

/** Escapes texts such as `_x0041_`, which readers replace by a character (ECMA-376 part 1, section 22.9.2.19). */
const escaped = (text: string) => text.replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_');

const writtenSheet = ({ name, header, rows }: Sheet): WriteSheet => {
  const width = Math.max(0, ...header.keys()) + 1;
  const line = (cells: ReadonlyMap<number, string>) =>
    Array.from({ length: width }, (_, position) => {
      const text = cells.get(position);
      return text === undefined ? null : escaped(text);
    });
  return {
    name,
    rows: [line(header), ...rows.map(({ cells }) => line(cells))],
    freezePane: { rows: 1 },
  };
};

/**
 * Writes sheets as an .xlsx workbook. `readWorkbook` returns the same sheets.
 * @param changedAt ISO 8601: when the contents were last changed. The same contents are the same bytes, whenever they are
 * written.
 */
export const writeWorkbook = (sheets: readonly Sheet[], changedAt: string): Promise<Uint8Array> =>
  writeXlsx({ sheets: sheets.map(writtenSheet), properties: { modified: new Date(changedAt) } });
