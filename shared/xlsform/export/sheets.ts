import { isAnswerable } from '../../domain/content/content-index.ts';
import type { Content, TranslatedText } from '../../schemas/templates/content.ts';
import { inLanguage, MESSAGES, ownColumn, TRANSLATED } from '../form/columns.ts';
import { ownCells } from '../form/own-columns.ts';
import { cellText, type Sheet, sheetOf } from '../form/sheets.ts';
import type { FormList } from '../standard/lists.ts';
import { shownText } from '../standard/references.ts';
import type { FormRow, Part, StandardForm } from '../standard/standard-form.ts';
import { type Additions, partId, valueOf } from './additions.ts';

export type Cells = [column: string, text: string][];

/** How texts are written, the languages of a content, and the texts of each translation by id or key. */
interface Texts {
  /** The text of a cell. */
  shown: (text: string) => string;
  /** The text of the label of an option. */
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

const isAsked = (part: Part): boolean => !('sections' in part) && isAnswerable(part);

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

/** The cells that say what a list is written for. They stand in its first row. */
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
export const sheetsOf = (
  form: StandardForm,
  content: Content,
  settings: Cells,
  additions: Additions,
): Sheet[] => {
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
