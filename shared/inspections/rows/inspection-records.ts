import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { type Caller, isKey, viaKey } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { pick } from '../../base/fields.ts';
import type { ContentIndex, FieldPlace } from '../../domain/content/content-index.ts';
import { workersOf } from '../../domain/four-eyes.ts';
import { activityOf, type NewInspectionActivity } from '../../domain/inspections/activity.ts';
import { correctionStatusOf } from '../../domain/inspections/corrections.ts';
import { isOpen, isRunning } from '../../domain/inspections/workflow.ts';
import { labelsOf, ofAsset } from '../../domain/labels.ts';
import { visitedPlace } from '../../domain/schedules/assets.ts';
import type { InspectionEvent } from '../../schemas/event-data.ts';
import { fieldsFor } from '../../schemas/inspections/fields.ts';
import { Inspection, type InspectionStatus } from '../../schemas/inspections/inspection.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import type { Work } from '../../table/change.ts';
import { collection } from '../../table/collection.ts';
import { type Condition, hasValues, noneOf } from '../../table/conditions.ts';
import type { StoredInspection } from '../../table/entities/inspections.ts';
import type { Children } from '../../table/entities/kinds.ts';
import type { AnswersOf } from '../../table/entities/machinery.ts';
import type { CalendarEntry, StoredVisit } from '../../table/entities/schedules.ts';
import { type Key, keys, shardOf } from '../../table/keys.ts';
import { emit, enqueue } from '../../table/outbox/outbox.ts';
import * as resource from '../../table/resource.ts';
import { getRow, getRows, type Row, type RowsAt, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { inspectionDeadline, REMINDED, unstarted } from './deadlines.ts';
import { issueActivity } from './issue-records.ts';

export const EXTERNAL_REF = 'external_ref of inspections';

/** An index's key cannot be null, so inspections without a client or location share a partition that is never read. */
const NONE = 'NONE';

/** The time of an inspection in the calendar: its start, or the beginning of its occurrence's date. */
export const startOf = ({ scheduled_for, occurrence_date }: StoredInspection): string =>
  scheduled_for ?? `${occurrence_date}T00:00:00.000Z`;

/** What the calendar shows of an inspection that a schedule has created. */
const calendarEntry = (inspection: StoredInspection): CalendarEntry => {
  const { id, participants, version, visits_asset, asset_id } = inspection;
  return {
    ...pick(inspection, fieldsFor('calendar')),
    inspection_id: id,
    starts_at: startOf(inspection),
    assignee_ids: participants.map(({ user_id }) => user_id),
    ...(visits_asset && asset_id && { asset_id }),
    version,
  };
};

/** What a visit that has not ended has in the place of its end. It sorts behind all times. */
const OPEN_VISIT = 'OPEN';

/** What an inspection is as a visit of its place. An archived one is void. */
const visitOf = ({
  status,
  score,
  submitted_at,
  completed_at,
  archived_at,
}: StoredInspection): StoredVisit => {
  if (status === 'archived') return { ended_at: archived_at, outcome: 'void' };
  if (status !== 'completed') return { ended_at: null, outcome: null };
  return { ended_at: submitted_at ?? completed_at, outcome: score?.result === 'fail' ? 'failed' : 'passed' };
};

/** When an inspection that stands as passed was handed in, ISO 8601; null for any other. */
export const passedAt = (inspection: StoredInspection): string | null => {
  const { outcome, ended_at } = visitOf(inspection);
  return outcome === 'passed' ? ended_at : null;
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
    fields: {
      template_family_id: 'FAMILY',
      client_account_id: 'CLIENT',
      location_id: 'LOCATION',
      asset_id: 'ASSET',
    },
    also: { field: 'client_account_id', by: ({ is_kept = false }) => ({ kept: Number(is_kept) }) },
  },
  documents: { in: ({ start_answers }) => start_answers, field: 'start_answers' },
  unique: { [EXTERNAL_REF]: ({ external_ref }) => external_ref },
  followers: [
    {
      row: keys.due,
      what: 'due inspection',
      at: ({ id, status, due_at }) => (due_at && isOpen(status) ? [[due_at, id]] : []),
      holds: inspectionDeadline,
      own: REMINDED,
    },
    {
      row: keys.running,
      what: 'running inspection',
      under: 'FAMILY',
      at: ({ id, status, template_family_id, template_id }) =>
        isRunning(status) ? [[template_family_id, template_id, id]] : [],
    },
    {
      row: keys.inspectionLink,
      what: 'what an issue led to',
      under: 'ISSUE',
      at: ({ id, issue_id }) => (issue_id ? [[issue_id, id]] : []),
      holds: (_, { id }) => ({ inspection_id: id, corrective_action_id: null }),
    },
    {
      row: keys.reinspection,
      what: 're-inspection',
      at: ({ id, reinspection_of_id }) => (reinspection_of_id ? [[reinspection_of_id, id]] : []),
    },
    {
      row: keys.inspectionWith,
      what: 'inspection by label',
      at: (inspection) =>
        [...labelsOf(inspection), ...(inspection.asset_id ? [ofAsset(inspection.asset_id)] : [])].map(
          (label) => [label, inspection.id],
        ),
    },
    {
      row: keys.assignment,
      what: 'assignment',
      under: 'MEMBER',
      at: ({ id, participants }) => participants.map(({ user_id }) => [user_id, id]),
    },
    {
      row: keys.calendarEntry,
      what: 'calendar',
      at: (inspection) => (inspection.schedule_id ? [[startOf(inspection), inspection.id]] : []),
      holds: (_, inspection) => calendarEntry(inspection),
      // Most versions change nothing else that the calendar shows.
      own: ['version'],
    },
    {
      row: keys.scheduledStart,
      what: 'inspection of a schedule',
      under: 'SCHEDULE',
      at: (inspection) =>
        inspection.schedule_id ? [[inspection.schedule_id, startOf(inspection), inspection.id]] : [],
      holds: (_, { id }) => ({ inspection_id: id }),
    },
    {
      row: keys.visit,
      what: 'visit of a schedule',
      under: 'SCHEDULE',
      at: (inspection) => {
        const { id, visited_by_schedule } = inspection;
        const place = visitedPlace(inspection);
        if (!visited_by_schedule || place === null) return [];
        return [[visited_by_schedule, place, visitOf(inspection).ended_at ?? OPEN_VISIT, id]];
      },
      holds: (_, inspection) => visitOf(inspection),
    },
    {
      row: keys.unstarted,
      what: 'inspection that nobody has started',
      under: 'SCHEDULE',
      at: ({ id, schedule_id, status }) => (schedule_id && status === 'scheduled' ? [[schedule_id, id]] : []),
      holds: unstarted,
      own: REMINDED,
    },
  ],
});

export const isOverdue = (
  { status, due_at }: Pick<StoredInspection, 'status' | 'due_at'>,
  now: string,
): boolean => isOpen(status) && due_at !== null && due_at < now;

/**
 * Whether an inspection was not started by the time after which it counts as missed. An inspection that was
 * archived before that time is not missed.
 * @param now ISO 8601 in UTC
 */
export const isMissed = (
  inspection: Pick<StoredInspection, 'missed_after' | 'started_at' | 'archived_at'>,
  now: string,
): boolean => {
  const { missed_after, started_at, archived_at } = inspection;
  return missed_after !== null && missed_after < (started_at ?? archived_at ?? now);
};

/**
 * An inspection as it is sent to clients.
 * @param now the time that decides whether it is overdue or missed, ISO 8601 in UTC
 */
export const toInspection = (inspection: StoredInspection, now: string): Presented<Inspection> => {
  const { answered, required, total } = inspection;
  return present(Inspection, inspection, {
    correction_status: correctionStatusOf(inspection.correction_stage),
    is_overdue: isOverdue(inspection, now),
    is_missed: isMissed(inspection, now),
    progress: { answered, required, total },
  });
};

/** By what those who follow answers find an inspection. */
export const answersOf = ({ id, template_family_id }: StoredInspection): AnswersOf => ({
  inspection_id: id,
  template_family_id,
});

/** The event of a change of an inspection. Whoever follows answers gets these again, with what was changed. */
export const inspectionEvent = (
  work: Work,
  inspection: StoredInspection,
  type: InspectionEvent = 'inspection.updated',
): Write => emit(work, type, toInspection(inspection, work.now), { answers_of: answersOf(inspection) });

/** The tasks by which the places of a schedule follow their visits. The generator does so itself for those that it creates. */
const visitTasks = (
  work: Work,
  before: StoredInspection | undefined,
  after: StoredInspection | undefined,
): Write[] => {
  const schedule = (after ?? before)!.visited_by_schedule;
  const isNew = before === undefined && after?.source === 'schedule';
  const [from, to] = [before, after].map((each) => each && visitedPlace(each));
  const isSame = from === to && isDeepStrictEqual(before && visitOf(before), after && visitOf(after));
  if (!schedule || isNew || isSame) return [];
  const places = new Set([from, to].flatMap((id) => id ?? []));
  return [...places].map((visited_id) =>
    enqueue(work, 'cleanup', { visited_by_schedule: schedule, visited_id }),
  );
};

/** Checks that an asset is not decommissioned, also not at the same time. */
export const assetInService = (work: Work, id: string): Write =>
  write.check(
    keys.one(work, 'ASSET', id),
    () => errors.assetDecommissioned(),
    noneOf('status', ['decommissioned']),
  );

/** Creates an inspection with the rows that depend on it, and the first entry of its history. */
export const inspectionCreation = (work: Work, inspection: StoredInspection): Write[] => [
  ...resource.create(inspectionRecords, work, inspection),
  ...(inspection.asset_id ? [assetInService(work, inspection.asset_id)] : []),
  ...visitTasks(work, undefined, inspection),
  ...activityWrites(work, inspection.id, activityOf(undefined, inspection)),
];

/** What an inspection is of, which its findings and actions follow. */
export const PLACING = ['client_account_id', 'location_id', 'asset_id'] as const;

/** The inspection still is of what it was read to be of: what is added to it is listed under that. */
export const isPlaced = (inspection: Pick<StoredInspection, (typeof PLACING)[number]>): Condition =>
  hasValues(pick(inspection, PLACING));

/**
 * The inspection is as it was read: its version, whether it is kept, which its client account counts, and what else the
 * decision depends on.
 */
export const isUnchanged = (
  before: StoredInspection,
  also: readonly (
    | 'answers_revision'
    | 'findings_count'
    | 'findings_revision'
    | 'parts_revision'
    | 'worked_by'
  )[] = [],
): Condition =>
  hasValues(
    Object.fromEntries((['version', 'is_kept', ...also] as const).map((name) => [name, before[name]])),
  );

/**
 * Deletes an inspection with everything that follows from it. The rows below it are not included. They may use the same
 * documents, and a transaction can write a document only once, so the caller combines the counts.
 */
export const inspectionRemoval = (work: Work, row: Row<StoredInspection>): Write[] => {
  const before = withoutKeys(row);
  const guard = isUnchanged(before, ['answers_revision', 'parts_revision']);
  return [
    ...resource.remove(inspectionRecords, work, before, guard),
    ...visitTasks(work, before, undefined),
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

/** Adds the caller to those who have worked on an inspection, in an update of its row. */
const working = (work: Work): write.Changes['insert'] => {
  const workers = workersOf(work);
  return workers.size > 0 ? { worked_by: workers } : undefined;
};

/** The inspection, which no cascade deletes once it was completed, approved or signed. */
const keptOnce = (inspection: StoredInspection): StoredInspection => {
  const { completed_at, approved_at, signatures } = inspection;
  const isToKeep = completed_at !== null || approved_at !== null || signatures.length > 0;
  return isToKeep ? { ...inspection, is_kept: true } : inspection;
};

/** How a change of an inspection depends on what others do meanwhile, and what it is. */
export interface ChangeOptions {
  /** Whether the change fails when an answer was saved since the state was read. */
  withAnswers?: boolean | undefined;
  /** Whether the change is work on the inspection, so that the caller does not approve it. */
  isWork?: boolean | undefined;
  /** Whether the change is an approval: it fails when somebody has worked on it since the state was read. */
  isApproval?: boolean | undefined;
}

/**
 * Changes an inspection from the state that was read to the next one: its row, the rows that depend on it, and its
 * history. When it moves, a task lets its findings and actions follow.
 */
export const inspectionChange = (
  work: Work,
  before: StoredInspection,
  after: StoredInspection,
  { withAnswers, isWork, isApproval }: ChangeOptions = {},
): Write[] => {
  const isMoved = PLACING.some((field) => before[field] !== after[field]);
  return [
    ...resource.update(
      inspectionRecords,
      work,
      before,
      keptOnce(after),
      isUnchanged(before, [
        ...(withAnswers ? (['answers_revision'] as const) : []),
        ...(isApproval ? (['worked_by'] as const) : []),
        ...(isMoved ? (['findings_count'] as const) : []),
      ]),
      isWork ? working(work) : undefined,
    ),
    ...(isMoved && before.findings_count > 0
      ? [enqueue(work, 'cleanup', { moved_inspection_id: before.id })]
      : []),
    ...visitTasks(work, before, after),
    ...issueEntry(work, before, after),
    ...activityWrites(work, after.id, activityOf(before, after)),
  ];
};

/** The write that counts an inspection as kept at its client account; none without one. */
export const keepingWrites = (work: Work, before: StoredInspection): Write[] =>
  resource.follow(inspectionRecords, work, before, { ...before, is_kept: true });

/** Adds entries to an inspection's history, in the transaction of the change that they describe. */
export const activityWrites = (
  work: Work,
  inspectionId: string,
  entries: readonly NewInspectionActivity[],
): Write[] =>
  entries.map((entry) => {
    const id = uuidv7();
    return write.create({
      ...keys.inspectionActivity(work, inspectionId, id),
      from: null,
      to: null,
      user_ids: [],
      correction_id: null,
      report_id: null,
      document_ids: [],
      comment: '',
      ...entry,
      id,
      actor_id: work.user_id || null,
      key_id: isKey(work) ? work.key_id : null,
      ...viaKey(work),
      at: work.now,
      updated_at: work.now,
    });
  });

type Counters =
  | 'answered'
  | 'required'
  | 'total'
  | 'answers_revision'
  | 'correction_revisions'
  | 'findings_count'
  | 'findings_revision'
  | 'open_corrective_actions_count'
  | 'parts_revision'
  | 'reinspections_count';

/**
 * Changes counters in the inspection's row, in the transaction of an answer or a finding. This write conflicts with a
 * step that locks the inspection, and one of the two is decided again.
 * @param options.isWork whether the change is work on the inspection, so that the caller does not approve it
 * @param options.is_kept that no cascade deletes the inspection any more; with `keepingWrites`
 */
export const addToCounters = (
  work: Work,
  inspectionId: string,
  add: Partial<Pick<StoredInspection, Counters>>,
  condition: Condition,
  { isWork, is_kept }: { isWork?: boolean; is_kept?: true | undefined } = {},
): Write =>
  write.update(
    inspectionRecords.key(work, inspectionId),
    { set: { updated_at: work.now, is_kept }, add, insert: isWork ? working(work) : undefined },
    condition,
  );

/** The inspection exists and has none of these statuses. */
export const statusIsNot = (...statuses: InspectionStatus[]): Condition => noneOf('status', statuses);

/** Findings and actions can be worked on after the inspection is completed, but not once it is archived. */
export const isUnarchived = statusIsNot('archived');

/** @throws ApiError 409 for an archived inspection */
export const expectUnarchived = ({ status }: Pick<StoredInspection, 'status'>): void => {
  if (status === 'archived') throw errors.inspectionLocked(status);
};

/**
 * A finding or action by its own id, with its inspection and other rows that the caller needs. Two calls.
 * @throws ApiError 404
 */
export const readChild = async <
  K extends 'FINDING' | 'ACTION',
  const Others extends readonly (Key | undefined)[] = readonly [],
>(
  caller: Caller,
  kind: K,
  id: string,
  ...also: Others
): Promise<{ child: Row<Children[K]>; inspection: Row<StoredInspection>; others: RowsAt<Others> }> => {
  const noun = kind === 'FINDING' ? 'finding' : 'corrective action';
  const found = await getRow(caller, keys.reference(caller, kind, id));
  if (!found) throw errors.notFound(noun);
  const { inspection_id } = found;
  const [child, inspection, ...others] = await getRows(caller, [
    keys.child(caller, inspection_id, kind, id),
    inspectionRecords.key(caller, inspection_id),
    ...also,
  ]);
  if (!child || !inspection) throw errors.notFound(noun);
  return { child, inspection, others };
};

/** A field of an inspection's content. @throws ApiError 400 for an unknown field, or one of another section */
export const placeOf = (index: ContentIndex, fieldId: string, sectionId?: string | null): FieldPlace => {
  const place = index.fields.get(fieldId);
  if (!place) throw errors.notInTemplate('field_id is not a field of this inspection');
  if (sectionId && place.section.id !== sectionId) {
    throw errors.notInTemplate('section_id is not the section of this field');
  }
  return place;
};
