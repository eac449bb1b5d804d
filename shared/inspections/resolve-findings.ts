import type { Caller } from '../base/caller.ts';
import { evaluate } from '../domain/content/conditions/evaluate.ts';
import { placeName } from '../domain/content/instance-paths.ts';
import { isAnswered } from '../domain/content/values/answer.ts';
import { lacksEvidence } from '../domain/corrective-actions.ts';
import { changeInParts, changePart, type PartDecision, takeWhatFits, type Work } from '../table/change.ts';
import { exists } from '../table/conditions.ts';
import type { StoredAction, StoredFinding, StoredInspection } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { queryRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { contentOf } from '../templates/content.ts';
import { actionChange, takeStep, workedOn } from './corrective-actions/edit.ts';
import { findingChange, resolved } from './findings/records.ts';
import { passedNote } from './reopen-findings.ts';
import { activityWrites, addToCounters, inspectionRecords, isUnarchived } from './rows/inspection-records.ts';
import { namesOfFinding } from './rows/names-then.ts';

/** Writes of one transaction for findings and their actions. The others are for the inspection. */
const MAX_WRITES = 90;

/** The results of a completed re-inspection for the inspections before it. */
interface Passed {
  reinspection: StoredInspection;
  /** The fields that it asked and that passed, by `placeName`. A field that is not applicable has not passed. */
  places: ReadonlySet<string>;
  /** The first inspection, and those before it whose findings were open. */
  earlierIds: ReadonlySet<string>;
}

/** Calls: a Query per megabyte of answers, and the content unless it is cached. */
const passedIn = async (caller: Caller, reinspection: StoredInspection): Promise<Passed> => {
  const { id, template_id, content_hash, start_answers } = reinspection;
  const [index, answers] = await Promise.all([
    contentOf(caller, template_id, content_hash),
    Array.fromAsync(queryRows(caller, keys.parts(caller, 'INSPECTION', id, 'ANSWER'))),
  ]);
  const { standingOf } = evaluate(index, answers, start_answers);
  const passed = answers.filter((answer) => {
    const { field_id, instance_path, is_failed, is_na, is_carried_over } = answer;
    const place = index.fields.get(field_id)!;
    return (
      isAnswered(answer) &&
      !(is_failed || is_na || is_carried_over) &&
      standingOf(place, instance_path) !== 'hidden'
    );
  });
  return {
    reinspection,
    places: new Set(passed.map(({ field_id, instance_path }) => placeName(field_id, instance_path))),
    earlierIds: new Set([
      reinspection.reinspection_of_id!,
      ...answers.flatMap(({ earlier_finding }) => earlier_finding?.inspection_id ?? []),
    ]),
  };
};

/** The writes that make an action await verification; none for an action that lacks required evidence. */
const actionWrites = (
  work: Work,
  earlier: StoredInspection,
  row: Row<StoredAction>,
  reinspection: StoredInspection,
): Write[] => {
  const current = withoutKeys(row);
  const { next, activities } = takeStep(work, 'pass', current, passedNote(reinspection));
  return lacksEvidence(next)
    ? []
    : actionChange(work, earlier, current, workedOn(work, next), activities).writes;
};

/** Findings with the same names to keep. */
const namesKey = ({ location_id = null, created_by }: StoredFinding): string =>
  [location_id, created_by].join();

/** The remaining changes in an earlier inspection: of each finding's actions, then of the finding. */
const changesIn = async (
  work: Work,
  earlier: StoredInspection,
  { reinspection, places }: Passed,
): Promise<Write[][]> => {
  const open = queryRows(work, {
    ...keys.parts(work, 'INSPECTION', earlier.id, 'FINDING'),
    where: { status: ['open'] },
  });
  const findings = (await Array.fromAsync(open)).filter(
    ({ field_id, instance_path }) => field_id !== null && places.has(placeName(field_id, instance_path)),
  );
  if (findings.length === 0) return [];
  const unfinished = queryRows(work, {
    ...keys.parts(work, 'INSPECTION', earlier.id, 'ACTION'),
    where: { status: ['open', 'in_progress'] },
  });
  const actions = Map.groupBy(await Array.fromAsync(unfinished), ({ finding_id }) => finding_id);
  const names = await Promise.all(
    Map.groupBy(findings, namesKey)
      .entries()
      .map(async ([key, [first]]) => [key, await namesOfFinding(work, earlier, first!)] as const),
  );
  const namesBy = new Map(names);
  const changes = findings.flatMap((row) => [
    ...(actions.get(row.id) ?? []).map((action) => actionWrites(work, earlier, action, reinspection)),
    findingChange(
      work,
      withoutKeys(row),
      resolved(work, namesBy.get(namesKey(row))!, reinspection.id),
      earlier,
    ).writes,
  ]);
  return changes.filter((writes) => writes.length > 0);
};

/** Makes as many of these changes as one transaction can. An archived inspection stays as it is. */
const resolveSome = async (work: Work, earlierId: string, passed: Passed): Promise<PartDecision> => {
  const row = await inspectionRecords.find(work, earlierId);
  if (!row || row.status === 'archived') return { writes: [], isLast: true };
  const earlier = withoutKeys(row);
  const changes = await changesIn(work, earlier, passed);
  if (changes.length === 0) return { writes: [], isLast: true };
  const made: Write[] = [];
  const { isAll } = takeWhatFits(
    changes,
    (writes) => made.length + writes.length <= MAX_WRITES,
    (writes) => made.push(...writes),
  );
  return {
    writes: [
      ...made,
      addToCounters(work, earlierId, { findings_revision: 1 }, isUnarchived),
      ...activityWrites(work, earlierId, [
        { kind: 'findings_resolved', inspection_id: passed.reinspection.id },
      ]),
    ],
    isLast: isAll,
  };
};

/**
 * Resolves the open findings of earlier inspections whose fields have passed in a completed re-inspection, in as many
 * transactions as needed. When it is interrupted, calling it again completes it. After its end it does nothing, so that
 * a finding that somebody has opened again stays open.
 */
export const resolveFindings = async (caller: Caller, id: string): Promise<void> => {
  const reinspection = await inspectionRecords.find(caller, id);
  if (reinspection?.status !== 'completed' || !reinspection.is_resolving) return;
  const passed = await passedIn(caller, reinspection);
  for (const earlierId of passed.earlierIds)
    await changeInParts(caller, () => (work) => resolveSome(work, earlierId, passed));
  const ended = write.update(inspectionRecords.key(caller, id), { set: { is_resolving: false } }, exists);
  await changePart(caller, () => ({ writes: [ended], reply: undefined }));
};
