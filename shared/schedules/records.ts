import type { Caller } from '../base/caller.ts';
import { timeAfter } from '../base/time.ts';
import { cautions } from '../domain/recurrence/index.ts';
import { outlook } from '../domain/schedules/plan.ts';
import { listed, stoppingProblem } from '../domain/schedules/problems.ts';
import { present } from '../schemas/projection.ts';
import { Schedule, ScheduleEventData, ScheduleOverride } from '../schemas/schedules/schedule.ts';
import type { Work } from '../table/change.ts';
import { collection, nextVersion } from '../table/collection.ts';
import type { StoredFamily } from '../table/entities/inspections.ts';
import type { StoredOverride, StoredSchedule } from '../table/entities/schedules.ts';
import { job, type JobKind } from '../table/job.ts';
import { keys, shardOf } from '../table/keys.ts';
import { dueAt } from '../table/outbox/due.ts';
import { emit } from '../table/outbox/outbox.ts';
import { follow } from '../table/resource.ts';
import { foundByWords } from '../table/words.ts';
import type { Write } from '../table/writes.ts';
import { toPlaces } from './many-places.ts';

export const KIND = 'SCHEDULE';
export const EXTERNAL_REF = 'external_ref of schedules';

/** Schedules, and what follows from each. A resource that a schedule uses cannot be deleted. */
export const scheduleRecords = collection(KIND, 'schedule', {
  uses: {
    as: 'schedules',
    fields: {
      template_family_id: 'FAMILY',
      client_account_id: 'CLIENT',
      calendar_id: 'HOLIDAYS',
      'places.region_id': 'REGION',
      'places.asset_kind_id': 'ASSET_KIND',
    },
  },
  unique: { [EXTERNAL_REF]: ({ external_ref }) => external_ref },
  followers: [
    {
      what: 'incomplete schedule',
      row: keys.incompleteSchedule,
      at: ({ id, problems }) => (problems.length > 0 ? [[id]] : []),
    },
    foundByWords(KIND, 'schedule by word'),
    {
      what: 'schedule by location',
      row: keys.scheduleByLocation,
      at: ({ id, location_ids, places }) =>
        [...new Set([...location_ids, ...(places?.within ? [places.within] : [])].map(shardOf))].map(
          (shard) => [String(shard), id],
        ),
    },
    {
      what: 'schedule by asset',
      row: keys.scheduleByAsset,
      at: ({ id, asset_ids }) => [...new Set(asset_ids.map(shardOf))].map((shard) => [String(shard), id]),
    },
  ],
});

/** An override as it is sent to clients. */
export const toOverride = (stored: StoredOverride): ScheduleOverride => present(ScheduleOverride, stored);

/** The fields that are shown in another form than they are stored in. */
const shownFields = (schedule: StoredSchedule, location_ids?: string[] | null) => ({
  places: toPlaces(schedule.places, location_ids),
  ...cautions(schedule.recurrence, schedule),
});

/** Whether a schedule creates nothing because its template family is archived. */
export const isFamilyArchived = (family: Pick<StoredFamily, 'archived_at'> | undefined): boolean =>
  family !== undefined && family.archived_at !== null;

/**
 * A schedule as it is sent to clients.
 * @param family its template family, whose archive pauses it
 * @param location_ids of its listed `places`, where they are shown
 */
export const toSchedule = (
  schedule: StoredSchedule,
  family: Pick<StoredFamily, 'archived_at'> | undefined,
  location_ids?: string[] | null,
): Schedule => {
  const { status, next_occurrence_at } = schedule;
  const isPausedByFamily = status === 'active' && isFamilyArchived(family);
  return present(Schedule, schedule, {
    ...shownFields(schedule, location_ids),
    status: isPausedByFamily ? 'paused' : status,
    paused_reason: isPausedByFamily ? 'family_archived' : status === 'paused' ? 'manual' : null,
    next_occurrence_at: isPausedByFamily ? null : next_occurrence_at,
    problem: stoppingProblem(schedule),
    problems: listed(schedule),
  });
};

/** A schedule with the time when the generator finds it, ISO 8601 in UTC; undefined for never. */
export type PlannedSchedule = StoredSchedule & { due_at?: string | undefined };

/** How long a request may change existing inspections before the generator completes its work, in milliseconds. */
const COMPLETION_MS = 60_000;

/**
 * A schedule for which something is missing is looked at again after this time, in milliseconds, so that nothing is
 * listed for long that is there again.
 */
const REVIEW_MS = 86_400_000;

/**
 * A schedule with its outlook: whether it has ended, when its next occurrence starts, and when the generator finds it.
 * @param now ISO 8601 in UTC
 * @param notBefore the earliest time for the generator, ISO 8601 in UTC
 */
export const withOutlook = (schedule: StoredSchedule, now: string, notBefore?: string): PlannedSchedule => {
  const { next_occurrence_at, due_at } = outlook(schedule, now);
  const isInterrupted = schedule.overrides.some(({ following }) => following !== undefined);
  const completion = isInterrupted ? timeAfter(now, COMPLETION_MS) : undefined;
  if (schedule.status === 'paused') return { ...schedule, next_occurrence_at: null, due_at: completion };
  const status = due_at === undefined && !schedule.after ? 'ended' : 'active';
  const review = status === 'active' && schedule.problems.length > 0 ? timeAfter(now, REVIEW_MS) : undefined;
  if (schedule.after) {
    const [due] = [schedule.enrol_at, completion, review].filter((at) => at !== undefined).toSorted();
    return { ...schedule, next_occurrence_at: null, due_at: due };
  }
  const [first] = [due_at && notBefore && due_at < notBefore ? notBefore : due_at, completion, review]
    .filter((at) => at !== undefined)
    .toSorted();
  return { ...schedule, status, next_occurrence_at, due_at: first };
};

/** The row of a schedule. */
export const rowOf = (caller: Caller, { due_at, ...schedule }: PlannedSchedule) => ({
  ...schedule,
  ...(due_at !== undefined && dueAt('SCHEDULE', schedule.id, due_at)),
  ...scheduleRecords.key(caller, schedule.id),
});

/**
 * Clients and the generator change a schedule. Each change counts `turn` up, so only one of all who read it can write.
 */
export const SCHEDULE_JOB: JobKind<PlannedSchedule> = {
  key: (caller, { id }) => scheduleRecords.key(caller, id),
  row: rowOf,
  guard: ['version', 'turn'],
  moved: ({ turn }) => ({ turn: turn + 1 }),
};
export const scheduleJob = job(SCHEDULE_JOB);

/** The event of a change that clients see. It does not tell whether the template family is archived. */
export const scheduleEvent = (
  work: Work,
  type: 'schedule.created' | 'schedule.updated' | 'schedule.deleted',
  schedule: StoredSchedule,
): Write =>
  emit(
    work,
    type,
    present(ScheduleEventData, schedule, {
      ...shownFields(schedule),
      problem: stoppingProblem(schedule),
      problems: listed(schedule),
    }),
  );

/** A client's change of a schedule: its next version, and the writes of everything that follows from it. */
export const clientChange = (
  work: Work,
  before: StoredSchedule,
  changed: StoredSchedule,
): { next: StoredSchedule; writes: Write[] } => {
  // The change may have solved a problem, so the generator looks again.
  // The change may have other places, so the generator looks them up again.
  const changedSchedule = {
    ...nextVersion(work, before, changed),
    ...(before.progress && { progress: undefined }),
  };
  const after = withOutlook(changedSchedule, work.now);
  const { writes, reply: next } = scheduleJob.save(
    work,
    before,
    after,
    ...follow(scheduleRecords, work, before, after),
    scheduleEvent(work, 'schedule.updated', after),
  );
  return { next, writes };
};
