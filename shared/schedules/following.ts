import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { assignedParticipant } from '../domain/inspections/workflow.ts';
import { isAble } from '../domain/members.ts';
import { isByPlace, occurrenceOn, startAt } from '../domain/schedules/plan.ts';
import { editWrites, notices, takeStep } from '../inspections/edit.ts';
import { inspectionRecords } from '../inspections/rows/inspection-records.ts';
import * as members from '../organizations/members/members.ts';
import { isActive, locationRecords } from '../places/locations/records.ts';
import type { Participant } from '../schemas/inspections/inspection.ts';
import { takeWhatFits, type Work } from '../table/change.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import type { StoredOverride, StoredSchedule } from '../table/entities/schedules.ts';
import { keys } from '../table/keys.ts';
import { getRows, queryRows, withoutKeys } from '../table/rows.ts';
import { combineCounts, type Write } from '../table/writes.ts';
import { holdingOf } from './holiday-calendars.ts';
import { peopleAt, readAble, timesFrom } from './occurrence.ts';

/*
 * When an occurrence gets an override or loses it, the inspections that exist already follow. Each inspection shows
 * whether it still has to change, so a change of many can be interrupted anywhere and completed later.
 */

/** The inspections of an occurrence, without deleted ones. Two calls for each hundred. */
export const inspectionsOf = async (
  caller: Caller,
  { id }: StoredSchedule,
  date: string,
): Promise<StoredInspection[]> => {
  const created = await Array.fromAsync(queryRows(caller, keys.occurrence.range(caller, id, date)));
  const rows = await getRows(
    caller,
    created.map(({ inspection_id }) => inspectionRecords.key(caller, inspection_id)),
  );
  return rows.flatMap((row) => (row ? [withoutKeys(row)] : []));
};

/** @throws ApiError 409 when an inspection was started; archived ones do not count */
export const expectNoneBegun = (inspections: readonly StoredInspection[]): void => {
  const begun = inspections.find(({ status }) => status !== 'archived' && status !== 'scheduled');
  if (begun) throw errors.occurrenceBegun(begun.number, begun.status);
};

/**
 * Checks that an override can still change the inspections of its occurrence: they must be scheduled.
 * @throws ApiError 409 when one was started, or when all are archived and the override moves or reassigns them
 */
export const expectScheduled = (
  inspections: readonly StoredInspection[],
  { action }: Pick<StoredOverride, 'action'>,
): void => {
  expectNoneBegun(inspections);
  const [first] = inspections;
  const isLeftOut = action === 'skip' || action === 'cancel';
  if (first && !isLeftOut && inspections.every(({ status }) => status === 'archived')) {
    throw errors.occurrenceBegun(first.number, first.status);
  }
};

/** The assignees of an inspection: its inspectors. Other participants stay when assignees change. */
export const inspectorsOf = ({ participants }: StoredInspection): string[] =>
  participants.flatMap(({ user_id, role }) => (role === 'inspector' ? [user_id] : []));

export const isSameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id) => other.includes(id));

/** How the inspections of an occurrence must change: by a step, or by other times and assignees. */
type WantedState =
  | { step: 'archive' | 'restore' }
  | {
      starts_at?: string | undefined;
      /** The time zone of the place; null for that of the schedule. */
      zone?: string | null;
      assignee_ids?: readonly string[] | undefined;
    };

/** What of the locations of inspections decides how they change. */
interface Places {
  zoneOf: (inspection: StoredInspection) => string | null;
  /** Those of the people of the location who can carry out inspections, when the schedule assigns them. */
  peopleOf: (inspection: StoredInspection) => string[];
  /** As in `holidays.ts`. */
  heldOn: (date: string) => string | null;
}

/** How an inspection of an occurrence must change: as its override says, or as the rule says once that is deleted. */
const wantedState = (
  schedule: StoredSchedule,
  override: StoredOverride,
  inspection: StoredInspection,
  { zoneOf, peopleOf, heldOn }: Places,
): WantedState => {
  const { action, new_at, assignee_ids, occurrence_date, following } = override;
  const isBack = following === 'rule';
  if (action === 'skip' || action === 'cancel') return { step: isBack ? 'restore' : 'archive' };
  const zone = zoneOf(inspection);
  const own = isBack ? peopleOf(inspection) : [];
  const assigned = own.length > 0 ? own : schedule.assignee_ids;
  const ruled = () =>
    occurrenceOn(schedule, occurrence_date) &&
    startAt(schedule, heldOn(occurrence_date) ?? occurrence_date, null, zone);
  const wanted = () => (isBack ? ruled() : startAt(schedule, occurrence_date, new_at, zone));
  return {
    starts_at: new_at === null ? undefined : wanted(),
    zone,
    assignee_ids: assignee_ids === null ? undefined : isBack ? assigned : assignee_ids,
  };
};

/** Reads the locations of inspections, where the schedule makes a difference between them. */
const placesOf = async (
  caller: Caller,
  schedule: StoredSchedule,
  inspections: readonly StoredInspection[],
): Promise<Places> => {
  const isAlike = !isByPlace(schedule) && schedule.assignees !== 'by_place';
  const ids = new Set(isAlike ? [] : inspections.flatMap(({ location_id }) => location_id ?? []));
  const rows = await getRows(
    caller,
    [...ids].map((id) => locationRecords.key(caller, id)),
  );
  const locations = new Map(rows.flatMap((row) => (row ? [[row.id, row]] : [])));
  const able = await readAble(
    caller,
    [...locations.values()].flatMap((location) => peopleAt(schedule, location)),
  );
  const of = ({ location_id }: StoredInspection) => locations.get(location_id ?? '');
  return {
    heldOn: await holdingOf(caller, schedule),
    zoneOf: (inspection) => of(inspection)?.timezone ?? null,
    peopleOf: (inspection) => {
      const location = of(inspection);
      return location ? peopleAt(schedule, location).filter((id) => able.has(id)) : [];
    },
  };
};

/** Whether an inspection still has to change. One that was started, or archived by a person, never has to. */
const hasToFollow = (
  inspection: StoredInspection,
  wanted: WantedState,
  { created_at }: StoredOverride,
): boolean => {
  const { status, archived_from, archived_at, archive_reason, scheduled_for } = inspection;
  if ('step' in wanted && wanted.step === 'restore') {
    const isLeftOut = status === 'archived' && archived_from === 'scheduled' && !archive_reason;
    return isLeftOut && archived_at! >= created_at;
  }
  if (status !== 'scheduled') return false;
  if ('step' in wanted) return true;
  const { starts_at, assignee_ids } = wanted;
  return (
    (starts_at !== undefined && starts_at !== scheduled_for) ||
    (assignee_ids !== undefined && !isSameSet(inspectorsOf(inspection), assignee_ids))
  );
};

/** The participants after other assignees have taken over. */
export const reassigned = (
  { participants }: StoredInspection,
  assignee_ids: readonly string[],
  nameOf: ReadonlyMap<string, string>,
): Participant[] => {
  const others = participants.filter(
    ({ role, user_id }) => role !== 'inspector' && !assignee_ids.includes(user_id),
  );
  const assigned = assignee_ids.map(
    (id) =>
      participants.find(({ user_id, role }) => user_id === id && role === 'inspector') ??
      assignedParticipant(id, nameOf.get(id)!),
  );
  return [...assigned, ...others];
};

/**
 * The names of these members, by id. Members who may no longer carry out inspections are left out: they get no work.
 */
const namesOf = async (caller: Caller, userIds: readonly string[]): Promise<Map<string, string>> => {
  const rows = await getRows(
    caller,
    userIds.map((id) => members.key(caller, id)),
  );
  return new Map(rows.flatMap((row) => (row && isAble('inspect', row) ? [[row.user_id, row.name]] : [])));
};

/** The same without assignees who may no longer carry out inspections. @param nameOf the names of those who may */
const withAble = (state: WantedState, nameOf: ReadonlyMap<string, string>): WantedState =>
  'assignee_ids' in state
    ? { ...state, assignee_ids: state.assignee_ids?.filter((id) => nameOf.has(id)) }
    : state;

/** The writes that change one inspection as wanted. */
const followingWritesOf = async (
  work: Work,
  schedule: StoredSchedule,
  before: StoredInspection,
  wanted: WantedState,
  nameOf: ReadonlyMap<string, string>,
  inactive: ReadonlySet<string>,
): Promise<Write[]> => {
  if ('step' in wanted && wanted.step === 'restore' && inactive.has(before.location_id ?? '')) {
    // It follows its location from now on, and stays archived as long as that is inactive.
    return editWrites(work, before, { fields: { archive_reason: 'location_inactive' } }).writes;
  }
  if ('step' in wanted) return editWrites(work, before, takeStep(work, wanted.step, before)).writes;
  const { starts_at, zone = null, assignee_ids } = wanted;
  const fields = {
    ...(starts_at !== undefined && timesFrom(schedule, starts_at, zone)),
    ...(assignee_ids !== undefined && { participants: reassigned(before, assignee_ids, nameOf) }),
  };
  const { after, writes } = editWrites(work, before, { fields });
  return [...writes, ...(await notices(work, before, after))];
};

/** The ids of the inactive locations of these inspections. */
const inactiveOf = async (caller: Caller, inspections: readonly StoredInspection[]): Promise<Set<string>> => {
  const ids = new Set(inspections.flatMap(({ location_id }) => location_id ?? []));
  const rows = await getRows(
    caller,
    [...ids].map((id) => locationRecords.key(caller, id)),
  );
  return new Set(rows.flatMap((row) => (row && !isActive(row) ? [row.id] : [])));
};

/** Writes of one transaction that are left for the schedule, its event, uses, and the request's reply. */
const RESERVED_WRITES = 12;
const MAX_WRITES = 100 - RESERVED_WRITES;

/**
 * The writes by which inspections of an occurrence follow its override, or the rule again.
 * @returns as many writes as fit into one transaction, and whether they are all
 */
export const followingWrites = async (
  work: Work,
  schedule: StoredSchedule,
  override: StoredOverride,
  inspections: readonly StoredInspection[],
): Promise<{ writes: Write[]; isAll: boolean }> => {
  if (inspections.length === 0) return { writes: [], isAll: true };
  const places = await placesOf(work, schedule, inspections);
  const states = inspections.map((inspection) => wantedState(schedule, override, inspection, places));
  const assigned = new Set(states.flatMap((state) => ('assignee_ids' in state && state.assignee_ids) || []));
  const nameOf = await namesOf(work, [...assigned]);
  const pending = inspections.flatMap((inspection, position) => {
    const wanted = withAble(states[position]!, nameOf);
    return hasToFollow(inspection, wanted, override) ? [{ inspection, wanted }] : [];
  });
  const restored = pending.filter(({ wanted }) => 'step' in wanted && wanted.step === 'restore');
  const inactive = await inactiveOf(
    work,
    restored.map(({ inspection }) => inspection),
  );
  const changes = await Promise.all(
    pending.map(({ inspection, wanted }) =>
      followingWritesOf(work, schedule, inspection, wanted, nameOf, inactive),
    ),
  );
  let writes: Write[] = [];
  const { isAll } = takeWhatFits(
    changes,
    (next) => combineCounts([...writes, ...next]).length <= MAX_WRITES,
    (next) => {
      writes = combineCounts([...writes, ...next]);
    },
  );
  return { writes, isAll };
};
