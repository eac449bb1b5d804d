import { pick } from '../../base/fields.ts';
import { activityOf } from '../../domain/inspections/activity.ts';
import { correctionStatusOf } from '../../domain/inspections/corrections.ts';
import { isOpen, isRunning } from '../../domain/inspections/workflow.ts';
import type { InspectionEvent } from '../../schemas/event-data.ts';
import { fieldsFor } from '../../schemas/inspections/fields.ts';
import { Inspection, type Signature } from '../../schemas/inspections/inspection.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import type { Work } from '../table/change.ts';
import { collection } from '../table/collection.ts';
import { type Condition, hasValues } from '../table/conditions.ts';
import type { CalendarEntry, StoredInspection } from '../table/entities.ts';
import { keys, shardOf } from '../table/keys.ts';
import { emit } from '../table/outbox/outbox.ts';
import * as resource from '../table/resource.ts';
import { type Row, withoutKeys } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { activityWrites } from './activity.ts';
import { inspectionDeadline, REMINDED } from './deadlines.ts';
import { issueActivity } from './issue-links.ts';

export const EXTERNAL_REF = 'external_ref of inspections';

/** An index's key cannot be null, so inspections without a client or location share a partition that is never read. */
const NONE = 'NONE';

/** When an inspection stands in the calendar. One without a start stands at the beginning of its occurrence's date. */
const startOf = ({ scheduled_for, occurrence_date }: StoredInspection): string =>
  scheduled_for ?? `${occurrence_date}T00:00:00.000Z`;

/** What the calendar shows of an inspection that a schedule has created. */
const calendarEntry = (inspection: StoredInspection): CalendarEntry => {
  const { id, participants, version } = inspection;
  return {
    ...pick(inspection, fieldsFor('calendar')),
    inspection_id: id,
    starts_at: startOf(inspection),
    assignee_ids: participants.map(({ user_id }) => user_id),
    version,
  };
};

/** Inspections, and what follows from each. */
export const inspectionRecords = collection('INSPECTION', 'inspection', {
  index: (caller, { status, client_account_id, location_id, template_family_id }) => ({
    by_status: keys.inspectionsWith(caller, 'STATUS', status),
    by_client: keys.inspectionsWith(caller, 'CLIENT', client_account_id ?? NONE),
    by_location: keys.inspectionsWith(caller, 'LOCATION', location_id ?? NONE),
    by_family: keys.inspectionsWith(caller, 'FAMILY', template_family_id),
  }),
  counts: {
    in: (caller, id) => keys.counter(caller, 'INSPECTION', shardOf(id)),
    by: ({ status }) => ({ [status]: 1 }),
  },
  uses: {
    as: 'inspections',
    fields: { template_family_id: 'FAMILY', client_account_id: 'CLIENT', location_id: 'LOCATION' },
  },
  documents: { in: ({ start_answers }) => start_answers, field: 'start_answers' },
  unique: { [EXTERNAL_REF]: ({ external_ref }) => external_ref },
  followers: [
    {
      row: keys.due,
      at: ({ id, status, due_at }) => (due_at && isOpen(status) ? [[due_at, id]] : []),
      holds: inspectionDeadline,
      own: REMINDED,
    },
    {
      row: keys.running,
      under: 'FAMILY',
      at: ({ id, status, template_family_id, template_id }) =>
        isRunning(status) ? [[template_family_id, template_id, id]] : [],
    },
    {
      row: keys.inspectionLink,
      under: 'ISSUE',
      at: ({ id, issue_id }) => (issue_id ? [[issue_id, id]] : []),
      holds: (_, { id }) => ({ inspection_id: id, corrective_action_id: null }),
    },
    {
      row: keys.reinspection,
      at: ({ id, reinspection_of_id }) => (reinspection_of_id ? [[reinspection_of_id, id]] : []),
    },
    {
      row: keys.assignment,
      under: 'MEMBER',
      at: ({ id, participants }) => participants.map(({ user_id }) => [user_id, id]),
    },
    {
      row: keys.calendarEntry,
      at: (inspection) => (inspection.schedule_id ? [[startOf(inspection), inspection.id]] : []),
      holds: (_, inspection) => calendarEntry(inspection),
      // Most versions change nothing else that the calendar shows.
      own: ['version'],
    },
    {
      row: keys.scheduledStart,
      under: 'SCHEDULE',
      at: (inspection) =>
        inspection.schedule_id ? [[inspection.schedule_id, startOf(inspection), inspection.id]] : [],
      holds: (_, { id }) => ({ inspection_id: id }),
    },
  ],
});

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
export const toInspection = (inspection: StoredInspection, now: string): Presented<Inspection> => {
  const { answered, required, total } = inspection;
  return present(Inspection, inspection, {
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
  });
};

/** The event of a change of an inspection. */
export const inspectionEvent = (
  work: Work,
  inspection: StoredInspection,
  type: InspectionEvent = 'inspection.updated',
): Write => emit(work, type, toInspection(inspection, work.now));

/** Creates an inspection with the rows that depend on it, and the first entry of its history. */
export const creation = (work: Work, inspection: StoredInspection): Write[] => [
  ...resource.create(inspectionRecords, work, inspection),
  ...activityWrites(work, inspection.id, activityOf(undefined, inspection)),
];

/** The inspection is as it was read: its version, and the other revisions that the decision depends on. */
export const isUnchanged = (
  before: StoredInspection,
  also: readonly ('answers_revision' | 'findings_revision' | 'parts_revision')[] = [],
): Condition =>
  hasValues(Object.fromEntries((['version', ...also] as const).map((name) => [name, before[name]])));

/**
 * Deletes an inspection with everything that follows from it. Rows below it are not included: these may use the same
 * documents, which a transaction can write only once, so the caller combines the counts.
 */
export const deletion = (work: Work, row: Row<StoredInspection>): Write[] => {
  const before = withoutKeys(row);
  const guard = isUnchanged(before, ['answers_revision', 'parts_revision']);
  return [
    ...resource.remove(inspectionRecords, work, before, guard),
    inspectionEvent(work, before, 'inspection.deleted'),
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
): Write[] => [
  ...resource.update(
    inspectionRecords,
    work,
    before,
    after,
    isUnchanged(before, withAnswers ? ['answers_revision'] : []),
  ),
  ...issueEntry(work, before, after),
  ...activityWrites(work, after.id, activityOf(before, after)),
];
