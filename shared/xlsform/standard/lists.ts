import type { Question } from '../../domain/content/content-index.ts';
import type { Content, ResponseOption } from '../../schemas/templates/content.ts';
import { cellText } from '../form/sheets.ts';
import { type GivenNames, slug, unique } from './names.ts';
import { listed, typeOptions } from './types.ts';

/** A list of the choices sheet, in the order of its options. */
export interface FormList {
  name: string;
  /** The response set or the field whose options these are; null for the fixed answers of a type. */
  of: { set: string } | { field: string } | null;
  title: string;
  options: readonly { name: string; option: ResponseOption }[];
}

/** The lists of a form as far as its questions have asked for them. */
export interface FormLists {
  given: GivenNames;
  /** The names of the parts, by id or key. */
  partNames: ReadonlyMap<string, string>;
  taken: Set<string>;
  /** By the id of the response set, the id or key of the question, or the type. */
  lists: Map<string, FormList>;
}

export const idOf = (question: Question): string => ('id' in question ? question.id : question.key);

/** Names each option: by its value where that can be a name. */
const namedOptions = (options: readonly ResponseOption[]): FormList['options'] => {
  const used = new Set<string>();
  const isName = (value: string) =>
    /^\S+$/.test(value) && cellText(value) === value && !used.has(value.toLowerCase());
  return options.map((option) => ({
    name: unique(isName(option.value) ? option.value : slug(option.value, 'option'), used),
    option,
  }));
};

const addList = (
  { given, taken, lists }: FormLists,
  key: string,
  list: { of: FormList['of']; wanted: string; title: string; options: readonly ResponseOption[] },
): FormList => {
  const known = lists.get(key);
  if (known) return known;
  const { of, wanted, title } = list;
  const name = given.list(key) ?? (of ? unique(wanted, taken) : wanted);
  const added = { name, of, title, options: namedOptions(list.options) };
  lists.set(key, added);
  return added;
};

/** The lists of the response sets, to which each question adds its own. */
export const formLists = (
  { response_sets }: Content,
  given: GivenNames,
  partNames: ReadonlyMap<string, string>,
): FormLists => {
  const lists: FormLists = { given, partNames, taken: new Set(Object.keys(typeOptions)), lists: new Map() };
  for (const { id, name, options } of response_sets)
    addList(lists, id, { of: { set: id }, wanted: slug(name, 'list'), title: name, options });
  return lists;
};

/** The list that a question chooses from; undefined for a question that is not a choice. */
export const listOf = (lists: FormLists, question: Question): FormList | undefined => {
  const { type, options, response_set_id } = question;
  if (!listed.has(type)) return undefined;
  const shared = options || type === 'yes_no' ? undefined : lists.lists.get(response_set_id ?? '');
  if (shared) return shared;
  const fixed = typeOptions[type];
  if (!options && fixed) return addList(lists, type, { of: null, wanted: type, title: type, options: fixed });
  const id = idOf(question);
  const name = lists.partNames.get(id)!;
  return addList(lists, id, { of: { field: id }, wanted: name, title: name, options: options ?? [] });
};
