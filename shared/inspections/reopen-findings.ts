import type { Caller } from '../base/caller.ts';
import { isActionOpen } from '../domain/corrective-actions.ts';
import { shortName } from '../domain/notifications/text.ts';
import { changeInParts, type PartDecision, takeWhatFits, type Work } from '../table/change.ts';
import type {
  StoredAction,
  StoredAnswer,
  StoredFinding,
  StoredInspection,
} from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { getRows, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { actionChange, takeStep } from './corrective-actions/edit.ts';
import { findingChange, REOPENED } from './findings/records.ts';
import { activityWrites, addToCounters, inspectionRecords, isUnarchived } from './rows/inspection-records.ts';

/** Writes of one transaction for findings and their actions. The others are for the inspection. */
const MAX_WRITES = 90;

/** What a re-inspection writes into the actions that await verification because their field has passed in it. */
export const passedNote = ({ number, name }: Pick<StoredInspection, 'number' | 'name'>): string =>
  `${numbered({ number })}${shortName(name)}”`;

/** How such a note begins. A correction may change the name, and never the number. */
const numbered = ({ number }: Pick<StoredInspection, 'number'>): string => `${number} “`;

/** The change of one row, and by how much it changes the number of open actions. */
interface Reopened {
  writes: Write[];
  opened: number;
}

const reopenedAction = (
  work: Work,
  earlier: StoredInspection,
  row: Row<StoredAction>,
  note: string,
): Reopened => {
  const current = withoutKeys(row);
  const { next, activities } = takeStep(work, 'reopen', { ...current, names_then: null }, note);
  return {
    writes: actionChange(work, earlier, current, next, activities).writes,
    opened: Number(isActionOpen(next.status)) - Number(isActionOpen(current.status)),
  };
};

/** The changes that open some findings again: of each finding's actions, then of the finding. */
const changesOf = async (
  work: Work,
  earlier: StoredInspection,
  reinspection: StoredInspection,
  findings: readonly Row<StoredFinding>[],
): Promise<Reopened[]> => {
  const note = passedNote(reinspection);
  const done = queryRows(work, {
    ...keys.parts(work, 'INSPECTION', earlier.id, 'ACTION'),
    where: { status: ['pending_verification', 'verified'] },
  });
  const begin = numbered(reinspection);
  const passed = (await Array.fromAsync(done)).filter(({ completion_note }) =>
    completion_note.startsWith(begin),
  );
  const actions = Map.groupBy(passed, ({ finding_id }) => finding_id);
  return findings.flatMap((row) => [
    ...(actions.get(row.id) ?? []).map((action) => reopenedAction(work, earlier, action, note)),
    {
      writes: findingChange(work, withoutKeys(row), REOPENED, earlier).writes,
      opened: 0,
    },
  ]);
};

/** Makes as many of these changes as one transaction can. An archived inspection stays as it is. */
const reopenSome = async (
  work: Work,
  reinspection: StoredInspection,
  earlierId: string,
  findingIds: readonly string[],
): Promise<PartDecision> => {
  const [row, ...found] = await getRows(work, [
    inspectionRecords.key(work, earlierId),
    ...findingIds.map((id) => keys.child(work, earlierId, 'FINDING', id)),
  ]);
  if (!row || row.status === 'archived') return { writes: [], isLast: true };
  const resolved = found.flatMap((finding) =>
    finding?.resolved_by_inspection_id === reinspection.id ? [finding] : [],
  );
  if (resolved.length === 0) return { writes: [], isLast: true };
  const made: Write[] = [];
  let opened = 0;
  const { isAll } = takeWhatFits(
    await changesOf(work, withoutKeys(row), reinspection, resolved),
    ({ writes }) => made.length + writes.length <= MAX_WRITES,
    (change) => {
      made.push(...change.writes);
      opened += change.opened;
    },
  );
  const add = { findings_revision: 1, open_corrective_actions_count: opened };
  return {
    writes: [
      ...made,
      addToCounters(work, earlierId, add, isUnarchived),
      ...activityWrites(work, earlierId, [{ kind: 'findings_reopened', inspection_id: reinspection.id }]),
    ],
    isLast: isAll,
  };
};

/**
 * Opens the findings of earlier inspections again that a re-inspection has resolved, and whose answers fail in it after
 * a correction. The actions that awaited verification for that reason, or were verified, go back to work with their due
 * dates. In as many transactions as it takes; calling this again completes it. A finding that somebody has resolved
 * otherwise stays as it is.
 * @param failed records of the re-inspection that fail now
 */
export const reopenFindings = async (
  caller: Caller,
  reinspection: StoredInspection,
  failed: readonly Pick<StoredAnswer, 'earlier_finding'>[],
): Promise<void> => {
  const named = failed.flatMap(({ earlier_finding }) => earlier_finding ?? []);
  for (const [earlierId, some] of Map.groupBy(named, ({ inspection_id }) => inspection_id)) {
    const ids = some.map(({ id }) => id);
    await changeInParts(caller, () => (work) => reopenSome(work, reinspection, earlierId, ids));
  }
};
