import { isDeepStrictEqual } from 'node:util';
import { type Caller, serviceOf } from '../../../base/caller.ts';
import { timeAfter } from '../../../base/time.ts';
import { afterWork, nextWork, passOver, type Work as DueOccurrence } from '../../../domain/schedules/plan.ts';
import type { ScheduleProblem } from '../../../schemas/schedules/schedule.ts';
import { adminsOf } from '../../members/members.ts';
import { notify } from '../../notifications/notify.ts';
import { change, type Work } from '../../table/change.ts';
import type { StoredSchedule } from '../../table/entities.ts';
import { job, Overtaken } from '../../table/job.ts';
import { getRow, type Row, withoutKeys } from '../../table/rows.ts';
import type { Write } from '../../table/writes.ts';
import { completeInterrupted } from '../overrides/overrides.ts';
import {
  type PlannedSchedule,
  SCHEDULE_JOB,
  scheduleEvent,
  scheduleRecords,
  withOutlook,
} from '../record.ts';
import { nextChunk } from './inspections.ts';
import { placesOf, type Prerequisites, readPrerequisites } from './prerequisites.ts';

/** How long a schedule waits that cannot create its inspections until it is tried again, in milliseconds. */
const RECHECK_MS = 15 * 60_000;

/** Somebody else has changed the schedule: another generator, which goes on with it, or a client. */
const generationJob = job({
  ...SCHEDULE_JOB,
  lost: ({ id }) => new Overtaken(`the schedule ${id} has changed`),
});

/** What a generator makes of the schedule in one transaction, and what else it writes. */
type Step = [schedule: PlannedSchedule, ...also: Write[]];

/**
 * The work of a generator on one schedule. Every transaction replaces the schedule's row as this generator knows it, so
 * of several generators one goes on and the others leave. One that is killed leaves the schedule due.
 */
class Generation {
  readonly #caller: Caller;
  readonly #now: string;
  readonly #isOver: () => boolean;
  #stored: PlannedSchedule;

  /**
   * @param now ISO 8601 in UTC
   * @param isOver whether to leave the rest for the next run
   */
  constructor(row: Row<StoredSchedule> & { by_due_at?: string }, now: string, isOver: () => boolean) {
    this.#caller = serviceOf(row.org_id);
    this.#now = now;
    this.#isOver = isOver;
    this.#stored = { ...withoutKeys(row), due_at: row.by_due_at };
  }

  /** Stores the schedule, with other rows in one transaction. @throws Overtaken */
  async #store(decide: (work: Work) => Promise<Step> | Step): Promise<void> {
    const before = this.#stored;
    this.#stored = await change(this.#caller, async (work) => {
      const [planned, ...also] = await decide(work);
      const isShown = planned.status !== before.status || !isDeepStrictEqual(planned.problem, before.problem);
      const next = isShown ? { ...planned, version: before.version + 1, updated_at: this.#now } : planned;
      const events = isShown ? [scheduleEvent(work, 'schedule.updated', next)] : [];
      return generationJob.save(work, before, next, ...events, ...also);
    });
  }

  /** Stores when there is something to do next, unless that stands there already. */
  async #leave(schedule: StoredSchedule, notBefore?: string): Promise<void> {
    const next = withOutlook(schedule, this.#now, notBefore);
    if (!isDeepStrictEqual(next, this.#stored)) await this.#store(() => [next]);
  }

  get #recheck(): string {
    return timeAfter(this.#now, RECHECK_MS);
  }

  /** The family is archived: what starts meanwhile is missed, as in any pause. */
  async #wait(schedule: StoredSchedule): Promise<void> {
    const passed = passOver(schedule, this.#now);
    const next = withOutlook(passed, this.#now).next_occurrence_at;
    const recheck = this.#recheck;
    await this.#leave(passed, next !== null && next < recheck ? next : recheck);
  }

  /** Something is missing. The organization's admins and the schedule's creator are told once. */
  async #report(
    schedule: StoredSchedule,
    obstacle: Pick<ScheduleProblem, 'kind' | 'resource_id' | 'message'>,
  ): Promise<void> {
    const { problem } = schedule;
    if (problem && problem.kind === obstacle.kind && problem.resource_id === obstacle.resource_id) {
      await this.#leave(schedule, this.#recheck);
      return;
    }
    const stopped = { ...schedule, problem: { ...obstacle, since: this.#now } };
    const user_ids = [schedule.created_by, ...(await adminsOf(this.#caller))];
    const facts = { schedule, problem: stopped.problem, user_ids };
    const planned = withOutlook(stopped, this.#now, this.#recheck);
    await this.#store((work) => [planned, ...notify(work, 'scheduleStopped', facts)]);
  }

  /** Creates the inspections of an occurrence, in as many transactions as it takes. */
  async #create(
    schedule: StoredSchedule,
    due: DueOccurrence,
    prerequisites: Prerequisites,
  ): Promise<StoredSchedule> {
    let current: StoredSchedule = { ...schedule, problem: null };
    let rest = placesOf(schedule).filter((place) => !prerequisites.created.has(place));
    if (rest.length === 0) return afterWork(current, due);
    while (rest.length > 0 && !this.#isOver()) {
      const [before, places] = [current, rest];
      await this.#store(async (work) => {
        const { writes, count } = await nextChunk(work, before, due, places, prerequisites);
        rest = places.slice(count);
        const created = {
          ...before,
          generated_count: before.generated_count + count,
          last_generated_at: this.#now,
        };
        return [withOutlook(rest.length > 0 ? created : afterWork(created, due), this.#now), ...writes];
      });
      current = this.#stored;
    }
    return current;
  }

  /** Does what is due. */
  async run(): Promise<void> {
    let schedule: StoredSchedule = this.#stored;
    while (!this.#isOver()) {
      const due = schedule.status === 'active' ? nextWork(schedule, this.#now) : undefined;
      if (!due) {
        await this.#leave({ ...schedule, problem: null });
        return;
      }
      const override = schedule.overrides.find(
        ({ occurrence_date }) => occurrence_date === due.occurrence_date,
      );
      const assigneeIds = override?.assignee_ids ?? schedule.assignee_ids;
      const readiness = await readPrerequisites(this.#caller, schedule, due.occurrence_date, assigneeIds);
      if (readiness.isArchived) {
        await this.#wait(schedule);
        return;
      }
      if (readiness.obstacle) {
        await this.#report(schedule, readiness.obstacle);
        return;
      }
      schedule = await this.#create(schedule, due, readiness.prerequisites);
    }
  }
}

const hasInterrupted = ({ overrides }: StoredSchedule): boolean =>
  overrides.some(({ following }) => following !== undefined);

/**
 * Creates the inspections of a schedule that are due, and completes what a request has left undone. It can be killed at
 * any point, and run any number of times at once.
 * @param row as it was found due
 * @param isOver whether to leave the rest for the next run
 */
export const generate = async (
  row: Row<StoredSchedule> & { by_due_at?: string },
  now: Date,
  isOver: () => boolean,
): Promise<void> => {
  const caller = serviceOf(row.org_id);
  let current: typeof row | undefined = row;
  while (current && hasInterrupted(current)) {
    await completeInterrupted(caller, row.id);
    current = await getRow(caller, scheduleRecords.key(caller, row.id));
  }
  if (!current) return;
  try {
    await new Generation(current, now.toISOString(), isOver).run();
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
  }
};
