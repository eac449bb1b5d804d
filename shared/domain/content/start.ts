import type { Problem } from '../../base/problem.ts';
import { inAuthorsWords } from './authors-words.ts';
import type { ContentIndex } from './content-index.ts';
import { shownDocuments } from './shown-documents.ts';
import { checkAnswer } from './values/check-answer.ts';

/** Answers to the start fields, by key. */
export type StartAnswers = Record<string, unknown>;

/** Characters of JSON. The start answers are stored in the inspection's own row, which every list reads. */
const MAX_JSON_LENGTH = 50_000;

/**
 * Documents in all start answers. The transaction that saves an inspection counts the use of each one, and may replace
 * all of them.
 */
const MAX_DOCUMENTS = 12;

const loc = ['body', 'start_answers'];

/**
 * Checks answers to the start fields, and adds them to those that are saved already. Null clears an answer.
 * @param saved the saved answers
 * @returns all start answers in the form to be stored; or every problem, loc `["body", "start_answers", key, …]`
 */
export const answerStart = (
  index: ContentIndex,
  saved: StartAnswers,
  given: StartAnswers,
): StartAnswers | Problem[] => {
  const answers = { ...saved };
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(given)) {
    const at = [...loc, key];
    const field = index.startFields.get(key);
    if (!field) {
      problems.push({
        loc: at,
        type: 'extra_forbidden',
        msg: 'The template has no start field with this key',
      });
      continue;
    }
    const checked = checkAnswer(field, index, value);
    if (Array.isArray(checked)) {
      for (const problem of inAuthorsWords(field, checked))
        problems.push({ ...problem, loc: [...at, ...problem.loc.slice(2)] });
    } else if (checked.value === null) delete answers[key];
    else answers[key] = checked.value;
  }
  problems.push(...sizeProblems(answers));
  return problems.length > 0 ? problems : answers;
};

const sizeProblems = (answers: StartAnswers): Problem[] => {
  const { length } = JSON.stringify(answers);
  const { size } = shownDocuments(answers);
  const tooLong = (msg: string, max_length: number, actual_length: number): Problem => ({
    loc,
    type: 'too_long',
    msg: `All start answers together should ${msg}, not ${actual_length}`,
    ctx: { max_length, actual_length },
  });
  return [
    ...(length > MAX_JSON_LENGTH
      ? [tooLong(`have at most ${MAX_JSON_LENGTH} characters of JSON`, MAX_JSON_LENGTH, length)]
      : []),
    ...(size > MAX_DOCUMENTS
      ? [tooLong(`show at most ${MAX_DOCUMENTS} documents`, MAX_DOCUMENTS, size)]
      : []),
  ];
};
