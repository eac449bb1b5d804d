import { ResponseOption } from '../../../../schemas/templates/content.ts';
import { namesIn } from '../../expressions/expression.ts';
import { inLanguage, ownColumn } from '../../form/columns.ts';
import { hasOwn, optionAttributes, takeOwn } from '../../form/own-columns.ts';
import { type Row, settleAll, type Table, take } from '../../form/table.ts';
import type { Diagnostics } from '../diagnostics.ts';
import { type Languages, textIn, translationsIn } from './languages.ts';

/** A list of the choices sheet. */
export interface List {
  name: string;
  options: ListedOption[];
  /** The same options by their names in the form. */
  named: Map<string, ListedOption>;
  /** The response set that this service wrote the list for. */
  set: { id: unknown; name: unknown; source_id: unknown } | undefined;
  /** Whether this service wrote the list for the fixed answers of a field type. */
  isOfType: boolean;
  /** Whether the sheet has several choices of the same name in the list, of which only the first is an option. */
  hasRepeated: boolean;
  /** Of a list in a file: the column with the names of its options. */
  nameColumn?: string;
}

export interface ListedOption {
  /** The name that expressions use. */
  name: string;
  option: ResponseOption;
  /** Its labels in other languages. */
  labels: ReadonlyMap<string, string>;
  /** Its row, whose further columns a choice filter may refer to. */
  row: Row;
}

/** The most options of a response set (`ResponseSet`). */
export const MAX_OPTIONS = 1_000;

/** The longest name of an option, in characters (`ResponseOption`). */
export const MAX_VALUE_LENGTH = 200;

/** The longest label of an option, in characters (`ResponseOption`). */
export const MAX_LABEL_LENGTH = 500;

const LABEL_CUT = `only the first ${MAX_LABEL_LENGTH} characters of this text are imported, because it is too long`;

/** The remark on a text that refers to an answer as `${name}`. */
export const REFERENCE_SHOWN =
  'a reference to an answer is shown as it is written and is not replaced by the answer';

/** The parts of a form that are needed to read its choices. */
export interface ChoicesReader {
  log: Diagnostics;
  languages: Languages;
  /** Whether this service wrote the form. */
  isOwn: boolean;
  /** Whether two options of a list may have the same name. */
  mayRepeat: boolean;
}

const optionOf = (
  row: Row,
  name: string,
  { log, languages, isOwn }: ChoicesReader,
): ResponseOption | undefined => {
  const label = textIn(row, 'label', languages, log) || name;
  if (label.length > MAX_LABEL_LENGTH) log.lost(row, 'label', LABEL_CUT);
  if (!isOwn && namesIn(label).length > 0) log.lost(row, 'label', REFERENCE_SHOWN);
  const given = {
    value: name,
    label: label.slice(0, MAX_LABEL_LENGTH),
    ...Object.fromEntries(
      optionAttributes.flatMap((column) => (hasOwn(row, column) ? [[column, takeOwn(row, column)]] : [])),
    ),
  };
  const { success, data, error } = ResponseOption.safeParse(given);
  if (success) return data;
  for (const { path, message } of error.issues) {
    const column = String(path[0]);
    log.problem(row, hasOwn(row, column) ? ownColumn(column) : 'name', message);
  }
  return undefined;
};

const labelsOf = (row: Row, { log, languages }: ChoicesReader): Map<string, string> =>
  new Map(
    [...translationsIn(row, 'label', languages)].map(([language, label]) => {
      if (label.length > MAX_LABEL_LENGTH) log.lost(row, inLanguage('label', language), LABEL_CUT);
      return [language, label.slice(0, MAX_LABEL_LENGTH)];
    }),
  );

/** Reports an option whose name the list has already. */
const reportRepeated = (row: Row, list: List, known: ListedOption, reader: ChoicesReader): void => {
  const { log, languages, mayRepeat } = reader;
  if (!mayRepeat)
    log.problem(row, 'name', `the name "${known.name}" occurs twice in the list "${list.name}"`);
  else if (textIn(row, 'label', languages, log) !== known.option.label)
    log.lost(
      row,
      'label',
      `this choice was left out, because the list already has a choice named "${known.name}", with another label`,
    );
  else
    log.note(
      row,
      'name',
      `this choice is imported once: the list already has the same choice "${known.name}"`,
    );
};

/**
 * Reads from the first row of a list for which response set, or for which fixed answers, this service wrote the list.
 */
const readOwner = (row: Row, list: List): void => {
  const id = takeOwn(row, 'list_id');
  const setName = takeOwn(row, 'list');
  const source_id = takeOwn(row, 'list_source');
  if (id === '-') list.isOfType = true;
  else if (id !== '') list.set = { id, name: setName ?? list.name, source_id };
};

const addRow = (lists: Map<string, List>, row: Row, reader: ChoicesReader): void => {
  const listName = take(row, 'list_name').replaceAll(/\s+/g, ' ');
  const name = take(row, 'name');
  const isOwn = hasOwn(row, 'list_id');
  if (listName === '' || (name === '' && !isOwn)) {
    settleAll(row);
    reader.log.lost(
      row,
      listName === '' ? 'list_name' : 'name',
      `this choice was left out, because it has no ${listName === '' ? 'list_name' : 'name'}`,
    );
    return;
  }
  const list: List = lists.get(listName) ?? {
    name: listName,
    options: [],
    named: new Map(),
    set: undefined,
    isOfType: false,
    hasRepeated: false,
  };
  lists.set(listName, list);
  if (isOwn) readOwner(row, list);
  if (name === '' || takeOwn(row, 'empty') === true) {
    settleAll(row);
    return;
  }
  const known = list.named.get(name);
  if (known) {
    list.hasRepeated = true;
    reportRepeated(row, list, known, reader);
    return;
  }
  const option = optionOf(row, name, reader);
  if (!option) return;
  const listed = { name, option, labels: labelsOf(row, reader), row };
  list.options.push(listed);
  list.named.set(name, listed);
};

/** Reads the lists of the choices sheets, by name, in the order in which they begin. */
export const listsOf = (tables: readonly Table[], reader: ChoicesReader): Map<string, List> => {
  const lists = new Map<string, List>();
  for (const row of tables.flatMap(({ rows }) => rows)) addRow(lists, row, reader);
  return lists;
};
