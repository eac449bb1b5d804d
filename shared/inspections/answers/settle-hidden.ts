import type { Caller } from '../../base/caller.ts';
import { evaluate, type Evaluation } from '../../domain/content/conditions/evaluate.ts';
import { audienceIn, audienceKey } from '../../notices/notify.ts';
import { changeInParts, type PartDecision, takeWhatFits, type Work } from '../../table/change.ts';
import { both, hasValues } from '../../table/conditions.ts';
import type { StoredAnswer, StoredInspection } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { queryRows, type Row, withoutKeys } from '../../table/rows.ts';
import type { Write } from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';
import { answerStateTouch } from '../rows/answer-records.ts';
import { addToCounters, inspectionRecords, isPlaced } from '../rows/inspection-records.ts';
import { effectsOf, noNumbers, type TakenNumbers } from './consequences.ts';
import {
  hasHideable,
  maxWritesOfTurned,
  type TurnedAnswer,
  turnedWrites,
  unsettledAnswers,
} from './hidden-questions.ts';
import { inspectionKeys, LoadedRows } from './loaded-rows.ts';

/** Writes of one transaction for findings and their answers. The others are for the inspection. */
const MAX_WRITES = 90;

/** Lets a worker complete `settleHidden`, if the request that hides or shows questions is interrupted before it. */
export const settlingTask = (work: Work, inspectionId: string): Write =>
  enqueue(work, 'cleanup', { turned_inspection_id: inspectionId });

/** Whether the findings of an inspection follow what is hidden in it. In a correction, they do when it takes effect. */
const isSettling = ({ status, active_correction_id }: StoredInspection): boolean =>
  status !== 'archived' && active_correction_id === null;

/**
 * The answers of an inspection whose findings do not agree with what conditions hide: none, but for changes that are
 * under way. Calls: none when no question with a failed answer can be hidden; else one for each hundred rows.
 * @param evaluation of all its answers
 */
export const unsettledIn = async (
  caller: Caller,
  inspection: StoredInspection,
  evaluation: Evaluation,
  answers: readonly Row<StoredAnswer>[],
): Promise<readonly TurnedAnswer[]> =>
  isSettling(inspection) && hasHideable(evaluation.index)
    ? unsettledAnswers(caller, inspection, evaluation, answers, false, new LoadedRows(caller))
    : [];

const NOTHING: PartDecision = { writes: [], isLast: true };

/** Settles as many answers as one transaction can. */
const settleSome = async (work: Work, inspectionId: string, taken: TakenNumbers): Promise<PartDecision> => {
  const rows = new LoadedRows(work);
  await rows.load(inspectionKeys(work, inspectionId));
  const row = rows.get(inspectionRecords.key(work, inspectionId));
  if (!row || !isSettling(row)) return NOTHING;
  const inspection: StoredInspection = withoutKeys(row);
  const index = await contentOf(work, inspection.template_id, inspection.content_hash);
  if (!hasHideable(index)) return NOTHING;
  const answers = await Array.fromAsync(
    queryRows(work, keys.parts(work, 'INSPECTION', inspectionId, 'ANSWER')),
  );
  const evaluation = evaluate(index, answers, inspection.start_answers);
  const unsettled = await unsettledAnswers(work, inspection, evaluation, answers, true, rows);
  if (unsettled.length === 0) return NOTHING;
  const audience = audienceIn(rows.get(audienceKey(work, inspection.template_family_id)), 'on_finding');
  const some: TurnedAnswer[] = [];
  let writes = 0;
  const { isAll } = takeWhatFits(
    unsettled,
    (answer) => writes + maxWritesOfTurned(answer, audience) <= MAX_WRITES,
    (answer) => {
      writes += maxWritesOfTurned(answer, audience);
      some.push(answer);
    },
  );
  const context = { work, inspection, audience, evaluated: async () => evaluation };
  const effects = await effectsOf(context, some, taken);
  const { status, active_correction_id } = inspection;
  return {
    writes: [
      addToCounters(
        work,
        inspectionId,
        { findings_revision: 1, ...effects.counts },
        both(hasValues({ status, active_correction_id }), isPlaced(inspection)),
      ),
      // The answers were read after their state, so a change since then makes this one stale.
      answerStateTouch(work, inspectionId, index, rows.get(keys.answerState(work, inspectionId))),
      ...effects.writes,
      ...some.flatMap((answer, position) => turnedWrites(answer, effects.findingIds[position]!)),
    ],
    isLast: isAll,
  };
};

/**
 * Makes the findings of an inspection agree with what conditions hide in it, in as many transactions as it takes. It
 * follows changes that are too large for one transaction. Calling it again completes it after an interruption. Nothing is
 * done for an inspection that was deleted or archived meanwhile, or is being corrected. Calls when nothing is left to do:
 * two, and a Query per megabyte of answers.
 */
export const settleHidden = (caller: Caller, inspectionId: string): Promise<void> =>
  changeInParts(caller, () => {
    const taken = noNumbers();
    return (work) => settleSome(work, inspectionId, taken);
  });
