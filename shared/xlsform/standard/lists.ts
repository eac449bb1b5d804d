import type { Question } from '../../domain/content/content-index.ts';
import {
  type Content,
  type FieldType,
  PartName,
  type ResponseOption,
} from '../../schemas/templates/content.ts';
import { cellText } from '../form/sheets.ts';
import { type GivenNames, slug, unique } from './names.ts';
import { listed, typeOptions } from './types.ts';

/** A list of the choices sheet, in the order of its options. */
export interface FormList {
  name: string;
  /** The response set or the field whose options these are; null for the fixed answers of a type. */
  of: { set: string; source_id?: string | undefined } | { field: string } | null;
  title: string;
  options: readonly { name: string; option: ResponseOption }[];
  /** The columns that filters of its options ask for. */
  columns: Set<string>;
}

/** The lists of a form as far as its questions have asked for them. */
export interface FormLists {
  given: GivenNames;
  /** The names of the parts, by id or key. */
  partNames: ReadonlyMap<string, string>;
  taken: Set<string>;
  /** By the id of the response set, the id or key of the question, or `typeKey`. */
  lists: Map<string, FormList>;
}

/** The key of the list with the fixed answers of a type. No id and no start key is like it. */
export const typeKey = (type: FieldType): string => `#${type}`;

export const idOf = (question: Question): string => ('id' in question ? question.id : question.key);

/** Whether a value can be the name of an option. */
const isOptionName = (value: string) => /^\S+$/.test(value) && cellText(value) === value;

/** Names each option: by its value where that can be a name. */
const namedOptions = (options: readonly ResponseOption[]): FormList['options'] => {
  const taken = new Set(options.flatMap(({ value }) => (isOptionName(value) ? [value.toLowerCase()] : [])));
  const used = new Set<string>();
  return options.map((option) => {
    const { value } = option;
    const name = isOptionName(value) && !used.has(value) ? value : unique(slug(value, 'option'), taken);
    used.add(name);
    return { name, option };
  });
};

/** Whether a response set's name can be that of a list. One that ends like a file would be taken for the file. */
const isListName = (name: string) =>
  PartName.safeParse(name).success && !/\.(?:csv|xml|geojson)$/i.test(name);

const addList = (
  { given, taken, lists }: FormLists,
  key: string,
  list: { of: FormList['of']; wanted: string; title: string; options: readonly ResponseOption[] },
): FormList => {
  const known = lists.get(key);
  if (known) return known;
  const { of, wanted, title } = list;
  const name = given.list(key) ?? unique(wanted, taken);
  const added = { name, of, title, options: namedOptions(list.options), columns: new Set<string>() };
  lists.set(key, added);
  return added;
};

/** The lists of the response sets, to which each question adds its own. */
export const formLists = (
  { response_sets }: Content,
  given: GivenNames,
  partNames: ReadonlyMap<string, string>,
): FormLists => {
  const lists: FormLists = { given, partNames, taken: new Set(), lists: new Map() };
  for (const { id, name, options, source_id } of response_sets) {
    const wanted = isListName(name) ? name : slug(name, 'list');
    addList(lists, id, { of: { set: id, source_id }, wanted, title: name, options });
  }
  return lists;
};

/** The list that a question chooses from; undefined for a question that is not a choice. */
export const listOf = (lists: FormLists, question: Question): FormList | undefined => {
  const { type, options, response_set_id } = question;
  if (!listed.has(type)) return undefined;
  const shared = options || type === 'yes_no' ? undefined : lists.lists.get(response_set_id ?? '');
  if (shared) return shared;
  const fixed = typeOptions[type];
  if (!options && fixed)
    return addList(lists, typeKey(type), { of: null, wanted: type, title: type, options: fixed });
  const id = idOf(question);
  const name = lists.partNames.get(id)!;
  return addList(lists, id, { of: { field: id }, wanted: name, title: name, options: options ?? [] });
};
