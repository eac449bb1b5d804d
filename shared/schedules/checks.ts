import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { Problem } from '../base/problem.ts';
import { mayKeysDecide } from '../domain/members.ts';
import { problems } from '../domain/recurrence/index.ts';
import type { Found } from '../domain/schedules/problems.ts';
import { expectAble } from '../organizations/members/members.ts';
import { isInUse } from '../places/assets/records.ts';
import { isActive, locationRecords } from '../places/locations/records.ts';
import type { Asset } from '../schemas/assets/asset.ts';
import type { HolidayCalendar } from '../schemas/schedules/holiday-calendar.ts';
import type { GivenPlaces, Schedule } from '../schemas/schedules/schedule.ts';
import type { StoredFamily } from '../table/entities/inspections.ts';
import type { StoredClientAccount, StoredLocation, StoredMember } from '../table/entities/organization.ts';
import type { StoredSchedule } from '../table/entities/schedules.ts';
import { type Reference, reference, resolve, type Resolved } from '../table/references.ts';
import { getRows } from '../table/rows.ts';
import type { DaysOff } from './holiday-calendars.ts';
import { MAX_MISSING } from './many-places.ts';

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
export const checkReferences = async (
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
export const expectOneForm = ({
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
export const checkAssets = async (
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
export const checkPlaces = async (
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
export const checkRecurrence = (cycle: Cycle): void => {
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
export const expectSameCycle = (current: StoredSchedule, { after }: StoredSchedule): void => {
  if (Boolean(after) === Boolean(current.after)) return;
  const msg = 'Value error, a schedule keeps its rule or its after; create another one';
  throw errors.validationFailed([{ loc: ['body', 'after'], type: 'value_error', msg, input: after }]);
};

/** @throws ApiError 422 for holidays of no calendar */
export const expectCalendar = ({ on_holiday, calendar_id, places }: DaysOff): void => {
  if (!on_holiday || calendar_id || places?.region_id) return;
  const msg = 'Value error, on_holiday needs a calendar_id, or places with a region_id';
  throw errors.validationFailed([
    { loc: ['body', 'on_holiday'], type: 'value_error', msg, input: on_holiday },
  ]);
};
