import type { Problem } from '../../base/problem.ts';
import type { ResponseOption } from '../../schemas/templates/content.ts';
import { logicOf } from './conditions/dependencies.ts';
import type { Evaluation } from './conditions/evaluate.ts';
import type { ContentIndex, FieldPlace, Question } from './content-index.ts';
import { compute } from './formula/compute.ts';
import { type Formula, type Given, givenIn, type Operand } from './formula/parse.ts';
import { isTrue, type Result, valueOf } from './formula/values.ts';
import { type Answer, isEmpty } from './values/answer.ts';
import { chosenOptions } from './values/choices.ts';

type Judged = Pick<Answer, 'value' | 'is_na'>;

/** The stored answers of an operand, one per instance in scope, null for a missing one. */
type OperandReader = (operand: Operand) => readonly unknown[];

const VALUE = ['body', 'value'];

/** The earliest, the middle and the latest offset from UTC that clocks on Earth have (IANA time zones), in hours. */
const OFFSETS = [-12, 0, 14];

const HOUR_MS = 3_600_000;

/** The time of an answer on a clock with an offset from UTC. */
const clockAt = (at: number, offset: number): ((name: Given) => string) => {
  const local = new Date(at + offset * HOUR_MS).toISOString().slice(0, -1);
  const sign = offset < 0 ? '-' : '+';
  const now = `${local}${sign}${String(Math.abs(offset)).padStart(2, '0')}:00`;
  return (name) => (name === 'today' ? now.slice(0, 10) : now);
};

const ofOption =
  ({ value, attributes = {} }: ResponseOption) =>
  (name: Given): string | undefined => {
    const attribute = name.slice('option.'.length);
    if (attribute === 'value') return value;
    return Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
  };

/** Whether a field has rules for its answers that depend on more than the answer. */
export const isJudged = (index: ContentIndex, { field }: FieldPlace): boolean => {
  const { constraint, choiceFilter } = logicOf(index).fields.get(field.id)!;
  return (constraint ?? choiceFilter) !== undefined;
};

/** Whether the result of an expression counts as true. */
const holds = (result: Result): boolean => isTrue(valueOf(result));

const constraintProblems = (
  { constraint_message }: Question,
  constraint: Formula,
  read: OperandReader,
  at: number,
): Problem[] => {
  const offsets = givenIn(constraint).length > 0 ? OFFSETS : [0];
  if (offsets.some((offset) => holds(compute(constraint, read, clockAt(at, offset))))) return [];
  const msg = constraint_message ?? "Value error, the answer does not meet the field's constraint";
  return [{ loc: VALUE, type: 'value_error', msg }];
};

/** One problem for each chosen option that is not offered. */
const filterProblems = (chosen: readonly ResponseOption[], filter: Formula, read: OperandReader): Problem[] =>
  chosen
    .filter((option) => !holds(compute(filter, read, ofOption(option))))
    .map(({ value }) => ({
      loc: VALUE,
      type: 'value_error',
      msg: `Value error, the option ${JSON.stringify(value)} is not offered with the other answers`,
      input: value,
    }));

/**
 * What is wrong with a checked answer in view of the other answers: it does not meet its field's constraint, or it
 * chooses an option that is not offered. An empty answer, and one that is not applicable, is never wrong.
 * @param evaluation of the answers that it is compared with; it may have another answer in the place of this one
 * @param at when the answer is given, in milliseconds: `today()` may be the date at that time anywhere on Earth
 * @returns every problem, loc `["body", "value"]`
 */
export const judgeAnswer = (
  evaluation: Evaluation,
  place: FieldPlace,
  path: string,
  { value, is_na }: Judged,
  at: number,
): Problem[] => {
  const { field } = place;
  const { index } = evaluation;
  const { constraint, choiceFilter } = logicOf(index).fields.get(field.id)!;
  if (is_na || isEmpty(value)) return [];
  const read: OperandReader = (operand) =>
    'field_id' in operand && operand.field_id === field.id
      ? [value]
      : (evaluation.operandOf(operand, place, path)?.values ?? []).map((answer) => answer?.value ?? null);
  return [
    ...(constraint ? constraintProblems(field, constraint, read, at) : []),
    ...(choiceFilter ? filterProblems(chosenOptions(field, index, value), choiceFilter, read) : []),
  ];
};
