import { isBlank, trimmed } from '../../base/text.ts';
import { Email } from '../../schemas/contact.ts';
import type { IssueQuestion } from '../../schemas/issues/category.ts';
import type { ContactRule } from '../../schemas/issues/public-link.ts';
import { answerField, type Entered, FIELD, MAX_PHOTOS } from './fields.ts';

/** Characters of an entry, by its kind. */
export const MAX_LENGTH = { name: 200, email: 320, phone: 50, text: 1_000, long_text: 10_000 } as const;

/** Why an entry is refused. */
export type Fault =
  | 'required'
  | 'description'
  | 'long'
  | 'number'
  | 'date'
  | 'email'
  | 'contact'
  | 'photo'
  | 'photos'
  | 'again'
  | 'wait'
  | 'storage';

/** What is wrong with one entry. */
export interface FormProblem {
  /** The name of the field; of the whole form when left out. */
  field?: string;
  fault: Fault;
  /** The number that the text of the fault names. */
  n?: number;
}

/** An answer as the issue gets it. */
export interface GivenAnswer {
  question_id: string;
  value: string | number | boolean | readonly string[];
}

type CheckedEntry = { value: GivenAnswer['value'] } | { fault: Fault; n?: number } | undefined;

/** A decimal number, with a point or a comma. */
const NUMBER = /^[+-]?\d{1,15}(?:[.,]\d{1,10})?$/;

const isDate = (text: string): boolean => {
  const day = new Date(`${text}T00:00:00Z`);
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
  );
};

const tooLong = (text: string, most: number): { fault: Fault; n: number } | undefined =>
  text.length > most ? { fault: 'long', n: most } : undefined;

/** An answer; undefined where there is none. */
const checked = ({ type, options }: IssueQuestion, entered: string | readonly string[]): CheckedEntry => {
  if (typeof entered !== 'string') return entered.length > 0 ? { value: entered } : undefined;
  const text = trimmed(entered);
  if (text === '') return undefined;
  switch (type) {
    case 'number':
      return NUMBER.test(text) ? { value: Number(text.replace(',', '.')) } : { fault: 'number' };
    case 'date':
      return isDate(text) ? { value: text } : { fault: 'date' };
    case 'yes_no':
      return text === 'yes' || text === 'no' ? { value: text === 'yes' } : { fault: 'required' };
    case 'single_select':
      return options?.some(({ value }) => value === entered) ? { value: entered } : { fault: 'required' };
    case 'text':
    case 'long_text':
      return tooLong(text, MAX_LENGTH[type]) ?? { value: text };
    case 'multi_select':
    case 'photo':
      return undefined;
  }
};

/** The problem of one question, or its answer, or neither. */
const answerTo = (
  question: IssueQuestion,
  { answers, photos }: Entered,
): { problem?: FormProblem; answer?: GivenAnswer } => {
  const { id, type, required } = question;
  const field = answerField(id);
  const missing = required ? { problem: { field, fault: 'required' as const } } : {};
  if (type === 'photo') return photos.some(({ questionId }) => questionId === id) ? {} : missing;
  const result = checked(question, answers.get(id) ?? '');
  if (!result) return missing;
  return 'fault' in result
    ? { problem: { field, ...result } }
    : { answer: { question_id: id, value: result.value } };
};

const contactProblems = (rule: ContactRule, { name, email, phone }: Entered): FormProblem[] => {
  if (rule === 'none') return [];
  const long = Object.entries({ name, email, phone }).flatMap(([field, text]) => {
    const problem = tooLong(text, MAX_LENGTH[field as 'name']);
    return problem ? [{ field, ...problem }] : [];
  });
  const isWrong = email !== '' && !Email.safeParse(email).success;
  const isMissing = rule === 'required' && email === '' && isBlank(phone);
  return [
    ...long,
    ...(isWrong ? [{ field: FIELD.email, fault: 'email' as const }] : []),
    ...(isMissing ? [{ field: FIELD.email, fault: 'contact' as const }] : []),
  ];
};

/**
 * Checks what was entered.
 * @param withPhotos whether the photos are complete; without, a question for a photo may still be open
 * @returns the answers, in the order of the questions, and every problem, in the order of the page
 */
export const checkEntered = (
  questions: readonly IssueQuestion[],
  rule: ContactRule,
  entered: Entered,
  withPhotos = true,
): { answers: GivenAnswer[]; problems: FormProblem[] } => {
  const asked = questions.filter(({ type }) => withPhotos || type !== 'photo');
  const results = asked.map((question) => answerTo(question, entered));
  const { description, photos } = entered;
  const isLong = tooLong(description, MAX_LENGTH.long_text);
  return {
    answers: results.flatMap(({ answer }) => (answer ? [answer] : [])),
    problems: [
      ...(isBlank(description) ? [{ field: FIELD.description, fault: 'description' as const }] : []),
      ...(isLong ? [{ field: FIELD.description, ...isLong }] : []),
      ...results.flatMap(({ problem }) => (problem ? [problem] : [])),
      ...(photos.length > MAX_PHOTOS
        ? [{ field: FIELD.photos, fault: 'photos' as const, n: MAX_PHOTOS }]
        : []),
      ...contactProblems(rule, entered),
    ],
  };
};
