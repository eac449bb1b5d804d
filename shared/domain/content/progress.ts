import { own } from '../../base/fields.ts';
import { isBlank } from '../../base/text.ts';
import type { Field, StartField } from '../../schemas/templates/content.ts';
import { affectedFields } from './conditions/affected.ts';
import type { Evaluation } from './conditions/evaluate.ts';
import { type ContentIndex, isAnswerable, isMedia } from './content-index.ts';
import { fieldInstances, type FieldInstance, pathsBelow } from './instances.ts';
import { withAnswers } from './piping.ts';
import { judgeAnswer } from './validity.ts';
import { type Answer, isAnswered, isEmpty, type MediaItem } from './values/answer.ts';
import { isStillTaken } from './values/check-answer.ts';
import { chosenOptions } from './values/choices.ts';
import { isFailed } from './values/comparison.ts';

/** Counts of answerable fields, one per instance; hidden fields do not count. */
export interface Progress {
  answered: number;
  required: number;
  total: number;
}

/** The progress in some instances of fields. */
export const progressIn = (evaluation: Evaluation, instances: Iterable<FieldInstance>): Progress => {
  const progress = { answered: 0, required: 0, total: 0 };
  for (const { place, instance_path } of instances) {
    if (!isAnswerable(place.field)) continue;
    const standing = evaluation.standingOf(place, instance_path);
    if (standing === 'hidden') continue;
    progress.total += 1;
    if (standing === 'required') progress.required += 1;
    if (evaluation.answerOf(place, instance_path)) progress.answered += 1;
  }
  return progress;
};

/** The progress of an inspection. */
export const progressOf = (evaluation: Evaluation): Progress =>
  progressIn(evaluation, fieldInstances(evaluation.index, evaluation.instances));

/**
 * How a change of some answers changes the progress. Only fields that the change can affect are evaluated.
 * @param changed the fields whose answers differ between the two evaluations
 */
export const progressChange = (
  before: Evaluation,
  after: Evaluation,
  changed: Iterable<FieldInstance>,
): Progress => {
  const fields = affectedFields(before, after, changed);
  const [was, is] = [before, after].map((evaluation) => {
    const seen = new Map<string, FieldInstance>();
    for (const [place, paths] of fields)
      for (const path of paths)
        for (const instance_path of pathsBelow(evaluation.instances, place.repeats, path))
          seen.set(`${place.field.id} ${instance_path}`, { place, instance_path });
    return progressIn(evaluation, seen.values());
  });
  return {
    answered: is!.answered - was!.answered,
    required: is!.required - was!.required,
    total: is!.total - was!.total,
  };
};

export interface AnswerBlocker {
  field_id: string;
  instance_path: string;
  label: string;
  reason: 'required' | 'media' | 'note' | 'invalid';
  /** The message of the content's author for this reason. */
  message?: string;
}

/** An answer, and when it was given, because a constraint may refer to that time. */
type GivenAnswer = Answer & { answered_at?: string | null };

/** Whether an answer has one of the triggers of a rule: `failed`, or the value of an option. */
const isTriggered = (triggers: string[], field: Field, index: ContentIndex, value: unknown) =>
  (triggers.includes('failed') && isFailed(field, index, value)) ||
  (typeof value === 'boolean' && triggers.includes(String(value))) ||
  chosenOptions(field, index, value).some((option) => triggers.includes(option.value));

const isInvalid = (
  evaluation: Evaluation,
  { place, instance_path }: FieldInstance,
  answer: GivenAnswer,
): boolean => {
  const { answered_at } = answer;
  if (!isStillTaken(place.field, evaluation.index, answer)) return true;
  const at = answered_at ? Date.parse(answered_at) : Date.now();
  return judgeAnswer(evaluation, place, instance_path, answer, at).length > 0;
};

const blockersOf = (
  evaluation: Evaluation,
  instance: FieldInstance,
  answer: GivenAnswer,
): AnswerBlocker['reason'][] => {
  if (isInvalid(evaluation, instance, answer)) return ['invalid'];
  const { index } = evaluation;
  const { field } = instance.place;
  const { value, is_na, note, media = [] } = answer;
  const reasons: AnswerBlocker['reason'][] = [];
  const rule = field.media;
  if (rule && !is_na) {
    const always = rule.required_on.length === 0;
    const least = always
      ? rule.min
      : isTriggered(rule.required_on, field, index, value)
        ? Math.max(rule.min, 1)
        : 0;
    const shown = isMedia(field) ? (value as MediaItem[]).length : media.length;
    if (shown < least) reasons.push('media');
  }
  if (isTriggered(field.note_required_on, field, index, value) && isBlank(note)) reasons.push('note');
  return reasons;
};

const messageOf = (field: Field, reason: AnswerBlocker['reason']): string | undefined =>
  ({
    required: field.required_message,
    invalid: field.constraint_message,
    media: undefined,
    note: undefined,
  })[reason];

/**
 * The answers that keep an inspection from its next step, in document order: missing answers to required fields,
 * invalid answers, and answers without the media or the note that they need. Hidden fields have no blockers.
 * @param evaluation the evaluation of these answers
 */
export const answerBlockers = (evaluation: Evaluation, answers: Iterable<GivenAnswer>): AnswerBlocker[] => {
  const { index, instances } = evaluation;
  const byPlace = new Map(
    [...answers].map((answer) => [`${answer.field_id} ${answer.instance_path}`, answer]),
  );
  return [...fieldInstances(index, instances)].flatMap(({ place, instance_path }) => {
    const { field } = place;
    if (!isAnswerable(field)) return [];
    const standing = evaluation.standingOf(place, instance_path);
    if (standing === 'hidden') return [];
    const answer = byPlace.get(`${field.id} ${instance_path}`);
    const missing: AnswerBlocker['reason'][] = standing === 'required' ? ['required'] : [];
    const reasons =
      answer && isAnswered(answer) ? blockersOf(evaluation, { place, instance_path }, answer) : missing;
    return reasons.map((reason) => {
      const message = messageOf(field, reason);
      return {
        field_id: field.id,
        instance_path,
        label: withAnswers(evaluation, field.label, { repeats: place.repeats, path: instance_path }),
        reason,
        ...(message !== undefined && {
          message: withAnswers(evaluation, message, { repeats: place.repeats, path: instance_path }),
        }),
      };
    });
  });
};

/** The required start fields without an answer. */
export const missingStart = ({ index, start, startStandingOf }: Evaluation): StartField[] =>
  [...index.startFields.values()].filter(
    (field) => startStandingOf(field) === 'required' && isEmpty(own(start, field.key)),
  );
