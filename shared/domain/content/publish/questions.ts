import type { Problem } from '../../../base/problem.ts';
import type { FieldType } from '../../../schemas/templates/content.ts';
import {
  awaitsOptions,
  type ContentIndex,
  hasDefaultOptions,
  isChoice,
  limitsOf,
  type Question,
} from '../content-index.ts';
import { NUMERIC, TEXTUAL } from '../field-types.ts';
import { patternFault } from '../pattern/compile.ts';
import { checkAnswer } from '../values/check-answer.ts';
import { duplicates, problemAt } from './problems.ts';

const CHOICES: readonly FieldType[] = ['yes_no_na', 'pass_fail_na', 'single_select', 'multi_select'];

/** Settings that have an effect on these types only; other types may not have them. */
const SETTINGS: Record<string, readonly FieldType[]> = {
  options: CHOICES,
  response_set_id: CHOICES,
  min: NUMERIC,
  max: NUMERIC,
  step: NUMERIC,
  unit: [...NUMERIC, 'calculated'],
  pattern: TEXTUAL,
  max_length: TEXTUAL,
  formula: ['calculated'],
  reference: ['reference'],
};

function* settingProblems(field: Question, loc: string[]): Generator<Problem> {
  for (const [name, types] of Object.entries(SETTINGS))
    if (!types.includes(field.type) && ((field as Partial<Record<string, unknown>>)[name] ?? null) !== null)
      yield problemAt([...loc, name], `a ${field.type} field has no ${name}`, 'extra_forbidden');
}

/** What is wrong with the options of a field or a response set. */
export function* optionProblems(options: { value: string }[], loc: string[]): Generator<Problem> {
  if (options.length === 0)
    yield problemAt(loc, 'There should be at least 1 option', 'too_short', { min_length: 1 });
  yield* duplicates(options.map(({ value }, i) => [value, [...loc, String(i), 'value']]));
}

function* choiceProblems(index: ContentIndex, field: Question, loc: string[]): Generator<Problem> {
  const { options, response_set_id } = field;
  if (options && response_set_id)
    yield problemAt([...loc, 'options'], 'give either options or response_set_id, not both');
  if (!options && !response_set_id && !hasDefaultOptions(field))
    yield problemAt([...loc, 'options'], 'a choice field needs options or response_set_id', 'missing');
  if (response_set_id && !index.responseSets.has(response_set_id))
    yield problemAt([...loc, 'response_set_id'], 'the content has no response set with this id');
  if (options) yield* optionProblems(options, [...loc, 'options']);
}

function* limitProblems(field: Question, loc: string[]): Generator<Problem> {
  const { min, max, step } = limitsOf(field);
  if (min !== null && max !== null && min > max) yield problemAt([...loc, 'min'], 'min is greater than max');
  if (step !== null && step <= 0) yield problemAt([...loc, 'step'], 'step should be greater than 0');
  const fault = field.pattern === null ? undefined : patternFault(field.pattern);
  if (fault) yield problemAt([...loc, 'pattern'], fault);
}

function* defaultProblems(index: ContentIndex, field: Question, loc: string[]): Generator<Problem> {
  if (field.default_value === null || awaitsOptions(index, field)) return;
  const checked = checkAnswer(field, index, field.default_value);
  if (Array.isArray(checked))
    for (const problem of checked)
      yield { ...problem, loc: [...loc, 'default_value', ...problem.loc.slice(2)] };
}

/** What is wrong with a field or start field, in the settings that both have. */
export function* questionProblems(index: ContentIndex, field: Question, loc: string[]): Generator<Problem> {
  yield* settingProblems(field, loc);
  if (isChoice(field)) yield* choiceProblems(index, field, loc);
  const limits = [...limitProblems(field, loc)];
  yield* limits;
  // A default cannot be checked against limits that are wrong.
  if (limits.length === 0) yield* defaultProblems(index, field, loc);
}
