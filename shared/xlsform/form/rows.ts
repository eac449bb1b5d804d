import type { FormRow } from '../../schemas/templates/xlsform.ts';
import { cleaned, type Sheet, sheetOf } from './sheets.ts';

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
