import type { Field } from '../../schemas/templates/content.ts';
import { type Evaluation, type FieldInstance, reached } from './conditions.ts';
import { type ContentIndex, isAnswerable, isMedia } from './content-index.ts';
import { fieldInstances, pathsBelow } from './instances.ts';
import {
  type Answer,
  chosenOptions,
  checkAnswer,
  isAnswered,
  isEmpty,
  isFailed,
  type MediaItem,
} from './values.ts';

/** Of the answerable fields in all their instances, hidden ones aside. */
export interface Progress {
  answered: number;
  required: number;
  total: number;
}

const count = (evaluation: Evaluation, instances: Iterable<FieldInstance>): Progress => {
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

/** How far an inspection is. */
export const progressOf = (evaluation: Evaluation): Progress =>
  count(evaluation, fieldInstances(evaluation.index, evaluation.instances));

/**
 * By how much a change of some answers moves the progress; only what hangs on them is looked at.
 * @param changed the fields whose answers differ between the two
 */
export const progressChange = (
  before: Evaluation,
  after: Evaluation,
  changed: Iterable<FieldInstance>,
): Progress => {
  const fields = reached(before, after, changed);
  const [was, is] = [before, after].map((evaluation) => {
    const seen = new Map<string, FieldInstance>();
    for (const [place, paths] of fields)
      for (const path of paths)
        for (const instance_path of pathsBelow(evaluation.instances, place.repeats, path))
          seen.set(`${place.field.id} ${instance_path}`, { place, instance_path });
    return count(evaluation, seen.values());
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
}

/** Whether an answer is among those a rule names: failed ones, or ones with a certain option. */
const isNamed = (triggers: string[], field: Field, index: ContentIndex, value: unknown) =>
  (triggers.includes('failed') && isFailed(field, index, value)) ||
  (typeof value === 'boolean' && triggers.includes(String(value))) ||
  chosenOptions(field, index, value).some((option) => triggers.includes(option.value));

const blockersOf = (
  field: Field,
  index: ContentIndex,
  { value, is_na, note, media = [] }: Answer,
): AnswerBlocker['reason'][] => {
  if (Array.isArray(checkAnswer(field, index, value, { is_na }))) return ['invalid'];
  const reasons: AnswerBlocker['reason'][] = [];
  const rule = field.media;
  if (rule && !is_na) {
    const always = rule.required_on.length === 0;
    const least = always
      ? rule.min
      : isNamed(rule.required_on, field, index, value)
        ? Math.max(rule.min, 1)
        : 0;
    const shown = isMedia(field) ? (value as MediaItem[]).length : media.length;
    if (shown < least) reasons.push('media');
  }
  if (isNamed(field.note_required_on, field, index, value) && note.trim() === '') reasons.push('note');
  return reasons;
};

/**
 * What keeps an inspection from moving on, in document order: required fields without an answer, invalid answers,
 * and answers without the media or the note they call for. Fields nobody answers and need not, and hidden ones,
 * have no blockers.
 * @param evaluation of these answers
 */
export const answerBlockers = (evaluation: Evaluation, answers: Iterable<Answer>): AnswerBlocker[] => {
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
    const reasons = answer && isAnswered(answer) ? blockersOf(field, index, answer) : missing;
    return reasons.map((reason) => ({ field_id: field.id, instance_path, label: field.label, reason }));
  });
};

/** The labels of the start fields that have to be answered and are not. */
export const missingStart = ({ index, start, startStandingOf }: Evaluation): string[] =>
  [...index.startFields.values()].flatMap((field) =>
    startStandingOf(field) === 'required' && isEmpty(start[field.key]) ? [field.label] : [],
  );
