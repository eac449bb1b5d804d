import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { isActionOpen } from '../../domain/corrective-actions.ts';
import type { ClosedNames } from '../../schemas/closed-names.ts';
import { Finding, FindingContent, type FindingRepeat, NewFinding } from '../../schemas/finding.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import { initialValues } from '../../schemas/resource.ts';
import type { Work } from '../../table/change.ts';
import { newResource, nextVersion } from '../../table/collection.ts';
import type { StoredAction, StoredFinding, StoredInspection } from '../../table/entities/inspections.ts';
import type { EventSubject } from '../../table/entities/machinery.ts';
import { type Key, keys } from '../../table/keys.ts';
import * as resource from '../../table/resource.ts';
import { Stale } from '../../table/retry.ts';
import { getRow, queryRows, type Row, withoutKeys } from '../../table/rows.ts';
import { nextNumbers } from '../../table/single-write.ts';
import type { Write } from '../../table/writes.ts';
import {
  type ActionOrigin,
  type ActionSurroundings,
  automaticAction,
  unchangedActionRemoval,
} from '../rows/corrective-action-records.ts';
import { listedUnder } from '../rows/listed.ts';
import { namesOfFinding } from '../rows/names-then.ts';
import { findingEvent, findingRecords, foundIn, wholeFinding } from '../rows/rows-below.ts';

const KIND = 'FINDING';
export const NOUN = 'finding';

export const findingKey = (caller: Caller, inspectionId: string, id: string): Key<StoredFinding> =>
  keys.child(caller, inspectionId, KIND, id);

/** The fields of an open finding that say how it was resolved. */
const UNRESOLVED = {
  resolved_at: null,
  resolved_by: null,
  resolved_by_inspection_id: null,
  names_then: null,
} as const;

/** The fields of a finding that is open again. */
export const REOPENED = { status: 'open', ...UNRESOLVED } as const;

/** A finding as it is sent to clients. */
export const toFinding = (stored: StoredFinding, repeat: FindingRepeat | null): Presented<Finding> =>
  present(Finding, wholeFinding(stored), { repeat });

/**
 * The fields of a finding that is resolved.
 * @param names_then those of `namesOfFinding`
 * @param inspectionId the re-inspection in which its field passed; null when a person resolves it
 */
export const resolved = (work: Work, names_then: ClosedNames, inspectionId: string | null = null) =>
  ({
    status: 'resolved',
    resolved_at: work.now,
    resolved_by: work.user_id,
    resolved_by_inspection_id: inspectionId,
    names_then,
  }) as const;

/** Changes a finding that was read, with its event. */
export const findingChange = (
  work: Work,
  row: StoredFinding,
  fields: Partial<StoredFinding>,
  inspection: EventSubject,
): { finding: StoredFinding; writes: Write[] } => {
  const finding = nextVersion(work, row, fields);
  return {
    finding,
    writes: [
      ...resource.replace(findingRecords, work, row, finding),
      findingEvent(work, 'updated', finding, inspection),
    ],
  };
};

/** The fields that are given when a finding is created. */
type NewFindingFields = Pick<StoredFinding, 'label' | 'origin'> & Partial<StoredFinding>;

/**
 * A new finding, with its rows and its event.
 * @param automatic the action that its rule asks for, with its title and number. The caller counts it as an open action
 *   of the inspection.
 */
export const newFinding = (
  work: Work,
  number: number,
  inspection: Pick<StoredInspection, 'id'> & ActionSurroundings,
  fields: NewFindingFields,
  automatic?: ActionOrigin & { title: string; number: number },
): { finding: StoredFinding; writes: Write[] } => {
  const given = {
    ...initialValues(NewFinding),
    content: initialValues(FindingContent),
    corrective_actions_count: automatic ? 1 : 0,
    ...fields,
  };
  const finding: StoredFinding = newResource(work, {
    ...given,
    inspection_id: inspection.id,
    found_in: foundIn(inspection, given),
    listed_under: listedUnder(inspection, given),
    number,
    status: 'open' as const,
    trigger_cleared: false,
    ...UNRESOLVED,
    created_by: work.user_id,
  });
  return {
    finding,
    writes: [
      ...resource.create(findingRecords, work, finding),
      findingEvent(work, 'created', finding, inspection),
      ...(automatic
        ? automaticAction(work, automatic.number, finding, { ...automatic, inspection }).writes
        : []),
    ],
  };
};

/** Takes the next number of the organization's findings. */
export const nextFindingNumber = (caller: Caller): Promise<number> => nextFindingNumbers(caller, 1);

/** Takes several numbers in one call. @returns the first of them */
export const nextFindingNumbers = (caller: Caller, count: number): Promise<number> =>
  nextNumbers(caller, keys.sequence(caller, KIND), count);

/**
 * Whether nobody has edited the finding, added actions to it or changed the action that was created with it. Each of
 * these increases a version. A new severity by the answer increases it as well, and both rows know that version.
 * @param action the row at `automaticActionKey`
 */
export const isUntouched = (finding: StoredFinding, action?: StoredAction): boolean =>
  [finding, action].every((row) => row === undefined || row.version === (row.graded_version ?? 1));

/** Deletes a finding as it was read, and the action that was created with it. */
export const findingRemoval = (
  work: Work,
  inspection: ActionSurroundings,
  row: Row<StoredFinding>,
  action?: Row<StoredAction>,
): Write[] => [
  ...(action ? unchangedActionRemoval(work, withoutKeys(action), inspection) : []),
  ...resource.remove(findingRecords, work, withoutKeys(row)),
  findingEvent(work, 'deleted', withoutKeys(row), inspection),
];

/**
 * Changes the finding of an action that is created or opened again. It increases the finding's version, so that a
 * resolution or deletion of the finding at the same time fails: these need all actions to be closed.
 * @param newActions 1 for a new action, 0 for one that is opened again
 * @throws ApiError 409 for a resolved finding
 */
export const actionOpening = (
  work: Work,
  finding: StoredFinding,
  newActions: 0 | 1,
  inspection: EventSubject,
): Write[] => {
  if (finding.status === 'resolved') throw errors.findingResolved();
  const corrective_actions_count = finding.corrective_actions_count + newActions;
  return findingChange(work, finding, { corrective_actions_count }, inspection).writes;
};

/** The actions of a finding. */
export const actionsOf = (
  caller: Caller,
  { id, inspection_id }: Pick<StoredFinding, 'id' | 'inspection_id'>,
): Promise<Row<StoredAction>[]> =>
  Array.fromAsync(
    queryRows(caller, {
      ...keys.parts(caller, 'INSPECTION', inspection_id, 'ACTION'),
      where: { finding_id: [id] },
    }),
  );

/** The actions of a finding, which must all be closed. @throws ApiError 409 naming one that is open */
export const closedActions = async (caller: Caller, finding: StoredFinding): Promise<Row<StoredAction>[]> => {
  const actions = await actionsOf(caller, finding);
  const open = actions.find(({ status }) => isActionOpen(status));
  if (open) throw errors.correctiveActionOpen(open.number, open.title, open.status);
  return actions;
};

/** How many actions of a finding are unfinished. One call. @param exceptId one that the same change closes */
export const unfinishedActions = async (
  caller: Caller,
  finding: Pick<StoredFinding, 'id' | 'inspection_id'>,
  exceptId?: string,
): Promise<number> => {
  const actions = await actionsOf(caller, finding);
  return actions.filter(({ id, status }) => id !== exceptId && isActionOpen(status)).length;
};

/** The finding of an action. One call. */
export const readFindingOf = async (
  caller: Caller,
  { finding_id, inspection_id }: StoredAction,
): Promise<StoredFinding> => {
  const row = await getRow(caller, findingKey(caller, inspection_id, finding_id));
  // A finding is deleted together with its actions, so this action was read before the deletion.
  if (!row) throw new Stale();
  return withoutKeys(row);
};

/**
 * The writes that resolve a finding whose actions are all closed; none when it is resolved already. They conflict with
 * an action that is opened at the same time, because each opening increases the finding's version.
 */
export const resolutionWrites = async (
  work: Work,
  inspection: ActionSurroundings,
  finding: StoredFinding,
): Promise<Write[]> =>
  finding.status === 'resolved'
    ? []
    : findingChange(
        work,
        finding,
        resolved(work, await namesOfFinding(work, inspection, finding)),
        inspection,
      ).writes;
