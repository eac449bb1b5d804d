import type { Evaluation } from './conditions/evaluate.ts';
import { type FieldPlace, isRepeat, type Question, type SectionPlace } from './content-index.ts';
import { outerPath } from './instance-paths.ts';
import { MISSING, replaceReferences } from './text-references.ts';
import { displayAnswer } from './values/display.ts';

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

/** The label of a field in an instance, with the answers that it refers to. */
export const labelWithAnswers = (
  evaluation: Evaluation,
  { field, repeats }: FieldPlace,
  path: string,
): string => withAnswers(evaluation, field.label, { repeats, path });

/**
 * Where the title of a section stands: that of a repeat section is outside its instances.
 * @param path an instance of the section, or one within it
 */
export const titleStand = ({ section, repeats }: SectionPlace, path: string): Stand => {
  const around = isRepeat(section) ? repeats.slice(0, -1) : repeats;
  return { repeats: around, path: outerPath(path, around.length) };
};
