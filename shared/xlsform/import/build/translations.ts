import { sectionsOf } from '../../../domain/content/content-index.ts';
import type { Content, TranslatedText } from '../../../schemas/templates/content.ts';
import { MESSAGES } from '../../form/columns.ts';
import { cellText } from '../../form/sheets.ts';
import { comparableText } from '../../standard/references.ts';
import type { Texts } from '../convert/texts.ts';
import type { ListedOption } from '../read/choices.ts';

/** The texts of a part in one language, from its cells, without the attributes that the part does not have. */
type CellTexts = Pick<TranslatedText, 'id' | 'options'> &
  Pick<Texts, 'messages'> &
  Partial<Pick<TranslatedText, 'title' | 'description' | 'label' | 'help_text'>>;

type Parts = Pick<Content, 'start' | 'sections' | 'response_sets'>;

/** The texts that a form has in other languages than the content's own. */
export interface FormTexts {
  /** By the id of a section or field, or the key of a start field, and by language. */
  parts: ReadonlyMap<string, ReadonlyMap<string, Texts>>;
  /** The options by the id or key of what has them. */
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
