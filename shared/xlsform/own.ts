import { isTooDeep } from '../schemas/templates/content.ts';
import { cellText, LONGEST_CELL } from './sheets.ts';
import { has, ownColumn, type Row, take } from './table.ts';

/** What a cell would not give back as it is. */
// oxlint-disable-next-line no-control-regex -- these are what is written as escapes
const UNSAFE = /[\u0000-\u001f\u007f-\u00a0\ufeff\ufffe\uffff]/g;

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const json = (value: unknown): string => JSON.stringify(value).replaceAll(UNSAFE, escaped);

/** The text of a cell for a value: JSON, but a text as it is, where it reads as nothing else. */
export const encodeOwn = (value: unknown): string =>
  typeof value === 'string' && value !== '' && cellText(value) === value && !isJson(value)
    ? value
    : json(value);

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return /^(?:true|false|null)$/i.test(text);
  }
};

/** What `encodeOwn` wrote, or someone typed; spreadsheets write TRUE for true. */
export const decodeOwn = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(/^(?:true|false|null)$/i.test(text) ? text.toLowerCase() : text);
    return isTooDeep(value) ? text : value;
  } catch {
    return text;
  }
};

/** Cut where no white space is, for what surrounds a cell's text is none of it; JSON has no runs of it this long. */
const piecesOf = (text: string): string[] => {
  if (text.length <= LONGEST_CELL) return [text];
  const isInner = (at: number) =>
    /^\S\S$/.test(text.slice(at - 1, at + 1)) && !/[\ud800-\udbff]/.test(text[at - 1]!);
  let at = LONGEST_CELL;
  while (at > 1 && !isInner(at)) at -= 1;
  return [text.slice(0, at), ...piecesOf(text.slice(at))];
};

const columnsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, i) => ownColumn(i === 0 ? name : `${name}::${i + 1}`));

/** The cells of our own column for a value, more than one where it is longer than a cell. */
export const ownCells = (name: string, value: unknown): [column: string, text: string][] => {
  const pieces = piecesOf(encodeOwn(value));
  return columnsOf(name, pieces.length).map((column, i) => [column, pieces[i]!]);
};

/** The value in our own column; undefined where there is none. */
export const takeOwn = (row: Row, name: string): unknown => {
  let text = '';
  for (let count = 1; has(row, columnsOf(name, count).at(-1)!); count += 1)
    text += take(row, columnsOf(name, count).at(-1)!);
  return text === '' ? undefined : decodeOwn(text);
};

/** Whether our own column says something. */
export const hasOwn = (row: Row, name: string): boolean => has(row, ownColumn(name));
