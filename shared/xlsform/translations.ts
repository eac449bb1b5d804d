import { sectionsOf } from '../domain/content/content-index.ts';
import type { Content, TranslatedText } from '../schemas/templates/content.ts';
import { cellText } from './sheets.ts';

/** What a part says of itself. */
export interface Spoken {
  /** "" for nothing. */
  title: string;
  text: string | null;
}

/** What the cells of a part say in one language; without the texts that such a part has none of. */
export type CellTexts = Pick<TranslatedText, 'id' | 'options'> & Partial<TranslatedText>;

/**
 * What the cells say of the parts of a content, in its order.
 * @param spokenOf what is said of a section, field or start field
 * @param labelOf what an option of a field, start field or response set is called: "" for nothing, undefined where
 *   the form does not list it
 */
export const cellTexts = (
  content: Pick<Content, 'start' | 'sections' | 'response_sets'>,
  spokenOf: (id: string) => Spoken | undefined,
  labelOf: (id: string, value: string) => string | undefined,
): CellTexts[] => {
  const listed = (id: string, options: readonly { value: string }[] | null): CellTexts => ({
    id,
    options: (options ?? []).flatMap(({ value }) => {
      const label = labelOf(id, value);
      return label === undefined ? [] : [{ value, label }];
    }),
  });
  const asked = (id: string, options: readonly { value: string }[] | null): CellTexts => {
    const { title = '', text = null } = spokenOf(id) ?? {};
    return { ...listed(id, options), label: title || null, help_text: text };
  };
  return [
    ...content.start.fields.map(({ key, options }) => asked(key, options)),
    ...[...sectionsOf(content)].flatMap(({ section: { id, fields } }): CellTexts[] => {
      const { title = '', text = null } = spokenOf(id) ?? {};
      return [
        { id, options: [], title: title || null, description: text },
        ...fields.map(({ id, options }) => asked(id, options)),
      ];
    }),
    ...content.response_sets.map(({ id, options }) => listed(id, options)),
  ];
};

/** The text that a cell was written of, while the cell still says it; else what it says now. */
const unedited = (written: string | null, read: string | null): string | null =>
  cellText(written ?? '') === (read ?? '') ? written : read;

/**
 * What the cells say, as translations of those parts that they say anything of.
 * @param written the texts that the cells were written of, where cells cannot say all of them: white space, say, or
 *   the order that they are in
 */
export const translatedTexts = (
  cells: readonly CellTexts[],
  written: readonly TranslatedText[],
): TranslatedText[] => {
  const unwritten = new Map(cells.map((read) => [read.id, read]));
  const kept = written.map((text): TranslatedText => {
    const { options, ...read } = unwritten.get(text.id) ?? { id: text.id, options: [] };
    unwritten.delete(text.id);
    const labels = new Map(options.map(({ value, label }) => [value, label]));
    const texts = { ...text };
    for (const name of ['title', 'description', 'label', 'help_text'] as const)
      if (read[name] !== undefined) texts[name] = unedited(text[name], read[name]);
    const known = text.options.flatMap(({ value, label }) => {
      const now = unedited(label, labels.get(value) ?? cellText(label));
      labels.delete(value);
      return now ? [{ value, label: now }] : [];
    });
    const added = [...labels].flatMap(([value, label]) => (label ? [{ value, label }] : []));
    return { ...texts, options: [...known, ...added] };
  });
  const read = [...unwritten.values()].map(({ options, ...texts }): TranslatedText => ({
    title: null,
    description: null,
    label: null,
    help_text: null,
    ...texts,
    options: options.filter(({ label }) => label),
  }));
  const isSaid = ({ title, description, label, help_text, options }: TranslatedText) =>
    options.length > 0 || [title, description, label, help_text].some((text) => text !== null);
  return [...kept, ...read.filter(isSaid)];
};
