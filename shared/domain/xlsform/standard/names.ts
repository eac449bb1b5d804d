import {
  type FieldType,
  type ResponseOption,
  type Content,
  type Section,
  PartName,
} from '../../../schemas/templates/content.ts';
import { sectionsOf, type Question } from '../../content/content-index.ts';
import { conditionalsOf, conditionsOf } from '../../content/publish/conditionals.ts';
import { referencesIn } from '../../content/text-references.ts';
import { cellText } from '../form/sheets.ts';

const option = (value: string, label: string): ResponseOption => ({
  value,
  label,
  color: null,
  score: null,
  is_failed: false,
  is_na: false,
});

/** The options of the types whose answers are fixed. ODK needs them as a list. */
const typeOptions: Partial<Record<FieldType, ResponseOption[]>> = {
  yes_no: [option('yes', 'Yes'), option('no', 'No')],
  yes_no_na: [option('yes', 'Yes'), option('no', 'No'), option('na', 'N/A')],
  pass_fail_na: [option('pass', 'Pass'), option('fail', 'Fail'), option('na', 'N/A')],
};

/** The type of ODK for each field type, with the appearance that distinguishes types of the same kind. */
export const types: Record<FieldType, [type: string, appearance?: string]> = {
  text: ['text'],
  long_text: ['text', 'multiline'],
  barcode: ['barcode'],
  number: ['decimal'],
  slider: ['range'],
  rating: ['range', 'rating'],
  temperature: ['decimal'],
  yes_no: ['select_one'],
  checkbox: ['acknowledge'],
  yes_no_na: ['select_one'],
  pass_fail_na: ['select_one'],
  single_select: ['select_one'],
  multi_select: ['select_multiple'],
  date: ['date'],
  time: ['time'],
  datetime: ['dateTime'],
  photo: ['image'],
  video: ['video'],
  audio: ['audio'],
  file: ['file'],
  drawing: ['image', 'draw'],
  signature: ['image', 'signature'],
  geo_point: ['geopoint'],
  address: ['text', 'multiline'],
  member: ['text'],
  client_account: ['text'],
  location: ['text'],
  reference: ['text'],
  calculated: ['calculate'],
  instruction: ['note'],
};

/** The field types that ODK answers with an option of a list. */
const listed: ReadonlySet<FieldType> = new Set<FieldType>([
  'yes_no',
  'yes_no_na',
  'pass_fail_na',
  'single_select',
  'multi_select',
]);

/** The names that a form has already. */
export interface GivenNames {
  /** The name of a section or field by its id, or of a start field by its key. */
  part: (id: string) => string | undefined;
  /** The name of a list by the id of its response set, by the id or key of its only question, or by `typeKey`. */
  list: (id: string) => string | undefined;
}

/** The names of the parts of a content in a form. */
export interface PartNames {
  /** By the id of a section or field, by the key of a start field. */
  names: ReadonlyMap<string, string>;
  /** All names, in lower case. */
  taken: Set<string>;
  /**
   * The names that labels of options may refer to as `${name}`. The content itself gives these names, and only one row
   * has each.
   */
  referable: ReadonlySet<string>;
}

/** The longest name that is made of a text, in characters; a number may follow it. */
const MAX_NAME_LENGTH = 40;

/**
 * Names that pyxform uses itself: its group `meta`, two questions in that group, and the form `data`. A part may have
 * one of the last three if nothing refers to it, but a repeat may not be named `data`. No part may be named `meta`.
 */
const RESERVED = ['meta', 'instanceID', 'instanceName', 'data'];

/** The name of the group of the start fields. */
export const START_GROUP = 'start_of_inspection';

/** Makes a name different from all in `taken`, ignoring case, and adds it to them. */
const unique = (name: string, taken: Set<string>): string => {
  let found = name;
  for (let i = 2; taken.has(found.toLowerCase()); i += 1) found = `${name}_${i}`;
  taken.add(found.toLowerCase());
  return found;
};

/** A text as a name of XForms: ASCII letters, digits and underscores. */
const slug = (text: string, fallback: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_\d]+|_$/g, '')
    .slice(0, MAX_NAME_LENGTH)
    .replace(/_$/, '') || fallback;

/** A part that needs a name. */
interface Nameless {
  id: string;
  /** The name in the content. */
  name: string | undefined;
  /** The name for a part that the content does not name. */
  made: string;
  /** The group around it: names are unique within it. */
  group: string;
  repeat: Section['repeat'];
}

function* partsIn(sections: readonly Section[], group: string): Generator<Nameless> {
  for (const { id, name, title, repeat, fields, sections: inner } of sections) {
    yield { id, name, made: slug(title, 'section'), group, repeat };
    for (const { id: field, name, label, type } of fields)
      yield { id: field, name, made: slug(label, type), group: id, repeat: null };
    yield* partsIn(inner, id);
  }
}

const partsOf = ({ start, sections }: Content): Nameless[] => [
  // The key of a start field is its name.
  ...start.fields.map(({ key, name }) => ({
    id: key,
    name: name ?? key,
    made: key,
    group: START_GROUP,
    repeat: null,
  })),
  ...partsIn(sections, ''),
];

/**
 * The ids and keys that conditions, formulas and texts refer to. ODK finds such a part only if no other has its name.
 */
const referredIn = (content: Content): Set<string> => {
  const referred = new Set<string>();
  for (const conditional of conditionalsOf(content))
    for (const { condition } of conditionsOf(conditional)) {
      if ('field_id' in condition) referred.add(condition.field_id);
      if ('start_key' in condition) referred.add(condition.start_key);
    }
  for (const { section } of sectionsOf(content))
    for (const { formula, constraint, choice_filter } of section.fields)
      for (const [, id = ''] of `${formula ?? ''} ${constraint ?? ''} ${choice_filter ?? ''}`.matchAll(
        /\{\s*([^{}\s]+)\s*\}/g,
      ))
        referred.add(id.toLowerCase());
  const texts = [content.start.fields, content.sections, content.translations];
  for (const operand of referencesIn(JSON.stringify(texts)))
    referred.add('field_id' in operand ? operand.field_id : operand.start_key);
  return referred;
};

/** The names that a row adds to its group. A repeat with a fixed count also has a hidden question for the count. */
const namesIn = (name: string, { repeat }: Nameless): string[] =>
  repeat && repeat.min === repeat.max ? [name, `${name}_count`] : [name];

/** A name that no other part has. */
const madeName = (part: Nameless, taken: Set<string>): string => {
  for (;;) {
    const [name, ...others] = namesIn(unique(part.name ?? part.made, taken), part);
    if (others.every((other) => !taken.has(other.toLowerCase()))) return name!;
  }
};

/**
 * Names all parts of a content: by the content's own names if ODK accepts them, otherwise by their labels.
 * @param given names that the form has already, which are kept
 */
export const namesOf = (content: Content, given: GivenNames): PartNames => {
  const parts = partsOf(content);
  const referred = referredIn(content);
  const explicit = parts.flatMap((part) => {
    const name = given.part(part.id) ?? part.name;
    return name === undefined ? [] : namesIn(name, part);
  });
  const counts = new Map<string, number>();
  for (const name of [...RESERVED, ...explicit]) counts.set(name, (counts.get(name) ?? 0) + 1);
  const taken = new Set([...RESERVED, START_GROUP, ...explicit].map((name) => name.toLowerCase()));
  const inGroups = new Map<string, Set<string>>();
  const repeats = new Set(['data']);
  const names = new Map<string, string>();
  for (const part of parts) {
    const { id, name, group, repeat } = part;
    const siblings = inGroups.get(group) ?? new Set(['meta']);
    inGroups.set(group, siblings);
    const isFree = (each: string) => {
      const [, ...counting] = namesIn(each, part);
      const referredTo = [...(referred.has(id) ? [each] : []), ...counting];
      return (
        ![each, ...counting].some((one) => siblings.has(one)) &&
        !(repeat && repeats.has(each)) &&
        referredTo.every((one) => counts.get(one) === 1)
      );
    };
    const found = given.part(id) ?? (name !== undefined && isFree(name) ? name : madeName(part, taken));
    names.set(id, found);
    for (const each of namesIn(found, part)) {
      siblings.add(each);
      taken.add(each.toLowerCase());
    }
    if (repeat) repeats.add(found);
  }
  const all = [...RESERVED, ...parts.flatMap((part) => namesIn(names.get(part.id)!, part))];
  const counted = Map.groupBy(all, (name) => name);
  const referable = parts.flatMap(({ id, name }) =>
    name !== undefined && names.get(id) === name && counted.get(name)!.length === 1 ? [name] : [],
  );
  return { names, taken, referable: new Set(referable) };
};

/** A list of the choices sheet, in the order of its options. */
export interface FormList {
  name: string;
  /** The response set or the field whose options these are; null for the fixed answers of a type. */
  of: { set: string; source_id?: string | undefined } | { field: string } | null;
  title: string;
  options: readonly { name: string; option: ResponseOption }[];
  /** The columns that the filters of its options refer to. */
  columns: Set<string>;
}

/** The lists of a form, as far as its questions have been written. */
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

/**
 * Whether a response set's name can be the name of a list. A name that ends like a file name, such as `.csv`, would be
 * read as a file.
 */
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
