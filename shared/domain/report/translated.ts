import { type Language, knownLanguage } from '../../base/i18n/languages.ts';
import { REPORT_TEXTS } from '../../base/i18n/texts/report.ts';
import type { Content, Section, TranslatedText } from '../../schemas/templates/content.ts';
import {
  type ContentIndex,
  hasDefaultOptions,
  indexContent,
  optionsOf,
  type ContentPart,
  type Question,
} from '../content/content-index.ts';

/** The language that a content's language name means: `fr`, `pt-BR` or `French (fr)`. */
const languageIn = (name: string): Language | undefined => {
  const [, code] = /\(([^()]+)\)\s*$/.exec(name) ?? [];
  return knownLanguage(code ?? name);
};

const withText = <Translatable extends ContentPart>(part: Translatable, text: TranslatedText | undefined) => {
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

/** Gives a field whose type has its own options (yes, no, pass, fail, not applicable) these options in a language. */
const standardOptions =
  (index: ContentIndex, language: Language) =>
  <Asked extends Question>(field: Asked): Asked => {
    if (!hasDefaultOptions(field) || field.options !== null || field.response_set_id !== null) return field;
    const { yes, no, pass, fail, notApplicable } = REPORT_TEXTS[language];
    const labels: Record<string, string> = { yes, no, pass, fail, na: notApplicable };
    const options = optionsOf(index, field).map((option) => ({
      ...option,
      label: labels[option.value] ?? option.label,
    }));
    return { ...field, options };
  };

/**
 * A content with its texts in a language, as far as it has a translation into it. Ids, rules and values stay as they
 * are.
 */
export const translatedIndex = (index: ContentIndex, language: Language): ContentIndex => {
  const { content } = index;
  const standard = standardOptions(index, language);
  // The content's own texts need no translation into their language, even if there is one.
  const isOwn = content.language !== null && languageIn(content.language) === language;
  const translation = isOwn
    ? undefined
    : content.translations.find((each) => languageIn(each.language) === language);
  if (!translation && language === 'en') return index;
  const texts = new Map(translation?.texts.map((text) => [text.id, text]));
  const section = (part: Section): Section => ({
    ...withText(part, texts.get(part.id)),
    fields: part.fields.map((field) => standard(withText(field, texts.get(field.id)))),
    sections: part.sections.map(section),
  });
  const translated: Content = {
    ...content,
    start: { fields: content.start.fields.map((field) => standard(withText(field, texts.get(field.key)))) },
    sections: content.sections.map(section),
    response_sets: content.response_sets.map((set) => withText(set, texts.get(set.id))),
  };
  return indexContent(translated);
};
