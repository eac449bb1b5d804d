import type { Evaluation } from './conditions/evaluate.ts';
import {
  type ContentIndex,
  type FieldPlace,
  isRepeat,
  type Question,
  type SectionPlace,
} from './content-index.ts';
import type { Operand } from './formula/parse.ts';
import { outerPath } from './instance-paths.ts';
import { MISSING, replaceReferences } from './text-references.ts';
import { displayAnswer } from './values/display.ts';

/** Where a text is shown: within these repeat sections, in this instance of them. */
export interface Stand {
  repeats: FieldPlace['repeats'];
  path: string;
}

/** How an answer is written. */
export type TextOf = (question: Question, value: unknown) => string;

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** Writes an answer as `displayAnswer` does, and an id in it as its name. */
export const namedText =
  (index: ContentIndex, names: ReadonlyMap<string, string>): TextOf =>
  (question, value) =>
    names.get(String(value)) ?? displayAnswer(question, index, value);

/**
 * The answer that an operand means at a place, as a person reads it; `…` if it is missing, or if there are several.
 * @returns undefined for a start field that the content does not have
 */
export const shownAnswer = (
  evaluation: Evaluation,
  operand: Operand,
  { repeats, path }: Stand,
  textOf: TextOf,
): string | undefined => {
  const found = evaluation.operandOf(operand, { repeats }, path);
  if (!found) return 'start_key' in operand ? undefined : MISSING;
  const [answer] = found.values;
  if (found.values.length !== 1 || !answer) return MISSING;
  return textOf(found.question, answer.value) || (answer.is_na ? 'N/A' : MISSING);
};

/**
 * A text with the answers that it refers to, each as a person reads it; `…` for a missing one.
 * @param textOf by default as `displayAnswer` does
 */
export const withAnswers = (
  evaluation: Evaluation,
  text: string,
  stand: Stand,
  textOf: TextOf = namedText(evaluation.index, NO_NAMES),
): string => replaceReferences(text, (operand) => shownAnswer(evaluation, operand, stand, textOf));

/** The label of a field in an instance, with the answers that it refers to. */
export const labelWithAnswers = (
  evaluation: Evaluation,
  { field, repeats }: FieldPlace,
  path: string,
): string => withAnswers(evaluation, field.label, { repeats, path });

/**
 * The place at which the title of a section is shown. The title of a repeat section is outside its instances.
 * @param path an instance of the section, or one within it
 */
export const titleStand = ({ section, repeats }: SectionPlace, path: string): Stand => {
  const around = isRepeat(section) ? repeats.slice(0, -1) : repeats;
  return { repeats: around, path: outerPath(path, around.length) };
};
