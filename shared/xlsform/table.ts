import { lettersOf, type Sheet } from './sheets.ts';

/** What an import has to say of a cell, a column or a sheet. */
export interface Remark {
  sheet: string;
  /** Null for a whole column or sheet. */
  row: number | null;
  column: string | null;
  /** What the row is named in the form. */
  name: string | null;
  /** `lost` is not in the content any more, `note` is, in another way. */
  severity: 'note' | 'lost';
  message: string;
}

interface Column {
  /** As in the sheet. */
  header: string;
  /** Without its language, and whatever other spellings it has. */
  name: string;
  language: string | null;
  isKnown: boolean;
}

interface Cell {
  column: Column;
  text: string;
  /** Whether it stands in the content, or something was said of it. */
  isUsed: boolean;
}

export interface Row {
  sheet: string;
  number: number;
  cells: readonly Cell[];
}

/** A sheet of an XLSForm with its columns understood. */
export interface Table {
  name: string;
  columns: readonly Column[];
  rows: readonly Row[];
}

/** Which columns a sheet may have, and how else they are named (the XLSForm standard, and pyxform's aliases). */
export interface Vocabulary {
  columns: ReadonlySet<string>;
  aliases: Readonly<Record<string, string>>;
  translatable: ReadonlySet<string>;
}

const words = (text: string): string[] => text.split(' ');

const media = ['image', 'big-image', 'audio', 'video'].map((kind) => `media::${kind}`);
const mediaAliases = Object.fromEntries(media.map((name) => [name.slice('media::'.length), name]));

const SURVEY: Vocabulary = {
  columns: new Set([
    ...words('type name label hint guidance_hint required required_message relevant constraint'),
    ...words('constraint_message calculation default appearance read_only choice_filter repeat_count'),
    ...words('parameters trigger disabled'),
    ...media,
  ]),
  translatable: new Set([
    'label',
    'hint',
    'guidance_hint',
    'required_message',
    'constraint_message',
    ...media,
  ]),
  aliases: {
    ...mediaAliases,
    command: 'type',
    tag: 'name',
    value: 'name',
    caption: 'label',
    relevance: 'relevant',
    readonly: 'read_only',
    calculate: 'calculation',
    count: 'repeat_count',
    'jr:count': 'repeat_count',
    constraining_message: 'constraint_message',
    'jr:constraintmsg': 'constraint_message',
    requiredmsg: 'required_message',
    'jr:requiredmsg': 'required_message',
  },
};

const CHOICES: Vocabulary = {
  columns: new Set(['list_name', 'name', 'label', ...media]),
  translatable: new Set(['label', ...media]),
  aliases: { ...mediaAliases, value: 'name', caption: 'label' },
};

const SETTINGS: Vocabulary = {
  columns: new Set(['form_title', 'form_id', 'version', 'default_language', 'allow_choice_duplicates']),
  translatable: new Set(),
  aliases: {
    title: 'form_title',
    set_form_title: 'form_title',
    id_string: 'form_id',
    set_form_id: 'form_id',
  },
};

const vocabularies = new Map([
  ['survey', SURVEY],
  ['choices', CHOICES],
  ['columns', CHOICES],
  ['choices and columns', CHOICES],
  ['external_choices', CHOICES],
  ['settings', SETTINGS],
]);

/** The name by which a sheet is known, whatever its case and the spaces around it. */
export const sheetName = (name: string): string => name.trim().toLowerCase();

/** Whether a form's content may stand in a sheet of this name. */
export const isFormSheet = (name: string): boolean => vocabularies.has(sheetName(name));

const OWN = 'inspection::';

/** How a column of our own is named, which XLSForm has none for. */
export const ownColumn = (name: string): string => OWN + name;

/** How a column is named in a language; null is none. */
export const inLanguage = (name: string, language: string | null): string =>
  language === null ? name : `${name}::${language}`;

const snake = (text: string) => text.trim().toLowerCase().replaceAll(/\s+/g, '_');

/** A header's parts: `::` divides them, or in old forms `:`, which XForms' own names have too. */
const partsOf = (header: string, isOld: boolean): string[] =>
  header.split(isOld ? /(?<!\bjr|\bentities)\s*:\s*/i : /\s*::\s*/).map((part) => part.trim());

const LONGEST_HEADER = 200;

const columnOf = (header: string, isOld: boolean, { columns, aliases, translatable }: Vocabulary): Column => {
  if (header.length > LONGEST_HEADER) return { header, name: header, language: null, isKnown: false };
  const [first = '', ...rest] = partsOf(header, isOld);
  if (snake(first) === 'inspection')
    return { header, name: ownColumn(snake(rest.join('::'))), language: null, isKnown: true };
  // `bind`, `control`, `body` and `media` only say where in the XForm a column's text goes.
  const isPlaced = rest.length > 0 && ['bind', 'control', 'body', 'media'].includes(snake(first));
  const [stem = '', ...more] = isPlaced ? rest : [first, ...rest];
  const name = Object.hasOwn(aliases, snake(stem)) ? aliases[snake(stem)]! : snake(stem);
  const language = more.join('::') || null;
  const isKnown = columns.has(name) && (language === null || translatable.has(name));
  return isKnown ? { header, name, language, isKnown } : { header, name: header, language: null, isKnown };
};

/** Understands a sheet's columns. */
export const tableOf = ({ name, header, rows }: Sheet): Table => {
  const vocabulary = vocabularies.get(sheetName(name))!;
  const isOld = ![...header.values()].some((text) => text.includes('::'));
  const columns = new Map([...header].map(([at, text]) => [at, columnOf(text, isOld, vocabulary)]));
  const columnAt = (at: number): Column => {
    const letters = lettersOf(at);
    const column = columns.get(at) ?? { header: letters, name: letters, language: null, isKnown: false };
    columns.set(at, column);
    return column;
  };
  return {
    name,
    rows: rows.map(({ number, cells }) => ({
      sheet: name,
      number,
      cells: [...cells].map(([at, text]) => ({ column: columnAt(at), text, isUsed: false })),
    })),
    columns: [...columns.values()],
  };
};

const cellsOf = ({ cells }: Row, name: string) => cells.filter(({ column }) => column.name === name);

/** Whether anything stands in a column. */
export const has = (row: Row, name: string): boolean => cellsOf(row, name).length > 0;

/** A cell's text, "" for none. */
export const peek = (row: Row, name: string): string => cellsOf(row, name)[0]?.text ?? '';

/** A cell's text, "" for none; it is dealt with now. */
export const take = (row: Row, name: string): string => {
  const [cell] = cellsOf(row, name);
  if (cell) cell.isUsed = true;
  return cell?.text ?? '';
};

const cellIn = (row: Row, name: string, languages: readonly (string | null)[]): Cell | undefined => {
  const cells = new Map(
    cellsOf(row, name)
      .toReversed()
      .map((cell) => [cell.column.language, cell]),
  );
  const language = languages.find((each) => cells.has(each));
  return language === undefined ? undefined : cells.get(language);
};

/** A text in the first of the languages that has it, null being the column without one; it is dealt with now. */
export const takeIn = (
  row: Row,
  name: string,
  languages: readonly (string | null)[],
): { text: string; language: string | null } | undefined => {
  const cell = cellIn(row, name, languages);
  if (!cell) return undefined;
  cell.isUsed = true;
  return { text: cell.text, language: cell.column.language };
};

/** A text in a language or, where the column has none, as it is; "" for none. */
export const peekIn = (row: Row, name: string, language: string | null): string =>
  cellIn(row, name, [language, null])?.text ?? '';

/** The header of a column as it stands in the sheet. */
export const headerOf = (row: Row, name: string): string => {
  const cells = cellsOf(row, name);
  return (cells.find(({ isUsed }) => isUsed) ?? cells[0])?.column.header ?? name;
};

/** A cell is dealt with, without its text; of several languages the one that was taken has been already. */
export const settle = (row: Row, name: string): void => {
  const cells = cellsOf(row, name);
  if (cells[0] && !cells.some(({ isUsed }) => isUsed)) cells[0].isUsed = true;
};

/** All cells of a row are dealt with. */
export const settleAll = ({ cells }: Row): void => {
  for (const cell of cells) cell.isUsed = true;
};

/** Whether a content can have a column's texts in several languages. */
const isTranslated = ({ isKnown, name }: Column) => isKnown && (name === 'label' || name === 'hint');

/** `2–5, 8` */
const rangesOf = (numbers: readonly number[]): string => {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const shown = ranges.slice(0, 50).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  return [...shown, ...(ranges.length > shown.length ? ['…'] : [])].join(', ');
};

/**
 * What was not dealt with: cell by cell where XLSForm's columns are concerned, once for a column of no meaning, or
 * of a text that a content does not have in its language.
 * @param carried the languages that the content is in, its own first
 */
export const leftovers = (
  { name, columns, rows }: Table,
  carried: ReadonlySet<string | null>,
  nameOf: (row: Row) => string | null,
  reasonOf: (column: string) => string,
): Remark[] => {
  const remarks: Remark[] = [];
  const [chosen] = carried;
  const namesakes = Map.groupBy(columns, (column) => column.name);
  const unused = new Map<Column, Row[]>(columns.map((column) => [column, []]));
  for (const row of rows)
    for (const { column, isUsed } of row.cells) if (!isUsed) unused.get(column)!.push(row);
  for (const [column, left] of unused) {
    if (left.length === 0) continue;
    const shared = { sheet: name, column: column.header, severity: 'lost' as const };
    const ofColumn = (message: string) => {
      const places = rangesOf(left.map(({ number }) => number));
      remarks.push({ ...shared, row: null, name: null, message: `${message} (rows ${places})` });
    };
    const alike = namesakes.get(column.name)!;
    if (!column.isKnown) ofColumn('the column has no counterpart in a content');
    else if (alike.find(({ language }) => language === column.language) !== column)
      ofColumn(`there is a column ${column.name} before it`);
    else if (alike.length > 1 && !(isTranslated(column) ? [...carried] : [chosen]).includes(column.language))
      ofColumn(
        `translation ${column.language ?? 'without a language'} of ${column.name}: ${
          isTranslated(column) ? 'a content cannot name its language' : 'a content has it in one language'
        }`,
      );
    else
      for (const row of left)
        remarks.push({ ...shared, row: row.number, name: nameOf(row), message: reasonOf(column.name) });
  }
  return remarks;
};

/** The languages that texts are given in, as they are written; null for columns without one. */
export const languagesOf = (
  tables: readonly Table[],
  names: readonly string[] = ['label', 'hint'],
): (string | null)[] => [
  ...new Set(
    tables.flatMap(({ columns }) =>
      columns
        .filter((column) => isTranslated(column) && names.includes(column.name))
        .map(({ language }) => language),
    ),
  ),
];
