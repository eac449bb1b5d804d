import type { Caller } from '../../../base/caller.ts';
import type { ContentIndex } from '../../../domain/content/content-index.ts';
import {
  type AnswerWithConsequence,
  consequenceOf,
  earlierFindingKeys,
  effectsOf,
  findingKeys,
  maxWritesOf,
  noNumbers,
} from '../../answers/batch/consequences.ts';
import { LoadedRows } from '../../answers/batch/loaded-rows.ts';
import { addToCounters } from '../../inspection-core/parts.ts';
import { isCorrectionUnchanged, revisionOf } from '../../inspection-core/revisions.ts';
import { readEvaluation } from '../../inspections/scores.ts';
import { type Audience, audienceIn, audienceKey } from '../../notifications/notify.ts';
import { changeInParts, type Part, takeWhatFits } from '../../table/change-in-parts.ts';
import type { Work } from '../../table/change.ts';
import { hasValues } from '../../table/conditions.ts';
import type { StoredAnswer, StoredInspection } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { getRows, queryRows, type Row } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';
import { readCorrection } from '../record.ts';
import { expectStep } from '../steps.ts';

/** Writes of one transaction for findings and their answers. The inspection's own come on top of them. */
const MAX_WRITES = 90;

/** An answer that the correction has changed, with the finding that it led to. */
interface ChangedAnswer {
  field_id: string;
  instance_path: string;
  /** Undefined when the record was deleted. */
  record: Row<StoredAnswer> | undefined;
  finding_id: string | null;
}

/** An answer whose finding, or whose record, does not agree with it yet. */
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
    // A record that was deleted and created again does not know its finding; an earlier revision does.
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

/** Those of the answers for which something is left to do. Their `findingKeys` are loaded. */
function* unsettled(
  caller: Caller,
  inspectionId: string,
  index: ContentIndex,
  rows: LoadedRows,
  answers: readonly ChangedAnswer[],
): Generator<UnsettledAnswer> {
  for (const { field_id, instance_path, record, finding_id } of answers) {
    const place = index.fields.get(field_id)!;
    const { is_failed = false, earlier_finding } = record ?? {};
    const state = { is_failed, finding_id, earlier_finding };
    const consequence = consequenceOf(caller, inspectionId, place, state, false, rows);
    const isKnown = !record || record.finding_id === finding_id;
    if (consequence || !isKnown) yield { record, place, instance_path, finding_id, consequence };
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

/** The record knows its finding again. */
const findingWrite = ({ record }: UnsettledAnswer, finding_id: string | null): Write[] => {
  if (!record || finding_id === record.finding_id) return [];
  // The version does not change here, so the finding as well has to be the one that was read: another request may be
  // closing the correction at the same time.
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
    addToCounters(work, inspection.id, add, isCorrectionUnchanged(inspection)),
    ...writes,
    ...answers.flatMap((answer, position) => findingWrite(answer, findingIds[position]!)),
  ];
};

/**
 * Makes the findings agree with the answers that a correction has changed, in as many transactions as it takes.
 * Findings are marked rather than removed.
 * @param step the one by which the correction takes effect, and which has begun
 * @throws ApiError 404; 409 when the correction does not take effect
 */
export const settleFindings = (
  caller: Caller,
  inspectionId: string,
  id: string,
  step: 'close' | 'approve',
): Promise<void> =>
  changeInParts(caller, () => {
    const taken = noNumbers();
    return async (work): Promise<Part> => {
      const read = await readCorrection(work, inspectionId, id);
      expectStep(step, read);
      const { inspection } = read;
      const index = await contentOf(work, inspection.template_id, inspection.content_hash);
      const answers = await changedAnswers(work, inspectionId, id);
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
      const { some, isAll } = someOf(unsettled(work, inspectionId, index, rows, answers), audience);
      if (some.length === 0) return { writes: [], isLast: true };
      return { writes: await settlingWrites(work, inspection, audience, some, taken), isLast: isAll };
    };
  });
