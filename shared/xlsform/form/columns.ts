import { isTooDeep } from '../../schemas/templates/content-size.ts';
import { Field, StartField } from '../../schemas/templates/content.ts';
import { MAX_HEADER_LENGTH, MAX_CELL_LENGTH } from '../../schemas/templates/xlsform-limits.ts';
import { similarTo, cellText, has, type Row, type Table, take } from './table.ts';

/** A column of a sheet, with its header understood. */
export interface Column {
  /** As in the sheet. */
  header: string;
  /** The standard's own name for it, without a language. */
  name: string;
  language: string | null;
  isKnown: boolean;
}

/** The columns of one sheet and their other names (the XLSForm standard, and pyxform's aliases). */
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

/** The name of a sheet in lower case, without surrounding spaces. */
export const sheetName = (name: string): string => name.trim().toLowerCase();

/** The sheet of the XLSForm standard that a name may mean, such as `survey` for `Surveys`; undefined for none. */
export const similarSheet = (name: string): string | undefined =>
  similarTo(name, ['survey', 'choices', 'settings', 'external_choices']);

/** The column that a header may mean, such as `label` for `lable`; undefined for none. */
export const similarColumn = (sheet: string, header: string): string | undefined => {
  const { columns, aliases } = vocabularyOf(sheet);
  const [name = '', ...language] = header.split('::');
  const found = similarTo(name, columns);
  // A correct header that means something else here, such as a language for a text that has none.
  if (found === undefined || columns.has(snake(name)) || Object.hasOwn(aliases, snake(name)))
    return undefined;
  return [found, ...language].join('::');
};

/** Whether a sheet of this name is part of the XLSForm standard. */
export const isFormSheet = (name: string): boolean => vocabularies.has(sheetName(name));

/** The vocabulary of a sheet for which `isFormSheet` is true. */
export const vocabularyOf = (name: string): Vocabulary => vocabularies.get(sheetName(name))!;

/**
 * The start of the headers of this service's own columns. pyxform reads a `::` as the start of a language and makes an
 * XML element of every other column of the choices sheet, so the headers are names without colons.
 */
const OWN = 'inspection__';

/** The header of one of this service's own columns, for an attribute without a column in XLSForm. */
export const ownColumn = (name: string): string => OWN + name;

/** The own column of a header: `inspection__score`, or `inspection::score` in older exports. */
const ownColumnOf = (header: string): string | undefined => {
  const [, name] = /^inspection\s*(?:__|:)[\s:]*(.+)$/i.exec(header.trim()) ?? [];
  return name === undefined ? undefined : ownColumn(snake(name).replaceAll(/_*:+_*/g, '__'));
};

/** The header of a column in a language; null stands for a column without a language. */
export const inLanguage = (name: string, language: string | null): string =>
  language === null ? name : `${name}::${language}`;

const snake = (text: string) => text.trim().toLowerCase().replaceAll(/\s+/g, '_');

/** The parts of a header. `::` divides them; in old forms it is `:`, which also occurs within XForms' own names. */
const partsOf = (header: string, isOld: boolean): string[] =>
  header.split(isOld ? /(?<!\bjr|\bentities)\s*:\s*/i : /\s*::\s*/).map((part) => part.trim());

/**
 * Reads a column's header.
 * @param isOld whether the sheet divides the parts of its headers by `:` instead of `::`
 */
export const columnOf = (
  header: string,
  isOld: boolean,
  { columns, aliases, translatable }: Vocabulary,
): Column => {
  if (header.length > MAX_HEADER_LENGTH) return { header, name: header, language: null, isKnown: false };
  const own = ownColumnOf(header);
  if (own !== undefined) return { header, name: own, language: null, isKnown: true };
  const [first = '', ...rest] = partsOf(header, isOld);
  // `bind`, `control`, `body` and `media` only say where in the XForm a column's text goes.
  const isPlaced = rest.length > 0 && ['bind', 'control', 'body', 'media'].includes(snake(first));
  const [stem = '', ...more] = isPlaced ? rest : [first, ...rest];
  const name = Object.hasOwn(aliases, snake(stem)) ? aliases[snake(stem)]! : snake(stem);
  const language = more.join('::') || null;
  const isKnown = columns.has(name) && (language === null || translatable.has(name));
  return isKnown ? { header, name, language, isKnown } : { header, name: header, language: null, isKnown };
};

/** The columns with the messages for answers that are refused or missing. */
export const MESSAGES = ['constraint_message', 'required_message'] as const;

/** The columns whose texts a content can have in several languages. */
export const TRANSLATED: ReadonlySet<string> = new Set(['label', 'hint', ...MESSAGES]);

/** Whether a column of the choices sheet has no meaning in XLSForm or of this service's own. */
export const isFreeColumn = (name: string): boolean => !columnOf(name, false, CHOICES).isKnown;

/** Whether a content can hold the texts of a column in several languages. */
export const isTranslated = ({ isKnown, name }: Column): boolean => isKnown && TRANSLATED.has(name);

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
];

/** The attributes that a part either has or has not: in a column of this service's own, null stands for not. */
export const optionalAttributes: ReadonlySet<string> = new Set([
  'name',
  'constraint',
  'choice_filter',
  'constraint_message',
  'required_message',
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
 * Characters that a cell may change, and the beginning of a reference, which pyxform follows in every column. JSON can
 * write each of them as an escape.
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

/** The cell's text for a value: JSON, or a text as it is where nobody can take it for JSON. */
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
 * Cuts a text that is longer than a cell. It never cuts beside white space, because reading a cell trims its text;
 * JSON has no run of white space as long as a cell.
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
