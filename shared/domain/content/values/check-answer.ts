import type { Problem } from '../../../base/problem.ts';
import { type ContentIndex, isAnswerable, type Question } from '../content-index.ts';
import type { Answer } from './answer.ts';
import { refuse } from './checks.ts';
import { chosenOptions } from './choices.ts';
import { TYPES } from './types.ts';

const VALUE = ['body', 'value'];

/**
 * Checks an answer against its field's type and limits. `null` clears it. An answer may be marked not applicable
 * where the field or a section around it allows that, and then has no value. Choosing an option that is not
 * applicable marks the answer as well.
 * @returns the value in the form to be stored, and whether it is not applicable; checking that value again returns
 *   it unchanged. Or every problem, loc `["body", "value", …]` or `["body", "is_na"]`
 */
export const checkAnswer = (
  field: Question,
  index: ContentIndex,
  value: unknown,
  { is_na = false }: { is_na?: boolean } = {},
): { value: unknown; is_na: boolean } | Problem[] => {
  const checked =
    isAnswerable(field) && (value === null || value === undefined)
      ? { value: null }
      : TYPES[field.type].check(field, index)(value, VALUE);
  if (Array.isArray(checked)) return checked;
  if (chosenOptions(field, index, checked.value).some((option) => option.is_na))
    return { ...checked, is_na: true };
  if (!is_na) return { ...checked, is_na };
  const problems = notApplicableProblems(field, index, checked.value, value);
  return problems.length > 0 ? problems : { value: null, is_na };
};

/** Fields as they are without their pattern. */
const withoutPatterns = new WeakMap<Question, Question>();

const withoutPattern = (field: Question): Question => {
  if (field.pattern === null) return field;
  const plain = withoutPatterns.get(field) ?? { ...field, pattern: null };
  withoutPatterns.set(field, plain);
  return plain;
};

/**
 * Whether a field still accepts an answer that is stored. The text is not matched against the field's pattern again. It
 * was matched when the answer was saved, and the content of an inspection never changes. Matching 20,000 texts with the
 * slowest pattern would take ten seconds.
 */
export const isStillTaken = (
  field: Question,
  index: ContentIndex,
  { value, is_na }: Pick<Answer, 'value' | 'is_na'>,
): boolean => !Array.isArray(checkAnswer(withoutPattern(field), index, value, { is_na }));

const notApplicableProblems = (
  field: Question,
  index: ContentIndex,
  value: unknown,
  input: unknown,
): Problem[] => {
  const isAllowed = 'id' in field && (index.fields.get(field.id)?.allowsNa ?? field.allow_na);
  const notAllowed = 'Value error, this field cannot be marked not applicable';
  const hasValue = 'Value error, an answer that is marked not applicable has no value';
  return [
    ...(isAllowed ? [] : refuse(['body', 'is_na'], 'value_error', notAllowed, true)),
    ...(value === null ? [] : refuse(VALUE, 'value_error', hasValue, input)),
  ];
};
