import { isTooDeep } from '../../../schemas/templates/content-size.ts';
import { Field, StartField } from '../../../schemas/templates/content.ts';
import { MAX_CELL_LENGTH } from '../../../schemas/templates/xlsform-limits.ts';
import { ownColumn } from './columns.ts';
import { cellText } from './sheets.ts';
import { has, type Row, type Table, take } from './table.ts';

const attributesOf = (shape: object, left: string) => Object.keys(shape).filter((name) => name !== left);

/** The attributes of a field, a start field and a section that may have a column of this service's own. */
export const fieldAttributes = (): string[] => attributesOf(Field.shape, 'id');
export const startAttributes = (): string[] => attributesOf(StartField.shape, 'key');
export const sectionAttributes = [
  'name',
  'title',
  'description',
  'weight',
  'passing_score',
  'allow_na',
  'visible_if',
  'participant_role',
  'repeat',
  'hold',
];

/**
 * The attributes that a part may lack. In a column of this service's own, null means that the part lacks the attribute.
 */
export const optionalAttributes: ReadonlySet<string> = new Set([
  'name',
  'constraint',
  'choice_filter',
  'constraint_message',
  'required_message',
  'hold',
]);

/** The attributes of an option that may have a column of this service's own. */
export const optionAttributes = [
  'value',
  'label',
  'color',
  'score',
  'is_failed',
  'is_na',
  'attributes',
  'finding_severity',
] as const;

/**
 * Characters that a cell may not preserve, and the `$` of `${`, because pyxform resolves references in every column.
 * JSON can write each of them as an escape.
 */
// oxlint-disable-next-line no-control-regex -- the control characters are what is escaped
const UNSAFE = /[\u0000-\u001f\u007f-\u00a0\ufeff\ufffe\uffff]|\$(?=\{)/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const json = (value: unknown): string => JSON.stringify(value).replaceAll(UNSAFE, escaped);

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return /^(?:true|false|null)$/i.test(text);
  }
};

/** The text of a cell for a value: JSON, or the text itself if it cannot be mistaken for JSON. */
export const encodeOwn = (value: unknown): string =>
  typeof value === 'string' &&
  value !== '' &&
  cellText(value) === value &&
  !value.includes('${') &&
  !isJson(value)
    ? value
    : json(value);

/** The value of a text that `encodeOwn` wrote or a person typed. Spreadsheets write TRUE for true. */
export const decodeOwn = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(/^(?:true|false|null)$/i.test(text) ? text.toLowerCase() : text);
    return isTooDeep(value) ? text : value;
  } catch {
    return text;
  }
};

/**
 * Cuts a text that is too long for one cell. It never cuts next to white space, because reading a cell trims its text.
 * The JSON of a content has no run of white space as long as a cell.
 */
const piecesOf = (text: string): string[] => {
  if (text.length <= MAX_CELL_LENGTH) return [text];
  const isInner = (at: number) =>
    /^\S\S$/.test(text.slice(at - 1, at + 1)) && !/[\ud800-\udbff]/.test(text[at - 1]!);
  let at = MAX_CELL_LENGTH;
  while (at > 1 && !isInner(at)) at -= 1;
  return [text.slice(0, at), ...piecesOf(text.slice(at))];
};

const columnsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => ownColumn(i === 0 ? name : `${name}__${i + 1}`));

/** The cells that hold a value in a column of this service's own; several when it is longer than a cell. */
export const ownCells = (name: string, value: unknown): [column: string, text: string][] => {
  const pieces = piecesOf(encodeOwn(value));
  return columnsOf(name, pieces.length).map((column, i) => [column, pieces[i]!]);
};

/** The value in a column of this service's own; undefined for none. Marks its cells as used. */
export const takeOwn = (row: Row, name: string): unknown => {
  let text = '';
  for (let count = 1; has(row, columnsOf(name, count).at(-1)!); count += 1)
    text += take(row, columnsOf(name, count).at(-1)!);
  return text === '' ? undefined : decodeOwn(text);
};

/** Whether a row has a value in a column of this service's own. */
export const hasOwn = (row: Row, name: string): boolean => has(row, ownColumn(name));

/** Whether this service has written the sheet. */
export const isOwnTable = ({ rows }: Table): boolean => rows.some((row) => hasOwn(row, 'id'));
