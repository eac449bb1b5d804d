import { isDeepStrictEqual } from 'node:util';
import { type Caller, serviceOf } from '../../base/caller.ts';
import { timeAfter } from '../../base/time.ts';
import {
  afterWork,
  creationBefore,
  type DueOccurrence,
  nextWork,
  passOver,
  startAt,
} from '../../domain/schedules/plan.ts';
import { isOfLocation, isStopping, withTimes } from '../../domain/schedules/problems.ts';
import { change, NOTHING, type Work } from '../table/change.ts';
import type { DueRows } from '../table/entities/kinds.ts';
import type { StoredSchedule, VisitedPlace } from '../table/entities/schedules.ts';
import { job, Overtaken } from '../table/job.ts';
import { dueRowsInTurns } from '../table/outbox/due.ts';
import { Sweep } from '../table/outbox/sweep.ts';
import { follow } from '../table/resource.ts';
import { isOutage } from '../table/retry.ts';
import { getRow, getRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { holdingOf } from './holiday-calendars.ts';
import { foundPlaces, MAX_MISSING, placesFrom, placesWrites, presentPlaces } from './many-places.ts';
import {
  type LocationId,
  nextChunk,
  openPlaces,
  type Prerequisites,
  type Ready,
  readPrerequisites,
} from './occurrence.ts';
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
import {
  type AfterSchedule,
  enrolledPlaces,
  isAfter,
  newPlace,
  placeKey,
  placeWrite,
  planned,
} from './visits.ts';

/** When a schedule cannot create its inspections, it is tried again after this time, in milliseconds. */
const RECHECK_MS = 15 * 60_000;

/**
 * When somebody else has changed the schedule, this generator leaves it: another one goes on, or a client changed it.
 */
const generationJob = job({
  ...SCHEDULE_JOB,
  lost: ({ id }) => new Overtaken(`the schedule ${id} has changed`),
});

const DAY_MS = 86_400_000;

/** Rows of places that one transaction writes, beside the check of their schedule. */
const PLACES_IN_TRANSACTION = 90;

/** Places of a schedule with many that are looked at together. */
const PLACES_AT_ONCE = 100;

/** Items in their order, some together. */
const chunks = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, chunk) =>
    items.slice(chunk * size, (chunk + 1) * size),
  );

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
  /** Places from a position on, as they were read last. */
  #places: { from: number; ids: string[] } = { from: 0, ids: [] };

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

  /**
   * Lists what is missing, and tells of what was not listed before.
   * @param looked the places that were looked at; what is missing at others stays listed
   */
  async #list(
    schedule: StoredSchedule,
    { problems: found, names, isUnapproved }: Ready,
    looked: readonly LocationId[],
  ): Promise<StoredSchedule> {
    const others =
      schedule.places?.list || schedule.after
        ? (schedule.problems ?? []).filter(
            (problem) => isOfLocation(problem) && !looked.includes(problem.resource_id),
          )
        : [];
    const [places, rest] = [found.filter(isOfLocation), found.filter((each) => !isOfLocation(each))];
    const listed = schedule.places || schedule.after ? [...others, ...places].slice(0, MAX_MISSING) : places;
    const problems = withTimes([...rest, ...listed], schedule, this.#now);
    if (isDeepStrictEqual(problems, schedule.problems ?? [])) return schedule;
    const next = { ...schedule, problems };
    const planned = withOutlook(next, this.#now, problems.some(isStopping) ? this.#recheck : undefined);
    await this.#store(async (work) => [
      planned,
      ...(await newProblems(work, schedule, next, names, isUnapproved)),
    ]);
    return this.#stored;
  }

  /** An occurrence at many places begins: those that a filter finds are looked up once, and stored until it ends. */
  async #begin(
    schedule: StoredSchedule,
    { occurrence_date, starts_at }: DueOccurrence,
  ): Promise<StoredSchedule> {
    const begun = (location_count: number): StoredSchedule => ({
      ...schedule,
      progress: { occurrence_date, starts_at, location_count, position: 0 },
    });
    this.#places = { from: 0, ids: [] };
    const { list } = schedule.places!;
    if (list) return begun(list.location_count);
    const { locationIds, schedule: known } = await foundPlaces(this.#caller, schedule);
    const next = { ...begun(locationIds.length), places: known.places! };
    await this.#store((work) => [
      withOutlook(next, this.#now),
      ...placesWrites(work, schedule.id, locationIds),
    ]);
    return this.#stored;
  }

  /** The next places of an occurrence, in their order. */
  async #nextPlaces(schedule: StoredSchedule): Promise<string[]> {
    const { position, location_count } = schedule.progress!;
    if (position < this.#places.from || position >= this.#places.from + this.#places.ids.length) {
      this.#places = { from: position, ids: await placesFrom(this.#caller, schedule.id, position) };
    }
    const first = position - this.#places.from;
    return this.#places.ids.slice(first, first + Math.min(PLACES_AT_ONCE, location_count - position));
  }

  /** The schedule after inspections were created at all places before a position; after the last one, the occurrence ends. */
  #moved(schedule: StoredSchedule, due: DueOccurrence, position: number): StoredSchedule {
    const { progress } = schedule;
    if (!progress) return afterWork(schedule, due);
    if (position >= progress.location_count) return { ...afterWork(schedule, due), progress: undefined };
    return { ...schedule, progress: { ...progress, position } };
  }

  /**
   * Creates the inspections of an occurrence at some places, in as many transactions as it takes.
   * @param places in their order: all of them, or those from the position that the schedule has reached
   */
  async #create(
    schedule: StoredSchedule,
    due: DueOccurrence,
    places: readonly LocationId[],
    prerequisites: Prerequisites,
  ): Promise<StoredSchedule> {
    const start = schedule.progress?.position ?? 0;
    const end = this.#moved(schedule, due, places.length === 0 ? Infinity : start + places.length);
    let current = schedule;
    let rest = openPlaces(schedule, due, prerequisites);
    if (rest.length === 0) return end;
    while (rest.length > 0 && !this.#isOver()) {
      const [before, locationIds] = [current, rest];
      await this.#store(async (work) => {
        const { writes, count } = await nextChunk(work, before, due, locationIds, prerequisites);
        rest = locationIds.slice(count);
        const counted = {
          ...before,
          generated_count: before.generated_count + count,
          last_generated_at: this.#now,
        };
        const reached = rest.length > 0 ? start + places.indexOf(rest[0]!) : start + places.length;
        const isPart = rest.length > 0 && !before.progress;
        const next = isPart ? counted : this.#moved(counted, due, reached);
        return [withOutlook(next, this.#now), ...writes];
      });
      current = this.#stored;
    }
    return current;
  }

  /**
   * Enrols the places of a schedule that counts from the last visit: new ones get a row, those that it does not have any
   * more lose theirs, and all are planned again after a change of the schedule. What is done already is not done again,
   * so the next run goes on where this one ends.
   */
  async #enrol(schedule: AfterSchedule): Promise<void> {
    const { location_ids, after_revision: revision } = schedule;
    const isFilter = schedule.places && !schedule.places.list;
    const found = isFilter ? await foundPlaces(this.#caller, schedule) : undefined;
    const listed = found?.locationIds ?? (await presentPlaces(this.#caller, schedule)) ?? location_ids;
    const wanted = new Set(listed);
    const enrolled = new Map<string, VisitedPlace>();
    const gone: VisitedPlace[] = [];
    for await (const row of enrolledPlaces(this.#caller, schedule)) {
      const place = withoutKeys(row);
      if (wanted.has(place.location_id)) enrolled.set(place.location_id, place);
      else gone.push(place);
    }
    const open = [...wanted].flatMap((id) => {
      const place = enrolled.get(id) ?? newPlace(schedule, id);
      return place.turn > 0 && place.revision === revision ? [] : [place];
    });
    for (const some of chunks(gone, PLACES_IN_TRANSACTION)) {
      if (this.#isOver()) return;
      await change(this.#caller, (work) => ({
        writes: some.map(({ location_id }) => write.drop(placeKey(work, schedule, location_id))),
        reply: undefined,
      }));
    }
    for (const some of chunks(open, PLACES_IN_TRANSACTION)) {
      if (this.#isOver()) return;
      const next = await planned(this.#caller, schedule, some, this.#now);
      await change(this.#caller, (work) => ({
        writes: [generationJob.check(work, this.#stored), ...next.map((each) => placeWrite(work, each))],
        reply: undefined,
      }));
    }
    // Those that a filter finds may be others tomorrow.
    const enrol_at = isFilter ? timeAfter(this.#now, DAY_MS) : undefined;
    await this.#leave({ ...(found?.schedule ?? schedule), enrol_at });
  }

  /** Looks at a schedule that counts from the last visit: whether what was missing still is, and at its places. */
  async #review(schedule: AfterSchedule): Promise<void> {
    if (schedule.status !== 'active') return this.#leave(schedule);
    if (schedule.problems?.length) {
      const places = await this.#placesOf(schedule, undefined);
      const readiness = await readPrerequisites(this.#caller, schedule, undefined, places);
      if (!readiness.isArchived) await this.#list(schedule, readiness, places);
    }
    await this.#enrol({ ...schedule, ...this.#stored, after: schedule.after });
  }

  /** Puts off places, whose schedule creates nothing now. */
  async #putOffPlaces(places: readonly VisitedPlace[], milliseconds: number): Promise<void> {
    const due_at = timeAfter(this.#now, milliseconds);
    await change(this.#caller, (work) => ({
      writes: places.map((place) => placeWrite(work, { ...place, due_at })),
      reply: undefined,
    }));
  }

  /** Creates the visits of some due places of a schedule that counts from the last one. */
  async visit(found: readonly VisitedPlace[]): Promise<void> {
    const schedule = this.#stored;
    if (!isAfter(schedule) || schedule.status !== 'active') {
      await this.#putOffPlaces(found, DAY_MS);
      return;
    }
    const places = await planned(this.#caller, schedule, found, this.#now);
    const isDue = ({ due_at }: VisitedPlace) => due_at !== null && due_at <= this.#now;
    const others = places.filter((place) => !isDue(place));
    if (others.length > 0) {
      await change(this.#caller, (work) => ({
        writes: others.map((place) => placeWrite(work, place)),
        reply: undefined,
      }));
    }
    const heldOn = await holdingOf(this.#caller, schedule);
    for (const [date, some] of Map.groupBy(places.filter(isDue), ({ next_on }) => next_on!)) {
      if (this.#isOver()) return;
      await this.#visitOn(date, heldOn(date) ?? date, some);
    }
  }

  /** Creates the visits of places that have the same date. */
  async #visitOn(occurrence_date: string, held_on: string, places: readonly VisitedPlace[]): Promise<void> {
    const starts_at = startAt(this.#stored, held_on, null, null);
    const due: DueOccurrence = { occurrence_date, starts_at, by: 'restoration', held_on };
    const byId = new Map(places.map((place) => [place.location_id, place]));
    const ids = [...byId.keys()];
    const readiness = await readPrerequisites(this.#caller, this.#stored, due, ids);
    if (readiness.isArchived) return this.#putOffPlaces(places, DAY_MS);
    const schedule = await this.#list(this.#stored, readiness, ids);
    const { prerequisites } = readiness;
    if (!prerequisites) return this.#putOffPlaces(places, RECHECK_MS);
    const visited = (id: string): VisitedPlace => ({
      ...byId.get(id)!,
      last_on: occurrence_date,
      next_on: null,
      next_at: null,
      due_at: null,
    });
    let rest: LocationId[] = openPlaces(schedule, due, prerequisites);
    const waiting = ids.filter((id) => !rest.includes(id));
    if (waiting.length > 0) await this.#passPlaces(waiting, prerequisites, byId, visited);
    while (rest.length > 0 && !this.#isOver()) {
      const [before, locationIds] = [this.#stored, rest];
      await this.#store(async (work) => {
        const { writes, count } = await nextChunk(work, before, due, locationIds, prerequisites, 1);
        rest = locationIds.slice(count);
        const counted = {
          ...before,
          generated_count: before.generated_count + count,
          last_generated_at: this.#now,
        };
        const moved = locationIds.slice(0, count).map((id) => placeWrite(work, visited(id!)));
        return [withOutlook(counted, this.#now), ...writes, ...moved];
      });
    }
  }

  /** Passes over places: those whose location is not there wait for it, and of a visit that exists the place learns. */
  async #passPlaces(
    ids: readonly string[],
    { created }: Prerequisites,
    byId: ReadonlyMap<string, VisitedPlace>,
    visited: (id: string) => VisitedPlace,
  ): Promise<void> {
    const missing = ids.filter((id) => !created.has(id));
    if (missing.length > 0) {
      await this.#putOffPlaces(
        missing.map((id) => byId.get(id)!),
        DAY_MS,
      );
    }
    const known = ids.filter((id) => created.has(id)).map(visited);
    if (known.length > 0) await this.#putOffPlaces(known, 0);
  }

  /** Creates the inspections of all occurrences that are due. */
  async run(): Promise<void> {
    if (isAfter(this.#stored)) {
      await this.#review(this.#stored);
      return;
    }
    let schedule: StoredSchedule = this.#stored;
    let isReviewed = false;
    const heldOn = await holdingOf(this.#caller, schedule);
    while (!this.#isOver()) {
      const due = schedule.status === 'active' ? heldWork(schedule, this.#now, heldOn) : undefined;
      if (!due && (isReviewed || !schedule.problems?.length)) {
        await this.#leave(schedule);
        return;
      }
      if (due && !isUnderWay(schedule, due)) {
        const at = creationBefore(schedule, due, this.#now, heldOn);
        if (at > this.#now) {
          await this.#leave(schedule, at);
          return;
        }
      }
      if (due && due.held_on === undefined) {
        schedule = afterWork(schedule, due);
        continue;
      }
      if (due && schedule.places && !isUnderWay(schedule, due)) schedule = await this.#begin(schedule, due);
      const places = await this.#placesOf(schedule, due);
      const readiness = await readPrerequisites(this.#caller, schedule, due, places);
      if (readiness.isArchived) {
        await this.#wait(schedule);
        return;
      }
      schedule = await this.#list(schedule, readiness, places);
      isReviewed = true;
      const { prerequisites } = readiness;
      if (!prerequisites) {
        await this.#leave(schedule, this.#recheck);
        return;
      }
      if (due) schedule = await this.#create(schedule, due, places, prerequisites);
    }
    if (schedule !== this.#stored) await this.#leave(schedule);
  }

  /** The places to look at: the next ones of an occurrence, or those that were missing. */
  async #placesOf(schedule: StoredSchedule, due: DueOccurrence | undefined): Promise<LocationId[]> {
    const { location_ids, places, problems = [] } = schedule;
    if (places && due) return this.#nextPlaces(schedule);
    if (!places) return location_ids.length > 0 ? location_ids : [null];
    return places.list ? problems.filter(isOfLocation).map(({ resource_id }) => resource_id) : [];
  }
}

/** The next occurrence that is due, with the date on which it is held: none for one that is left out. */
const heldWork = (
  schedule: StoredSchedule,
  now: string,
  heldOn: (date: string) => string | null,
): DueOccurrence | undefined => {
  const due = nextWork(schedule, now);
  const date = due && (due.by === 'move' ? due.occurrence_date : heldOn(due.occurrence_date));
  return due && typeof date === 'string' ? { ...due, held_on: date } : due;
};

/** Whether some inspections of an occurrence at many places may exist already. */
const isUnderWay = ({ progress }: StoredSchedule, due: DueOccurrence): boolean =>
  progress?.occurrence_date === due.occurrence_date && progress.starts_at === due.starts_at;

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
type DuePlace = Row<DueRows['PLACE']>;

/** The places of all organizations that are to be visited by now, page by page. Organizations take turns. */
export const duePlaces = (now: Date): AsyncGenerator<DuePlace[]> => dueRowsInTurns('PLACE', now);

/**
 * Creates the visits of some places of one organization.
 * @param rows as they were found due
 * @param isOver whether to leave the rest for the next sweep
 */
export const visitPlaces = async (
  rows: readonly DuePlace[],
  now: Date,
  isOver: () => boolean,
): Promise<void> => {
  for (const [scheduleId, places] of Map.groupBy(rows, ({ schedule_id }) => schedule_id)) {
    if (isOver()) return;
    const caller = serviceOf(places[0]!.org_id);
    const schedule = await getRow(caller, scheduleRecords.key(caller, scheduleId));
    try {
      if (schedule) await new Generation(schedule, now.toISOString(), isOver).visit(places.map(placeOf));
      else await dropPlaces(caller, places);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  }
};

const placeOf = (row: DuePlace): VisitedPlace => withoutKeys<VisitedPlace>(row);

/** Deletes places of a schedule that was deleted. */
const dropPlaces = (caller: Caller, places: readonly DuePlace[]): Promise<void> =>
  change(caller, () => ({
    writes: places.map(({ pk, sk }) => write.drop({ pk, sk })),
    reply: undefined,
  }));

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

/** The same for the places of a schedule whose visits have failed. */
const putOffVisits = async (caller: Caller, places: readonly DuePlace[], now: Date): Promise<void> => {
  const due_at = timeAfter(now.toISOString(), RETRY_MS);
  await change(caller, async (work) => {
    const rows = await getRows(
      work,
      places.map(({ schedule_id, location_id }) => placeKey(work, { id: schedule_id }, location_id)),
    );
    const isStillDue = (row: VisitedPlace) => row.due_at !== null && row.due_at <= now.toISOString();
    const writes = rows.flatMap((row) =>
      row && isStillDue(row) ? [placeWrite(work, { ...withoutKeys(row), due_at })] : [],
    );
    return { writes, reply: undefined };
  });
};

/**
 * Creates the inspections of all schedules that are due, and the visits of all places. No organization waits for another.
 * @param time how long to begin new work, in milliseconds
 * @returns why schedules have failed, and why organizations have to wait for the next sweep
 */
export const generateAll = async (now: Date, time: number): Promise<unknown[]> => {
  const causes: unknown[] = [];
  const failed = (id: string, error: unknown): void => {
    if (isOutage(error)) throw error;
    causes.push(new Error(`schedule ${id} failed`, { cause: error }));
  };
  const sweep: Sweep<DueSchedule | DuePlace> = new Sweep(time, whatIs, async (rows) => {
    const isOver = () => sweep.isOver;
    for (const row of rows.filter(isSchedule)) {
      if (isOver()) return;
      try {
        await generate(row, now, isOver);
      } catch (error) {
        failed(row.id, error);
        await putOff(row, now);
      }
    }
    const places = Map.groupBy(rows.filter(isPlace), ({ schedule_id }) => schedule_id);
    for (const [id, some] of places) {
      if (isOver()) return;
      try {
        await visitPlaces(some, now, isOver);
      } catch (error) {
        failed(id, error);
        await putOffVisits(serviceOf(some[0]!.org_id), some, now);
      }
    }
  });
  for (const found of [dueSchedules(now), duePlaces(now)]) {
    for await (const rows of found) {
      await sweep.serve(rows);
      if (sweep.isOver) break;
    }
  }
  return [...causes, ...sweep.delays.map(({ error }) => error)];
};

const isPlace = (row: DueSchedule | DuePlace): row is DuePlace => 'schedule_id' in row;
const isSchedule = (row: DueSchedule | DuePlace): row is DueSchedule => !isPlace(row);
const whatIs = (row: DueSchedule | DuePlace): string => (isPlace(row) ? 'place' : 'schedule');
