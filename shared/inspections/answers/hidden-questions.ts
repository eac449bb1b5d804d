import type { Caller } from '../../base/caller.ts';
import type { Evaluation, KnownAnswer } from '../../domain/content/conditions/evaluate.ts';
import type { ContentIndex, FieldPlace } from '../../domain/content/content-index.ts';
import { formOrder } from '../../domain/content/form-order.ts';
import type { FieldInstance } from '../../domain/content/instances.ts';
import { findingSeverity } from '../../domain/content/new-finding.ts';
import { isAnswered } from '../../domain/content/values/answer.ts';
import type { Audience } from '../../domain/notifications/notices.ts';
import { audienceKey } from '../../notices/notify.ts';
import { hasValues } from '../../table/conditions.ts';
import type { StoredAnswer, StoredInspection } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { type Row, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import {
  type AnswerWithConsequence,
  type Consequence,
  consequenceOf,
  earlierFindingKeys,
  findingKeys,
  isHideable,
  maxWritesOf,
} from './consequences.ts';
import type { LoadedRows } from './loaded-rows.ts';

const found = new WeakMap<ContentIndex, boolean>();

/** Whether a content has a question that conditions can hide and whose failed answers create findings. */
export const hasHideable = (index: ContentIndex): boolean => {
  const known = found.get(index);
  if (known !== undefined) return known;
  const has = index.fields.values().some((place) => isHideable(index, place));
  found.set(index, has);
  return has;
};

/** Whether conditions hide a question in an instance. */
export const isHidden = ({ standingOf }: Evaluation, { place, instance_path }: FieldInstance): boolean =>
  standingOf(place, instance_path) === 'hidden';

/** The answered questions that a change hides or shows, and whose failed answers create findings, in form order. */
export const turnedQuestions = (
  before: Evaluation,
  after: Evaluation,
  answers: Iterable<KnownAnswer>,
  mayTurn: (place: FieldPlace) => boolean = () => true,
): FieldInstance[] => {
  const { index } = after;
  const turned: FieldInstance[] = [];
  for (const answer of answers) {
    const instance = { place: index.fields.get(answer.field_id)!, instance_path: answer.instance_path };
    if (!isAnswered(answer) || !mayTurn(instance.place) || !isHideable(index, instance.place)) continue;
    if (isHidden(before, instance) !== isHidden(after, instance)) turned.push(instance);
  }
  return turned.toSorted(formOrder(index));
};

/** An answer that does not change itself, but whose question is hidden or shown. */
export interface TurnedAnswer extends AnswerWithConsequence {
  record: Row<StoredAnswer>;
}

/** The maximum number of writes for such an answer. */
export const maxWritesOfTurned = ({ consequence, place }: TurnedAnswer, audience: Audience): number =>
  maxWritesOf(consequence, place, audience) + 1;

const keysOfFinding = (caller: Caller, { id }: Pick<StoredInspection, 'id'>, record: StoredAnswer) => [
  ...findingKeys(caller, id, record.finding_id),
  ...earlierFindingKeys(caller, record),
];

/**
 * The answers to these questions whose findings have to change, because the questions were hidden or shown. A finding
 * that is created then is of that time, as if the answer had been given only now. Calls: two, and one if no answer fails;
 * one more for each hundred rows.
 */
export const turnedAnswers = async (
  caller: Caller,
  inspection: Pick<StoredInspection, 'id' | 'template_family_id'>,
  after: Evaluation,
  turned: readonly FieldInstance[],
  rows: LoadedRows,
): Promise<TurnedAnswer[]> => {
  const places = turned.map((instance) => ({
    ...instance,
    key: keys.answer(caller, inspection.id, instance.place.field.id, instance.instance_path),
  }));
  await rows.load(places.map(({ key }) => key));
  const failed = places.flatMap(({ key, ...instance }) => {
    const record = rows.get(key);
    return record?.is_failed ? [{ ...instance, record }] : [];
  });
  if (failed.length === 0) return [];
  await rows.load([
    audienceKey(caller, inspection.template_family_id),
    ...failed.flatMap(({ record }) => keysOfFinding(caller, inspection, record)),
  ]);
  return failed.flatMap(({ record, ...instance }) => {
    const { finding_id, earlier_finding, value, answered_by } = record;
    const answer = {
      is_failed: !isHidden(after, instance),
      finding_id,
      earlier_finding,
      severity: findingSeverity(after.index, instance.place, value),
    };
    const consequence = consequenceOf(caller, inspection.id, instance.place, answer, true, rows);
    return consequence
      ? [{ ...instance, record, finding_id, visited_at: null, answered_by, consequence }]
      : [];
  });
};

/** The write that stores the finding in such an answer's record; none if it has it already. */
export const turnedWrites = ({ record }: TurnedAnswer, finding_id: string | null): Write[] => {
  const { version, finding_id: previous } = record;
  if (finding_id === previous) return [];
  // The version does not change, because the answer does not. So the condition names the finding as well.
  return [
    write.update(write.keyOf(record), { set: { finding_id } }, hasValues({ version, finding_id: previous })),
  ];
};

/** The failed answers of an inspection to questions that conditions can hide. */
const hideableAnswers = (index: ContentIndex, answers: readonly Row<StoredAnswer>[]) =>
  answers.flatMap((record) => {
    const place = index.fields.get(record.field_id)!;
    const { instance_path } = record;
    return record.is_failed && isHideable(index, place) ? [{ place, instance_path, record }] : [];
  });

/**
 * The consequence for a failed answer that a change has left as it is, without knowing whether the change has hidden or
 * shown its question. So a finding is not created again where one was deleted, or where an earlier one stands for it.
 */
const stateConsequence = (
  caller: Caller,
  inspectionId: string,
  { place, record }: { place: FieldPlace; record: StoredAnswer },
  hidden: boolean,
  mayRemove: boolean,
  rows: LoadedRows,
): Consequence => {
  const { finding_id, earlier_finding } = record;
  const answer = { is_failed: !hidden, finding_id, earlier_finding };
  const consequence = consequenceOf(caller, inspectionId, place, answer, mayRemove, rows);
  if (hidden) return consequence;
  const isNew = consequence?.act === 'create' && finding_id === null && !earlier_finding;
  return isNew || consequence?.act === 'unmark' ? consequence : undefined;
};

/**
 * The failed answers whose findings do not agree with what is hidden now. Calls: one for each hundred rows; none when
 * no question with a failed answer can be hidden.
 * @param answers of the whole inspection
 * @param mayRemove as in `consequenceOf`
 */
export const unsettledAnswers = async (
  caller: Caller,
  inspection: Pick<StoredInspection, 'id' | 'template_family_id'>,
  evaluation: Evaluation,
  answers: readonly Row<StoredAnswer>[],
  mayRemove: boolean,
  rows: LoadedRows,
): Promise<TurnedAnswer[]> => {
  const failed = hideableAnswers(evaluation.index, answers);
  if (failed.length === 0) return [];
  await rows.load([
    audienceKey(caller, inspection.template_family_id),
    ...failed.flatMap(({ record }) => keysOfFinding(caller, inspection, withoutKeys(record))),
  ]);
  return failed.toSorted(formOrder(evaluation.index)).flatMap((answer) => {
    const hidden = isHidden(evaluation, answer);
    const consequence = stateConsequence(caller, inspection.id, answer, hidden, mayRemove, rows);
    const { finding_id, answered_by } = answer.record;
    return consequence ? [{ ...answer, finding_id, visited_at: null, answered_by, consequence }] : [];
  });
};
