import type { Problem } from '../../base/problem.ts';
import { logicOf } from './conditions/dependencies.ts';
import type { Evaluation } from './conditions/evaluate.ts';
import type { ContentIndex, FieldPlace, Question } from './content-index.ts';
import { compute } from './formula/compute.ts';
import type { Formula, Given, Operand } from './formula/parse.ts';
import { isTrue, valueOf } from './formula/values.ts';
import { type Answer, isEmpty } from './values/answer.ts';

type Judged = Pick<Answer, 'value' | 'is_na'>;

const VALUE = ['body', 'value'];

/** Problems of a value that breaks a limit of its field. A number between two steps is a `value_error` with that step. */
const LIMITS: ReadonlySet<string> = new Set([
  'greater_than_equal',
  'less_than_equal',
  'string_pattern_mismatch',
  'string_too_long',
]);

const breaksLimit = ({ loc, type, ctx = {} }: Problem): boolean =>
  loc.length === VALUE.length && (LIMITS.has(type) || 'multiple_of' in ctx);

/** The earliest, the middle and the latest offset from UTC that clocks on Earth have (IANA time zones), in hours. */
const OFFSETS = [-12, 0, 14];

const HOUR_MS = 3_600_000;

/** The time of an answer by the clock of an offset. */
const clockAt = (at: number, offset: number): Record<Given, string> => {
  const local = new Date(at + offset * HOUR_MS).toISOString().slice(0, -1);
  const sign = offset < 0 ? '-' : '+';
  return {
    today: local.slice(0, 10),
    now: `${local}${sign}${String(Math.abs(offset)).padStart(2, '0')}:00`,
  };
};

/** Whether an expression asks for the time. */
const isTimed = ({ steps }: Formula): boolean => steps.some((step) => 'given' in step);

/** Whether a field has rules for its answers that depend on more than the answer. */
export const isJudged = (index: ContentIndex, { field }: FieldPlace): boolean =>
  logicOf(index).fields.get(field.id)?.constraint !== undefined;

/** The problems of a value, with the author's message for breaking a limit of the field. */
export const inAuthorsWords = (
  { constraint_message: msg }: Question,
  problems: readonly Problem[],
): Problem[] =>
  msg === undefined
    ? [...problems]
    : problems.map((problem) => (breaksLimit(problem) ? { ...problem, msg } : problem));

/**
 * What is wrong with a checked answer, beside other answers: it does not meet its field's constraint. An empty answer,
 * and one that is not applicable, meets every constraint.
 * @param evaluation of the answers that it is compared with; it may have another answer in the place of this one
 * @param at when the answer is given, in milliseconds: `today()` is any date that it is then on Earth
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
  const { constraint } = logicOf(evaluation.index).fields.get(field.id)!;
  if (!constraint || is_na || isEmpty(value)) return [];
  const read = (operand: Operand) =>
    'field_id' in operand && operand.field_id === field.id
      ? [value]
      : (evaluation.operandOf(operand, place, path)?.values ?? []).map((answer) => answer?.value ?? null);
  const isMet = (isTimed(constraint) ? OFFSETS : [0]).some((offset) =>
    isTrue(valueOf(compute(constraint, read, clockAt(at, offset)))),
  );
  if (isMet) return [];
  const msg = field.constraint_message ?? "Value error, the answer does not meet the field's constraint";
  return [{ loc: VALUE, type: 'value_error', msg }];
};
