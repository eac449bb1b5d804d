import { isDeepStrictEqual } from 'node:util';
import {
  type Content,
  type ResponseOption,
  type TranslatedText,
  Scoring,
} from '../../schemas/templates/content.ts';
import { sectionsOf, isAnswerable } from '../content/content-index.ts';
import { inLanguage, MESSAGES, ownColumn, TRANSLATED } from './form/columns.ts';
import {
  fieldAttributes,
  optionAttributes,
  sectionAttributes,
  startAttributes,
  ownCells,
} from './form/own-columns.ts';
import { cellText, type Sheet, sheetOf } from './form/sheets.ts';
import { importForm } from './import/import.ts';
import { shownText } from './standard/expressions.ts';
import type { FormList } from './standard/names.ts';
import { type FormPart, type StandardForm, type FormRow, standardForm } from './standard/standard-form.ts';

/** The values that need a column of this service's own because importing the standard columns does not restore them. */
interface Additions {
  /** The attributes of sections and fields by id, of start fields by key. */
  parts: ReadonlyMap<string, ReadonlySet<string>>;
  /** The attributes of options. */
  options: ReadonlyMap<ResponseOption, ReadonlySet<string>>;
  /** All translations, if cells cannot express some of them; otherwise empty. */
  translations: Content['translations'];
}

const NO_ADDITIONS: Additions = { parts: new Map(), options: new Map(), translations: [] };

/** The id of a section or field, or the key of a start field. */
const partId = (part: FormPart): string => ('id' in part ? part.id : part.key);

/** The value of an attribute; undefined without the part or the attribute. */
const valueOf = (part: object | undefined, attribute: string): unknown =>
  (part as Record<string, unknown> | undefined)?.[attribute];

const attributesOf = (part: FormPart): readonly string[] =>
  'sections' in part ? sectionAttributes : 'id' in part ? fieldAttributes() : startAttributes();

/** The parts of a content by id or key. */
const partsOf = (content: Content): Map<string, FormPart> => {
  const parts = new Map<string, FormPart>(content.start.fields.map((field) => [field.key, field]));
  for (const { section } of sectionsOf(content)) {
    parts.set(section.id, section);
    for (const field of section.fields) parts.set(field.id, field);
  }
  return parts;
};

/** The attributes of a part that differ from the imported ones. */
const differentAttributes = (part: FormPart, imported: FormPart | undefined): string[] =>
  attributesOf(part).filter((attribute) => {
    const value = valueOf(part, attribute);
    const found = valueOf(imported, attribute);
    // Options have their own rows and columns in the choices sheet.
    const isListed = attribute === 'options' && Array.isArray(value) && Array.isArray(found);
    return !isListed && !isDeepStrictEqual(value, found);
  });

/** The imported options of a list. */
const importedOptions = (
  { of }: FormList,
  parts: ReadonlyMap<string, FormPart>,
  sets: ReadonlyMap<string, readonly ResponseOption[]>,
): readonly ResponseOption[] | null | undefined =>
  of &&
  ('set' in of
    ? sets.get(of.set)
    : (valueOf(parts.get(of.field), 'options') as ResponseOption[] | null | undefined));

const differentOptions = (
  { options }: FormList,
  imported: readonly ResponseOption[] | null | undefined,
): [ResponseOption, string[]][] =>
  options.map(({ option }, i) => [
    option,
    optionAttributes.filter((name) => !isDeepStrictEqual(option[name], valueOf(imported?.[i], name))),
  ]);

/** Adds names by their keys; undefined if all of them are present already. */
const withNames = <Key>(
  known: ReadonlyMap<Key, ReadonlySet<string>>,
  added: readonly [Key, string[]][],
): ReadonlyMap<Key, ReadonlySet<string>> | undefined => {
  const more = added.filter(([key, names]) => names.some((name) => !known.get(key)?.has(name)));
  return more.length === 0
    ? undefined
    : new Map([
        ...known,
        ...more.map(([key, names]) => [key, new Set([...(known.get(key) ?? []), ...names])] as const),
      ]);
};

/**
 * The additions, with those added that one import of the form shows to be missing.
 * @param imported the result of importing the form with the current additions
 * @returns undefined if nothing more is missing
 */
const moreAdditions = (
  { parts, options, translations }: Additions,
  { survey, lists }: StandardForm,
  content: Content,
  imported: Content,
): Additions | undefined => {
  const found = partsOf(imported);
  const sets = new Map(imported.response_sets.map((set) => [set.id, set.options]));
  const moreParts = withNames(
    parts,
    survey.flatMap(({ part }): [string, string[]][] =>
      part ? [[partId(part), differentAttributes(part, found.get(partId(part)))]] : [],
    ),
  );
  const moreOptions = withNames(
    options,
    lists
      .filter(({ of }) => of)
      .flatMap((list) => differentOptions(list, importedOptions(list, found, sets))),
  );
  const moreTranslations =
    translations.length === 0 && !isDeepStrictEqual(content.translations, imported.translations)
      ? content.translations
      : undefined;
  return moreParts || moreOptions || moreTranslations
    ? {
        parts: moreParts ?? parts,
        options: moreOptions ?? options,
        translations: moreTranslations ?? translations,
      }
    : undefined;
};

type Cells = [column: string, text: string][];

/** How texts are written, the languages of a content, and the texts of each translation by id or key. */
interface Texts {
  /** Makes the text of a cell from a text of the content. */
  shown: (text: string) => string;
  /** Makes the text of a cell from the label of an option. */
  shownOption: (text: string) => string;
  language: string | null;
  translations: { language: string; texts: ReadonlyMap<string, TranslatedText> }[];
}

const surveyColumns = (texts: readonly string[]) => [
  'type',
  'name',
  ...texts,
  ...'required relevant constraint calculation default'.split(' '),
  ...'appearance parameters repeat_count'.split(' '),
  ownColumn('id'),
  ownColumn('start'),
];

const choiceColumns = (labels: readonly string[]) => [
  'list_name',
  'name',
  ...labels,
  ownColumn('list_id'),
  ownColumn('list'),
];

const textsIn = ({ language, translations }: Content, { nameOfAnswer, referable }: StandardForm): Texts => ({
  shown: (text) => shownText(text, nameOfAnswer),
  shownOption: (text) => shownText(text, (name) => (referable.has(name) ? name : undefined)),
  language,
  translations: translations.map(({ language, texts }) => ({
    // pyxform takes `label` and `label::default` for the same column.
    language: language === 'default' ? 'Default' : language,
    texts: new Map(texts.map((text) => [text.id, text])),
  })),
});

const addedCells = (attributes: ReadonlySet<string> | undefined, part: object): Cells =>
  [...(attributes ?? [])].flatMap((name) => ownCells(name, valueOf(part, name) ?? null));

const isAsked = (part: FormPart): boolean => !('sections' in part) && isAnswerable(part);

const surveyRow = (
  { cells, part }: FormRow,
  additions: Additions,
  { shown, language, translations }: Texts,
): Cells => {
  const own = [...cells].map(([column, text]): [string, string] => [
    TRANSLATED.has(column) ? inLanguage(column, language) : column,
    text,
  ]);
  if (!part) return own;
  const id = partId(part);
  const translated = translations.flatMap(({ language, texts }): Cells => {
    const text = texts.get(id);
    return [
      [inLanguage('label', language), shown(text?.title ?? text?.label ?? '')],
      [inLanguage('hint', language), shown(text?.description ?? text?.help_text ?? '')],
      ...(isAsked(part)
        ? MESSAGES.map((name): [string, string] => [inLanguage(name, language), shown(text?.[name] ?? '')])
        : []),
    ];
  });
  return [...own, ...translated, ...addedCells(additions.parts.get(id), part)];
};

/** The cells that identify the response set of a list, or mark a list of fixed answers. They are in its first row. */
const ownerCells = ({ name, of, title }: FormList): Cells => {
  if (of === null) return ownCells('list_id', '-');
  if (!('set' in of)) return [];
  return [
    ...ownCells('list_id', of.set),
    ...(title === name ? [] : ownCells('list', title)),
    ...(of.source_id === undefined ? [] : ownCells('list_source', of.source_id)),
  ];
};

const listRows = (
  list: FormList,
  additions: Additions,
  { shownOption, language, translations }: Texts,
): Cells[] => {
  const { name, of, options } = list;
  const id = of && ('set' in of ? of.set : of.field);
  const owner = ownerCells(list);
  const rows = options.map(({ name: choice, option }, i): Cells => [
    ['list_name', name],
    ['name', choice],
    [inLanguage('label', language), shownOption(option.label)],
    ...translations.map(({ language, texts }): [string, string] => [
      inLanguage('label', language),
      shownOption((id && texts.get(id)?.options.find(({ value }) => value === option.value)?.label) || ''),
    ]),
    ...[...list.columns].map((column): [string, string] => [column, option.attributes?.[column] ?? '']),
    ...(i === 0 ? owner : []),
    ...addedCells(additions.options.get(option), option),
  ]);
  if (rows.length > 0) return rows;
  // A list without options still needs a row, and each row a choice.
  const placeholder: Cells = [
    ['name', 'none'],
    [inLanguage('label', language), '–'],
    ...ownCells('empty', true),
  ];
  return [[['list_name', name], ...placeholder, ...(owner.length > 0 ? owner : ownCells('list_id', ''))]];
};

/** Rows with the numbers that they have in a workbook, below the header. */
const numbered = (rows: readonly Cells[]) =>
  rows.map((cells, i) => ({
    number: i + 2,
    cells: cells.map(([column, text]) => [column, cellText(text)] as const),
  }));

/** The sheets of a form: survey, choices and settings. */
const sheetsOf = (form: StandardForm, content: Content, settings: Cells, additions: Additions): Sheet[] => {
  const { survey, lists } = form;
  const texts = textsIn(content, form);
  const all = [texts.language, ...texts.translations.map(({ language }) => language)];
  const columnsOf = (...names: string[]) =>
    names.flatMap((name) => all.map((language) => inLanguage(name, language)));
  const translations =
    additions.translations.length > 0 ? ownCells('translations', additions.translations) : [];
  return [
    sheetOf(
      'survey',
      numbered(survey.map((row) => surveyRow(row, additions, texts))),
      surveyColumns(columnsOf('label', 'hint')),
    ),
    sheetOf(
      'choices',
      numbered(lists.flatMap((list) => listRows(list, additions, texts))),
      choiceColumns(columnsOf('label')),
    ),
    sheetOf('settings', numbered([[...settings, ...translations]])),
  ];
};

/** The settings of a form. */
export interface FormTitle {
  title: string;
  /** The form_id for a content that has none. All versions of the form have the same one. */
  id: string;
  version: string;
}

/**
 * The maximum number of imports until a form restores its content. Some attributes are read only after others have a
 * column, and no chain of such attributes needs more rounds.
 */
const MAX_ROUNDS = 4;

/**
 * A content as the sheets of an XLSForm. Attributes that ODK and KoboToolbox know are in their columns, all others in
 * `inspection__…` columns, which they ignore. Importing the sheets gives the same content.
 */
export const exportForm = (content: Content, { title, id, version }: FormTitle): Sheet[] => {
  const form = standardForm(content);
  const { language, scoring, form_id } = content;
  const settings: Cells = [
    ['form_title', shownText(title, () => undefined)],
    ['form_id', form_id ?? id],
    ['version', version],
    ...(language === null ? [] : [['default_language', language] as [string, string]]),
    ...(form_id === undefined ? ownCells('made_id', id) : []),
    ...(isDeepStrictEqual(scoring, Scoring.parse({})) ? [] : ownCells('scoring', scoring)),
  ];
  let additions = NO_ADDITIONS;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const sheets = sheetsOf(form, content, settings, additions);
    const more = moreAdditions(additions, form, content, importForm(sheets, [], { name: title }).content);
    if (!more) return sheets;
    additions = more;
  }
  throw new Error('importing the exported form does not give the same content');
};
