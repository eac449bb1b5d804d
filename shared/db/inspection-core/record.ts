import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { isOpen, isRunning } from '../../domain/inspections/workflow.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import type { FamilySettings } from '../../schemas/templates/family.ts';
import * as documents from '../documents/documents.ts';
import { collection } from '../table/collection.ts';
import { type Condition, hasValues } from '../table/conditions.ts';
import { type Key, type Kind, keys, shardOf } from '../table/keys.ts';
import { moveReservation } from '../table/unique.ts';
import { use } from '../table/usage.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { inspectionDeadline } from './deadlines.ts';

/**
 * As stored. What was agreed at creation stands beside what the wire carries. The row is changed in place and
 * never replaced: saved answers and findings move its counters meanwhile, without its version.
 */
export type StoredInspection = Omit<Inspection, 'is_overdue' | 'progress'> & {
  /** Of the pinned template version, with how many fields take an answer and how many of them require one. */
  content_hash: string;
  /** What an inspection of that version begins with. */
  asked: { total: number; required: number };
  /** As it is now: conditions and repeats move them. */
  total: number;
  required: number;
  approval: FamilySettings['approval'];
  sign_off: FamilySettings['sign_off'];
  /** How many records hold an answer. */
  answered: number;
  /** Moves on with each saved answer, so that a decision on all of them can tell that none slipped in. */
  answers_revision: number;
  /** Moves on with what is done to findings and corrective actions: what a report shows of them may be stale. */
  findings_revision: number;
  /** Of the correction that is under way: whether it accepts changes or is on its way to one end, and how many it has. */
  correction_stage: 'open' | 'closing' | 'discarding' | null;
  correction_revisions: number;
  /** Moves on with each finding, action or report that is begun below it, so that its deletion overlooks none. */
  parts_revision: number;
};

const KIND = 'INSPECTION';
export const EXTERNAL_REF = 'external_ref of inspections';

export const rows = collection<StoredInspection>(KIND, 'inspection');

const isOverdue = ({ status, due_at }: Pick<StoredInspection, 'status' | 'due_at'>, now: string): boolean =>
  isOpen(status) && due_at !== null && due_at < now;

/**
 * An inspection as the wire carries it.
 * @param now what is overdue is past this time, ISO 8601 in UTC
 */
export const toInspection = (
  inspection: StoredInspection,
  now: string = new Date().toISOString(),
): Inspection => {
  const { content_hash: _hash, asked: _asked, approval: _approval, sign_off: _signOff, ...rest } = inspection;
  const { answers_revision: _answers, findings_revision: _findings, parts_revision: _parts, ...shown } = rest;
  const { correction_stage: _stage, correction_revisions: _revisions, ...counted } = shown;
  const { answered, required, total, ...fields } = counted;
  return {
    ...fields,
    is_overdue: isOverdue(inspection, now),
    progress: { answered, required, total },
  };
};

/** An index's key cannot be null, so inspections without the one or the other share a partition nobody reads. */
const NONE = 'NONE';

/** What finds an inspection by its status, client, location and family. */
export const indexed = (caller: Caller, inspection: StoredInspection) => ({
  by_status: keys.inspectionsWith(caller, 'STATUS', inspection.status),
  by_client: keys.inspectionsWith(caller, 'CLIENT', inspection.client_account_id ?? NONE),
  by_location: keys.inspectionsWith(caller, 'LOCATION', inspection.location_id ?? NONE),
  by_family: keys.inspectionsWith(caller, 'FAMILY', inspection.template_family_id),
});

const USED: readonly [Kind, 'template_family_id' | 'client_account_id' | 'location_id'][] = [
  ['FAMILY', 'template_family_id'],
  ['CLIENT', 'client_account_id'],
  ['LOCATION', 'location_id'],
];

const dueKey = (caller: Caller, inspection: StoredInspection | undefined): Key | undefined =>
  inspection?.due_at && isOpen(inspection.status)
    ? keys.due(caller, inspection.due_at, inspection.id)
    : undefined;

/** Where an inspection counts as a running one of the version that it pins. */
const runningKey = (caller: Caller, inspection: StoredInspection | undefined): Key | undefined =>
  inspection && isRunning(inspection.status)
    ? keys.running(caller, inspection.template_family_id, inspection.template_id, inspection.id)
    : undefined;

const usersOf = (inspection: StoredInspection | undefined): string[] =>
  inspection?.participants.map(({ user_id }) => user_id) ?? [];

/**
 * The rows that follow an inspection from one state to the next, so that counts, uses and membership lists
 * agree with it whatever happens: they are part of the same transaction.
 */
export const following = (
  caller: Caller,
  before: StoredInspection | undefined,
  after: StoredInspection | undefined,
): Write[] => {
  const { id } = (after ?? before)!;
  const counted = before?.status !== after?.status;
  const [wasDue, isDue] = [dueKey(caller, before), dueKey(caller, after)];
  const [wasRunning, isRunningNow] = [runningKey(caller, before), runningKey(caller, after)];
  const [had, has] = [usersOf(before), usersOf(after)];
  return [
    ...(counted
      ? [
          write.update(keys.counter(caller, KIND, shardOf(id)), {
            add: { ...(before && { [before.status]: -1 }), ...(after && { [after.status]: 1 }) },
          }),
        ]
      : []),
    ...(wasDue && wasDue.sk !== isDue?.sk ? [write.drop(wasDue)] : []),
    ...(isDue && wasDue?.sk !== isDue.sk
      ? [write.put({ ...isDue, ...inspectionDeadline(caller, before, after!) })]
      : []),
    ...(wasRunning && !isRunningNow ? [write.drop(wasRunning)] : []),
    ...(isRunningNow && !wasRunning ? [write.put({ ...isRunningNow })] : []),
    ...had
      .filter((userId) => !has.includes(userId))
      .map((userId) => write.drop(keys.assignment(caller, userId, id))),
    ...has
      .filter((userId) => !had.includes(userId))
      .map((userId) => write.put({ ...keys.assignment(caller, userId, id) })),
    ...USED.flatMap(([kind, field]) => {
      const [used, uses] = [before?.[field], after?.[field]];
      if (used === uses) return [];
      return [
        ...(used ? [use(caller, kind, used, id, { inspections: -1 }, field)] : []),
        ...(uses ? [use(caller, kind, uses, id, { inspections: 1 }, field)] : []),
      ];
    }),
    ...documents.moveUses(caller, before?.start_answers, after?.start_answers, 'start_answers'),
    ...moveReservation(caller, EXTERNAL_REF, before?.external_ref, after?.external_ref, id),
  ];
};

/** A new inspection with all that follows it. */
export const creation = (caller: Caller, inspection: StoredInspection): Write[] => [
  write.create({ ...inspection, ...indexed(caller, inspection), ...rows.key(caller, inspection.id) }),
  ...following(caller, undefined, inspection),
];

/** What was read still stands: its header, and what else of it the decision was about. */
export const unchanged = (
  before: StoredInspection,
  also: readonly ('answers_revision' | 'findings_revision' | 'parts_revision')[] = [],
): Condition =>
  hasValues(Object.fromEntries((['version', ...also] as const).map((name) => [name, before[name]])));

/**
 * No inspection any more, nor anything that follows it. What stands below it is not part of this, nor are the
 * documents that it shows: these may be shown below it too, and a transaction counts a document once.
 */
export const deletion = (caller: Caller, before: StoredInspection): Write[] => [
  write.remove(rows.key(caller, before.id), unchanged(before, ['answers_revision', 'parts_revision'])),
  ...following(caller, { ...before, start_answers: {} }, undefined),
];

/** An inspection from the state that was read to its next one, with all that follows it. */
export const transition = (
  caller: Caller,
  before: StoredInspection,
  after: StoredInspection,
  { withAnswers }: { withAnswers?: boolean | undefined } = {},
): Write[] => {
  const standing: Record<string, unknown> = { ...before, ...indexed(caller, before) };
  const set = Object.fromEntries(
    Object.entries({ ...after, ...indexed(caller, after) }).filter(
      ([attribute, value]) => !isDeepStrictEqual(value, standing[attribute]),
    ),
  );
  return [
    write.update(
      rows.key(caller, after.id),
      { set },
      unchanged(before, withAnswers ? ['answers_revision'] : []),
    ),
    ...following(caller, before, after),
  ];
};
