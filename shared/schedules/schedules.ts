import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { merge } from '../base/fields.ts';
import type { Problem } from '../base/problem.ts';
import { fold } from '../base/text.ts';
import { mayKeysDecide } from '../domain/members.ts';
import { describe, problems } from '../domain/recurrence/index.ts';
import { describeAfter } from '../domain/schedules/after.ts';
import { inspectsAssets } from '../domain/schedules/assets.ts';
import { initialProgress, passOver, replan } from '../domain/schedules/plan.ts';
import {
  type Found,
  withFound,
  withoutPlaces,
  withoutSolved,
  withTimes,
} from '../domain/schedules/problems.ts';
import { expectAble } from '../organizations/members/members.ts';
import { assetRecords, isInUse } from '../places/assets/records.ts';
import { isActive, locationRecords } from '../places/locations/records.ts';
import { locationsAbove } from '../places/locations/tree.ts';
import type { Asset } from '../schemas/assets/asset.ts';
import type { HolidayCalendar } from '../schemas/schedules/holiday-calendar.ts';
import type {
  ChangedSchedule,
  CreatedInspections,
  CreatedPolicy,
  GivenPlaces,
  NewSchedule,
  Schedule,
  ScheduleChanges,
  ScheduleQuery,
} from '../schemas/schedules/schedule.ts';
import { change } from '../table/change.ts';
import { expectVersion, newResource } from '../table/collection.ts';
import type { StoredFamily } from '../table/entities/inspections.ts';
import type { StoredClientAccount, StoredLocation, StoredMember } from '../table/entities/organization.ts';
import type { StoredSchedule } from '../table/entities/schedules.ts';
import { type Key, keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { type Reference, reference, resolve, type Resolved } from '../table/references.ts';
import * as resource from '../table/resource.ts';
import { follow } from '../table/resource.ts';
import {
  countRows,
  getRow,
  getRows,
  MAX_BATCH_KEYS,
  queryRows,
  type Row,
  withoutKeys,
  withRows,
} from '../table/rows.ts';
import type { CreatedTask } from '../table/tasks.ts';
import { findReserved } from '../table/unique.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { familyRecords, initiableVersion } from '../templates/family-records.ts';
import { changeCreated, countCreated, createdTask, enqueued } from './created.ts';
import {
  includes,
  inspects,
  listedPlaces,
  MAX_MISSING,
  placesDeletion,
  placesWrites,
  storedPlaces,
} from './many-places.ts';
import {
  clientChange,
  EXTERNAL_REF,
  KIND,
  rowOf,
  scheduleEvent,
  scheduleJob,
  scheduleRecords,
  toSchedule,
  withOutlook,
} from './records.ts';

/** The resources that a schedule refers to. */
type ScheduleReferences = Pick<
  Schedule,
  'template_family_id' | 'client_account_id' | 'location_ids' | 'assignee_ids' | 'approver_id'
> &
  Pick<StoredSchedule, 'calendar_id'>;

/** @throws ApiError 400 naming the field of an assignee who cannot carry out inspections, or would approve them */
export const checkAssignees = (assigned: readonly StoredMember[], approverId: string | null): void => {
  for (const [position, member] of assigned.entries()) {
    const field = `assignee_ids.${position}`;
    expectAble(field, member, 'inspect');
    if (member.user_id === approverId) throw errors.approverTakesPart(field);
  }
};

export const assigneeReferences = (caller: Caller, userIds: readonly string[]): Reference<StoredMember>[] =>
  userIds.map((id, position) => reference(caller, `assignee_ids.${position}`, 'MEMBER', id));

type References = readonly [
  family: Reference<StoredFamily>,
  client: Reference<StoredClientAccount> | undefined,
  approver: Reference<StoredMember> | undefined,
  calendar: Reference<HolidayCalendar> | undefined,
  ...others: Reference<StoredLocation | StoredMember>[],
];

/**
 * Checks the resources that a schedule refers to, and reads its template family. Unchanged ones are not checked again:
 * an assignee who has left must not keep others from changing the title.
 * @param current the schedule before the change; undefined for a new one
 * @returns the template family, and those of the locations that are inactive, as far as they were read
 * @throws ApiError 400 for a resource that does not exist, a member who may not take this part, or a location of
 *   another client account
 */
const checkReferences = async (
  caller: Caller,
  next: ScheduleReferences,
  current?: ScheduleReferences,
): Promise<{ family: StoredFamily; inactive: Found[] }> => {
  const { template_family_id, client_account_id, location_ids, assignee_ids, approver_id, calendar_id } =
    next;
  const isSame = (field: keyof ScheduleReferences) => String(next[field]) === String(current?.[field]);
  const isSamePlace = current !== undefined && isSame('client_account_id') && isSame('location_ids');
  const locations = isSamePlace
    ? []
    : location_ids.map((id, position) => reference(caller, `location_ids.${position}`, 'LOCATION', id));
  const assignees = current && isSame('assignee_ids') ? [] : assigneeReferences(caller, assignee_ids);
  const isSameCalendar = current !== undefined && isSame('calendar_id');
  const isSameApprover = current !== undefined && isSame('approver_id');
  const references: References = [
    reference(caller, 'template_family_id', 'FAMILY', template_family_id),
    isSamePlace ? undefined : reference(caller, 'client_account_id', 'CLIENT', client_account_id),
    isSameApprover ? undefined : reference(caller, 'approver_id', 'MEMBER', approver_id),
    isSameCalendar ? undefined : reference(caller, 'calendar_id', 'HOLIDAYS', calendar_id),
    ...locations,
    ...assignees,
  ];
  const [family, , approver, , ...others]: Resolved<References> = await resolve(caller, references);
  // The rows stand in the order of their references.
  const placed = others.slice(0, locations.length) as StoredLocation[];
  const assigned = others.slice(locations.length) as StoredMember[];
  for (const [position, { client_account_id: owner }] of placed.entries()) {
    if (client_account_id && owner && owner !== client_account_id) {
      throw errors.otherClientAccount(`location_ids.${position}`);
    }
  }
  checkAssignees(assigned, approver_id);
  if (approver) {
    const { requires_approval, settings } = family;
    const isForKeys = mayKeysDecide({ requires_approval, approval: settings.approval });
    expectAble('approver_id', approver, 'approve', isForKeys);
    if (assignee_ids.includes(approver.user_id)) throw errors.approverTakesPart('approver_id');
  }
  const inactive = placed.filter((location) => !isActive(location));
  return {
    family,
    inactive: inactive.map(({ id }) => ({ kind: 'location_inactive', resource_id: id })),
  };
};

/** @throws ApiError 422 for a schedule that names its places in two ways */
const expectOneForm = ({
  location_ids,
  asset_ids,
  places,
}: Pick<Schedule, 'location_ids' | 'asset_ids'> & { places?: object | null | undefined }): void => {
  const given = [
    location_ids.length > 0 && 'location_ids',
    asset_ids.length > 0 && 'asset_ids',
    places && 'places',
  ].filter((name) => typeof name === 'string');
  if (given.length < 2) return;
  const msg = `Value error, either ${given.join(' or ')}`;
  const name = given.at(-1)!;
  throw errors.validationFailed([
    { loc: ['body', name], type: 'value_error', msg, input: name === 'places' ? places : asset_ids },
  ]);
};

/**
 * Checks the assets of a schedule. One call for each hundred, and one for their locations.
 * @returns the locations of assets that are inactive
 * @throws ApiError 400 for an asset that does not exist, or is at a location of another client account than the
 *   schedule's; 409 for a decommissioned one
 */
const checkAssets = async (
  caller: Caller,
  { asset_ids, client_account_id: clientId }: Pick<Schedule, 'asset_ids' | 'client_account_id'>,
): Promise<Found[]> => {
  const assets: Asset[] = await resolve(
    caller,
    asset_ids.map((id, position) => reference(caller, `asset_ids.${position}`, 'ASSET', id)),
  );
  if (!assets.every(isInUse)) throw errors.assetDecommissioned();
  const ids = [...new Set(assets.flatMap(({ location_id }) => location_id ?? []))];
  const rows = await getRows(
    caller,
    ids.map((id) => locationRecords.key(caller, id)),
  );
  const locations = new Map(rows.flatMap((row) => (row ? [[row.id, row]] : [])));
  for (const [position, { location_id }] of assets.entries()) {
    const owner = locations.get(location_id ?? '')?.client_account_id;
    if (clientId && owner && owner !== clientId) throw errors.otherClientAccount(`asset_ids.${position}`);
  }
  const inactive = [...locations.values()].filter((location) => !isActive(location));
  return inactive.map(({ id }) => ({ kind: 'location_inactive', resource_id: id }));
};

/**
 * Checks the places of a schedule. One call for each hundred.
 * @returns those of the listed ones that are inactive
 * @throws ApiError 400 for a location or client account that does not exist, or a location of another client account
 *   than the schedule's
 */
const checkPlaces = async (
  caller: Caller,
  given: GivenPlaces | null,
  { client_account_id: clientId }: Pick<Schedule, 'client_account_id'>,
): Promise<Found[]> => {
  if (!given) return [];
  const { location_ids: listed = [], client_account_id, within, region_id, asset_kind_id } = given;
  const [, top, , , ...places] = await resolve(caller, [
    reference(caller, 'places.client_account_id', 'CLIENT', client_account_id),
    reference(caller, 'places.within', 'LOCATION', within),
    reference(caller, 'places.region_id', 'REGION', region_id),
    reference(caller, 'places.asset_kind_id', 'ASSET_KIND', asset_kind_id),
    ...listed.map((id, position) => reference(caller, `places.location_ids.${position}`, 'LOCATION', id)),
  ]);
  const isOther = (owner: string | null | undefined, wanted: string | null | undefined) =>
    Boolean(owner && wanted && owner !== wanted);
  if (isOther(client_account_id, clientId)) throw errors.otherClientAccount('places.client_account_id');
  const wanted = clientId ?? client_account_id;
  if (top && isOther(top.client_account_id, wanted)) throw errors.otherClientAccount('places.within');
  for (const [position, { client_account_id: owner }] of places.entries()) {
    if (isOther(owner, clientId)) throw errors.otherClientAccount(`places.location_ids.${position}`);
  }
  return places
    .filter((location) => !isActive(location))
    .slice(0, MAX_MISSING)
    .map(({ id }) => ({ kind: 'location_inactive', resource_id: id }));
};

/** What decides when a schedule creates inspections, as a request gives it. */
type Cycle = Pick<Schedule, 'recurrence' | 'location_ids' | 'asset_ids'> &
  Partial<Pick<Schedule, 'after' | 'on_holiday'>> & { places?: object | null };

/** Why `after` does not fit the rest of a schedule; undefined when it does. */
const misfitOf = ({
  recurrence,
  after,
  location_ids,
  asset_ids,
  places,
  on_holiday,
}: Cycle): string | undefined => {
  if (!after) return undefined;
  if (recurrence.rrule !== '') return 'either recurrence.rrule or after';
  if (location_ids.length + asset_ids.length === 0 && !places) return 'after needs locations or assets';
  return on_holiday === 'skip'
    ? 'after needs another on_holiday, because a place has one next date'
    : undefined;
};

/**
 * @throws ApiError 422 for a rule that is missing, cannot be read or never occurs, and for an `after` that does not fit
 */
const checkRecurrence = (cycle: Cycle): void => {
  const { recurrence, after = null } = cycle;
  const misfit = misfitOf(cycle);
  const found: Problem[] = misfit
    ? [{ loc: ['body', 'after'], type: 'value_error', msg: `Value error, ${misfit}`, input: after }]
    : after
      ? []
      : problems(recurrence);
  if (found.length > 0) throw errors.validationFailed(found);
};

/** @throws ApiError 422 when a schedule with a rule would count from the last visit, or the other way round */
const expectSameCycle = (current: StoredSchedule, { after }: StoredSchedule): void => {
  if (Boolean(after) === Boolean(current.after)) return;
  const msg = 'Value error, a schedule keeps its rule or its after; create another one';
  throw errors.validationFailed([{ loc: ['body', 'after'], type: 'value_error', msg, input: after }]);
};

/** A schedule in words. */
const inWords = ({ recurrence, after }: Pick<StoredSchedule, 'recurrence' | 'after'>): string =>
  after ? describeAfter(after, { recurrence }) : describe(recurrence);

/** @throws ApiError 422 for holidays of no calendar */
const expectCalendar = ({
  on_holiday,
  calendar_id,
  places,
}: Pick<StoredSchedule, 'on_holiday' | 'calendar_id'> & {
  places?: { region_id?: string | null | undefined } | null;
}): void => {
  if (!on_holiday || calendar_id || places?.region_id) return;
  const msg = 'Value error, on_holiday needs a calendar_id, or places with a region_id';
  throw errors.validationFailed([
    { loc: ['body', 'on_holiday'], type: 'value_error', msg, input: on_holiday },
  ]);
};

/** The 422 of a schedule without any occurrence ahead. */
const neverOccurs = (recurrence: Schedule['recurrence']) =>
  errors.validationFailed([
    {
      loc: ['body', 'recurrence', 'rrule'],
      type: 'value_error',
      msg: 'Value error, the rule does not occur any more within starts_on and ends_on',
      input: recurrence.rrule,
    },
  ]);

/**
 * Creates a schedule. It creates inspections for occurrences that start from now on.
 * @throws ApiError 422 for a rule that cannot be read or has no occurrence ahead; 400 as `checkReferences`; 409 for a
 *   family that is not published, or an external_ref that is in use
 */
export const create = (caller: Caller, { places, ...request }: NewSchedule): Promise<Schedule> =>
  change(caller, async (work) => {
    checkRecurrence({ ...request, places });
    expectOneForm({ ...request, places });
    expectCalendar({ ...request, places });
    const { family, inactive } = await checkReferences(work, request);
    const inactivePlaces = [
      ...(await checkPlaces(work, places, request)),
      ...(await checkAssets(work, request)),
    ];
    initiableVersion(family);
    const fields: StoredSchedule = newResource(work, {
      ...request,
      places: places && storedPlaces(places),
      org_id: caller.org_id,
      description: inWords(request),
      status: 'active' as const,
      next_occurrence_at: null,
      last_generated_at: null,
      generated_count: 0,
      overrides: [],
      created_by: caller.user_id,
      // Who asks for it sees them in the reply, and is not told as well.
      problems: withTimes([...inactive, ...inactivePlaces], [], work.now),
      ...initialProgress(request, work.now),
      restored: [],
      turn: 0,
      ...(request.after && { enrol_at: work.now, after_revision: 1 }),
    });
    const schedule = withOutlook(fields, work.now);
    if (schedule.status === 'ended') throw neverOccurs(request.recurrence);
    return {
      writes: [
        write.create<object>(rowOf(work, schedule)),
        ...follow(scheduleRecords, work, undefined, schedule),
        ...placesWrites(work, schedule.id, places?.location_ids ?? []),
        scheduleEvent(work, 'schedule.created', schedule),
      ],
      reply: toSchedule(schedule, family, places?.location_ids),
    };
  });

/** The fields that decide which occurrences there are, and where. */
const PLANNED_BY = [
  'recurrence',
  'starts_on',
  'ends_on',
  'location_ids',
  'asset_ids',
  'places',
  'timezone',
  'calendar_id',
  'on_holiday',
  'after',
] as const;

/** The fields that move the next visits of a schedule with `after`, beside these. */
const VISITED_BY = [...PLANNED_BY, 'window', 'create_ahead_days', 'status'] as const;

/** A schedule with `after` looks at its places again when a change moves their next visits. */
export const enrolledAgain = (current: StoredSchedule, next: StoredSchedule, now: string): StoredSchedule =>
  !next.after || VISITED_BY.every((field) => isDeepStrictEqual(next[field], current[field]))
    ? next
    : { ...next, enrol_at: now, after_revision: (current.after_revision ?? 1) + 1 };

/**
 * The schedule after a request: paused, resumed, or with other occurrences ahead. It does not make up for occurrences
 * that it missed while it was paused or had ended.
 * @throws ApiError 409 for a status that a schedule without any occurrence ahead cannot have
 */
const replanned = (
  current: StoredSchedule,
  merged: StoredSchedule,
  wanted: ScheduleChanges['status'],
  now: string,
): StoredSchedule => {
  const isSamePlan = PLANNED_BY.every((field) => isDeepStrictEqual(merged[field], current[field]));
  const next = isSamePlan ? merged : replan(merged, now);
  if (current.status === 'active') return { ...next, status: wanted ?? 'active' };
  if (current.status === 'paused') {
    return wanted === 'active' ? passOver({ ...next, status: 'active' }, now) : next;
  }
  if (wanted === undefined && isSamePlan) return next;
  const revived: StoredSchedule = passOver({ ...next, status: 'active' }, now);
  const isOver = withOutlook(revived, now).status === 'ended';
  if (wanted !== undefined && isOver) throw errors.scheduleEnded();
  return isOver ? next : { ...revived, status: wanted ?? 'active' };
};

/** @param places those of a request; undefined where it leaves them out */
const withPlaces = (schedule: StoredSchedule, places: GivenPlaces | null | undefined): StoredSchedule =>
  places === undefined || (places === null && !schedule.places)
    ? schedule
    : { ...schedule, places: places && storedPlaces(places) };

/** What a request says about the inspections that a schedule has created. */
interface CreatedQuery {
  created: CreatedPolicy;
  /** Whether it only asks what would change. */
  dry_run: boolean;
}

/** Goes on with inspections that were created, in the request itself. A worker does the rest, and what this does not reach. */
const beginTask = async (caller: Caller, task: CreatedTask | undefined): Promise<void> => {
  if (task) await changeCreated(caller, task);
};

/**
 * Changes a schedule, and the inspections that it has created as the request says. A request that changes nothing
 * writes nothing.
 * @throws ApiError 404; 422 for a rule that cannot be read or never occurs; 400 as `checkReferences`; 409 for another
 *   version, a family that is not published, an external_ref in use, or a status that is not possible
 */
export const update = async (
  caller: Caller,
  id: string,
  { status, places, ...changes }: ScheduleChanges,
  { created, dry_run }: CreatedQuery,
  expectedVersion?: number,
): Promise<ChangedSchedule> => {
  let task: CreatedTask | undefined;
  const reply = await change<ChangedSchedule>(caller, async (work) => {
    const current = withoutKeys(await scheduleRecords.get(work, id));
    const merged = withPlaces(merge(current, changes), places);
    expectOneForm(merged);
    expectCalendar(merged);
    const { family, inactive } = await checkReferences(work, merged, current);
    const isOther = (name: 'places' | 'asset_ids' | 'client_account_id') =>
      !isDeepStrictEqual(merged[name], current[name]);
    const isOtherPlaces = isOther('places');
    const inactivePlaces = [
      ...(isOtherPlaces ? await checkPlaces(work, places ?? null, merged) : []),
      ...(isOther('asset_ids') || isOther('client_account_id') ? await checkAssets(work, merged) : []),
    ];
    expectVersion(scheduleRecords.noun, current, expectedVersion);
    const isOtherRule = !isDeepStrictEqual(merged.recurrence, current.recurrence);
    expectSameCycle(current, merged);
    if (isOtherRule || merged.after) checkRecurrence(merged);
    if (merged.template_family_id !== current.template_family_id) initiableVersion(family);
    const described = { ...merged, description: inWords(merged) };
    const still = isOtherPlaces || isOther('asset_ids') ? withoutPlaces(described) : described;
    const named = withFound(withoutSolved(still), [...inactive, ...inactivePlaces], work.now);
    const planned = enrolledAgain(current, replanned(current, named, status, work.now), work.now);
    const locationIds = places?.location_ids ?? (await listedPlaces(work, planned));
    if (dry_run) {
      const shown = toSchedule(current, family, await listedPlaces(work, current));
      const created_inspections = await countCreated(work, planned, created);
      return { writes: [], reply: { ...shown, created_inspections } };
    }
    task = createdTask(work, current, created, 'schedule_changed');
    if (isDeepStrictEqual(planned, current))
      return { writes: enqueued(work, task), reply: toSchedule(current, family, locationIds) };
    const { next, writes } = clientChange(work, current, planned);
    const placed = isOtherPlaces ? placesWrites(work, id, places?.location_ids ?? []) : [];
    return {
      writes: [...writes, ...placed, ...enqueued(work, task)],
      reply: toSchedule(next, family, locationIds),
    };
  });
  await beginTask(caller, task);
  return reply;
};

/**
 * Deletes a schedule. The inspections that it has created stay as they are, or are archived. A worker deletes the rows
 * that record which inspections it has created.
 * @returns what it would change, if that is all the request asks
 * @throws ApiError 404; 409 for another version
 */
export const remove = async (
  caller: Caller,
  id: string,
  { created, dry_run }: CreatedQuery,
  expectedVersion?: number,
): Promise<CreatedInspections | undefined> => {
  let task: CreatedTask | undefined;
  const counts = await change<CreatedInspections | undefined>(caller, async (work) => {
    const schedule = withoutKeys(await scheduleRecords.get(work, id));
    expectVersion(scheduleRecords.noun, schedule, expectedVersion);
    if (dry_run) return { writes: [], reply: await countCreated(work, schedule, created) };
    task = createdTask(work, schedule, created, 'schedule_deleted');
    return {
      writes: [
        ...resource.remove(scheduleRecords, work, schedule, scheduleJob.isKnown(schedule)),
        ...placesDeletion(work, schedule),
        scheduleEvent(work, 'schedule.deleted', schedule),
        enqueue(work, 'cleanup', { schedule_id: id }),
        ...enqueued(work, task),
      ],
      reply: undefined,
    };
  });
  await beginTask(caller, task);
  return counts;
};

/** Rows that one transaction deletes. */
const MAX_DELETED = 100;

/**
 * Deletes some rows of a deleted schedule: those of its created occurrences, and of its places.
 * @returns whether there may be more
 */
export const deleteSomeOfSchedule = (caller: Caller, id: string): Promise<boolean> =>
  change(caller, async () => {
    const writes: Write[] = [];
    for (const part of ['OCCURRENCE', 'VISITED'] as const) {
      const rows = queryRows(caller, { ...keys.parts(caller, 'SCHEDULE', id, part), pageSize: MAX_DELETED });
      for await (const row of rows) {
        if (writes.length === MAX_DELETED) break;
        writes.push(write.drop(write.keyOf(row)));
      }
    }
    return { writes, reply: writes.length === MAX_DELETED };
  });

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Schedule> => {
  const schedule = await scheduleRecords.get(caller, id);
  const family = await getRow(caller, familyRecords.key(caller, schedule.template_family_id));
  return toSchedule(schedule, family, await listedPlaces(caller, schedule));
};

type Families = Map<string, Pick<StoredFamily, 'archived_at'> | undefined>;

/** Reads the schedules' families that are not known yet. */
const readFamilies = async (
  caller: Caller,
  schedules: readonly StoredSchedule[],
  known: Families,
): Promise<void> => {
  const ids = [...new Set(schedules.map(({ template_family_id }) => template_family_id))].filter(
    (id) => !known.has(id),
  );
  const rows = await getRows(
    caller,
    ids.map((id) => familyRecords.key(caller, id)),
  );
  for (const [position, id] of ids.entries()) {
    const row = rows[position];
    known.set(id, row && { archived_at: row.archived_at });
  }
};

/**
 * Schedules as they are sent to clients. Each family is read once, in batches.
 * @param count how many schedules the caller takes at most
 */
export const withFamilies = async function* (
  caller: Caller,
  rows: AsyncIterable<Row<StoredSchedule>>,
  count = Infinity,
): AsyncGenerator<{ stored: StoredSchedule; schedule: Schedule }> {
  const families: Families = new Map();
  let batch: StoredSchedule[] = [];
  const ofBatch = async function* () {
    await readFamilies(caller, batch, families);
    for (const stored of batch) {
      yield { stored, schedule: toSchedule(stored, families.get(stored.template_family_id)) };
    }
    batch = [];
  };
  for await (const row of rows) {
    batch.push(withoutKeys(row));
    if (batch.length >= Math.min(count, MAX_BATCH_KEYS)) yield* ofBatch();
  }
  if (batch.length > 0) yield* ofBatch();
};

/** The filters of a list that the query of the rows does not apply, but that of locations. */
const filterOf = ({ status, assignee_id, has_problems, q }: ScheduleQuery) => {
  const statuses = status && new Set(status);
  const text = q && fold(q);
  return (schedule: Schedule): boolean =>
    (!statuses || statuses.has(schedule.status)) &&
    (has_problems === undefined || schedule.problems.length > 0 === has_problems) &&
    (assignee_id === undefined || schedule.assignee_ids.includes(assignee_id)) &&
    (!text || fold(schedule.title).includes(text));
};

/** Whether a schedule has a location. Some calls for the location, and one for each schedule with listed `places`. */
const atLocation = async (
  caller: Caller,
  id: string | undefined,
): Promise<(schedule: StoredSchedule) => Promise<boolean>> => {
  if (id === undefined) return () => Promise.resolve(true);
  const location = await locationRecords.find(caller, id);
  const standing = location && { location, above: await locationsAbove(caller, location) };
  return (schedule) => includes(caller, schedule, id, standing);
};

/** Whether a schedule has an asset. Some calls for its location, and for each schedule with a filter of regions. */
const ofAsset = async (
  caller: Caller,
  id: string | undefined,
): Promise<(schedule: StoredSchedule) => Promise<boolean>> => {
  if (id === undefined) return () => Promise.resolve(true);
  const asset = await assetRecords.find(caller, id);
  if (!asset) return () => Promise.resolve(false);
  const location =
    asset.location_id === null ? undefined : await locationRecords.find(caller, asset.location_id);
  const standing = location && { location, above: await locationsAbove(caller, location) };
  return async (schedule) => inspectsAssets(schedule) && inspects(caller, schedule, asset, standing);
};

const filtered = async function* (
  schedules: AsyncIterable<{ stored: StoredSchedule; schedule: Schedule }>,
  isWanted: (schedule: Schedule) => boolean,
  isThere: (schedule: StoredSchedule) => Promise<boolean>,
): AsyncGenerator<Schedule> {
  for await (const { stored, schedule } of schedules) {
    if (isWanted(schedule) && (await isThere(stored))) yield schedule;
  }
};

/** The rows that a query finds, before the other filters. @param after of the schedule before the first one */
const rowsOf = async function* (
  caller: Caller,
  { template_family_id: family, client_account_id: client, external_ref, updated_since }: ScheduleQuery,
  after: string | undefined,
): AsyncGenerator<Row<StoredSchedule>> {
  const id = external_ref && ((await findReserved(caller, EXTERNAL_REF, external_ref)) ?? 'none');
  yield* queryRows(caller, {
    partition: keys.all(caller, KIND),
    ...(id ? { prefix: id } : { after }),
    updatedSince: updated_since,
    where: {
      template_family_id: family === undefined ? undefined : [family],
      client_account_id: client === undefined ? undefined : [client],
    },
  });
};

/** The same, but only those for which something is missing: two calls for each hundred of these. */
const incompleteRowsOf = async function* (
  caller: Caller,
  {
    template_family_id: family,
    client_account_id: client,
    external_ref,
    updated_since,
    limit,
  }: ScheduleQuery,
  after: string | undefined,
): AsyncGenerator<Row<StoredSchedule>> {
  const count = limit && limit + 1;
  const found = queryRows(caller, {
    partition: keys.incompleteSchedule.partition(caller),
    after,
    pageSize: count,
  });
  const keysOf = ({ sk }: Key): [Key<StoredSchedule>] => [scheduleRecords.key(caller, sk)];
  for await (const [, [row]] of withRows(caller, found, keysOf, count)) {
    const isWanted =
      row &&
      (family === undefined || row.template_family_id === family) &&
      (client === undefined || row.client_account_id === client) &&
      (external_ref === undefined || row.external_ref === external_ref) &&
      (updated_since === undefined || row.updated_at >= updated_since);
    if (isWanted) yield row;
  }
};

/** In creation order. @throws ApiError 422 for a cursor of another list */
export const list = async (caller: Caller, query: ScheduleQuery): Promise<Listing<Schedule>> => {
  const { has_problems, limit } = query;
  const read = has_problems ? incompleteRowsOf : rowsOf;
  const rows = read(caller, query, readCursor(caller, KIND, query));
  const schedules = withFamilies(caller, rows, limit && limit + 1);
  const isAt = await atLocation(caller, query.location_id);
  const isOf = await ofAsset(caller, query.asset_id);
  return listing(
    caller,
    KIND,
    query,
    filtered(schedules, filterOf(query), async (schedule) => (await isAt(schedule)) && isOf(schedule)),
    (schedule) => schedule.id,
    (schedule) => schedule,
  );
};

/**
 * The schedules that have `problems`: their number, and the first ones in creation order.
 * @param most where counting ends
 */
export const incomplete = async (
  caller: Caller,
  { most, limit }: { most: number; limit: number },
): Promise<{ count: number; first: Schedule[] }> => {
  const [count, listed] = await Promise.all([
    countRows(caller, { partition: keys.incompleteSchedule.partition(caller) }, most),
    list(caller, { has_problems: true, limit }),
  ]);
  return { count, first: 'page' in listed ? listed.page : [] };
};
