import { isDeepStrictEqual } from 'node:util';
import { type Caller, serviceOf } from '../../base/caller.ts';
import { timeAfter } from '../../base/time.ts';
import { afterWork, type DueOccurrence, nextWork, passOver } from '../../domain/schedules/plan.ts';
import { isStopping, withTimes } from '../../domain/schedules/problems.ts';
import { change, NOTHING, type Work } from '../table/change.ts';
import type { DueRows } from '../table/entities/kinds.ts';
import type { StoredSchedule } from '../table/entities/schedules.ts';
import { job, Overtaken } from '../table/job.ts';
import { dueRowsInTurns } from '../table/outbox/due.ts';
import { Sweep } from '../table/outbox/sweep.ts';
import { follow } from '../table/resource.ts';
import { isOutage } from '../table/retry.ts';
import { getRow, type Row, withoutKeys } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { nextChunk, type Prerequisites, type Ready, readPrerequisites } from './occurrence.ts';
import { completeInterrupted } from './overrides.ts';
import {
  type PlannedSchedule,
  SCHEDULE_JOB,
  scheduleEvent,
  scheduleJob,
  scheduleRecords,
  withOutlook,
} from './record.ts';
import { newProblems } from './telling.ts';

/** When a schedule cannot create its inspections, it is tried again after this time, in milliseconds. */
const RECHECK_MS = 15 * 60_000;

/**
 * When somebody else has changed the schedule, this generator leaves it: another one goes on, or a client changed it.
 */
const generationJob = job({
  ...SCHEDULE_JOB,
  lost: ({ id }) => new Overtaken(`the schedule ${id} has changed`),
});

/** What a generator writes in one transaction: the next state of the schedule, and other rows. */
type GenerationPart = [schedule: PlannedSchedule, ...also: Write[]];

/**
 * The work of a generator on one schedule. Every transaction replaces the schedule's row only if it is still as this
 * generator knows it, so of several generators one goes on and the others leave. The schedule of a killed one stays
 * due.
 */
class Generation {
  readonly #caller: Caller;
  readonly #now: string;
  readonly #isOver: () => boolean;
  #stored: PlannedSchedule;

  /**
   * @param now ISO 8601 in UTC
   * @param isOver whether to leave the rest for the next sweep
   */
  constructor(row: Row<StoredSchedule> & { by_due_at?: string }, now: string, isOver: () => boolean) {
    this.#caller = serviceOf(row.org_id);
    this.#now = now;
    this.#isOver = isOver;
    this.#stored = { ...withoutKeys(row), due_at: row.by_due_at };
  }

  /** Stores the schedule, with other rows in one transaction. @throws Overtaken */
  async #store(decide: (work: Work) => Promise<GenerationPart> | GenerationPart): Promise<void> {
    const before = this.#stored;
    this.#stored = await change(this.#caller, async (work) => {
      const [planned, ...also] = await decide(work);
      const isShown =
        planned.status !== before.status || !isDeepStrictEqual(planned.problems, before.problems);
      const next = isShown ? { ...planned, version: before.version + 1, updated_at: this.#now } : planned;
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
  async #leave(schedule: StoredSchedule, notBefore?: string): Promise<void> {
    const next = withOutlook(schedule, this.#now, notBefore);
    if (!isDeepStrictEqual(next, this.#stored)) await this.#store(() => [next]);
  }

  get #recheck(): string {
    return timeAfter(this.#now, RECHECK_MS);
  }

  /** Waits while the template family is archived. Occurrences that start meanwhile are missed, as in any pause. */
  async #wait(schedule: StoredSchedule): Promise<void> {
    const passed = passOver(schedule, this.#now);
    const next = withOutlook(passed, this.#now).next_occurrence_at;
    const recheck = this.#recheck;
    await this.#leave(passed, next !== null && next < recheck ? next : recheck);
  }

  /** Lists what is missing, and tells of what was not listed before. */
  async #list(schedule: StoredSchedule, { problems: found, names }: Ready): Promise<StoredSchedule> {
    const problems = withTimes(found, schedule, this.#now);
    if (isDeepStrictEqual(problems, schedule.problems ?? [])) return schedule;
    const next = { ...schedule, problems };
    const planned = withOutlook(next, this.#now, problems.some(isStopping) ? this.#recheck : undefined);
    await this.#store(async (work) => [planned, ...(await newProblems(work, schedule, next, names))]);
    return this.#stored;
  }

  /** Creates the inspections of an occurrence, in as many transactions as it takes. */
  async #create(
    schedule: StoredSchedule,
    due: DueOccurrence,
    prerequisites: Prerequisites,
  ): Promise<StoredSchedule> {
    const { clientOf, created } = prerequisites;
    let current = schedule;
    let rest = [...clientOf.keys()].filter((id) => !created.has(id));
    if (rest.length === 0) return afterWork(current, due);
    while (rest.length > 0 && !this.#isOver()) {
      const [before, locationIds] = [current, rest];
      await this.#store(async (work) => {
        const { writes, count } = await nextChunk(work, before, due, locationIds, prerequisites);
        rest = locationIds.slice(count);
        const next = {
          ...before,
          generated_count: before.generated_count + count,
          last_generated_at: this.#now,
        };
        return [withOutlook(rest.length > 0 ? next : afterWork(next, due), this.#now), ...writes];
      });
      current = this.#stored;
    }
    return current;
  }

  /** Creates the inspections of all occurrences that are due. */
  async run(): Promise<void> {
    let schedule: StoredSchedule = this.#stored;
    let isReviewed = false;
    while (!this.#isOver()) {
      const due = schedule.status === 'active' ? nextWork(schedule, this.#now) : undefined;
      if (!due && (isReviewed || !schedule.problems?.length)) {
        await this.#leave(schedule);
        return;
      }
      const readiness = await readPrerequisites(this.#caller, schedule, due);
      if (readiness.isArchived) {
        await this.#wait(schedule);
        return;
      }
      schedule = await this.#list(schedule, readiness);
      isReviewed = true;
      const { prerequisites } = readiness;
      if (!prerequisites) {
        await this.#leave(schedule, this.#recheck);
        return;
      }
      if (due) schedule = await this.#create(schedule, due, prerequisites);
    }
  }
}

const hasInterrupted = ({ overrides }: StoredSchedule): boolean =>
  overrides.some(({ following }) => following !== undefined);

/**
 * Completes interrupted changes of a schedule's overrides, and creates its inspections that are due. It may be killed
 * at any point, and may run any number of times at once.
 * @param row the schedule as it was found due
 * @param isOver whether to leave the rest for the next sweep
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

type DueSchedule = Row<DueRows['SCHEDULE']>;

/** The schedules of all organizations that have something to do by now, page by page. Organizations take turns. */
export const dueSchedules = (now: Date): AsyncGenerator<DueSchedule[]> => dueRowsInTurns('SCHEDULE', now);

/** How long a schedule waits after it has failed for an unknown reason, in milliseconds. */
const RETRY_MS = 15 * 60_000;

/** Puts off a schedule that has failed, so that it does not stand before the others in every sweep. */
const putOff = async ({ org_id, id }: DueSchedule, now: Date): Promise<void> => {
  const caller = serviceOf(org_id);
  const due_at = timeAfter(now.toISOString(), RETRY_MS);
  await change<StoredSchedule | undefined>(caller, async (work) => {
    const row = await getRow(caller, scheduleRecords.key(caller, id));
    return row ? scheduleJob.save(work, withoutKeys(row), { due_at }) : NOTHING;
  });
};

/**
 * Creates the inspections of all schedules that are due. No organization waits for another.
 * @param time how long to begin new work, in milliseconds
 * @returns why schedules have failed, and why organizations have to wait for the next sweep
 */
export const generateAll = async (now: Date, time: number): Promise<unknown[]> => {
  const causes: unknown[] = [];
  const sweep: Sweep<DueSchedule> = new Sweep(
    time,
    () => 'schedule',
    async (rows) => {
      for (const row of rows) {
        if (sweep.isOver) return;
        try {
          await generate(row, now, () => sweep.isOver);
        } catch (error) {
          if (isOutage(error)) throw error;
          causes.push(new Error(`schedule ${row.id} failed`, { cause: error }));
          await putOff(row, now);
        }
      }
    },
  );
  for await (const rows of dueSchedules(now)) {
    await sweep.serve(rows);
    if (sweep.isOver) break;
  }
  return [...causes, ...sweep.delays.map(({ error }) => error)];
};
