import { own } from '../../../base/fields.ts';
import type { Comparison, Condition, StartField } from '../../../schemas/templates/content.ts';
import type { ContentIndex, FieldPlace, Question, RepeatSection, SectionPlace } from '../content-index.ts';
import { compute } from '../formula/compute.ts';
import type { Operand } from '../formula/parse.ts';
import { outerPath, placeName } from '../instance-paths.ts';
import { type Instances, instancesOf, pathsBelow, sharedPath } from '../instances.ts';
import { MAX_DEPENDENCY_STEPS } from '../limits.ts';
import type { StartAnswers } from '../start.ts';
import { type Answer, isAnswered, isEmpty } from '../values/answer.ts';
import { holds, isFailed } from '../values/comparison.ts';
import { type Logic, logicOf } from './dependencies.ts';

/** The state of a field in one instance, by the conditions. */
export type Standing = 'required' | 'optional' | 'hidden';

/** The part of an answer that conditions and formulas use. */
export type KnownAnswer = Pick<
  Answer,
  'field_id' | 'instance_path' | 'value' | 'is_na' | 'is_prefilled' | 'is_asked_again'
>;

type Known = Pick<Answer, 'value' | 'is_na'>;

/** The conditions and formulas of a content, applied to answers. Each part is worked out once, on first use. */
export interface Evaluation {
  index: ContentIndex;
  instances: Instances;
  start: StartAnswers;
  /** Whether a field of an instance is hidden, by its own condition or one around it, required, or optional. */
  standingOf: (place: FieldPlace, instancePath: string) => Standing;
  startStandingOf: (field: StartField) => Standing;
  /**
   * The answer to a field, or the result of a calculated one; undefined when there is none. The answer to a hidden
   * field is returned as well.
   */
  answerOf: (place: FieldPlace, instancePath: string) => Known | undefined;
  /**
   * The answers that an operand means for an expression of a field in an instance; undefined if the content does not
   * have the field of the operand.
   */
  operandOf: (
    operand: Operand,
    place: Pick<FieldPlace, 'repeats'>,
    instancePath: string,
  ) => OperandAnswers | undefined;
}

/** A question with its answers that count: one per instance in scope, undefined where there is none. */
export interface OperandAnswers {
  question: Question;
  values: (Known | undefined)[];
}

/** Results by name. A result is undefined while it is being worked out, so what depends on itself reads undefined. */
type Results<Result> = Map<string, Result | undefined>;

/** Everything that one evaluation knows, and has worked out so far. */
interface State {
  index: ContentIndex;
  logic: Logic;
  instances: Instances;
  start: StartAnswers;
  /** Answers by `placeName`. */
  given: Map<string, Known>;
  /** How many results are being worked out at the moment, each because the one before needs it. */
  depth: number;
  startShown: Results<boolean>;
  sectionsShown: Results<boolean>;
  fieldsShown: Results<boolean>;
  formulaResults: Results<Known | null>;
}

/** Where a condition or formula is: its repeat sections, outermost first, and the instance of them. */
interface From {
  repeats: readonly RepeatSection[];
  path: string;
}

const OUTSIDE: From = { repeats: [], path: '' };

/**
 * Works out a result once.
 * @returns undefined for a result that depends on itself, and at the end of a chain that is too long; only a draft has
 *   either
 */
const once = <Result>(state: State, results: Results<Result>, name: string, work: () => Result) => {
  if (results.has(name) || state.depth > MAX_DEPENDENCY_STEPS) return results.get(name);
  results.set(name, undefined);
  state.depth += 1;
  const result = work();
  state.depth -= 1;
  results.set(name, result);
  return result;
};

/** The answers that an operand means for a condition or formula at `from`: one per instance, undefined for none. */
const read = (state: State, operand: Operand, from: From): OperandAnswers | undefined => {
  const { index, instances, start } = state;
  if ('start_key' in operand) {
    const field = index.startFields.get(operand.start_key);
    if (!field) return undefined;
    const value = isStartShown(state, field) ? own(start, field.key) : undefined;
    return { question: field, values: [isEmpty(value) ? undefined : { value, is_na: false }] };
  }
  const place = index.fields.get(operand.field_id);
  if (!place) return undefined;
  const { repeats } = place;
  const shared = sharedPath(from.repeats, repeats, from.path);
  const isSame = shared === from.path && repeats.length === from.repeats.length;
  const within = isSame ? [shared] : pathsBelow(instances, repeats, shared);
  return {
    question: place.field,
    values: within.map((path) => (isShown(state, place, path) ? answerOf(state, place, path) : undefined)),
  };
};

const compares = (state: State, comparison: Comparison, from: From): boolean => {
  const found = read(state, comparison, from);
  if (!found) return false;
  const { question, values } = found;
  const { op, value: operand } = comparison;
  return (values.length === 0 ? [undefined] : values).some((answer) =>
    op === 'failed'
      ? answer !== undefined && !answer.is_na && isFailed(question, state.index, answer.value)
      : holds(op, answer?.value ?? null, operand),
  );
};

const meets = (state: State, condition: Condition | null, from: From): boolean => {
  if (condition === null) return true;
  if ('all' in condition) return condition.all.every((part) => meets(state, part, from));
  if ('any' in condition) return condition.any.some((part) => meets(state, part, from));
  return compares(state, condition, from);
};

const isStartShown = (state: State, { key, visible_if }: StartField): boolean =>
  visible_if === null ||
  (once(state, state.startShown, key, () => meets(state, visible_if, OUTSIDE)) ?? false);

/** Only the section's own condition decides. The condition of a repeat section is outside its instances. */
const isSectionShown = (state: State, { section, repeats }: SectionPlace, path: string): boolean => {
  const outer = section.repeat ? repeats.slice(0, -1) : repeats;
  const from = { repeats: outer, path: outerPath(path, outer.length) };
  const name = placeName(section.id, from.path);
  return once(state, state.sectionsShown, name, () => meets(state, section.visible_if, from)) ?? false;
};

/** A field is shown if its own condition and the conditions of all sections around it hold. */
const isShown = (state: State, place: FieldPlace, path: string): boolean => {
  const { id, visible_if } = place.field;
  const { around } = state.logic.fields.get(id)!;
  if (around.length === 0 && visible_if === null) return true;
  return (
    once(
      state,
      state.fieldsShown,
      placeName(id, path),
      () =>
        around.every((section) => isSectionShown(state, section, path)) &&
        meets(state, visible_if, { repeats: place.repeats, path }),
    ) ?? false
  );
};

const answerOf = (state: State, place: FieldPlace, path: string): Known | undefined => {
  const { id, type } = place.field;
  const name = placeName(id, path);
  if (type !== 'calculated') return state.given.get(name);
  const { formula } = state.logic.fields.get(id)!;
  if (!formula) return undefined;
  const result = once(state, state.formulaResults, name, () => {
    const from = { repeats: place.repeats, path };
    const value = compute(formula, (operand) =>
      (read(state, operand, from)?.values ?? []).map((answer) => answer?.value ?? null),
    );
    return isEmpty(value) ? null : { value, is_na: false };
  });
  return result ?? undefined;
};

const standingOf = (state: State, place: FieldPlace, path: string): Standing => {
  if (!isShown(state, place, path)) return 'hidden';
  const { required, required_if } = place.field;
  const isRequired =
    required || (required_if !== null && meets(state, required_if, { repeats: place.repeats, path }));
  return isRequired ? 'required' : 'optional';
};

const startStandingOf = (state: State, field: StartField): Standing => {
  if (!isStartShown(state, field)) return 'hidden';
  return field.required ? 'required' : 'optional';
};

const stateOf = (index: ContentIndex, answers: Iterable<KnownAnswer>, start: StartAnswers): State => {
  const given = new Map<string, Known>();
  const paths: string[] = [];
  for (const answer of answers) {
    const isGiven = isAnswered(answer);
    if (isGiven) given.set(placeName(answer.field_id, answer.instance_path), answer);
    if (answer.instance_path && (isGiven || answer.is_asked_again)) paths.push(answer.instance_path);
  }
  return {
    index,
    logic: logicOf(index),
    instances: instancesOf(paths),
    start,
    given,
    depth: 0,
    startShown: new Map(),
    sectionsShown: new Map(),
    fieldsShown: new Map(),
    formulaResults: new Map(),
  };
};

/**
 * Applies the conditions and formulas of a content to answers. The answer to a hidden field does not count. Inside a
 * repeat section, a field of the same section means the same instance. From elsewhere it means all instances, and a
 * comparison holds when it holds for one of them. A part that depends on itself, which only a draft can have, is
 * hidden.
 */
export const evaluate = (
  index: ContentIndex,
  answers: Iterable<KnownAnswer>,
  start: StartAnswers = {},
): Evaluation => {
  const state = stateOf(index, answers, start);
  return {
    index,
    instances: state.instances,
    start,
    standingOf: (place, path) => standingOf(state, place, path),
    startStandingOf: (field) => startStandingOf(state, field),
    answerOf: (place, path) => answerOf(state, place, path),
    operandOf: (operand, { repeats }, path) => read(state, operand, { repeats, path }),
  };
};
