import type { Caller } from '../base/caller.ts';
import { addDays, clockOf } from '../domain/recurrence/index.ts';
import { feed, type FeedRow } from '../domain/schedules/feed.ts';
import {
  type PlannedVisit,
  type Present,
  type Projected,
  projection,
  type Span,
  visitRows,
} from '../domain/schedules/projection.ts';
import { isMissed, isOverdue } from '../inspections/rows/inspection-records.ts';
import * as organizations from '../organizations/organizations.ts';
import { isActive, locationRecords } from '../places/locations/records.ts';
import type { Asset } from '../schemas/assets/asset.ts';
import type { CalendarQuery, CalendarRow } from '../schemas/schedules/schedule.ts';
import type { CalendarEntry, StoredSchedule } from '../table/entities/schedules.ts';
import { keys } from '../table/keys.ts';
import { getRow, getRows, MAX_BATCH_KEYS, queryRows, type Row, withRows } from '../table/rows.ts';
import { holdingOf } from './holiday-calendars.ts';
import { withFamilies } from './lists.ts';
import { presentPlaces } from './many-places.ts';
import { assetsAmong, locationsOf, peopleAt, readAble } from './occurrence.ts';
import { KIND, scheduleRecords, toOverride } from './records.ts';
import { enrolledPlaces } from './visits.ts';

const MS_OF_DAY = 86_400_000;

/** A schedule whose occurrences a calendar shows. */
interface ScheduleSource {
  schedule: StoredSchedule;
  isCreating: boolean;
}

/** The rows of the schedules that a calendar is about. */
const scheduleRows = async function* (
  caller: Caller,
  { schedule_id, template_family_id }: CalendarQuery,
): AsyncGenerator<Row<StoredSchedule>> {
  if (schedule_id === undefined) {
    const where = { template_family_id: template_family_id === undefined ? undefined : [template_family_id] };
    yield* queryRows(caller, { partition: keys.all(caller, KIND), where });
    return;
  }
  const row = await getRow(caller, scheduleRecords.key(caller, schedule_id));
  if (row && row.template_family_id === (template_family_id ?? row.template_family_id)) yield row;
};

/** The entries of one schedule, found by the schedule's own list of starts. */
const entriesOfSchedule = async function* (
  caller: Caller,
  scheduleId: string,
  { from, until }: Span,
): AsyncGenerator<CalendarEntry> {
  const range = keys.parts(caller, 'SCHEDULE', scheduleId, 'STARTS');
  const starts = queryRows(caller, { ...range, after: `${range.prefix}${from}` });
  const inSpan = async function* () {
    for await (const { sk, inspection_id } of starts) {
      const startsAt = sk.slice(range.prefix.length, -inspection_id.length - 1);
      if (startsAt >= until) return;
      yield keys.calendarEntry(caller, startsAt, inspection_id);
    }
  };
  for await (const [, [entry]] of withRows(caller, inSpan(), (key) => [key])) if (entry) yield entry;
};

/** The inspections of schedules that start within a span, in the order of their starts. */
const entriesIn = (caller: Caller, query: CalendarQuery, span: Span): AsyncIterable<CalendarEntry> => {
  const { schedule_id, template_family_id, location_id } = query;
  if (schedule_id !== undefined) return entriesOfSchedule(caller, schedule_id, span);
  return queryRows(caller, {
    partition: keys.calendarEntry.partition(caller),
    after: span.from,
    upTo: span.until,
    where: {
      template_family_id: template_family_id === undefined ? undefined : [template_family_id],
      location_id: location_id === undefined ? undefined : [location_id],
    },
  });
};

/**
 * The sequence of an event must increase when its inspection is created. Before that, it is the schedule's version;
 * afterwards it is the inspection's version plus this.
 */
const INSPECTION_SEQUENCE = 1_000_000;

/** A row with a number that increases with every change of what it shows. */
type Numbered = Pick<FeedRow, 'row' | 'sequence'>;

const toRow = (entry: CalendarEntry, source: ScheduleSource | undefined, now: string): CalendarRow => {
  const { inspection_id, schedule_id, occurrence_date, name, starts_at, due_at } = entry;
  const override = source?.schedule.overrides.find((each) => each.occurrence_date === occurrence_date);
  return {
    kind: 'inspection',
    schedule_id: schedule_id!,
    title: name,
    inspection_id,
    occurrence_date,
    starts_at,
    due_at,
    location_id: entry.location_id,
    asset_id: entry.asset_id ?? null,
    assignee_ids: entry.assignee_ids,
    status: entry.status,
    is_overdue: isOverdue(entry, now),
    is_missed: isMissed(entry, now),
    override: override ? toOverride(override) : null,
  };
};

/** An iterator whose next value can be looked at before it is taken. */
const peeking = async <Value>(values: AsyncIterator<Value> | Iterator<Value>) => {
  let next = await values.next();
  return {
    /** Takes values as long as they fulfil a condition. */
    takeWhile: async (isWanted: (value: Value) => boolean): Promise<Value[]> => {
      const taken: Value[] = [];
      while (!next.done && isWanted(next.value)) {
        taken.push(next.value);
        next = await values.next();
      }
      return taken;
    },
  };
};

/** An inspection has the same identity as the projection that it replaces. */
const identityOf = ({ schedule_id, occurrence_date, location_id, asset_id }: CalendarRow): string =>
  [schedule_id, occurrence_date, asset_id ?? location_id].join();

const inOrder = (one: Numbered, other: Numbered): number => {
  const [a, b] = [one, other].map(({ row }) => `${row.starts_at} ${identityOf(row)}`);
  return a! < b! ? -1 : Number(a! > b!);
};

/** Merges inspections and projections day by day, so that memory holds the rows of one day, however many schedules. */
const byDays = async function* (
  inspections: AsyncIterable<Numbered>,
  projections: readonly Iterator<Numbered>[],
  { from, until }: Span,
): AsyncGenerator<Numbered> {
  const sources = await Promise.all(projections.map((each) => peeking(each)));
  const existing = await peeking(inspections[Symbol.asyncIterator]());
  for (let time = Date.parse(from); time < Date.parse(until); time += MS_OF_DAY) {
    const end = new Date(time + MS_OF_DAY).toISOString();
    const isOfDay = ({ row }: Numbered) => row.starts_at < end;
    const rows = await existing.takeWhile(isOfDay);
    const known = new Set(rows.map(({ row }) => identityOf(row)));
    for (const source of sources) {
      rows.push(...(await source.takeWhile(isOfDay)).filter(({ row }) => !known.has(identityOf(row))));
    }
    yield* rows.toSorted(inOrder);
  }
};

/** The places of a schedule as they are now; null for a schedule without any. */
const placesNow = async (caller: Caller, schedule: StoredSchedule): Promise<string[] | null> =>
  (await presentPlaces(caller, schedule)) ??
  [schedule.asset_ids, schedule.location_ids].find((ids) => ids.length > 0) ??
  null;

/**
 * The inspections that a schedule has created by an earlier rule, of occurrences that it would deal with again. A query
 * for each schedule whose rule or places have changed since its last occurrence.
 */
const createdAhead = async (caller: Caller, schedule: StoredSchedule): Promise<Set<string>> => {
  const { id, handled_until, created_until = '' } = schedule;
  if (created_until <= handled_until) return new Set();
  const range = keys.parts(caller, 'SCHEDULE', id, 'OCCURRENCE');
  // The date of an occurrence may be one or two days from that of its start in UTC.
  const after = `${range.prefix}${addDays(handled_until.slice(0, 10), -2)}`;
  const rows = await Array.fromAsync(queryRows(caller, { ...range, after }));
  return new Set(rows.map(({ sk }) => sk));
};

/** A schedule with what of its places and people a calendar needs. */
interface ProjectionSource {
  projected: Projected;
  isCreating: boolean;
  present: Present;
  /** Undefined for a schedule with a rule. */
  visits: PlannedVisit[] | undefined;
}

/** The next visits of a schedule that counts from the last one; undefined for another one. */
const visitsOf = async (caller: Caller, schedule: StoredSchedule): Promise<PlannedVisit[] | undefined> => {
  if (!schedule.after) return undefined;
  const places = await Array.fromAsync(enrolledPlaces(caller, schedule));
  return places.flatMap(({ location_id: place_id, next_on, next_at }) =>
    next_on !== null && next_at !== null ? [{ place_id, next_on, next_at }] : [],
  );
};

/** Reads the locations and people of schedules, each once, a hundred in one call. */
const projectionSources = async (
  caller: Caller,
  sources: readonly ScheduleSource[],
  query: CalendarQuery,
): Promise<ProjectionSource[]> => {
  const placed: (ScheduleSource & {
    places: string[] | null;
    assets: Map<string, Asset> | undefined;
    visits: PlannedVisit[] | undefined;
    created: Set<string>;
    heldOn: Present['heldOn'];
  })[] = [];
  for (const source of sources) {
    const visits = await visitsOf(caller, source.schedule);
    const places = visits?.map(({ place_id }) => place_id) ?? (await placesNow(caller, source.schedule));
    const assets = await assetsAmong(caller, source.schedule, places ?? []);
    const created = await createdAhead(caller, source.schedule);
    const heldOn = await holdingOf(caller, source.schedule);
    placed.push({ ...source, places, assets, visits, created, heldOn });
  }
  const named = new Set(placed.flatMap(({ places, assets }) => locationsOf(places ?? [], assets)));
  const wanted = [...named].filter((id) => query.location_id === undefined || id === query.location_id);
  const rows = await getRows(
    caller,
    wanted.map((id) => locationRecords.key(caller, id)),
  );
  const locations = new Map(rows.flatMap((row) => (row && isActive(row) ? [[row.id, row]] : [])));
  type Assets = ReadonlyMap<string, Asset> | undefined;
  const locationOf = (assets: Assets, placeId: string) =>
    locations.get((assets ? assets.get(placeId)?.location_id : placeId) ?? '');
  const peopleIn = (schedule: StoredSchedule, assets: Assets, placeId: string): string[] => {
    const location = locationOf(assets, placeId);
    return location ? peopleAt(schedule, location) : [];
  };
  const whereIs = (assets: Assets, placeId: string) => {
    const asset = assets?.get(placeId);
    const isThere = locationOf(assets, placeId) !== undefined || asset?.location_id === null;
    if (!isThere) return undefined;
    return asset
      ? { location_id: asset.location_id, asset_id: asset.id }
      : { location_id: placeId, asset_id: null };
  };
  const able = await readAble(
    caller,
    placed.flatMap(({ schedule, places, assets }) => [
      ...schedule.assignee_ids,
      ...schedule.overrides.flatMap((override) => override.assignee_ids ?? []),
      ...(places ?? []).flatMap((id) => peopleIn(schedule, assets, id)),
    ]),
  );
  return placed.map(({ schedule, isCreating, places, assets, visits, created, heldOn }) => {
    const overrides = schedule.overrides.map((each) => ({
      ...toOverride(each),
      is_settled: each.is_settled,
    }));
    const present: Present = {
      find: (id) => whereIs(assets, id),
      canInspect: (id) => able.has(id),
      zoneOf: (id) => locationOf(assets, id)?.timezone ?? null,
      peopleAt: (id) => peopleIn(schedule, assets, id),
      heldOn,
      isCreated: (date, id) =>
        created.size > 0 && created.has(keys.occurrence(caller, schedule.id, date, id).sk),
    };
    return { projected: { ...schedule, place_ids: places, overrides }, isCreating, present, visits };
  });
};

const rowsIn = async function* (caller: Caller, query: CalendarQuery, span: Span): AsyncGenerator<Numbered> {
  const { template_family_id: family, location_id: location, asset_id: asset, assignee_id: assignee } = query;
  const now = new Date().toISOString();
  const sources = new Map<string, ScheduleSource>();
  for await (const { stored, schedule } of withFamilies(caller, scheduleRows(caller, query))) {
    const isCreating = schedule.status === 'active' && schedule.problem === null;
    sources.set(stored.id, { schedule: stored, isCreating });
  }
  const inspections = async function* (): AsyncGenerator<Numbered> {
    for await (const entry of entriesIn(caller, query, span)) {
      if (family !== undefined && entry.template_family_id !== family) continue;
      const row = toRow(entry, sources.get(entry.schedule_id!), now);
      yield { row, sequence: INSPECTION_SEQUENCE + entry.version };
    }
  };
  const projecting = await projectionSources(caller, [...sources.values()], query);
  const projections = projecting.map(({ projected, isCreating, present, visits }) => {
    const { version } = sources.get(projected.id)!.schedule;
    const shown = visits
      ? Iterator.from(isCreating ? visitRows(projected, visits, span, present) : [])
      : projection(projected, isCreating, span, present);
    return shown.map((row) => ({ row, sequence: version }));
  });
  for await (const numbered of byDays(inspections(), projections, span)) {
    const { row } = numbered;
    const isWanted =
      (location === undefined || row.location_id === location) &&
      (asset === undefined || row.asset_id === asset) &&
      (assignee === undefined || row.assignee_ids.includes(assignee));
    if (isWanted) yield numbered;
  }
};

/** Rows with the names of their locations. Each location is read once, in batches of a hundred. */
const withLocations = async function* (
  caller: Caller,
  rows: AsyncIterable<Numbered>,
): AsyncGenerator<FeedRow> {
  const names = new Map<string, string | undefined>();
  let batch: Numbered[] = [];
  const named = async function* (): AsyncGenerator<FeedRow> {
    const all = batch.flatMap(({ row }) => row.location_id ?? []);
    const ids = [...new Set(all)].filter((id) => !names.has(id));
    const found = await getRows(
      caller,
      ids.map((id) => keys.one(caller, 'LOCATION', id)),
    );
    for (const [position, id] of ids.entries()) names.set(id, found[position]?.name);
    for (const each of batch) yield { ...each, location: names.get(each.row.location_id ?? '') };
    batch = [];
  };
  for await (const row of rows) {
    batch.push(row);
    if (batch.length === MAX_BATCH_KEYS) yield* named();
  }
  if (batch.length > 0) yield* named();
};

const rowOnly = async function* (rows: AsyncIterable<Numbered>): AsyncGenerator<CalendarRow> {
  for await (const { row } of rows) yield row;
};

/**
 * The inspections of schedules that start in a range of days, and those that schedules will still create, in the order
 * of their starts. Each schedule is read once; of the inspections only those in the range are read.
 * @param query its dates are in the organization's time zone
 */
export const calendar = async (
  caller: Caller,
  query: CalendarQuery,
): Promise<{ rows: AsyncIterable<CalendarRow> } | { text: AsyncIterable<string> }> => {
  const { timezone, name } = await organizations.get(caller);
  const midnight = (date: string) => clockOf(timezone)(`${date}T00:00`).starts_at;
  const span: Span = { from: midnight(query.from), until: midnight(addDays(query.to, 1)) };
  const rows = rowsIn(caller, query, span);
  if (query.format === 'json') return { rows: rowOnly(rows) };
  return { text: feed(name, withLocations(caller, rows), new Date()) };
};
