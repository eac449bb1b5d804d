import type { Content, TranslatedText, Field, FieldType } from '../../../../schemas/templates/content.ts';
import { sectionsOf } from '../../../content/content-index.ts';
import { publishProblems } from '../../../content/publish/publish.ts';
import { MESSAGES } from '../../form/columns.ts';
import { optionalAttributes } from '../../form/own-columns.ts';
import { cellText } from '../../form/sheets.ts';
import { comparableText } from '../../standard/expressions.ts';
import type { Texts } from '../convert/texts.ts';
import type { Diagnostics } from '../diagnostics.ts';
import type { ListedOption } from '../read/choices.ts';
import type { Node } from '../read/tree.ts';
import { inWordsOfForm, notImported } from '../report/meanings.ts';

/** The texts of a part in one language, from its cells, without the attributes that the part does not have. */
type CellTexts = Pick<TranslatedText, 'id' | 'options'> &
  Pick<Texts, 'messages'> &
  Partial<Pick<TranslatedText, 'title' | 'description' | 'label' | 'help_text'>>;

type Parts = Pick<Content, 'start' | 'sections' | 'response_sets'>;

/** The texts that a form has in other languages than the content's own. */
export interface FormTexts {
  /** By the id of a section or field, or the key of a start field, and by language. */
  parts: ReadonlyMap<string, ReadonlyMap<string, Texts>>;
  /** The options, by the id or key of the field or response set that has them. */
  listed: ReadonlyMap<string, readonly ListedOption[]>;
}

type Labels = ReadonlyMap<string, string>;

/** The labels of the options by id or key and by value. */
const labelsIn = ({ listed }: FormTexts, language: string): Map<string, Labels> =>
  new Map(
    [...listed].map(([id, options]) => [
      id,
      new Map(options.toReversed().map(({ option, labels }) => [option.value, labels.get(language) ?? ''])),
    ]),
  );

/** The texts of all parts of a content in one language, in the order of the content. */
const cellTexts = (
  { start, sections, response_sets }: Parts,
  texts: FormTexts,
  language: string,
): CellTexts[] => {
  const labels = labelsIn(texts, language);
  const textsOf = (id: string): Texts => texts.parts.get(id)?.get(language) ?? { title: '', text: null };
  const listed = (id: string, options: readonly { value: string }[] | null): CellTexts => ({
    id,
    options: (options ?? []).flatMap(({ value }) => {
      const label = labels.get(id)?.get(value);
      return label === undefined ? [] : [{ value, label }];
    }),
  });
  const asked = (id: string, options: readonly { value: string }[] | null): CellTexts => {
    const { title, text, messages } = textsOf(id);
    return { ...listed(id, options), label: title || null, help_text: text, ...(messages && { messages }) };
  };
  return [
    ...start.fields.map(({ key, options }) => asked(key, options)),
    ...[...sectionsOf({ sections })].flatMap(({ section: { id, fields } }): CellTexts[] => {
      const { title, text } = textsOf(id);
      return [
        { id, options: [], title: title || null, description: text },
        ...fields.map(({ id, options }) => asked(id, options)),
      ];
    }),
    ...response_sets.map(({ id, options }) => listed(id, options)),
  ];
};

/** The original text if the cell still has it, otherwise the text of the cell. */
const unedited = (original: string | null, read: string | null): string | null =>
  comparableText(original ?? '') === comparableText(read ?? '') ? original : read;

/** An original text, with the changes that were made to its cells. */
const updated = (original: TranslatedText, { options, ...read }: CellTexts): TranslatedText => {
  const labels = new Map(options.map(({ value, label }) => [value, label]));
  const texts = { ...original };
  for (const name of ['title', 'description', 'label', 'help_text'] as const)
    if (read[name] !== undefined) texts[name] = unedited(original[name], read[name]);
  if (read.messages)
    for (const name of MESSAGES) {
      const message = unedited(original[name] ?? null, read.messages[name] ?? null);
      if (message === null) delete texts[name];
      else texts[name] = message;
    }
  const known = original.options.flatMap(({ value, label }) => {
    const now = unedited(label, labels.get(value) ?? cellText(label));
    labels.delete(value);
    return now ? [{ value, label: now }] : [];
  });
  const added = [...labels].flatMap(([value, label]) => (label ? [{ value, label }] : []));
  return { ...texts, options: [...known, ...added] };
};

const isTranslated = ({ id: _id, options, ...texts }: TranslatedText) =>
  options.length > 0 || Object.values(texts).some((text) => text !== null);

/** The translations in the cells. `originals` restore what cells cannot hold, such as white space and the order. */
const translatedTexts = (
  cells: readonly CellTexts[],
  originals: readonly TranslatedText[],
): TranslatedText[] => {
  const unwritten = new Map(cells.map((read) => [read.id, read]));
  const kept = originals.map((original) => {
    const read = unwritten.get(original.id) ?? { id: original.id, options: [] };
    unwritten.delete(original.id);
    return updated(original, read);
  });
  const added = [...unwritten.values()].map(({ options, messages, ...texts }): TranslatedText => ({
    title: null,
    description: null,
    label: null,
    help_text: null,
    ...texts,
    ...messages,
    options: options.filter(({ label }) => label),
  }));
  return [...kept, ...added.filter(isTranslated)];
};

/**
 * The translations of a content.
 * @param languages the names of their languages
 * @param originals the translations that this service wrote the form from
 */
export const buildTranslations = (
  parts: Parts,
  texts: FormTexts,
  languages: Iterable<string>,
  originals: Content['translations'],
): Content['translations'] =>
  [...languages].map((language) => {
    const original = originals.find((each) => each.language.toLowerCase() === language.toLowerCase());
    return {
      language: original?.language ?? language,
      texts: translatedTexts(cellTexts(parts, texts, language), original?.texts ?? []),
    };
  });

/** The column of a form that an attribute comes from. */
const columns: Record<string, string> = {
  visible_if: 'relevant',
  required_if: 'required',
  formula: 'calculation',
  default_value: 'default',
  min: 'constraint',
  max: 'constraint',
  step: 'constraint',
  pattern: 'constraint',
  max_length: 'constraint',
  constraint: 'constraint',
  choice_filter: 'choice_filter',
  options: 'type',
  response_set_id: 'type',
};

const conditions = ['visible_if', 'required_if'];

/**
 * The attributes that are removed so that the content can be published, in this order. Removing a condition may make
 * a formula valid, and removing a formula may make a condition invalid.
 */
const withdrawn: readonly (readonly string[])[] = [
  conditions,
  ['default_value', 'min', 'max', 'step', 'pattern', 'max_length', 'constraint', 'choice_filter'],
  ['formula'],
  conditions,
];

/** An attribute of a field or section. Every attribute that can be removed may be null, as `formula` may. */
interface Attribute {
  part: Field;
  name: 'formula';
  node: Node;
}

/** The attribute that a problem is about; undefined where it is none of `names`. */
const attributeAt = (
  content: Content,
  loc: readonly string[],
  names: readonly string[],
  sources: ReadonlyMap<object, Node>,
): Attribute | undefined => {
  let part: unknown = { content };
  for (const step of loc) {
    const node = sources.get(part as object);
    if (node && names.includes(step)) return { part: part as Field, name: step as 'formula', node };
    part = (part as Record<string, unknown> | null | undefined)?.[step];
  }
  return undefined;
};

/** The id of a field or section, the key of a start field. */
const idOf = (part: object): string => ('key' in part ? (part.key as string) : (part as Field).id);

/** The type of a calculated field that loses its formula. */
const typeWithout = ({ type }: Node): FieldType =>
  type.kind === 'question' && type.type !== 'calculated' ? type.type : 'instruction';

/**
 * Removes the attributes that keep a content from being published, and makes a remark on the cell of each.
 * @param sources the row of each part; the parts are changed in place
 */
export const withdraw = (content: Content, sources: ReadonlyMap<object, Node>, log: Diagnostics): void => {
  const names = new Map([...sources].map(([part, { name }]) => [idOf(part), name]));
  const nameOf = (id: string) => names.get(id);
  for (const attributes of withdrawn) {
    const problems = publishProblems(content);
    if (problems.length === 0) return;
    for (const { loc, msg } of problems) {
      const found = attributeAt(content, loc, attributes, sources);
      if (!found || (found.part[found.name] ?? null) === null) continue;
      const { part, name, node } = found;
      if (optionalAttributes.has(name)) Reflect.deleteProperty(part, name);
      else part[name] = null;
      if (name === 'formula') part.type = typeWithout(node);
      const column = columns[name]!;
      log.lost(
        node.row,
        column,
        notImported(node, column === 'constraint' ? name : column, inWordsOfForm(msg, nameOf)),
      );
    }
  }
};
