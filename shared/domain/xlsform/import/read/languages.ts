import { LanguageName, MAX_TRANSLATIONS } from '../../../../schemas/templates/content.ts';
import { isOwnTable } from '../../form/own-columns.ts';
import { isSameLanguage, sameLanguages } from '../../form/same-languages.ts';
import { type Sheet } from '../../form/sheets.ts';
import { languagesOf, type Row, type Table, tableOf, takeIn } from '../../form/table.ts';
import type { Diagnostics } from '../diagnostics.ts';

/**
 * The languages whose texts the content takes, and their names in the content. Null is for columns without a language.
 */
export interface Languages {
  /** The language of the columns that the content's own texts come from. */
  own: string | null;
  /** The name of that language in the content; null where it has no valid name. */
  ownName: string | null;
  /** All languages in the order in which they are searched for a text, the own one first. */
  preferred: readonly (string | null)[];
  /** The names of the languages that the content is translated into, by the language of the columns. */
  translations: ReadonlyMap<string | null, string>;
}

/** The maximum number of other languages that are searched for a text that the content's own language lacks. */
const MAX_SEARCHED = 100;

/** Finds a language by its whole name, its name without the code, or its code: `English (en)`, `English`, `en`. */
const languageNamed = (wanted: string, languages: readonly (string | null)[]): string | undefined => {
  const plain = wanted.trim().toLowerCase();
  const named = languages.filter((language) => language !== null);
  return (
    named.find((language) => language.toLowerCase() === plain) ??
    named.find((language) => isSameLanguage(language, wanted))
  );
};

/**
 * Reads the headers of all sheets. If they spell a language in several ways, such as `English` and `English (en)`, the
 * tables have one spelling and a note says so. In a form that this service wrote, each spelling is a translation of its
 * own.
 */
export const tablesOf = (sheets: readonly Sheet[], log: Diagnostics): Table[] => {
  const tables = sheets.map((sheet) => tableOf(sheet));
  if (tables.some(isOwnTable)) return tables;
  const columns = tables.flatMap(({ name, columns }) =>
    columns.map((column) => ({ ...column, sheet: name })),
  );
  const spellings = sameLanguages([...new Set(columns.flatMap(({ language }) => language ?? []))]);
  if (spellings.size === 0) return tables;
  for (const [language, others] of Map.groupBy(spellings.keys(), (other) => spellings.get(other)!)) {
    const { sheet, header } = columns.find((column) => column.language === others[0])!;
    const message = `${others.map((other) => `"${other}"`).join(' and ')} and "${language}" are the same language: their columns are read as one`;
    log.remarks.push({ sheet, row: null, column: header, name: null, severity: 'note', message });
  }
  return sheets.map((sheet) => tableOf(sheet, spellings));
};

interface LanguageChoice {
  /** The language that the request asks for. */
  requested: string | undefined;
  /** The form's setting `default_language`, "" for none. */
  standard: string;
  settingsRow: Row | undefined;
}

const ownLanguage = (
  survey: readonly Table[],
  languages: readonly (string | null)[],
  { requested, standard, settingsRow }: LanguageChoice,
  log: Diagnostics,
): string | null => {
  if (requested !== undefined) {
    const chosen = languageNamed(requested, languages);
    if (chosen !== undefined) return chosen;
    const known = languages.filter((each) => each !== null).join(', ');
    const message = `the form has no texts in ${requested}${known && `; its languages are ${known}`}`;
    log.problems.push({ sheet: '', row: null, column: 'language', message, type: 'value_error' });
  }
  const ofForm = languageNamed(standard, languages);
  if (settingsRow && standard && ofForm === undefined && !languages.includes(null))
    log.note(
      settingsRow,
      'default_language',
      'no column has texts in this language, so those of another language are used',
    );
  const ofLabels = languagesOf(survey, ['label']);
  return ofForm ?? (ofLabels.includes(null) ? null : (ofLabels[0] ?? null));
};

/** Chooses the content's own language and the languages of its translations. */
export const chooseLanguages = (
  tables: readonly Table[],
  survey: readonly Table[],
  choice: LanguageChoice,
  log: Diagnostics,
): Languages => {
  const languages = languagesOf(tables);
  const own = ownLanguage(survey, languages, choice, log);
  // Columns without a language are in the form's default one, unless other columns name that language.
  const unnamed = languageNamed(choice.standard, languages) === undefined ? choice.standard : '';
  const nameOfLanguage = (each: string | null): string | null =>
    LanguageName.safeParse(each ?? unnamed).data ?? null;
  const ownName = nameOfLanguage(own);
  const translations = new Map<string | null, string>();
  const used = new Set([ownName?.toLowerCase()]);
  for (const each of languages) {
    const name = nameOfLanguage(each);
    if (each === own || name === null || used.has(name.toLowerCase())) continue;
    if (translations.size === MAX_TRANSLATIONS) break;
    used.add(name.toLowerCase());
    translations.set(each, name);
  }
  const others = languages.filter((each) => each !== own && each !== null);
  const preferred = [own, null, ...others.slice(0, MAX_SEARCHED)];
  return { own, ownName, preferred, translations };
};

/** The text of a cell in the content's own language, or else in the first language that has one; "" for none. */
export const textIn = (row: Row, column: string, { own, preferred }: Languages, log: Diagnostics): string => {
  const found = takeIn(row, column, preferred);
  if (found && found.language !== own && found.language !== null)
    log.note(
      row,
      column,
      `there is no text in ${own ?? 'the default language'}, so the one in ${found.language} is used`,
    );
  return found?.text ?? '';
};

/** The texts of a cell in the languages of the content's translations, by the names of the languages. */
export const translationsIn = (row: Row, column: string, { translations }: Languages): Map<string, string> =>
  new Map(
    [...translations].flatMap(([each, name]) => {
      const found = takeIn(row, column, [each]);
      return found ? [[name, found.text] as const] : [];
    }),
  );
