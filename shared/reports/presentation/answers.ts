import type { Formats } from './format.ts';
import type { ReportField } from './former-payload.ts';
import { type Chip, TONES } from './theme.ts';

/** Whether a question has no answer. An instruction asks no question, so it is never unanswered. */
export const isUnanswered = ({ type, is_na, answer }: ReportField): boolean =>
  type !== 'instruction' && !is_na && !answer.text?.trim();

/** The answer as text; empty where the text only repeats that the question is not applicable. */
export const answerText = ({ is_na, answer }: ReportField): string => {
  const text = answer.text ?? '';
  return is_na && /^n[./]?a\.?$/i.test(text.trim()) ? '' : text;
};

/** The labels beside an answer: whether it failed, and whether the question is not applicable. */
export const answerChips = ({ is_failed, is_na }: ReportField): Chip[] => [
  ...(is_failed ? [{ text: 'Failed', tone: TONES.bad }] : []),
  ...(is_na ? [{ text: 'N/A', tone: TONES.neutral }] : []),
];

/** Who gave the answer, and when; empty where neither is known. */
export const answeredBy = ({ answered_by_name, answered_at }: ReportField, formats: Formats): string =>
  [answered_by_name ?? '', answered_at ? formats.dateTime(answered_at) : ''].filter(Boolean).join(' · ');
