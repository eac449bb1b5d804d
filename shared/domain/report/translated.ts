import { type Language, knownLanguage } from '../../i18n/languages.ts';
import type { Content, Section, TranslatedText } from '../../schemas/templates/content.ts';
import { type ContentIndex, indexContent, type Part } from '../content/content-index.ts';

/** The language that a content's language name means: `fr`, `pt-BR` or `French (fr)`. */
const languageIn = (name: string): Language | undefined => {
  const [, code] = /\(([^()]+)\)\s*$/.exec(name) ?? [];
  return knownLanguage(code ?? name);
};

const withText = <Translatable extends Part>(part: Translatable, text: TranslatedText | undefined) => {
  if (!text) return part;
  const labels = new Map(text.options.map(({ value, label }) => [value, label]));
  const { title, description, label, help_text } = text;
  return {
    ...part,
    ...(title !== null && 'title' in part && { title }),
    ...(description !== null && 'description' in part && { description }),
    ...(label !== null && 'label' in part && { label }),
    ...(help_text !== null && 'help_text' in part && { help_text }),
    ...('options' in part &&
      part.options && {
        options: part.options.map((option) => ({
          ...option,
          label: labels.get(option.value) ?? option.label,
        })),
      }),
  };
};

/**
 * A content with its texts in a language, as far as it has a translation into it; the index itself without one. Ids,
 * rules and values stay as they are.
 */
export const translatedIndex = (index: ContentIndex, language: Language): ContentIndex => {
  const { content } = index;
  // The content's own texts need no translation into their language, even if there is one.
  if (content.language !== null && languageIn(content.language) === language) return index;
  const translation = content.translations.find((each) => languageIn(each.language) === language);
  if (!translation) return index;
  const texts = new Map(translation.texts.map((text) => [text.id, text]));
  const section = (part: Section): Section => ({
    ...withText(part, texts.get(part.id)),
    fields: part.fields.map((field) => withText(field, texts.get(field.id))),
    sections: part.sections.map(section),
  });
  const translated: Content = {
    ...content,
    start: { fields: content.start.fields.map((field) => withText(field, texts.get(field.key))) },
    sections: content.sections.map(section),
    response_sets: content.response_sets.map((set) => withText(set, texts.get(set.id))),
  };
  return indexContent(translated);
};
