import type { Caller } from '../../base/caller.ts';
import { hasLogic } from '../../domain/content/conditions/dependencies.ts';
import { evaluate } from '../../domain/content/conditions/evaluate.ts';
import { progressOf } from '../../domain/content/progress.ts';
import { isActionOpen } from '../../domain/corrective-actions.ts';
import { settleHidden, unsettledIn } from '../../inspections/answers/settle-hidden.ts';
import { reinspectionsAfter } from '../../inspections/reinspection-chain.ts';
import { answerStateWrite, isStateOf } from '../../inspections/rows/answer-records.ts';
import { inspectionRecords } from '../../inspections/rows/inspection-records.ts';
import { listedUnder } from '../../inspections/rows/listed.ts';
import { foundIn } from '../../inspections/rows/rows-below.ts';
import type {
  AnswerState,
  ListedUnder,
  StoredAction,
  StoredAnswer,
  StoredFinding,
  StoredInspection,
} from '../../table/entities/inspections.ts';
import { type AnyPart, keys } from '../../table/keys.ts';
import { Stale } from '../../table/retry.ts';
import { getRow, isPart, type Row } from '../../table/rows.ts';
import { keyOf } from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';
import { indexOf, rowsBelowInspection } from './following.ts';
import {
  checkFollowing,
  differingValues,
  isAsRead,
  type RepairableDifference,
  type RowCheck,
} from './row-checks.ts';

/** The rows below an inspection, by the name of their part. */
type RowsBelow = <Part extends keyof AnyPart>(part: Part) => Row<AnyPart[Part]>[];

const readBelow = async (caller: Caller, id: string): Promise<RowsBelow> => {
  const below = Map.groupBy(
    await Array.fromAsync(rowsBelowInspection(caller, id)),
    ({ sk }) => sk.split('#')[0]!,
  );
  return (part) => (below.get(part) ?? []).filter((row) => isPart(row, part));
};

/** Checks the state of an inspection's answers. @returns also the progress that the inspection's row should hold */
const checkAnswers = async (
  caller: Caller,
  inspection: StoredInspection,
  answers: readonly Row<StoredAnswer>[],
  state: Row<AnswerState> | undefined,
): Promise<{ progress: object; differences: RepairableDifference[] }> => {
  const { id, template_id, content_hash, start_answers } = inspection;
  try {
    const index = await contentOf(caller, template_id, content_hash);
    const evaluation = evaluate(index, answers, start_answers);
    const progress = progressOf(evaluation);
    if (!hasLogic(index)) return { progress, differences: [] };
    const differences: RepairableDifference[] = [];
    if (!isStateOf(state, index, answers))
      differences.push({
        what: 'state of the answers',
        id,
        stored: state ? { version: state.version } : null,
        found: { answers: answers.length },
        writes: [answerStateWrite(caller, id, index, answers, state)],
      });
    const unsettled = await unsettledIn(caller, inspection, evaluation, answers);
    if (unsettled.length > 0)
      differences.push({
        what: 'findings of hidden questions',
        id,
        stored: unsettled.map(({ record }) => ({ answer: record.sk, finding_id: record.finding_id })),
        found: unsettled.map(({ consequence }) => consequence!.act),
        repair: () => settleHidden(caller, id),
      });
    return { progress, differences };
  } catch (error) {
    if (!(error instanceof Stale)) throw error;
    const difference = { what: "version's content", id, stored: null, found: { content_hash } };
    return { progress: {}, differences: [difference] };
  }
};

/** A row, with the values that it should have according to the rows below it. */
interface ExpectedValues {
  row: Row<{ id: string }>;
  what: string;
  values: Readonly<Record<string, unknown>>;
  /** Those by which the lists of the organization find it. */
  listed?: Readonly<Record<string, unknown>>;
}

/** What the lists of the organization find a row below an inspection by. */
const listedValues = (
  caller: Caller,
  row: Row<StoredFinding> | Row<StoredAction>,
  listed_under: ListedUnder,
) => {
  const listed: Row<object> & { listed_under: ListedUnder } = { ...row, listed_under };
  return { listed_under, ...indexOf(caller, listed) };
};

/**
 * The values that an inspection and the rows below it should have, the inspection first.
 * @param counted the inspection's values that do not come from the rows below it
 */
const expectedValues = (
  caller: Caller,
  inspection: Row<StoredInspection>,
  rowsBelow: RowsBelow,
  counted: object,
): ExpectedValues[] => {
  const findings = rowsBelow('FINDING');
  const actions = rowsBelow('ACTION');
  const fieldOf = new Map(findings.map(({ id, field_id }) => [id, field_id]));
  const actionsByFinding = Map.groupBy(actions, ({ finding_id }) => finding_id);
  const evidence = rowsBelow('ATTACHMENT').filter(({ stage }) => stage === 'after');
  const evidenceByPartition = Map.groupBy(evidence, ({ pk }) => pk);
  const evidenceOf = (id: string) => evidenceByPartition.get(keys.below(caller, 'ACTION', id)) ?? [];
  return [
    {
      row: inspection,
      what: 'inspection',
      values: {
        ...counted,
        findings_count: findings.length,
        open_corrective_actions_count: actions.filter(({ status }) => isActionOpen(status)).length,
        ...indexOf(caller, inspection),
      },
    },
    ...findings.map((row) => ({
      row,
      what: 'finding',
      values: {
        corrective_actions_count: actionsByFinding.get(row.id)?.length ?? 0,
        found_in: foundIn(inspection, row),
      },
      listed: listedValues(caller, row, listedUnder(inspection, row)),
    })),
    ...actions.map((row) => ({
      row,
      what: 'corrective action',
      values: { evidence_count: evidenceOf(row.id).length },
      listed: listedValues(
        caller,
        row,
        listedUnder(inspection, { ...row, field_id: fieldOf.get(row.finding_id) ?? null }),
      ),
    })),
    ...rowsBelow('REPORT').map((row) => ({ row, what: 'report', values: {} })),
  ];
};

/** Checks an inspection and all rows below it. */
export const checkInspection = async (caller: Caller, id: string): Promise<RowCheck[]> => {
  const inspection = await getRow(caller, inspectionRecords.key(caller, id));
  if (!inspection) return [];
  const rowsBelow = await readBelow(caller, id);
  const answers = await checkAnswers(caller, inspection, rowsBelow('ANSWER'), rowsBelow('ANSWERED')[0]);
  const counted = {
    ...answers.progress,
    reinspections_count: await reinspectionsAfter(caller, inspection),
  };
  const expected = expectedValues(caller, inspection, rowsBelow, counted);
  const following = await checkFollowing(
    caller,
    // What follows from a row follows from its right values.
    expected.map(({ row, values, listed }) => ({ ...row, ...values, ...listed })),
  );
  return expected.map(({ row, what, values, listed = {} }, position) => {
    const wrong = differingValues(row, values);
    const unlisted = differingValues(row, listed);
    return {
      key: keyOf(row),
      condition: isAsRead(caller, row),
      isVersioned: row !== inspection,
      differences: [
        ...(wrong ? [{ what, id: row.id, ...wrong, set: wrong.found }] : []),
        ...(unlisted ? [{ what: `${what} in lists`, id: row.id, ...unlisted, set: unlisted.found }] : []),
        ...(row === inspection ? answers.differences : []),
        ...following[position]!,
      ],
    };
  });
};
