import type { Caller } from '../../base/caller.ts';
import { isAble } from '../../domain/members.ts';
import { addDays, clockOf } from '../../domain/recurrence/index.ts';
import { feed, type FeedRow } from '../../domain/schedules/feed.ts';
import { type Present, projection, type Span } from '../../domain/schedules/projection.ts';
import type { CalendarQuery, CalendarRow } from '../../schemas/schedules/schedule.ts';
import { isMissed, isOverdue } from '../inspection-core/inspection-record.ts';
import { isActive, locationRecords } from '../locations/record.ts';
import * as members from '../members/members.ts';
import * as organizations from '../organization/organizations.ts';
import type { CalendarEntry, StoredSchedule } from '../table/entities/schedules.ts';
import { keys } from '../table/keys.ts';
import { getRow, getRows, MAX_BATCH_KEYS, queryRows, readRows, type Row, withRows } from '../table/rows.ts';
import { KIND, scheduleRecords, toOverride } from './record.ts';
import { withFamilies } from './schedules.ts';

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
const identityOf = ({ schedule_id, occurrence_date, location_id }: CalendarRow): string =>
  [schedule_id, occurrence_date, location_id].join();

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

/** Reads the locations and assignees of schedules, each once, a hundred in one call. */
const presentFor = async (
  caller: Caller,
  schedules: readonly StoredSchedule[],
  { location_id }: CalendarQuery,
): Promise<Present> => {
  const named = new Set(schedules.flatMap(({ location_ids }) => location_ids));
  const locationIds = [...named].filter((id) => location_id === undefined || id === location_id);
  const userIds = new Set(
    schedules.flatMap(({ assignee_ids, overrides }) => [
      ...assignee_ids,
      ...overrides.flatMap((override) => override.assignee_ids ?? []),
    ]),
  );
  const locationKeys = locationIds.map((id) => locationRecords.key(caller, id));
  const memberKeys = [...userIds].map((id) => members.key(caller, id));
  const rowsOf = await readRows(caller, [...locationKeys, ...memberKeys]);
  const active = rowsOf(locationKeys).flatMap((row) => (row && isActive(row) ? [row.id] : []));
  const able = rowsOf(memberKeys).flatMap((row) => (row && isAble('inspect', row) ? [row.user_id] : []));
  const [locations, inspectors] = [new Set(active), new Set(able)];
  return { hasLocation: (id) => locations.has(id), canInspect: (id) => inspectors.has(id) };
};

const rowsIn = async function* (caller: Caller, query: CalendarQuery, span: Span): AsyncGenerator<Numbered> {
  const { template_family_id: family, location_id: location, assignee_id: assignee } = query;
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
  const schedules = [...sources.values()].map(({ schedule }) => schedule);
  const present = await presentFor(caller, schedules, query);
  const projections = [...sources.values()].map(({ schedule, isCreating }) => {
    const overrides = schedule.overrides.map((each) => ({
      ...toOverride(each),
      is_settled: each.is_settled,
    }));
    const rows = projection({ ...schedule, overrides }, isCreating, span, present);
    return rows.map((row) => ({ row, sequence: schedule.version }));
  });
  for await (const numbered of byDays(inspections(), projections, span)) {
    const { row } = numbered;
    const isWanted =
      (location === undefined || row.location_id === location) &&
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
