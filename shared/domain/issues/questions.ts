import type { Problem } from '../../base/problem.ts';
import {
  type CategoryTranslation,
  type IssueCategory,
  IssueQuestion,
} from '../../schemas/issues/category.ts';
import { present } from '../../schemas/projection.ts';
import { Content } from '../../schemas/templates/content.ts';
import { type ContentIndex, indexContent } from '../content/content-index.ts';
import { mediaProblems } from '../content/entry.ts';
import { duplicates, problemAt } from '../content/publish/problems.ts';
import { questionProblems } from '../content/publish/questions.ts';
import { isEmpty } from '../content/values/answer.ts';
import { checkAnswer } from '../content/values/check-answer.ts';

/** Only its own id is needed: a content has its fields in a section, and a section has an id. */
const SECTION_ID = '00000000-0000-4000-8000-000000000000';

/** The questions as the content of a template, whose rules they follow. */
const contentOf = (questions: readonly IssueQuestion[]): ContentIndex => {
  // A content takes no attribute that it does not know, and a stored question may have one of a later version.
  const fields = questions.map((question) => present(IssueQuestion, question));
  return indexContent(Content.parse({ sections: [{ id: SECTION_ID, title: 'Questions', fields }] }));
};

/** What is wrong with questions; loc `["body", "questions", …]`. @param name of the list in the request */
export const problemsOfQuestions = (questions: readonly IssueQuestion[], name = 'questions'): Problem[] => {
  const index = contentOf(questions);
  const { fields } = index.content.sections[0]!;
  const at = (position: number) => ['body', name, String(position)];
  return [
    ...duplicates(questions.map(({ id }, position) => [id, [...at(position), 'id']])),
    ...fields.flatMap((field, position) => [...questionProblems(index, field, at(position))]),
  ];
};

/** What is wrong with a translation of a question. */
const translationProblems = (
  { options }: CategoryTranslation['questions'][number],
  question: IssueQuestion | undefined,
  loc: string[],
): Problem[] => {
  if (!question) return [problemAt([...loc, 'id'], 'the category has no question with this id')];
  const values = new Set(question.options?.map(({ value }) => value));
  return options.flatMap(({ value }, position) =>
    values.has(value)
      ? []
      : [
          problemAt(
            [...loc, 'options', String(position), 'value'],
            `${JSON.stringify(value)} is not an option of this question`,
          ),
        ],
  );
};

/**
 * What is wrong with the translations of a category. Nobody would ever see a translation of a question that it does not
 * have.
 */
const problemsOfTranslations = ({
  questions,
  translations,
}: Pick<IssueCategory, 'questions' | 'translations'>) => {
  const known = new Map(questions.map((question) => [question.id, question]));
  const at = (position: number) => ['body', 'translations', String(position)];
  return [
    ...duplicates(translations.map(({ language }, position) => [language, [...at(position), 'language']])),
    ...translations.flatMap((translation, position) =>
      translation.questions.flatMap((each, index) =>
        translationProblems(each, known.get(each.id), [...at(position), 'questions', String(index)]),
      ),
    ),
  ];
};

/** What is wrong with a category that a schema cannot say; loc `["body", …]`. */
export const categoryProblems = (category: Pick<IssueCategory, 'questions' | 'translations'>): Problem[] => [
  ...problemsOfQuestions(category.questions),
  ...problemsOfTranslations(category),
];

/** An answer in the form to be stored, with its question as it is now. */
export interface CheckedAnswer {
  question_id: string;
  label: string;
  value: unknown;
}

/** What a request calls answers to questions, and who asks. */
interface AnswerNames {
  list: string;
  id: string;
  asker: string;
}

const OF_ISSUES: AnswerNames = { list: 'answers', id: 'question_id', asker: 'category' };

/**
 * Checks answers against the questions of a category, by the rules of the fields of templates. Answers that say nothing
 * are left out.
 * @param mimeTypeOf the MIME type of a document by its id; undefined for one that the organization does not have
 * @returns the answers in the order of the questions, and every problem, loc `["body", "answers", …]`
 */
export const checkAnswers = (
  questions: readonly IssueQuestion[],
  answers: readonly { question_id: string; value?: unknown }[],
  mimeTypeOf: (documentId: string) => string | undefined,
  { list, id: idName, asker }: AnswerNames = OF_ISSUES,
): { checked: CheckedAnswer[]; problems: Problem[] } => {
  const index = contentOf(questions);
  const at = (position: number) => ['body', list, String(position)];
  const problems = duplicates(
    answers.map(({ question_id }, position) => [question_id, [...at(position), idName]]),
  );
  const checked = new Map<string, unknown>();
  for (const [position, { question_id, value = null }] of answers.entries()) {
    const place = index.fields.get(question_id);
    if (!place) {
      problems.push(problemAt([...at(position), idName], `the ${asker} has no question with this id`));
      continue;
    }
    const result = checkAnswer(place.field, index, value);
    // Their locations begin with those of a single answer: `body`, `value`.
    const faults = Array.isArray(result)
      ? result
      : mediaProblems(place, { value: result.value, media: [] }, (id) => mimeTypeOf(id) ?? '');
    for (const fault of faults) problems.push({ ...fault, loc: [...at(position), ...fault.loc.slice(1)] });
    if (!Array.isArray(result) && faults.length === 0) checked.set(question_id, result.value);
  }
  const answered = new Set(answers.map(({ question_id }) => question_id));
  for (const { id, label, required } of questions) {
    if (!required || !isEmpty(checked.get(id))) continue;
    // A wrong answer is reported above.
    if (answered.has(id) && !checked.has(id)) continue;
    problems.push(problemAt(['body', list], `${JSON.stringify(label)} needs an answer`, 'missing'));
  }
  return {
    checked: questions.flatMap(({ id, label }) =>
      isEmpty(checked.get(id)) ? [] : [{ question_id: id, label, value: checked.get(id) }],
    ),
    problems,
  };
};
