import type { Language } from '../../base/i18n/languages.ts';
import { trimmed } from '../../base/text.ts';
import type { IssueQuestion, IssueCategory } from '../../schemas/issues/category.ts';

/** The names of the form's own fields. */
export const FIELD = {
  stamp: 'stamp',
  language: 'language',
  next: 'next',
  description: 'description',
  name: 'name',
  email: 'email',
  phone: 'phone',
  photos: 'photos',
  /** A field that people do not see. Programs fill it in. */
  trap: 'website',
} as const;

/** The name of the field, or of the group of fields, that answers a question. */
export const answerField = (questionId: string): string => `answer.${questionId}`;

/** The name of one choice of a question that takes several. */
export const choiceField = (questionId: string, position: number): string =>
  `${answerField(questionId)}.${position}`;

/** Photos of one report. */
export const MAX_PHOTOS = 10;

/** Photos that one form can upload: those that were removed again count as well. */
export const MAX_UPLOADS = 30;

/** Bytes of one photo. */
export const MAX_PHOTO_BYTES = 10_000_000;

/** Media types of photos, as browsers name them. */
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp'] as const;

/** A photo that was uploaded for a form. */
export interface SentPhoto {
  /** Its number among the form's uploads, from 0. */
  slot: number;
  /** The question that it answers; null for one of the issue itself. */
  questionId: string | null;
}

/** What somebody has entered, as it was entered. */
export interface Entered {
  description: string;
  name: string;
  email: string;
  phone: string;
  /** By question: the text, or the values of the chosen options. */
  answers: ReadonlyMap<string, string | readonly string[]>;
  photos: readonly SentPhoto[];
}

export const NOTHING_ENTERED: Entered = {
  description: '',
  name: '',
  email: '',
  phone: '',
  answers: new Map(),
  photos: [],
};

/** The form's fields as a browser sends them. */
export type Sent = Readonly<Record<string, unknown>>;

export const textIn = (sent: Sent, name: string): string => {
  const value = sent[name];
  return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
};

/** A photo as `3:id`, or `3:` without a question. */
const PHOTO = /^(\d{1,2}):([0-9a-f-]{36})?$/;

/** The list of uploaded photos in a text, without invalid entries and repeats. */
export const photosIn = (text: string, questions: readonly IssueQuestion[]): SentPhoto[] => {
  const asked = new Set(questions.flatMap(({ id, type }) => (type === 'photo' ? [id] : [])));
  const photos = text.split(',').flatMap((part): [number, SentPhoto][] => {
    const [, slot, id] = PHOTO.exec(part) ?? [];
    if (slot === undefined || Number(slot) >= MAX_UPLOADS) return [];
    return [[Number(slot), { slot: Number(slot), questionId: id && asked.has(id) ? id : null }]];
  });
  return [...new Map(photos).values()];
};

/** A list of photos as the text that `photosIn` reads. */
export const photosText = (photos: readonly SentPhoto[]): string =>
  photos.map(({ slot, questionId }) => `${slot}:${questionId ?? ''}`).join(',');

const answerIn = (sent: Sent, { id, type, options }: IssueQuestion): string | readonly string[] =>
  type === 'multi_select'
    ? (options ?? []).flatMap(({ value }, position) =>
        textIn(sent, choiceField(id, position)) === '' ? [] : [value],
      )
    : textIn(sent, answerField(id));

/** What was entered into the form of these questions. Fields that the form does not have are ignored. */
export const enteredIn = (sent: Sent, questions: readonly IssueQuestion[]): Entered => ({
  description: textIn(sent, FIELD.description),
  name: textIn(sent, FIELD.name),
  email: trimmed(textIn(sent, FIELD.email)),
  phone: textIn(sent, FIELD.phone),
  answers: new Map(
    questions.flatMap((question) =>
      question.type === 'photo' ? [] : [[question.id, answerIn(sent, question)] as const],
    ),
  ),
  photos: photosIn(textIn(sent, FIELD.photos), questions),
});

/** The texts of a category in one language. */
export type LocalizedCategory = Pick<IssueCategory, 'name' | 'description' | 'questions'>;

/**
 * A category's texts in a language. A text without a translation stays in the category's language: a question in
 * another language can still be answered, but a question without a text cannot.
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
