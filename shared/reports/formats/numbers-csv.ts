import { stringify } from 'csv-stringify/sync';
import type { ListedText } from '../../http/operation/responses.ts';
import { CSV_FORM } from './csv-form.ts';

/** Any numbers, with what they are grouped by. */
interface Summary {
  totals: object;
  groups: readonly { by: object; numbers: object }[];
}

type Cells = [column: string, value: unknown][];

/** The values of an object, those within it as columns of their own: `score_mean`. */
const numberCells = (numbers: object, prefix = ''): Cells =>
  Object.entries(numbers).flatMap(([name, value]): Cells =>
    typeof value === 'object' && value !== null
      ? numberCells(value as object, `${prefix}${name}_`)
      : value === null && name === 'answers'
        ? []
        : [[`${prefix}${name}`, value]],
  );

const isNamed = (value: unknown): value is { id: string; name: string | null } =>
  typeof value === 'object' && value !== null && 'id' in value;

/** Dimensions whose values have a name. */
const NAMED: ReadonlySet<string> = new Set([
  'location',
  'branch',
  'region',
  'client_account',
  'template_family',
  'field',
]);

const groupCells = (by: object): Cells =>
  Object.entries(by).flatMap(([name, value]): Cells => {
    if (!NAMED.has(name)) return [[name, value]];
    const { id, name: text } = isNamed(value) ? value : { id: null, name: null };
    return [
      [`${name}_id`, id],
      [name, text],
    ];
  });

/**
 * Numbers as a file that spreadsheets read: a row for each group, or one row where there are none.
 * @param dimensions those of the request, for the columns of a file without rows
 */
export const numbersFile = (
  { totals, groups }: Summary,
  dimensions: readonly string[],
  name: string,
): ListedText => {
  const rows = (dimensions.length > 0 ? groups : [{ by: {}, numbers: totals }]).map(({ by, numbers }) => [
    ...groupCells(by),
    ...numberCells(numbers),
  ]);
  const emptyGroup = Object.fromEntries(dimensions.map((dimension) => [dimension, null]));
  const columns = [...groupCells(emptyGroup), ...numberCells(totals)].map(([column]) => column);
  const text = async function* () {
    yield stringify([columns], CSV_FORM);
    for (const row of rows) yield stringify([row.map(([, value]) => value)], { ...CSV_FORM, bom: false });
  };
  return { text: text(), media_type: 'text/csv; charset=utf-8', file_name: `${name}.csv` };
};
