import type { Caller } from '../../base/caller.ts';
import { isAble, mayKeysDecide } from '../../domain/members.ts';
import { addDuration } from '../../domain/recurrence/index.ts';
import type { DueOccurrence } from '../../domain/schedules/plan.ts';
import type { FieldFor } from '../../schemas/inspections/fields.ts';
import type { Participant } from '../../schemas/inspections/inspection.ts';
import type { ScheduleProblem } from '../../schemas/schedules/schedule.ts';
import { inspectionCreation } from '../inspection-core/inspection-record.ts';
import { creationEvents, fieldsOfFamily, numberedInspection } from '../inspections/create.ts';
import { notices } from '../inspections/edit.ts';
import * as members from '../members/members.ts';
import type { Work } from '../table/change.ts';
import type { StoredFamily, StoredInspection } from '../table/entities/inspections.ts';
import type { StoredLocation, StoredMember } from '../table/entities/organization.ts';
import type { CreatedOccurrence, StoredSchedule } from '../table/entities/schedules.ts';
import { Overtaken } from '../table/job.ts';
import { type Key, keys } from '../table/keys.ts';
import { readRows } from '../table/rows.ts';
import { nextNumbers } from '../table/single-write.ts';
import * as write from '../table/writes.ts';
import { combineCounts, type Write } from '../table/writes.ts';
import { familyRecords, statusOf } from '../templates/family-record.ts';

/*
 * How the inspections of an occurrence are created. An occurrence has one inspection at each location of its schedule, or
 * a single one when the schedule has no locations.
 */

/** The id of a location where an occurrence has an inspection; null for the only one of a schedule without locations. */
type LocationId = string | null;

/** The resources from which the inspections of an occurrence are made. */
export interface Prerequisites {
  family: StoredFamily;
  assignees: readonly StoredMember[];
  /** The client account of each location, by the location's id. */
  clientOf: ReadonlyMap<LocationId, string | null>;
  /** The locations that have their inspection already. */
  created: ReadonlySet<LocationId>;
}

/** Why no inspection can be created. */
export type Obstacle = Pick<ScheduleProblem, 'kind' | 'resource_id' | 'message'>;

/** Whether the inspections of an occurrence can be created: why not, or from what. */
type Readiness =
  | { isArchived: true }
  | { isArchived: false; obstacle: Obstacle }
  | { isArchived: false; obstacle: undefined; prerequisites: Prerequisites };

/** The locations of an occurrence, in their order. */
export const locationsOf = ({ location_ids }: StoredSchedule): LocationId[] =>
  location_ids.length > 0 ? location_ids : [null];

/**
 * Reads everything that the inspections of an occurrence need. One call for each hundred rows.
 * @param date the occurrence's
 * @param assigneeIds the occurrence's assignees
 */
export const readPrerequisites = async (
  caller: Caller,
  schedule: StoredSchedule,
  date: string,
  assigneeIds: readonly string[],
): Promise<Readiness> => {
  const { id, template_family_id, client_account_id, location_ids, approver_id } = schedule;
  const familyKey = familyRecords.key(caller, template_family_id);
  const clientKeys = client_account_id === null ? [] : [keys.one(caller, 'CLIENT', client_account_id)];
  const approverKeys = approver_id === null ? [] : [members.key(caller, approver_id)];
  const assigneeKeys = assigneeIds.map((userId) => members.key(caller, userId));
  const locationKeys: Key<StoredLocation>[] = location_ids.map((each) => keys.one(caller, 'LOCATION', each));
  const locationIds = locationsOf(schedule);
  const createdKeys: Key<CreatedOccurrence>[] = locationIds.map((locationId) =>
    keys.occurrence(caller, id, date, locationId),
  );
  const rowsOf = await readRows(caller, [
    familyKey,
    ...clientKeys,
    ...approverKeys,
    ...assigneeKeys,
    ...locationKeys,
    ...createdKeys,
  ]);
  const [family] = rowsOf([familyKey]);
  if (family && family.archived_at !== null) return { isArchived: true };
  const assignees = rowsOf(assigneeKeys);
  const locations = rowsOf(locationKeys);
  const leaver = assigneeIds.find((_, position) => !isAble('inspect', assignees[position]));
  const gone = location_ids.find((_, position) => !locations[position]);
  const obstacle = ((): Obstacle | undefined => {
    if (!family || statusOf(family) !== 'published') {
      const message = 'The template family has no published version.';
      return { kind: 'template_not_initiable', resource_id: template_family_id, message };
    }
    if (client_account_id !== null && !rowsOf(clientKeys)[0]) {
      const message = 'The client account does not exist any more.';
      return { kind: 'client_account_gone', resource_id: client_account_id, message };
    }
    if (gone !== undefined) {
      return { kind: 'location_gone', resource_id: gone, message: 'A location does not exist any more.' };
    }
    if (leaver !== undefined) {
      const message = 'An assignee cannot carry out inspections any more.';
      return { kind: 'assignee_left', resource_id: leaver, message };
    }
    const { requires_approval, settings } = family;
    const isForKeys = mayKeysDecide({ requires_approval, approval: settings.approval });
    if (approver_id !== null && !isAble('approve', rowsOf(approverKeys)[0], isForKeys)) {
      const message = 'The approver cannot approve inspections any more.';
      return { kind: 'approver_left', resource_id: approver_id, message };
    }
    return undefined;
  })();
  if (obstacle) return { isArchived: false, obstacle };
  const created = rowsOf(createdKeys);
  return {
    isArchived: false,
    obstacle: undefined,
    prerequisites: {
      family: family!,
      assignees: assignees.flatMap((member) => member ?? []),
      clientOf: new Map(
        locations.map((location, position) => [
          location_ids[position]!,
          client_account_id ?? location?.client_account_id ?? null,
        ]),
      ),
      created: new Set(locationIds.filter((_, position) => created[position])),
    },
  };
};

/** The times of an inspection: when it starts, when it is due, and when it is missed. */
export const timesFrom = (
  { window, recurrence }: Pick<StoredSchedule, 'window' | 'recurrence'>,
  starts_at: string,
): Pick<StoredInspection, 'scheduled_for' | 'due_at' | 'missed_after'> => ({
  scheduled_for: starts_at,
  due_at: addDuration(starts_at, window.due_after, recurrence.timezone),
  missed_after: window.miss_after && addDuration(starts_at, window.miss_after, recurrence.timezone),
});

/** An assignee as a participant of a new inspection. */
export const assignedParticipant = (user_id: string, name: string): Participant => ({
  user_id,
  name,
  role: 'inspector',
  section_ids: [],
  status: 'assigned',
  submitted_at: null,
  reopened_at: null,
});

/** Writes of one transaction that are left for the schedule and its event. */
const RESERVED_WRITES = 4;
const MAX_WRITES = 100 - RESERVED_WRITES;

/** The inspection of an occurrence at a location. */
const inspectionAt = (
  work: Work,
  schedule: StoredSchedule,
  due: DueOccurrence,
  locationId: LocationId,
  { family, assignees, clientOf }: Prerequisites,
  number: number,
): StoredInspection =>
  numberedInspection(work, number, {
    ...fieldsOfFamily(family),
    ...({
      ...timesFrom(schedule, due.starts_at),
      name: schedule.title,
      client_account_id: locationId === null ? schedule.client_account_id : clientOf.get(locationId)!,
      location_id: locationId,
      schedule_id: schedule.id,
      occurrence_date: due.occurrence_date,
      participants: assignees.map(({ user_id, name }) => assignedParticipant(user_id, name)),
      approver_id: schedule.approver_id,
      created_by: schedule.created_by,
    } satisfies Pick<StoredInspection, FieldFor<'schedule'>>),
    source: 'schedule',
  });

/**
 * The rows of one inspection. Its occurrence row is created only once, so an occurrence has at most one inspection at a
 * location, however many generators work on it.
 */
const writesOf = async (work: Work, inspection: StoredInspection): Promise<Write[]> => {
  const { id, schedule_id, occurrence_date, location_id } = inspection;
  return [
    write.create(
      { ...keys.occurrence(work, schedule_id!, occurrence_date!, location_id), inspection_id: id },
      () => new Overtaken('the occurrence has its inspection already'),
    ),
    ...inspectionCreation(work, inspection),
    ...creationEvents(work, inspection),
    ...(await notices(work, undefined, inspection)),
  ];
};

/**
 * Creates inspections of an occurrence at the first of these locations, as many as fit into one transaction.
 * @param locations not empty; none has its inspection yet
 * @returns the writes, and how many locations they are for
 */
export const nextChunk = async (
  work: Work,
  schedule: StoredSchedule,
  due: DueOccurrence,
  locationIds: readonly LocationId[],
  prerequisites: Prerequisites,
): Promise<{ writes: Write[]; count: number }> => {
  const newWrites = (locationId: LocationId, number: number) =>
    writesOf(work, inspectionAt(work, schedule, due, locationId, prerequisites, number));
  // All inspections of an occurrence need equally many rows, except that one more may count the use of a client account.
  const { length } = await newWrites(locationIds[0]!, 0);
  const count = Math.min(locationIds.length, Math.max(1, Math.floor(MAX_WRITES / (length + 1))));
  const first = await nextNumbers(work, keys.sequence(work, 'INSPECTION'), count);
  const each = await Promise.all(
    locationIds.slice(0, count).map((locationId, position) => newWrites(locationId, first + position)),
  );
  return { writes: combineCounts(each.flat()), count };
};
