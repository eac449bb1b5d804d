import type { Language } from '../../i18n/languages.ts';
import type { IssueCategory, IssueQuestion } from '../../schemas/issues/category.ts';

/** The texts of a category in one language. */
export type LocalizedCategory = Pick<IssueCategory, 'name' | 'description' | 'questions'>;

/**
 * A category's texts in a language. What is not translated stays as the category has it: a question in another language
 * can still be answered, one without a text cannot.
 */
export const localized = (
  { name, description, questions, translations }: IssueCategory,
  language: Language,
): LocalizedCategory => {
  const translation = translations.find((each) => each.language === language);
  if (!translation) return { name, description, questions };
  const inLanguage = (question: IssueQuestion): IssueQuestion => {
    const texts = translation.questions.find(({ id }) => id === question.id);
    const labels = new Map(texts?.options.map(({ value, label }) => [value, label]));
    return {
      ...question,
      label: texts?.label ?? question.label,
      options:
        question.options?.map(({ value, label }) => ({ value, label: labels.get(value) ?? label })) ?? null,
    };
  };
  return {
    name: translation.name ?? name,
    description: translation.description ?? description,
    questions: questions.map(inLanguage),
  };
};
