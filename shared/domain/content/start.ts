import type { Problem } from '../../base/problem.ts';
import type { ContentIndex } from './content-index.ts';
import { shownDocuments } from './shown-documents.ts';
import { checkAnswer } from './values.ts';

/** By the keys of the start fields. */
export type StartAnswers = Record<string, unknown>;

/** They stand in the inspection's own row, which every list reads. Characters of JSON. */
const LONGEST = 50_000;

/** Each is counted as used in the inspection's own transaction, which may also exchange all of them. */
const MOST_DOCUMENTS = 12;

const loc = ['body', 'start_answers'];

/**
 * Checks answers to the start fields of a content, and writes them over those that stand; null clears one.
 * @returns all start answers in the form to be stored; or every problem, loc `["body", "start_answers", key, …]`
 */
export const answerStart = (
  index: ContentIndex,
  standing: StartAnswers,
  given: StartAnswers,
): StartAnswers | Problem[] => {
  const answers = { ...standing };
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(given)) {
    const at = [...loc, key];
    const field = index.startFields.get(key);
    if (!field) {
      problems.push({ loc: at, type: 'extra_forbidden', msg: 'The template has no start field of this key' });
      continue;
    }
    const checked = checkAnswer(field, index, value);
    if (Array.isArray(checked)) {
      problems.push(...checked.map((problem) => ({ ...problem, loc: [...at, ...problem.loc.slice(2)] })));
    } else if (checked.value === null) delete answers[key];
    else answers[key] = checked.value;
  }
  const { length } = JSON.stringify(answers);
  if (length > LONGEST) {
    problems.push({
      loc,
      type: 'too_long',
      msg: `All start answers together should have at most ${LONGEST} characters of JSON, not ${length}`,
      ctx: { max_length: LONGEST, actual_length: length },
    });
  }
  const { size } = shownDocuments(answers);
  if (size > MOST_DOCUMENTS) {
    problems.push({
      loc,
      type: 'too_long',
      msg: `All start answers together should show at most ${MOST_DOCUMENTS} documents, not ${size}`,
      ctx: { max_length: MOST_DOCUMENTS, actual_length: size },
    });
  }
  return problems.length > 0 ? problems : answers;
};
