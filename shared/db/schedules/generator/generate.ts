import { isDeepStrictEqual } from 'node:util';
import { type Caller, serviceOf } from '../../../base/caller.ts';
import { afterWork, nextWork, passOver, type Work } from '../../../domain/schedules/plan.ts';
import type { ScheduleProblem } from '../../../schemas/schedules/schedule.ts';
import { adminsOf } from '../../members/members.ts';
import { notify } from '../../notifications/notify.ts';
import { change, workOf } from '../../table/change.ts';
import type { StoredSchedule } from '../../table/entities.ts';
import { getRow, type Row, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { completeInterrupted } from '../overrides/overrides.ts';
import { isUnchanged, rowOf, scheduleEvent, scheduleRecords, withOutlook } from '../record.ts';
import { nextChunk } from './inspections.ts';
import { placesOf, type Prerequisites, readPrerequisites } from './prerequisites.ts';

/** How long a schedule waits that cannot create its inspections until it is tried again, in milliseconds. */
const RECHECK_MS = 15 * 60_000;

/** Somebody else has changed the schedule: another generator, which goes on with it, or a client. */
class Overtaken extends Error {
  override name = 'Overtaken';
}

/** A schedule as the generator has left it, with the time when it is due again. */
interface Progress {
  schedule: StoredSchedule;
  due_at: string | undefined;
}

/**
 * The work of a generator on one schedule. Every transaction replaces the schedule's row as this generator knows it, so
 * of several generators one goes on and the others leave. One that is killed leaves the schedule due.
 */
class Generation {
  readonly #caller: Caller;
  readonly #now: string;
  readonly #isOver: () => boolean;
  #stored: Progress;

  /**
   * @param now ISO 8601 in UTC
   * @param isOver whether to leave the rest for the next run
   */
  constructor(row: Row<StoredSchedule> & { by_due_at?: string }, now: string, isOver: () => boolean) {
    this.#caller = serviceOf(row.org_id);
    this.#now = now;
    this.#isOver = isOver;
    this.#stored = { schedule: withoutKeys(row), due_at: row.by_due_at };
  }

  /** Stores the schedule, with other rows in one transaction. @throws Overtaken */
  async #store({ schedule, due_at }: Progress, writes: Write[] = []): Promise<void> {
    const { schedule: before } = this.#stored;
    const isShown = schedule.status !== before.status || !isDeepStrictEqual(schedule.problem, before.problem);
    const next: StoredSchedule = {
      ...schedule,
      turn: before.turn + 1,
      ...(isShown && { version: before.version + 1, updated_at: this.#now }),
    };
    let isSecond = false;
    await change(this.#caller, () => {
      if (isSecond) throw new Overtaken();
      isSecond = true;
      return {
        writes: [
          write.replace<object>(rowOf(this.#caller, next, due_at), isUnchanged(before)),
          ...(isShown ? [scheduleEvent(this.#caller, 'schedule.updated', next)] : []),
          ...writes,
        ],
        reply: undefined,
      };
    });
    this.#stored = { schedule: next, due_at };
  }

  /** Stores when there is something to do next, unless that stands there already. */
  async #leave(schedule: StoredSchedule, notBefore?: string, writes?: Write[]): Promise<void> {
    const next = withOutlook(schedule, this.#now, notBefore);
    if (!writes && isDeepStrictEqual(next, this.#stored)) return;
    await this.#store(next, writes);
  }

  get #recheck(): string {
    return new Date(Date.parse(this.#now) + RECHECK_MS).toISOString();
  }

  /** The family is archived: what starts meanwhile is missed, as in any pause. */
  async #wait(schedule: StoredSchedule): Promise<void> {
    const passed = passOver(schedule, this.#now);
    const next = withOutlook(passed, this.#now).schedule.next_occurrence_at;
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
    await this.#leave(stopped, this.#recheck, notify(this.#caller, 'scheduleStopped', facts));
  }

  /** Creates the inspections of an occurrence, in as many transactions as it takes. */
  async #create(schedule: StoredSchedule, work: Work, prerequisites: Prerequisites): Promise<StoredSchedule> {
    let current: StoredSchedule = { ...schedule, problem: null };
    let rest = placesOf(schedule).filter((place) => !prerequisites.created.has(place));
    if (rest.length === 0) return afterWork(current, work);
    while (rest.length > 0 && !this.#isOver()) {
      const { writes, count } = await nextChunk(workOf(this.#caller), current, work, rest, prerequisites);
      rest = rest.slice(count);
      const created = {
        ...current,
        generated_count: current.generated_count + count,
        last_generated_at: this.#now,
      };
      const next = rest.length > 0 ? created : afterWork(created, work);
      await this.#store(withOutlook(next, this.#now), writes);
      current = this.#stored.schedule;
    }
    return current;
  }

  /** Does what is due. */
  async run(): Promise<void> {
    let { schedule } = this.#stored;
    while (!this.#isOver()) {
      const work = schedule.status === 'active' ? nextWork(schedule, this.#now) : undefined;
      if (!work) {
        await this.#leave({ ...schedule, problem: null });
        return;
      }
      const override = schedule.overrides.find(
        ({ occurrence_date }) => occurrence_date === work.occurrence_date,
      );
      const assigneeIds = override?.assignee_ids ?? schedule.assignee_ids;
      const readiness = await readPrerequisites(this.#caller, schedule, work.occurrence_date, assigneeIds);
      if (readiness.isArchived) {
        await this.#wait(schedule);
        return;
      }
      if (readiness.obstacle) {
        await this.#report(schedule, readiness.obstacle);
        return;
      }
      schedule = await this.#create(schedule, work, readiness.prerequisites);
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
