import type { Evaluation } from './conditions/evaluate.ts';
import type { FieldPlace, Question } from './content-index.ts';
import type { Operand } from './formula/parse.ts';
import { displayAnswer } from './values/display.ts';

/** A reference to an answer within a text: `${id}` of a field, `${key}` of a start field. Anything else is text. */
const REFERENCE = /\$\{([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[a-z][a-z0-9_]*)\}/g;

/** What a text shows for an answer that is missing. */
const MISSING = '…';

const operandOf = (name: string): Operand => (name.includes('-') ? { field_id: name } : { start_key: name });

/** The answers that a text refers to. A start field may not exist: its key is then an ordinary text. */
export const referencesIn = (text: string): Operand[] =>
  [...text.matchAll(REFERENCE)].map(([, name = '']) => operandOf(name));

/** Replaces the references in a text. @param shown the text for an operand; undefined keeps the reference as it is */
export const replaceReferences = (text: string, shown: (operand: Operand) => string | undefined): string =>
  text.includes('${')
    ? text.replaceAll(REFERENCE, (whole, name: string) => shown(operandOf(name)) ?? whole)
    : text;

/** A text without the answers that it refers to, where these are not at hand. */
export const withoutAnswers = (text: string): string => replaceReferences(text, () => MISSING);

/** Where a text is shown: within these repeat sections, in this instance of them. */
export interface Stand {
  repeats: FieldPlace['repeats'];
  path: string;
}

/**
 * A text with the answers that it refers to, each as a person reads it; `…` for a missing one.
 * @param textOf how an answer is written; by default as `displayAnswer` does
 */
export const withAnswers = (
  evaluation: Evaluation,
  text: string,
  { repeats, path }: Stand,
  textOf = (question: Question, value: unknown): string => displayAnswer(question, evaluation.index, value),
): string =>
  replaceReferences(text, (operand) => {
    const found = evaluation.operandOf(operand, { repeats }, path);
    if (!found) return 'start_key' in operand ? undefined : MISSING;
    const [answer] = found.values;
    if (found.values.length !== 1 || !answer) return MISSING;
    return textOf(found.question, answer.value) || (answer.is_na ? 'N/A' : MISSING);
  });
