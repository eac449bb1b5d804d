import type { Caller } from '../../base/caller.ts';
import { evaluate, type Evaluation } from '../../domain/content/conditions/evaluate.ts';
import { placeName } from '../../domain/content/instance-paths.ts';
import { markSignatures } from '../../domain/inspections/corrections.ts';
import type { Audience } from '../../domain/notifications/notices.ts';
import { audienceIn, audienceKey } from '../../notices/notify.ts';
import type { Correction } from '../../schemas/inspections/correction.ts';
import { changeInParts, type PartDecision, takeWhatFits, type Work } from '../../table/change.ts';
import { both, hasValues } from '../../table/conditions.ts';
import type { StoredAnswer, StoredInspection } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { emit } from '../../table/outbox/outbox.ts';
import { getRows, queryRows, type Row } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';
import {
  type AnswerWithConsequence,
  consequenceOf,
  earlierFindingKeys,
  effectsOf,
  findingKeys,
  maxWritesOf,
  noNumbers,
  visitTime,
} from '../answers/consequences.ts';
import { hasHideable, isHidden, unsettledAnswers } from '../answers/hidden-questions.ts';
import { LoadedRows } from '../answers/loaded-rows.ts';
import { type Codes, certificateWrites } from '../certificates/issue.ts';
import { reopenFindings } from '../reopen-findings.ts';
import { addToCounters, answersOf, isPlaced, toInspection } from '../rows/inspection-records.ts';
import { isCorrectionUnchanged, revisionOf } from '../rows/revisions.ts';
import { assessAnswers, readEvaluation } from '../scores.ts';
import { closedNow, completeStep, expectStep, readCorrection } from './steps.ts';

/** Writes of one transaction for findings and their answers. The others are for the inspection. */
const MAX_WRITES = 90;

/** An answer that the correction has changed, with its finding. */
interface ChangedAnswer {
  field_id: string;
  instance_path: string;
  /** Undefined when the record was deleted. */
  record: Row<StoredAnswer> | undefined;
  finding_id: string | null;
}

/** An answer that does not agree yet with its finding, or with its record. */
interface UnsettledAnswer extends AnswerWithConsequence {
  record: Row<StoredAnswer> | undefined;
}

/** The answers that a correction has changed, as they are now. */
const changedAnswers = async (caller: Caller, inspectionId: string, id: string): Promise<ChangedAnswer[]> => {
  const changed = new Map<string, Pick<ChangedAnswer, 'field_id' | 'instance_path' | 'finding_id'>>();
  const revisions = keys.revision.range(caller, inspectionId, id);
  for await (const row of queryRows(caller, { ...revisions, where: { answer_source: ['body'] } })) {
    const { revision, before } = revisionOf(row);
    const { field_id, instance_path } = revision;
    const { sk } = keys.answer(caller, inspectionId, field_id, instance_path);
    // A record that was deleted and created again does not know its finding. An earlier revision knows it.
    const finding_id = (before as StoredAnswer | null)?.finding_id ?? changed.get(sk)?.finding_id ?? null;
    changed.set(sk, { field_id, instance_path, finding_id });
  }
  const answers = [...changed.values()];
  const records = await getRows(
    caller,
    answers.map(({ field_id, instance_path }) => keys.answer(caller, inspectionId, field_id, instance_path)),
  );
  return answers.map((answer, position) => {
    const record = records[position];
    return { ...answer, record, finding_id: record?.finding_id ?? answer.finding_id };
  });
};

/**
 * All answers of an inspection, and the results of its conditions. Without answers where no condition can hide a question
 * whose failed answers create findings. Calls: the content unless it is cached, and a Query per megabyte of answers.
 */
const readAnswers = async (
  caller: Caller,
  { id, template_id, content_hash, start_answers }: StoredInspection,
): Promise<{ all: Row<StoredAnswer>[]; evaluation: Evaluation }> => {
  const index = await contentOf(caller, template_id, content_hash);
  const all = hasHideable(index)
    ? await Array.fromAsync(queryRows(caller, keys.parts(caller, 'INSPECTION', id, 'ANSWER')))
    : [];
  return { all, evaluation: evaluate(index, all, start_answers) };
};

/** Whether the answer to a question fails, and counts: one to a hidden question does not. */
const isFailing = (
  evaluation: Evaluation,
  { field_id, instance_path, record }: Pick<ChangedAnswer, 'field_id' | 'instance_path' | 'record'>,
): boolean => {
  const place = evaluation.index.fields.get(field_id)!;
  if (!record?.is_failed) return false;
  return !hasHideable(evaluation.index) || !isHidden(evaluation, { place, instance_path });
};

/** The changed answers whose findings or records have to change. Their `findingKeys` are loaded. */
function* unsettledChanges(
  caller: Caller,
  inspectionId: string,
  evaluation: Evaluation,
  rows: LoadedRows,
  answers: readonly ChangedAnswer[],
): Generator<UnsettledAnswer> {
  for (const answer of answers) {
    const { field_id, instance_path, record, finding_id } = answer;
    const place = evaluation.index.fields.get(field_id)!;
    const is_failed = isFailing(evaluation, answer);
    const { earlier_finding } = record ?? {};
    const state = { is_failed, finding_id, earlier_finding };
    const consequence = consequenceOf(caller, inspectionId, place, state, false, rows);
    const isKnown =
      !record ||
      record.finding_id === finding_id ||
      findingKeys(caller, inspectionId, finding_id).every((key) => !rows.get(key));
    const visited_at = visitTime(record);
    if (consequence || !isKnown) yield { record, place, instance_path, finding_id, visited_at, consequence };
  }
}

/** As many of the answers as one transaction can settle. */
const someOf = (
  answers: Iterable<UnsettledAnswer>,
  audience: Audience,
): { some: UnsettledAnswer[]; isAll: boolean } => {
  const some: UnsettledAnswer[] = [];
  let writes = 0;
  const writesOf = ({ consequence, place }: UnsettledAnswer) => maxWritesOf(consequence, place, audience) + 1;
  const { isAll } = takeWhatFits(
    answers,
    (answer) => writes + writesOf(answer) <= MAX_WRITES,
    (answer) => {
      writes += writesOf(answer);
      some.push(answer);
    },
  );
  return { some, isAll };
};

/** The write that stores the finding in the answer's record. */
const findingWrite = ({ record }: UnsettledAnswer, finding_id: string | null): Write[] => {
  if (!record || finding_id === record.finding_id) return [];
  // The version does not change here, so the condition names the finding as well: another request may close the
  // correction at the same time.
  const condition = hasValues({ version: record.version, finding_id: record.finding_id });
  return [write.update(write.keyOf(record), { set: { finding_id } }, condition)];
};

const settlingWrites = async (
  work: Work,
  inspection: StoredInspection,
  audience: Audience,
  answers: readonly UnsettledAnswer[],
  taken: ReturnType<typeof noNumbers>,
): Promise<Write[]> => {
  const evaluated = async () => (await readEvaluation(work, inspection)).evaluation;
  const context = { work, inspection, audience, evaluated };
  const { writes, counts, findingIds } = await effectsOf(context, answers, taken);
  const add = { findings_revision: 1, ...counts };
  return [
    addToCounters(work, inspection.id, add, both(isCorrectionUnchanged(inspection), isPlaced(inspection))),
    ...writes,
    ...answers.flatMap((answer, position) => findingWrite(answer, findingIds[position]!)),
  ];
};

/**
 * Makes the findings agree with the answers that a correction has changed, and with what its changes hide or show, in as
 * many transactions as it takes. Findings are marked rather than removed, unless an earlier finding of the same defect is
 * open and nobody has worked on the second one.
 * @param step the step with which the correction takes effect. It has begun.
 * @throws ApiError 404; 409 when the correction does not take effect
 */
const settleFindings = (
  caller: Caller,
  inspectionId: string,
  id: string,
  step: 'close' | 'approve',
): Promise<void> =>
  changeInParts(caller, () => {
    const taken = noNumbers();
    return async (work): Promise<PartDecision> => {
      const read = await readCorrection(work, inspectionId, id);
      expectStep(step, read);
      const { inspection } = read;
      const answers = await changedAnswers(work, inspectionId, id);
      const { all, evaluation } = await readAnswers(work, inspection);
      const rows = new LoadedRows(work);
      const familyKey = audienceKey(work, inspection.template_family_id);
      await rows.load([
        familyKey,
        ...answers.flatMap(({ finding_id, record }) => [
          ...findingKeys(work, inspectionId, finding_id),
          ...earlierFindingKeys(work, record),
        ]),
      ]);
      const audience = audienceIn(rows.get(familyKey), 'on_finding');
      const changed = new Set(
        answers.map(({ field_id, instance_path }) => placeName(field_id, instance_path)),
      );
      const others = all.filter(
        ({ field_id, instance_path }) => !changed.has(placeName(field_id, instance_path)),
      );
      const unsettled = [
        ...unsettledChanges(work, inspectionId, evaluation, rows, answers),
        ...(await unsettledAnswers(work, inspection, evaluation, others, false, rows)),
      ];
      const { some, isAll } = someOf(unsettled, audience);
      if (some.length === 0) return { writes: [], isLast: true };
      return { writes: await settlingWrites(work, inspection, audience, some, taken), isLast: isAll };
    };
  });

/**
 * Opens again what this inspection has resolved in earlier ones, where its answers fail now. It comes first, because an
 * earlier finding that is open keeps another one from being created.
 * @throws ApiError as `settleFindings`
 */
const reopenEarlier = async (
  caller: Caller,
  inspectionId: string,
  id: string,
  step: 'close' | 'approve',
): Promise<void> => {
  const read = await readCorrection(caller, inspectionId, id);
  expectStep(step, read);
  if (!read.inspection.reinspection_of_id) return;
  const answers = await changedAnswers(caller, inspectionId, id);
  const { evaluation } = await readAnswers(caller, read.inspection);
  const failed = answers.flatMap((answer) => (isFailing(evaluation, answer) ? [answer.record!] : []));
  await reopenFindings(caller, read.inspection, failed);
};

/** The next number among the closed corrections of an inspection. One call. */
const nextNumber = async (caller: Caller, inspectionId: string): Promise<number> => {
  const inForce = await Array.fromAsync(
    queryRows(caller, {
      ...keys.parts(caller, 'INSPECTION', inspectionId, 'CORRECTION'),
      where: { status: ['closed'] },
    }),
  );
  return inForce.length + 1;
};

/**
 * Makes the changes of a correction take effect: findings agree with the answers again, also those of earlier
 * inspections that this one has resolved, the score is computed again,
 * and the signatures are marked as given before it. The step has begun. When it is interrupted, calling this again
 * completes it.
 * @throws ApiError 404; 409 when the step was not begun, or has been completed
 */
export const takeEffect = async (
  caller: Caller,
  inspectionId: string,
  id: string,
  step: 'close' | 'approve',
): Promise<Correction> => {
  await reopenEarlier(caller, inspectionId, id, step);
  await settleFindings(caller, inspectionId, id, step);
  const codes: Codes = new Map();
  return completeStep(caller, inspectionId, id, step, async ({ inspection, correction }, work) => {
    const { scored } = await assessAnswers(work, inspection);
    const number = await nextNumber(work, inspectionId);
    const { signatures, correction_revisions } = inspection;
    const cause = { by: 'correction' as const, correction_id: id, reason: correction.reason };
    const after = { ...inspection, ...scored };
    return {
      writes: await certificateWrites(work, inspection, after, codes, cause),
      correction: { number, ...(step === 'close' && closedNow(work)) },
      inspection: {
        ...scored,
        signatures: correction_revisions > 0 ? markSignatures(signatures, number) : signatures,
      },
      event: (after) =>
        emit(
          work,
          'inspection.corrected',
          { ...toInspection(after, work.now), correction_id: id },
          { answers_of: answersOf(after) },
        ),
    };
  });
};
