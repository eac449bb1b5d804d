import { sheetName, similarColumn, similarSheet } from '../../form/columns.ts';
import { isOwnTable, takeOwn } from '../../form/own-columns.ts';
import { type Sheet } from '../../form/sheets.ts';
import { has, type Row, settle, type Table, take } from '../../form/table.ts';
import { Diagnostics, FormError } from '../diagnostics.ts';
import { type ChoicesReader, type List, listsOf } from './choices.ts';
import { type CsvFiles, type FileLists, fileListsOf } from './file-lists.ts';
import { chooseLanguages, type Languages, tablesOf } from './languages.ts';
import { expandLoops } from './loops.ts';
import { checkColumns, checkSize } from './size.ts';
import { type Node, nodesBelow, treeOf } from './tree.ts';
import { yesOrNo } from './yes-or-no.ts';

/** A form as its sheets describe it, before any of it is converted. */
export interface Form {
  tables: readonly Table[];
  settingsRow: Row | undefined;
  /** The form's title, or else its id, or else the name from the request. */
  title: string;
  /** Identifies the form. Later versions of the form have the same key. */
  key: string;
  /** The form's id; "" if it has none, or if an export made it. */
  id: string;
  /** Whether this service wrote the form. */
  isOwn: boolean;
  languages: Languages;
  lists: Readonly<Record<'choices' | 'external_choices', ReadonlyMap<string, List>>>;
  fileLists: FileLists;
  /** The rows of the survey. */
  root: Node;
  /** The cells of this service's own columns that do not count, as `row:attribute`. */
  outdated: ReadonlySet<string>;
  log: Diagnostics;
}

export interface ImportOptions {
  /** The language of the content's own texts, for a form with several. */
  language?: string | undefined;
  /** The title of a form that has none. */
  name: string;
  /** The files that were sent with the form. */
  files?: CsvFiles | undefined;
}

const SETTINGS = ['form_title', 'form_id', 'default_language', 'allow_choice_duplicates'] as const;

/** Reads the settings sheet, of which only the first row counts. */
const settingsIn = (
  row: Row | undefined,
  isOwn: boolean,
  log: Diagnostics,
): Record<(typeof SETTINGS)[number], string> => {
  const settings = Object.fromEntries(SETTINGS.map((name) => [name, row ? take(row, name) : '']));
  if (row && isOwn) settle(row, 'version');
  else if (row && has(row, 'version'))
    log.note(
      row,
      'version',
      'this version is not kept, because each version of a template has a number of its own. An export has that number',
    );
  return settings as Record<(typeof SETTINGS)[number], string>;
};

const noSurvey = (others: readonly string[]) => {
  const similar = others.find((name) => similarSheet(name) === 'survey');
  const advice = similar === undefined ? '' : `: did you mean "${similar}"? Rename it to survey`;
  const message = `the form must have a sheet named survey${advice}`;
  return new FormError([{ sheet: 'survey', row: null, column: null, message, type: 'missing' }]);
};

const noHeader = ({ columns }: Table) => {
  const similar = columns.find(({ header }) => similarColumn('survey', header) === 'type');
  const advice =
    similar === undefined
      ? 'its first row must have the names of the columns'
      : `did you mean "${similar.header}"? Rename it to type`;
  const message = `the survey has no column named type: ${advice}`;
  return new FormError([{ sheet: 'survey', row: null, column: null, message, type: 'missing' }]);
};

/**
 * Reads the sheets of a form.
 * @param outdated the cells of this service's own columns that do not count, as `row:attribute`
 * @param others the names of sheets that are not part of the XLSForm standard
 * @throws FormError for a form without a survey, for a survey without a header, and for a form that is too large
 */
export const readForm = (
  sheets: readonly Sheet[],
  others: readonly string[],
  options: ImportOptions,
  outdated: ReadonlySet<string>,
): Form => {
  const log = new Diagnostics();
  const tables = tablesOf(sheets, log);
  checkColumns(tables, log);
  const tablesNamed = (...names: string[]): Table[] =>
    tables.filter(({ name }) => names.includes(sheetName(name)));
  const survey = tablesNamed('survey');
  if (!survey[0] || (survey[0].rows.length === 0 && survey[0].columns.length === 0)) throw noSurvey(others);
  if (!survey[0].columns.some(({ name }) => name === 'type')) throw noHeader(survey[0]);
  const isOwn = survey.some(isOwnTable);

  const [settingsRow] = tablesNamed('settings').flatMap(({ rows }) => rows);
  const settings = settingsIn(settingsRow, isOwn, log);
  const languages = chooseLanguages(
    tables,
    survey,
    { requested: options.language, standard: settings.default_language, settingsRow },
    log,
  );

  const mayRepeat = yesOrNo(settings.allow_choice_duplicates) === true;
  const reader: ChoicesReader = { log, languages, isOwn, mayRepeat };
  const lists = {
    choices: listsOf(tablesNamed('choices', 'columns', 'choices and columns'), reader),
    external_choices: listsOf(tablesNamed('external_choices'), { ...reader, mayRepeat: true }),
  };

  const { rows } = survey[0];
  const { root, settings: inSurvey } = treeOf(rows, log);
  const formId = inSurvey.get('form_id') ?? settings.form_id;
  const title = (inSurvey.get('form_title') ?? settings.form_title) || formId || options.name;
  expandLoops(root, lists.choices, rows.length, log);
  checkSize(nodesBelow(root), log);
  return {
    tables,
    settingsRow,
    title,
    key: formId || title,
    id: settingsRow && takeOwn(settingsRow, 'made_id') === formId ? '' : formId,
    isOwn,
    languages,
    lists,
    fileLists: fileListsOf(nodesBelow(root), options.files ?? new Map(), log),
    root,
    outdated,
    log,
  };
};
