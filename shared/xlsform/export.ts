import { isDeepStrictEqual } from 'node:util';
import {
  type Content,
  type ResponseOption,
  Scoring,
  type Section,
  type TranslatedText,
} from '../schemas/templates/content.ts';
import { fieldAttributes, importForm, sectionAttributes, startAttributes } from './import.ts';
import { optionColumns } from './lists.ts';
import { ownCells } from './own.ts';
import { cellText, type Sheet, sheetOf } from './sheets.ts';
import { type FormList, type FormRow, type Part, standardForm, type StandardForm } from './standard.ts';
import { inLanguage, ownColumn } from './table.ts';

/** What a form is called, and by what it is known from one version to the next. */
export interface FormTitle {
  title: string;
  id: string;
  version: string;
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

type Cells = [column: string, text: string][];

const idOf = (part: Part): string => ('id' in part ? part.id : part.key);

const attributesOf = (part: Part): readonly string[] =>
  'sections' in part ? sectionAttributes : 'id' in part ? fieldAttributes() : startAttributes();

/** The languages of a content, the texts of each by id or key. */
interface Spoken {
  language: string | null;
  translations: { language: string; texts: ReadonlyMap<string, TranslatedText> }[];
}

const spokenIn = ({ language, translations }: Content): Spoken => ({
  language,
  translations: translations.map(({ language, texts }) => ({
    language,
    texts: new Map(texts.map((text) => [text.id, text])),
  })),
});

const valueOf = (part: object | undefined, attribute: string): unknown =>
  (part as Record<string, unknown> | undefined)?.[attribute];

/** A content's parts, by id or key. */
const partsOf = ({ start, sections }: Content): Map<string, Part> => {
  const parts = new Map<string, Part>(start.fields.map((field) => [field.key, field]));
  const add = (section: Section) => {
    parts.set(section.id, section);
    for (const field of section.fields) parts.set(field.id, field);
    section.sections.forEach(add);
  };
  sections.forEach(add);
  return parts;
};

/** The values that need a column of our own, because XLSForm's do not bring them back. */
interface Additions {
  /** By id or key, the attributes. */
  parts: Map<string, Set<string>>;
  /** By list and position, the marks of the option. */
  options: Map<ResponseOption, Set<string>>;
  translations: Content['translations'];
}

const addTo = <Key>(additions: Map<Key, Set<string>>, key: Key, name: string): boolean => {
  const names = additions.get(key) ?? new Set();
  additions.set(key, names);
  return names.size < names.add(name).size;
};

/** Notes what `brought` lacks; whether there is more of it now. */
const addMissing = (
  additions: Additions,
  { survey, lists }: StandardForm,
  { translations }: Content,
  brought: Content,
): boolean => {
  const { parts, options } = additions;
  const found = partsOf(brought);
  const sets = new Map(brought.response_sets.map((set) => [set.id, set.options]));
  let isMore = additions.translations.length === 0 && !isDeepStrictEqual(translations, brought.translations);
  if (isMore) additions.translations = translations;
  for (const { part } of survey) {
    if (!part) continue;
    for (const attribute of attributesOf(part)) {
      const value = valueOf(part, attribute);
      const carried = valueOf(found.get(idOf(part)), attribute);
      // Options stand in the choices sheet, with columns of their own.
      const isListed = attribute === 'options' && Array.isArray(value) && Array.isArray(carried);
      if (!isListed && !isDeepStrictEqual(value, carried))
        isMore = addTo(parts, idOf(part), attribute) || isMore;
    }
  }
  for (const { of, options: listed } of lists) {
    if (!of) continue;
    const carried = 'set' in of ? sets.get(of.set) : valueOf(found.get(of.field), 'options');
    for (const [i, { option }] of listed.entries())
      for (const column of optionColumns)
        if (
          !isDeepStrictEqual(
            option[column],
            valueOf((carried as ResponseOption[] | null | undefined)?.[i], column),
          )
        )
          isMore = addTo(options, option, column) || isMore;
  }
  return isMore;
};

const ownOf = (additions: ReadonlySet<string> | undefined, part: object): Cells =>
  [...(additions ?? [])].flatMap((name) => ownCells(name, valueOf(part, name)));

const listRows = (
  { name, of, title, options }: FormList,
  additions: Additions,
  { language, translations }: Spoken,
): Cells[] => {
  const id = of && ('set' in of ? of.set : of.field);
  const first: Cells = [
    ...(of === null ? ownCells('list_id', '-') : []),
    ...(of && 'set' in of ? ownCells('list_id', of.set) : []),
    ...(of && 'set' in of && title !== name ? ownCells('list', title) : []),
  ];
  const rows = options.map(({ name: choice, option }, i): Cells => [
    ['list_name', name],
    ['name', choice],
    [inLanguage('label', language), option.label],
    ...translations.map(({ language, texts }): [string, string] => [
      inLanguage('label', language),
      (id && texts.get(id)?.options.find(({ value }) => value === option.value)?.label) || '',
    ]),
    ...(i === 0 ? first : []),
    ...ownOf(additions.options.get(option), option),
  ]);
  // Without options nothing would say that there is a list.
  return rows.length > 0
    ? rows
    : [[['list_name', name], ...(first.length > 0 ? first : ownCells('list_id', ''))]];
};

const sheetsOf = (
  { survey, lists }: StandardForm,
  settings: Cells,
  additions: Additions,
  spoken: Spoken,
): Sheet[] => {
  const languages = [spoken.language, ...spoken.translations.map(({ language }) => language)];
  const columnsOf = (...names: string[]) =>
    names.flatMap((name) => languages.map((language) => inLanguage(name, language)));
  const numbered = (rows: readonly Cells[]) =>
    rows.map((cells, i) => ({
      number: i + 2,
      cells: cells.map(([column, text]) => [column, cellText(text)] as const),
    }));
  const surveyRow = ({ cells, part }: FormRow): Cells => [
    ...[...cells].map(([column, text]): [string, string] => [
      column === 'label' || column === 'hint' ? inLanguage(column, spoken.language) : column,
      text,
    ]),
    ...(part ? spoken.translations : []).flatMap(({ language, texts }): Cells => {
      const text = texts.get(idOf(part!));
      return [
        [inLanguage('label', language), text?.title ?? text?.label ?? ''],
        [inLanguage('hint', language), text?.description ?? text?.help_text ?? ''],
      ];
    }),
    ...(part ? ownOf(additions.parts.get(idOf(part)), part) : []),
  ];
  return [
    sheetOf('survey', numbered(survey.map(surveyRow)), surveyColumns(columnsOf('label', 'hint'))),
    sheetOf(
      'choices',
      numbered(lists.flatMap((list) => listRows(list, additions, spoken))),
      choiceColumns(columnsOf('label')),
    ),
    sheetOf(
      'settings',
      numbered([
        [
          ...settings,
          ...(additions.translations.length > 0 ? ownCells('translations', additions.translations) : []),
        ],
      ]),
    ),
  ];
};

/** An attribute may be read by another that has a column of its own only then; no chain of such is longer. */
const MOST_ROUNDS = 4;

/**
 * A content as the sheets of an XLSForm: for ODK and KoboToolbox in the columns they know, and in `inspection::…`
 * columns, which they pass over, all else. Importing them gives the same content.
 */
export const exportForm = (content: Content, { title, id, version }: FormTitle): Sheet[] => {
  const form = standardForm(content);
  const { language, scoring } = content;
  const spoken = spokenIn(content);
  const settings: Cells = [
    ['form_title', title],
    ['form_id', id],
    ['version', version],
    ...(language === null ? [] : [['default_language', language] as [string, string]]),
    ...(isDeepStrictEqual(scoring, Scoring.parse({})) ? [] : ownCells('scoring', scoring)),
  ];
  const additions: Additions = { parts: new Map(), options: new Map(), translations: [] };
  for (let round = 1; ; round += 1) {
    const sheets = sheetsOf(form, settings, additions, spoken);
    const { content: brought } = importForm(sheets, [], { name: title });
    if (!addMissing(additions, form, content, brought)) return sheets;
    if (round === MOST_ROUNDS) throw new Error('the exported form does not bring back its content');
  }
};
