import { isDeepStrictEqual } from 'node:util';
import { type Caller, serviceOf } from '../base/caller.ts';
import { timeAfter } from '../base/time.ts';
import { isOfLocation, isStopping, withTimes } from '../domain/schedules/problems.ts';
import { change, type Work } from '../table/change.ts';
import type { StoredSchedule } from '../table/entities/schedules.ts';
import { job, Overtaken } from '../table/job.ts';
import { follow } from '../table/resource.ts';
import { type Row, withoutKeys } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { MAX_MISSING } from './many-places.ts';
import type { PlaceId, Ready } from './occurrence.ts';
import {
  type PlannedSchedule,
  SCHEDULE_JOB,
  scheduleEvent,
  scheduleRecords,
  withOutlook,
} from './records.ts';
import { newProblems } from './telling.ts';

/** When a schedule cannot create its inspections, it is tried again after this time, in milliseconds. */
export const RECHECK_MS = 15 * 60_000;

/**
 * When somebody else has changed the schedule, this generator leaves it: another one goes on, or a client changed it.
 */
export const generationJob = job({
  ...SCHEDULE_JOB,
  lost: ({ id }) => new Overtaken(`the schedule ${id} has changed`),
});

/** What a generator writes in one transaction: the next state of the schedule, and other rows. */
type GenerationPart = [schedule: PlannedSchedule, ...also: Write[]];

/** A schedule as it was found due. */
export type FoundSchedule = Row<StoredSchedule> & { by_due_at?: string };

/**
 * The work of a generator on one schedule. Every transaction replaces the schedule's row only if it is still as this
 * generator knows it, so of several generators one goes on and the others leave. The schedule of a killed one stays
 * due.
 */
export class Generation {
  protected readonly caller: Caller;
  protected readonly now: string;
  protected readonly isOver: () => boolean;
  protected stored: PlannedSchedule;

  /**
   * @param now ISO 8601 in UTC
   * @param isOver whether to leave the rest for the next sweep
   */
  constructor(row: FoundSchedule, now: string, isOver: () => boolean) {
    this.caller = serviceOf(row.org_id);
    this.now = now;
    this.isOver = isOver;
    this.stored = { ...withoutKeys(row), due_at: row.by_due_at };
  }

  /** Stores the schedule, with other rows in one transaction. @throws Overtaken */
  protected async store(decide: (work: Work) => Promise<GenerationPart> | GenerationPart): Promise<void> {
    const before = this.stored;
    this.stored = await change(this.caller, async (work) => {
      const [planned, ...also] = await decide(work);
      const isShown =
        planned.status !== before.status || !isDeepStrictEqual(planned.problems, before.problems);
      const next = isShown ? { ...planned, version: before.version + 1, updated_at: this.now } : planned;
      const events = isShown ? [scheduleEvent(work, 'schedule.updated', next)] : [];
      return generationJob.save(
        work,
        before,
        next,
        ...follow(scheduleRecords, work, before, next),
        ...events,
        ...also,
      );
    });
  }

  /** Stores the next due time if it has changed. */
  protected async leave(schedule: StoredSchedule, notBefore?: string): Promise<void> {
    const next = withOutlook(schedule, this.now, notBefore);
    if (!isDeepStrictEqual(next, this.stored)) await this.store(() => [next]);
  }

  protected get recheck(): string {
    return timeAfter(this.now, RECHECK_MS);
  }

  /** Lists what is missing, and tells of what was not listed before. What is missing at other locations stays listed. */
  protected async list(
    schedule: StoredSchedule,
    { problems: found, looked, names, isUnapproved }: Ready,
  ): Promise<StoredSchedule> {
    const others =
      schedule.places?.list || schedule.after
        ? schedule.problems.filter(
            (problem) => isOfLocation(problem) && !looked.includes(problem.resource_id),
          )
        : [];
    const [places, rest] = [found.filter(isOfLocation), found.filter((each) => !isOfLocation(each))];
    const listed = schedule.places || schedule.after ? [...others, ...places].slice(0, MAX_MISSING) : places;
    const problems = withTimes([...rest, ...listed], schedule.problems, this.now);
    if (isDeepStrictEqual(problems, schedule.problems)) return schedule;
    const next = { ...schedule, problems };
    const planned = withOutlook(next, this.now, problems.some(isStopping) ? this.recheck : undefined);
    await this.store(async (work) => [
      planned,
      ...(await newProblems(work, schedule, next, names, isUnapproved)),
    ]);
    return this.stored;
  }

  /** The places to look at where none is due: all of a few, and of many those that were missing. */
  protected knownPlaces({ location_ids, asset_ids, places, problems }: StoredSchedule): PlaceId[] {
    if (asset_ids.length > 0) return asset_ids;
    if (!places) return location_ids.length > 0 ? location_ids : [null];
    return places.list ? problems.filter(isOfLocation).map(({ resource_id }) => resource_id) : [];
  }
}
