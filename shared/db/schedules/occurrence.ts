import type { Caller } from '../../base/caller.ts';
import { assignedParticipant } from '../../domain/inspections/workflow.ts';
import { isAble, mayKeysDecide } from '../../domain/members.ts';
import { addDuration } from '../../domain/recurrence/index.ts';
import type { DueOccurrence } from '../../domain/schedules/plan.ts';
import { type Found, isStopping } from '../../domain/schedules/problems.ts';
import type { FieldFor } from '../../schemas/inspections/fields.ts';
import { inspectionCreation } from '../inspection-core/inspection-record.ts';
import { creationEvents, fieldsOfFamily, numberedInspection } from '../inspections/create.ts';
import { notices } from '../inspections/edit.ts';
import { isActive, locationRecords } from '../locations/record.ts';
import * as members from '../members/members.ts';
import type { Work } from '../table/change.ts';
import { noneOf } from '../table/conditions.ts';
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
  /** Those who can carry out inspections. */
  assignees: readonly StoredMember[];
  /** The client account of each location that gets inspections, by the location's id. */
  clientOf: ReadonlyMap<LocationId, string | null>;
  /** The locations that have their inspection already. */
  created: ReadonlySet<LocationId>;
}

/** What was found of the resources that a schedule names. */
export interface Ready {
  isArchived: false;
  problems: Found[];
  /** The names of the locations and members that exist, by their ids. */
  names: ReadonlyMap<string, string>;
  /** Undefined when nothing can be created. */
  prerequisites: Prerequisites | undefined;
}

/** Whether the template family is archived, and otherwise what was found. */
type Readiness = { isArchived: true } | Ready;

const missingLocation = (resource_id: string, location: StoredLocation | undefined): Found[] => {
  if (!location) return [{ kind: 'location_deleted', resource_id }];
  return isActive(location) ? [] : [{ kind: 'location_inactive', resource_id }];
};

/** The assignees of an occurrence. */
const assigneesOf = ({ overrides, assignee_ids }: StoredSchedule, due: DueOccurrence | undefined): string[] =>
  overrides.find(({ occurrence_date }) => occurrence_date === due?.occurrence_date)?.assignee_ids ??
  assignee_ids;

/**
 * Reads everything that the inspections of an occurrence need. One call for each hundred rows.
 * @param due the occurrence; undefined to find what is missing for the schedule
 */
export const readPrerequisites = async (
  caller: Caller,
  schedule: StoredSchedule,
  due: DueOccurrence | undefined,
): Promise<Readiness> => {
  const { id, template_family_id, client_account_id, location_ids, approver_id } = schedule;
  const familyKey = familyRecords.key(caller, template_family_id);
  const clientKeys = client_account_id === null ? [] : [keys.one(caller, 'CLIENT', client_account_id)];
  const approverKeys = approver_id === null ? [] : [members.key(caller, approver_id)];
  const assigneeIds = assigneesOf(schedule, due);
  const memberIds = [...new Set([...schedule.assignee_ids, ...assigneeIds])];
  const memberKeys = memberIds.map((userId) => members.key(caller, userId));
  const locationKeys: Key<StoredLocation>[] = location_ids.map((each) => keys.one(caller, 'LOCATION', each));
  const places: LocationId[] = location_ids.length > 0 ? location_ids : [null];
  const createdKeys: Key<CreatedOccurrence>[] = due
    ? places.map((place) => keys.occurrence(caller, id, due.occurrence_date, place))
    : [];
  const rowsOf = await readRows(caller, [
    familyKey,
    ...clientKeys,
    ...approverKeys,
    ...memberKeys,
    ...locationKeys,
    ...createdKeys,
  ]);
  const [family] = rowsOf([familyKey]);
  if (family && family.archived_at !== null) return { isArchived: true };
  const isClientGone = client_account_id !== null && !rowsOf(clientKeys)[0];
  const mayKeysApprove =
    family !== undefined &&
    mayKeysDecide({
      requires_approval: family.requires_approval,
      approval: family.settings.approval,
    });
  const hasApproverLeft = approver_id !== null && !isAble('approve', rowsOf(approverKeys)[0], mayKeysApprove);
  const memberRows = rowsOf(memberKeys);
  const locations = rowsOf(locationKeys);
  const problems: Found[] = [
    ...(family && statusOf(family) === 'published'
      ? []
      : [{ kind: 'template_not_initiable', resource_id: template_family_id } satisfies Found]),
    ...(isClientGone
      ? [{ kind: 'client_account_gone', resource_id: client_account_id } satisfies Found]
      : []),
    ...(hasApproverLeft ? [{ kind: 'approver_left', resource_id: approver_id } satisfies Found] : []),
    ...location_ids.flatMap((locationId, position) => missingLocation(locationId, locations[position])),
    ...memberIds.flatMap((resource_id, position): Found[] =>
      isAble('inspect', memberRows[position]) ? [] : [{ kind: 'assignee_left', resource_id }],
    ),
  ];
  const names = new Map([
    ...memberRows.flatMap((row): [string, string][] => (row ? [[row.user_id, row.name]] : [])),
    ...locations.flatMap((row): [string, string][] => (row ? [[row.id, row.name]] : [])),
  ]);
  if (problems.some(isStopping)) return { isArchived: false, problems, names, prerequisites: undefined };
  const created = rowsOf(createdKeys);
  const active = locations.flatMap((location) => (location && isActive(location) ? [location] : []));
  return {
    isArchived: false,
    problems,
    names,
    prerequisites: {
      family: family!,
      assignees: memberRows.flatMap((row) =>
        row && isAble('inspect', row) && assigneeIds.includes(row.user_id) ? [row] : [],
      ),
      clientOf: new Map<LocationId, string | null>(
        location_ids.length === 0
          ? [[null, client_account_id]]
          : active.map((location) => [location.id, client_account_id ?? location.client_account_id]),
      ),
      created: new Set(places.filter((_, position) => created[position])),
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
      client_account_id: clientOf.get(locationId)!,
      location_id: locationId,
      schedule_id: schedule.id,
      occurrence_date: due.occurrence_date,
      participants: assignees.map(({ user_id, name }) => assignedParticipant(user_id, name)),
      approver_id: schedule.approver_id,
      created_by: schedule.created_by,
    } satisfies Pick<StoredInspection, FieldFor<'schedule'>>),
    source: 'schedule',
  });

/** Checks that a location was neither deleted nor made inactive since it was read. */
const activeLocation = (work: Work, id: string): Write =>
  write.check(
    locationRecords.key(work, id),
    () => new Overtaken('a location of the schedule is not active any more'),
    noneOf('status', ['inactive']),
  );

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
    ...(location_id === null ? [] : [activeLocation(work, location_id)]),
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
