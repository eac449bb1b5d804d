import { ResponseOption } from '../schemas/templates/content.ts';
import { namesIn } from './expressions.ts';
import { hasOwn, takeOwn } from './own.ts';
import { has, inLanguage, ownColumn, type Row, settleAll, type Table, take } from './table.ts';
import type { Complain, Tell } from './tree.ts';

/** A list of the choices sheet. */
export interface List {
  name: string;
  options: ListedOption[];
  /** Of a response set that this service has written, as its first row says. */
  set: { id: unknown; name: unknown } | undefined;
  /** What the list is written for; `-` for the answers that a type has by itself. */
  isOfType: boolean;
}

export interface ListedOption {
  /** As expressions know it. */
  name: string;
  option: ResponseOption;
  /** Its label in other languages. */
  labels: ReadonlyMap<string, string>;
}

/** More are no choice but a search (`ResponseSet`). */
export const MOST_OPTIONS = 1_000;

const LONGEST_LABEL = 500;

/** What becomes of `${name}` in a text. */
export const REFERENCE_SHOWN = 'the reference is shown as it is written, no answer takes its place';

/** Which marks of an option have columns of our own. */
export const optionColumns = ['value', 'label', 'color', 'score', 'is_failed', 'is_na'] as const;

interface Voice {
  complain: Complain;
  tell: Tell;
  /** The text in the form's language. */
  textOf: (row: Row, column: string) => string;
  /** The texts in other languages. */
  translationsOf: (row: Row, column: string) => Map<string, string>;
  /** Whether this service wrote the form. */
  isOwn: boolean;
}

const optionOf = (
  row: Row,
  name: string,
  { complain, tell, textOf, isOwn }: Voice,
): ResponseOption | undefined => {
  const label = textOf(row, 'label') || name;
  if (label.length > LONGEST_LABEL)
    tell(row, 'label', 'lost', `only its first ${LONGEST_LABEL} characters are kept`);
  if (!isOwn && namesIn(label).length > 0) tell(row, 'label', 'lost', REFERENCE_SHOWN);
  const given = {
    value: name,
    label: label.slice(0, LONGEST_LABEL),
    ...Object.fromEntries(
      optionColumns.flatMap((column) => (hasOwn(row, column) ? [[column, takeOwn(row, column)]] : [])),
    ),
  };
  const { success, data, error } = ResponseOption.safeParse(given);
  if (success) return data;
  for (const { path, message } of error.issues) {
    const column = String(path[0]);
    complain(row, hasOwn(row, column) ? ownColumn(column) : 'name', message);
  }
  return undefined;
};

const labelsOf = (row: Row, { tell, translationsOf }: Voice): Map<string, string> =>
  new Map(
    [...translationsOf(row, 'label')].map(([language, label]) => {
      if (label.length > LONGEST_LABEL)
        tell(
          row,
          inLanguage('label', language),
          'lost',
          `only its first ${LONGEST_LABEL} characters are kept`,
        );
      return [language, label.slice(0, LONGEST_LABEL)];
    }),
  );

/** The lists of a sheet of choices by name, in the order in which they begin. */
export const listsOf = (tables: readonly Table[], mayRepeat: boolean, voice: Voice): Map<string, List> => {
  const { complain, tell } = voice;
  const lists = new Map<string, List>();
  for (const row of tables.flatMap(({ rows }) => rows)) {
    const listName = take(row, 'list_name').replaceAll(/\s+/g, ' ');
    const name = take(row, 'name');
    const isOwn = hasOwn(row, 'list_id');
    if (listName === '' || (name === '' && !isOwn)) {
      settleAll(row);
      tell(row, listName === '' ? 'list_name' : 'name', 'lost', 'a choice needs a list_name and a name');
      continue;
    }
    const list = lists.get(listName) ?? { name: listName, options: [], set: undefined, isOfType: false };
    lists.set(listName, list);
    if (isOwn) {
      const id = takeOwn(row, 'list_id');
      const setName = takeOwn(row, 'list');
      if (id === '-') list.isOfType = true;
      else if (id !== '') list.set = { id, name: setName ?? listName };
    }
    if (name === '') continue;
    const known = list.options.find((option) => option.name === name);
    if (known) {
      if (!mayRepeat) complain(row, 'name', `"${name}" is given twice in the list "${listName}"`);
      else if (voice.textOf(row, 'label') !== known.option.label)
        tell(row, 'label', 'lost', `"${name}" is in the list already, with another label`);
      else tell(row, 'name', 'note', `"${name}" is in the list already`);
      continue;
    }
    const option = optionOf(row, name, voice);
    if (option) list.options.push({ name, option, labels: labelsOf(row, voice) });
  }
  return lists;
};

/** Whether a sheet has columns that this service wrote. */
export const isOwnTable = ({ rows }: Table): boolean => rows.some((row) => has(row, ownColumn('id')));
