import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { activityOf } from '../../domain/inspections/activity.ts';
import { correctionStatusOf } from '../../domain/inspections/corrections.ts';
import { isOpen, isRunning } from '../../domain/inspections/workflow.ts';
import type { InspectionEvent } from '../../schemas/event-data.ts';
import type { Inspection, Signature } from '../../schemas/inspections/inspection.ts';
import * as documents from '../documents/documents.ts';
import type { Work } from '../table/change.ts';
import { collection } from '../table/collection.ts';
import { type Condition, hasValues } from '../table/conditions.ts';
import type { CalendarEntry, IssueLink, Kind, StoredInspection } from '../table/entities.ts';
import { type Key, keys, shardOf } from '../table/keys.ts';
import { emit } from '../table/outbox/outbox.ts';
import { type Row, withoutKeys } from '../table/rows.ts';
import { moveReservation } from '../table/unique.ts';
import { use } from '../table/usage.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { activityWrites } from './activity.ts';
import { inspectionDeadline } from './deadlines.ts';
import { issueActivity } from './issue-links.ts';

const KIND = 'INSPECTION';
export const EXTERNAL_REF = 'external_ref of inspections';

export const inspectionRecords = collection(KIND, 'inspection');

export const isOverdue = (
  { status, due_at }: Pick<StoredInspection, 'status' | 'due_at'>,
  now: string,
): boolean => isOpen(status) && due_at !== null && due_at < now;

/**
 * Whether an inspection was not started by the time after which it counts as missed. One that was archived before is
 * not missed.
 * @param now ISO 8601 in UTC
 */
export const isMissed = (
  inspection: Pick<StoredInspection, 'missed_after' | 'started_at' | 'archived_at'>,
  now: string,
): boolean => {
  const { missed_after, started_at, archived_at } = inspection;
  return typeof missed_after === 'string' && missed_after < (started_at ?? archived_at ?? now);
};

/** The signatures of an inspection. Those that are older than a field lack it where they are stored. */
export const signaturesOf = ({ signatures }: Pick<StoredInspection, 'signatures'>): Signature[] =>
  signatures.map((signature) => ({
    ...signature,
    acted_via_key_id: signature.acted_via_key_id ?? null,
    contact: signature.contact ?? null,
    declined: signature.declined ?? false,
    reason: signature.reason ?? '',
    before_correction: signature.before_correction ?? null,
  }));

/**
 * An inspection as it is sent to clients.
 * @param now the time that decides whether it is overdue or missed, ISO 8601 in UTC
 */
export const toInspection = (
  inspection: StoredInspection,
  now: string = new Date().toISOString(),
): Inspection => {
  const { content_hash: _hash, asked: _asked, approval: _approval, sign_off: _signOff, ...rest } = inspection;
  const { answers_revision: _answers, findings_revision: _findings, parts_revision: _parts, ...shown } = rest;
  const { correction_stage: _stage, correction_revisions: _revisions, is_resolving: _, ...counted } = shown;
  const { answered, required, total, ...fields } = counted;
  return {
    ...fields,
    issue_id: inspection.issue_id ?? null,
    prefill_from_inspection_id: inspection.prefill_from_inspection_id ?? null,
    reinspection_of_id: inspection.reinspection_of_id ?? null,
    reinspection_scope: inspection.reinspection_scope ?? null,
    reinspections_count: inspection.reinspections_count ?? 0,
    correction_status: correctionStatusOf(inspection.correction_stage),
    signatures: signaturesOf(inspection),
    is_overdue: isOverdue(inspection, now),
    // Inspections that are older than the schedules lack it.
    missed_after: inspection.missed_after ?? null,
    is_missed: isMissed(inspection, now),
    progress: { answered, required, total },
  };
};

/** An index's key cannot be null, so inspections without a client or location share a partition that is never read. */
const NONE = 'NONE';

/** The index attributes that find an inspection by its status, client, location and family. */
export const indexKeys = (caller: Caller, inspection: StoredInspection) => ({
  by_status: keys.inspectionsWith(caller, 'STATUS', inspection.status),
  by_client: keys.inspectionsWith(caller, 'CLIENT', inspection.client_account_id ?? NONE),
  by_location: keys.inspectionsWith(caller, 'LOCATION', inspection.location_id ?? NONE),
  by_family: keys.inspectionsWith(caller, 'FAMILY', inspection.template_family_id),
});

/** Resources that count the inspections that use them, and the field that names each. */
const USED: readonly [Kind, 'template_family_id' | 'client_account_id' | 'location_id'][] = [
  ['FAMILY', 'template_family_id'],
  ['CLIENT', 'client_account_id'],
  ['LOCATION', 'location_id'],
];

const dueKey = (caller: Caller, inspection: StoredInspection | undefined): Key | undefined =>
  inspection?.due_at && isOpen(inspection.status)
    ? keys.due(caller, inspection.due_at, inspection.id)
    : undefined;

/** The key that counts an inspection among the running ones of its template version. */
const runningKey = (caller: Caller, inspection: StoredInspection | undefined): Key | undefined =>
  inspection && isRunning(inspection.status)
    ? keys.running(caller, inspection.template_family_id, inspection.template_id, inspection.id)
    : undefined;

const issueLinkKey = (caller: Caller, inspection: StoredInspection | undefined): Key<IssueLink> | undefined =>
  inspection?.issue_id ? keys.issueLink(caller, inspection.issue_id, inspection.id) : undefined;

const reinspectionKey = (caller: Caller, inspection: StoredInspection | undefined): Key | undefined =>
  inspection?.reinspection_of_id
    ? keys.reinspection(caller, inspection.reinspection_of_id, inspection.id)
    : undefined;

/** When an inspection stands in the calendar. One without a start stands at the beginning of its occurrence's date. */
const startOf = ({ scheduled_for, occurrence_date }: StoredInspection): string =>
  scheduled_for ?? `${occurrence_date}T00:00:00.000Z`;

/** The rows by which the calendar, and the list of its schedule, find an inspection that a schedule has created. */
const calendarRows = (caller: Caller, inspection: StoredInspection | undefined) => {
  if (!inspection?.schedule_id) return [];
  const { id, schedule_id, occurrence_date, name, template_family_id, location_id } = inspection;
  const { status, due_at, missed_after, started_at, archived_at, participants, version } = inspection;
  const starts_at = startOf(inspection);
  const entry: CalendarEntry = {
    inspection_id: id,
    schedule_id,
    occurrence_date,
    name,
    template_family_id,
    location_id,
    status,
    starts_at,
    due_at,
    missed_after,
    started_at,
    archived_at,
    assignee_ids: participants.map(({ user_id }) => user_id),
    version,
  };
  return [
    { ...keys.calendarEntry(caller, starts_at, id), ...entry },
    { ...keys.scheduledStart(caller, schedule_id, starts_at, id), inspection_id: id },
  ];
};

/** The writes by which these rows follow an inspection. */
const calendarWrites = (
  caller: Caller,
  before: StoredInspection | undefined,
  after: StoredInspection | undefined,
): Write[] => {
  const [oldRows, newRows] = [calendarRows(caller, before), calendarRows(caller, after)];
  const isIn = (rows: readonly Key[], { pk, sk }: Key) => rows.some((row) => row.pk === pk && row.sk === sk);
  return [
    ...oldRows.filter((row) => !isIn(newRows, row)).map((row) => write.drop(write.keyOf(row))),
    ...newRows
      // The version alone changes nothing that the calendar shows.
      .filter((row) => !oldRows.some((old) => isDeepStrictEqual({ ...row, ...versionOf(old) }, old)))
      .map((row) => write.put<object>(row)),
  ];
};

const versionOf = (row: object): object => ('version' in row ? { version: row.version } : {});

const participantIds = (inspection: StoredInspection | undefined): string[] =>
  inspection?.participants.map(({ user_id }) => user_id) ?? [];

/**
 * The writes of the rows that depend on an inspection: counters, uses, due dates and membership lists. They are part of
 * the transaction that changes it, so that they always agree with it.
 */
export const dependentWrites = (
  caller: Caller,
  before: StoredInspection | undefined,
  after: StoredInspection | undefined,
): Write[] => {
  const { id } = (after ?? before)!;
  const isStatusChanged = before?.status !== after?.status;
  const [wasDue, isDue] = [dueKey(caller, before), dueKey(caller, after)];
  const [wasRunning, isRunningNow] = [runningKey(caller, before), runningKey(caller, after)];
  const [wasLink, isLink] = [issueLinkKey(caller, before), issueLinkKey(caller, after)];
  const [wasAgain, isAgain] = [reinspectionKey(caller, before), reinspectionKey(caller, after)];
  const [oldUsers, newUsers] = [participantIds(before), participantIds(after)];
  return [
    ...(isStatusChanged
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
    ...(wasLink && wasLink.pk !== isLink?.pk ? [write.drop(wasLink)] : []),
    ...(isLink && wasLink?.pk !== isLink.pk
      ? [write.put({ ...isLink, inspection_id: id, corrective_action_id: null })]
      : []),
    ...(wasAgain && !isAgain ? [write.drop(wasAgain)] : []),
    ...(isAgain && !wasAgain ? [write.put({ ...isAgain })] : []),
    ...oldUsers
      .filter((userId) => !newUsers.includes(userId))
      .map((userId) => write.drop(keys.assignment(caller, userId, id))),
    ...newUsers
      .filter((userId) => !oldUsers.includes(userId))
      .map((userId) => write.put({ ...keys.assignment(caller, userId, id) })),
    ...USED.flatMap(([kind, field]) => {
      const [used, uses] = [before?.[field], after?.[field]];
      if (used === uses) return [];
      return [
        ...(used ? [use(caller, kind, used, id, { inspections: -1 }, field)] : []),
        ...(uses ? [use(caller, kind, uses, id, { inspections: 1 }, field)] : []),
      ];
    }),
    ...documents.updateUses(caller, before?.start_answers, after?.start_answers, 'start_answers'),
    ...moveReservation(caller, EXTERNAL_REF, before?.external_ref, after?.external_ref, id),
    ...calendarWrites(caller, before, after),
  ];
};

/** The event of a change of an inspection. */
export const inspectionEvent = (
  caller: Caller,
  inspection: StoredInspection,
  type: InspectionEvent = 'inspection.updated',
): Write => emit(caller, type, toInspection(inspection));

/** Creates an inspection with the rows that depend on it, and the first entry of its history. */
export const creation = (work: Work, inspection: StoredInspection): Write[] => [
  write.create({
    ...inspection,
    ...indexKeys(work, inspection),
    ...inspectionRecords.key(work, inspection.id),
  }),
  ...dependentWrites(work, undefined, inspection),
  ...activityWrites(work, inspection.id, activityOf(undefined, inspection)),
];

/** The inspection is as it was read: its version, and the other revisions that the decision depends on. */
export const isUnchanged = (
  before: StoredInspection,
  also: readonly ('answers_revision' | 'findings_revision' | 'parts_revision')[] = [],
): Condition =>
  hasValues(Object.fromEntries((['version', ...also] as const).map((name) => [name, before[name]])));

/**
 * Deletes an inspection with the rows that depend on it. Rows below it are not included, nor the uses of documents in
 * its start answers: rows below it may use the same documents, and a transaction can write a document only once.
 */
export const deletion = (caller: Caller, row: Row<StoredInspection>): Write[] => {
  const before = withoutKeys(row);
  return [
    write.remove(
      inspectionRecords.key(caller, before.id),
      isUnchanged(before, ['answers_revision', 'parts_revision']),
    ),
    ...dependentWrites(caller, { ...before, start_answers: {} }, undefined),
    inspectionEvent(caller, before, 'inspection.deleted'),
  ];
};

/** The entry in the history of the issue that an inspection was started from, when its status changes. */
const issueEntry = (work: Work, before: StoredInspection, after: StoredInspection): Write[] => {
  const { id: inspection_id, issue_id, status: to } = after;
  if (!issue_id || before.status === to) return [];
  const entry = { kind: 'inspection_status_changed', inspection_id, from: before.status, to } as const;
  return [issueActivity(work, issue_id, entry).write];
};

/**
 * Changes an inspection from the state that was read to the next one, with the rows that depend on it and what its
 * history tells of the change.
 */
export const transition = (
  work: Work,
  before: StoredInspection,
  after: StoredInspection,
  { withAnswers }: { withAnswers?: boolean | undefined } = {},
): Write[] => {
  const stored: Record<string, unknown> = { ...before, ...indexKeys(work, before) };
  const set = Object.fromEntries(
    Object.entries({ ...after, ...indexKeys(work, after) }).filter(
      ([attribute, value]) => !isDeepStrictEqual(value, stored[attribute]),
    ),
  );
  return [
    write.update(
      inspectionRecords.key(work, after.id),
      { set },
      isUnchanged(before, withAnswers ? ['answers_revision'] : []),
    ),
    ...dependentWrites(work, before, after),
    ...issueEntry(work, before, after),
    ...activityWrites(work, after.id, activityOf(before, after)),
  ];
};
