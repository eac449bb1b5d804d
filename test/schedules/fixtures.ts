import { handler as deleteRemains } from '../../functions/workers/delete-remains.ts';
import { locationRecords } from '../../shared/places/locations/records.ts';
import { duePlaces, dueSchedules, generate, visitPlaces } from '../../shared/schedules/generator.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { NewLocation } from '../../shared/schemas/location.ts';
import { initialValues } from '../../shared/schemas/resource.ts';
import type { Schedule, ScheduleOverride } from '../../shared/schemas/schedules/schedule.ts';
import { change, workOf } from '../../shared/table/change.ts';
import { newResource } from '../../shared/table/collection.ts';
import type { StoredLocation } from '../../shared/table/entities/organization.ts';
import type { StoredOverride } from '../../shared/table/entities/schedules.ts';
import { keys } from '../../shared/table/keys.ts';
import { dueAt } from '../../shared/table/outbox/due.ts';
import * as resource from '../../shared/table/resource.ts';
import { getRow } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { combineCounts } from '../../shared/table/writes.ts';
import { as } from '../support/call.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import type { Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';

export const DAY = 86_400_000;

/** So many days from now, ISO 8601 in UTC. */
export const inDays = (days: number): string => new Date(Date.now() + days * DAY).toISOString();

/** Half a day after so many days from when these tests began, so that none is torn in two by midnight. */
const BEGAN = Date.now();
const halfADayAfter = (days: number): string => new Date(BEGAN + (days + 0.5) * DAY).toISOString();

/** The date of the occurrence half a day after so many days. */
export const dateIn = (days: number): string => halfADayAfter(days).slice(0, 10);

/** Every day, half a day from now: whatever a test does within hours of now or of a full day meets no occurrence. */
export const DAILY = {
  rrule: 'FREQ=DAILY',
  dtstart_local: `2026-01-01T${halfADayAfter(0).slice(11, 16)}`,
  timezone: 'UTC',
};

/** A schedule of a new family, unless the body names one. */
export const newSchedule = async (
  { key }: Person,
  { family, ...body }: { family?: object } & Record<string, unknown> = {},
): Promise<Schedule> => {
  const template_family_id = body['template_family_id'] ?? (await publishedFamily(key, family)).id;
  return as(key).schedules.create({
    body: { title: 'Daily walk', recurrence: DAILY, ...body, template_family_id },
  });
};

export const of = ({ id }: { id: string }) => ({ params: { schedule_id: id } });

export const shown = ({ key }: Person, schedule: { id: string }): Promise<Schedule> =>
  as(key).schedules.get(of(schedule));

/** What the generator does so many days from now, for this organization. */
export const generateAt = async ({ caller }: Person, days: number): Promise<void> => {
  const now = new Date(inDays(days));
  const found = (await Array.fromAsync(dueSchedules(now))).flat();
  for (const row of found) {
    if (row.org_id === caller.org_id) await generate(row, now, () => false);
  }
  const places = (await Array.fromAsync(duePlaces(now))).flat();
  const own = places.filter(({ org_id }) => org_id === caller.org_id);
  await visitPlaces(own, now, () => false);
};

/** The ids of tasks that were done. */
const done = new Set<string>();

/** Does what waits for the worker of the cleanup queue, until nothing does. */
export const cleanUp = async ({ caller }: Person): Promise<void> => {
  for (;;) {
    const tasks = (await waitingTasks(caller)).filter(
      ({ id, outbox }) => outbox === 'cleanup' && !done.has(id),
    );
    if (tasks.length === 0) return;
    for (const task of tasks) {
      expect(await deliver(deleteRemains, task)).toBe(true);
      done.add(task.id);
    }
  }
};

/** The inspections of a schedule, the first to start first. */
export const inspectionsOf = async ({ key }: Person, { id }: { id: string }): Promise<Inspection[]> => {
  const list: Inspection[] = await as(key).inspections.list({ query: { schedule_id: id } });
  return list.toSorted((a, b) => (a.scheduled_for! < b.scheduled_for! ? -1 : 1));
};

/** Deletes the row of a client account, whatever uses it. @returns brings it back */
export const dropClient = async ({ caller }: Person, id: string): Promise<() => Promise<void>> => {
  const key = keys.one(caller, 'CLIENT', id);
  const row = await getRow(caller, key);
  await change(caller, () => ({ writes: [write.drop(key)], reply: undefined }));
  return () => change(caller, () => ({ writes: [write.put<object>(row!)], reply: undefined }));
};

type OverrideFields = Pick<ScheduleOverride, 'occurrence_date' | 'action'> & Partial<StoredOverride>;

/** Stores overrides in a schedule, instead of those that it has, and makes it due. */
export const storeOverrides = async (
  { caller }: Person,
  { id }: { id: string },
  overrides: readonly OverrideFields[],
): Promise<void> => {
  const stored = overrides.map((fields): StoredOverride => {
    const { version: _, ...override } = newResource(workOf(caller), {
      new_at: null,
      assignee_ids: null,
      reason: null,
      created_by: caller.user_id,
      is_settled: true,
      ...fields,
    });
    return override;
  });
  const key = keys.one(caller, 'SCHEDULE', id);
  await change(caller, async () => {
    const row = await getRow(caller, key);
    const next = { ...row!, overrides: stored, ...dueAt('SCHEDULE', id, new Date().toISOString()) };
    return { writes: [write.put<object>(next)], reply: undefined };
  });
};

/** Tells a schedule of an override that its inspections do not follow yet, as a request does that is then killed. */
export const interrupted = (
  person: Person,
  schedule: { id: string },
  fields: OverrideFields,
): Promise<void> => storeOverrides(person, schedule, [{ ...fields, following: 'override' }]);

const LOCAL = { source: 'local' as const, source_id: null, external_id: null, synced_at: null };

/** Locations without the rows by which lists find them. @returns their ids, in ascending order */
export const manyLocations = async ({ caller }: Person, count: number): Promise<string[]> => {
  const locations = Array.from({ length: count }, () =>
    newResource(workOf(caller), { client_account_id: null, name: 'Yard', status: 'active' }),
  );
  for (let at = 0; at < count; at += 100) {
    const writes = locations
      .slice(at, at + 100)
      .map((location) => write.put<object>({ ...keys.one(caller, 'LOCATION', location.id), ...location }));
    await change(caller, () => ({ writes, reply: undefined }));
  }
  return locations.map(({ id }) => id);
};

/** Locations that lists find. */
export const manyListedLocations = async (
  { caller }: Person,
  count: number,
  fields: Partial<StoredLocation> = {},
): Promise<void> => {
  for (let made = 0; made < count; made += 25) {
    await change(caller, (work) => {
      const locations = Array.from({ length: Math.min(25, count - made) }, () =>
        newResource(work, { ...initialValues(NewLocation), ...LOCAL, name: 'Yard', lineage: [], ...fields }),
      );
      const writes = locations.flatMap((location) => resource.create(locationRecords, work, location));
      return { writes: combineCounts(writes), reply: undefined };
    });
  }
};
