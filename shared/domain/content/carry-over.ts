import { affectedFields } from './conditions/affected.ts';
import { type Evaluation, evaluate } from './conditions/evaluate.ts';
import {
  type ContentIndex,
  type FieldPlace,
  isAnswerable,
  resolveInstance,
  type Instance,
} from './content-index.ts';
import { type AnswerEntry, readAnswer } from './entry.ts';
import { isCompatible, MEDIA } from './field-types.ts';
import { isWithin, placeName } from './instance-paths.ts';
import { type FieldInstance, pathsBelow } from './instances.ts';
import { answerBlockers } from './progress.ts';
import type { StartAnswers } from './start.ts';
import { type Answer, isAnswered } from './values/answer.ts';

/** Where an answer or a finding is. */
export interface CarriedPosition {
  field_id: string;
  instance_path: string;
}

/** An inspection that is inspected again. */
export interface InspectedBefore<Given extends Answer> {
  /** The content of its template version. */
  before: ContentIndex;
  answers: readonly Given[];
  /** Where it has failed. */
  failed: readonly CarriedPosition[];
}

/** What a re-inspection asks beside what failed. */
export interface AlsoAsked {
  /** The ids of answerable fields of the content. */
  field_ids: readonly string[];
  /** The paths of new instances, in which everything is asked. */
  added: readonly string[];
}

/** What a re-inspection asks again, and the answers that it carries over. */
export interface CarryOver<Given extends Answer> {
  asked: FieldInstance[];
  carried: (TakenAnswer & { given: Given })[];
}

/** The given places as instances of fields. Places that the content does not have are left out. */
export const placesIn = (index: ContentIndex, places: Iterable<CarriedPosition>): FieldInstance[] =>
  [...places].flatMap(({ field_id, instance_path }) => {
    const place = index.fields.get(field_id);
    if (!place || !isAnswerable(place.field)) return [];
    const instance = resolveInstance(index, field_id, undefined, instance_path);
    return Array.isArray(instance) ? [] : [{ place, instance_path: instance.instance_path }];
  });

/** What lets an instance exist in which nothing is answered. */
const BEGUN = { field_id: '', value: null, is_na: false, is_asked_again: true };

/** The given places, and every place that depends on them. */
const withDependents = (evaluation: Evaluation, places: Iterable<FieldInstance>): FieldInstance[] =>
  [...affectedFields(evaluation, evaluation, places)].flatMap(([place, paths]) =>
    isAnswerable(place.field)
      ? [...paths]
          .flatMap((path) => pathsBelow(evaluation.instances, place.repeats, path))
          .map((instance_path) => ({ place, instance_path }))
      : [],
  );

/**
 * The places that are asked beside what failed. In repeat sections, a named field is asked in the instances in which
 * something failed or that are new; in all of them where there are none.
 */
const placesBeside = (
  { index, instances }: Pick<Evaluation, 'index' | 'instances'>,
  failed: readonly CarriedPosition[],
  { field_ids, added }: AlsoAsked,
): CarriedPosition[] => {
  const pathsOf = ({ repeats }: FieldPlace) => pathsBelow(instances, repeats, '');
  const near = [...failed.map(({ instance_path }) => instance_path).filter((path) => path !== ''), ...added];
  const isNear = (path: string) => near.some((other) => isWithin(path, other) || isWithin(other, path));
  const named = field_ids.flatMap((field_id) => {
    const all = pathsOf(index.fields.get(field_id)!);
    const some = all.filter((path) => path !== '' && isNear(path));
    return (some.length > 0 ? some : all).map((instance_path) => ({ field_id, instance_path }));
  });
  const fresh = index.fields.values().flatMap((place) =>
    pathsOf(place)
      .filter((path) => added.some((instance) => isWithin(path, instance)))
      .map((instance_path) => ({ field_id: place.field.id, instance_path })),
  );
  return [...named, ...fresh];
};

/**
 * What a re-inspection asks again: what failed, what depends on that, and what its own content does not accept as it
 * is. Examples of the last are a field that the earlier content lacked, an answer that fails by now, or a required
 * field without an answer. All other answers are carried over, so a re-inspection can be completed by answering what it
 * asks.
 * @param index the content of the re-inspection
 * @param also what it asks beside that, with what depends on it
 */
export const carryOver = <Given extends Answer & { answered_at?: string | null }>(
  index: ContentIndex,
  start: StartAnswers,
  { before, answers, failed }: InspectedBefore<Given>,
  also: AlsoAsked = { field_ids: [], added: [] },
): CarryOver<Given> => {
  const given = answers.filter(isAnswered);
  const taken = given.flatMap((answer) => {
    const found = takenAnswer(index, before, answer);
    return found ? [{ ...found, given: answer }] : [];
  });
  const nameOf = ({ field_id, instance_path }: CarriedPosition) => placeName(field_id, instance_path);
  const taking = new Set(taken.filter(({ is_failed }) => !is_failed).map(({ given: from }) => from));
  // All answers are evaluated here, because an instance exists even if all its answers are asked again.
  const begun = also.added.map((instance_path) => ({ ...BEGUN, instance_path }));
  const everything = evaluate(index, [...given, ...begun], start);
  const fresh = [...index.fields.values()]
    .filter(({ field }) => !before.fields.has(field.id))
    .flatMap(({ field, repeats }) =>
      pathsBelow(everything.instances, repeats, '').map((instance_path) => ({
        field_id: field.id,
        instance_path,
      })),
    );
  const asked = new Map<string, FieldInstance>();
  const ask = (places: Iterable<CarriedPosition>): void => {
    const instances = placesIn(index, places);
    for (const instance of [...instances, ...withDependents(everything, instances)])
      asked.set(placeName(instance.place.field.id, instance.instance_path), instance);
  };
  const carriedNow = () => taken.filter((answer) => !asked.has(nameOf(answer)));
  ask([
    ...failed,
    ...given.filter((answer) => !taking.has(answer)),
    ...fresh,
    ...placesBeside(everything, failed, also),
  ]);
  for (;;) {
    const { size } = asked;
    const carried = carriedNow();
    const withTimes = carried.map(({ given: { answered_at = null }, ...answer }) => ({
      ...answer,
      answered_at,
    }));
    ask(answerBlockers(evaluate(index, carried, start), withTimes));
    if (asked.size === size) return { asked: [...asked.values()], carried };
  }
};

/** An earlier answer as the field of another content takes it. */
interface TakenAnswer extends Instance, AnswerEntry {
  field_id: string;
  section_id: string;
}

/** An answer that a new inspection takes over as a suggestion. */
export type PrefilledAnswer = Omit<TakenAnswer, 'is_failed' | 'media'>;

/** Types whose answers are evidence of their day: nobody can give them again by confirming an old one. */
const EVIDENCE = new Set<string>([...MEDIA, 'signature']);

/**
 * An earlier inspection's answer for a new one. Undefined if there is no answer, if the new content no longer has the
 * field, or if the field no longer takes the answer.
 * @param index the content of the new inspection
 * @param before the content of the earlier inspection
 */
const takenAnswer = (index: ContentIndex, before: ContentIndex, answer: Answer): TakenAnswer | undefined => {
  const { field_id, instance_path, value, note, is_na, media = [] } = answer;
  const place = index.fields.get(field_id);
  const was = before.fields.get(field_id);
  if (!place || !was || !isAnswered(answer)) return undefined;
  if (!isCompatible(was.field.type, place.field.type)) return undefined;
  const section_id = place.section.id;
  const sent = { section_id, field_id, instance_path, value, note, is_na, media };
  const { instance, entry } = readAnswer(index, place, sent);
  return instance && entry && { field_id, section_id, ...instance, ...entry };
};

/**
 * An earlier inspection's answer as a suggestion for a new one. Evidence is not suggested, nor are media beside the
 * answer.
 */
export const prefilledAnswer = (
  index: ContentIndex,
  before: ContentIndex,
  answer: Answer,
): PrefilledAnswer | undefined => {
  if (EVIDENCE.has(index.fields.get(answer.field_id)?.field.type ?? '')) return undefined;
  const taken = takenAnswer(index, before, { ...answer, media: [] });
  if (!taken) return undefined;
  const { is_failed: _, media: __, ...prefilled } = taken;
  return prefilled;
};
