import { MAX_HEADER_LENGTH } from '../../../schemas/templates/xlsform-limits.ts';
import { similarTo } from './sheets.ts';

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
  // The name is known, so something else is wrong, such as a language for a column that cannot have one.
  if (found === undefined || columns.has(snake(name)) || Object.hasOwn(aliases, snake(name)))
    return undefined;
  return [found, ...language].join('::');
};

/** Whether a sheet of this name is part of the XLSForm standard. */
export const isFormSheet = (name: string): boolean => vocabularies.has(sheetName(name));

/** The vocabulary of a sheet for which `isFormSheet` is true. */
export const vocabularyOf = (name: string): Vocabulary => vocabularies.get(sheetName(name))!;

/**
 * The prefix of the headers of this service's own columns. pyxform reads a `::` as the start of a language. It makes an
 * XML element of every other column of the choices sheet, so the headers are names without colons.
 */
const OWN = 'inspection__';

/** The header of this service's own column for a value that XLSForm has no column for. */
export const ownColumn = (name: string): string => OWN + name;

/**
 * The header in its current spelling, `inspection__score`; older exports wrote `inspection::score`. Undefined for a
 * column that is not this service's own.
 */
const ownColumnOf = (header: string): string | undefined => {
  const [, name] = /^inspection\s*(?:__|:)[\s:]*(.+)$/i.exec(header.trim()) ?? [];
  return name === undefined ? undefined : ownColumn(snake(name).replaceAll(/_*:+_*/g, '__'));
};

/** The header of a column in a language; null for a column without a language. */
export const inLanguage = (name: string, language: string | null): string =>
  language === null ? name : `${name}::${language}`;

const snake = (text: string) => text.trim().toLowerCase().replaceAll(/\s+/g, '_');

/**
 * The parts of a header, divided by `::`, or by `:` in old forms. The `:` of the prefixes `jr:` and `entities:` divides
 * nothing.
 */
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

/** The columns with the messages for an answer that is refused or missing. */
export const MESSAGES = ['constraint_message', 'required_message'] as const;

/** The columns whose texts a content can have in several languages. */
export const TRANSLATED: ReadonlySet<string> = new Set(['label', 'hint', ...MESSAGES]);

/** Whether a column of the choices sheet is neither part of the XLSForm standard nor this service's own. */
export const isFreeColumn = (name: string): boolean => !columnOf(name, false, CHOICES).isKnown;

/** Whether a content can hold the texts of a column in several languages. */
export const isTranslated = ({ isKnown, name }: Column): boolean => isKnown && TRANSLATED.has(name);
