import {
  afterWork,
  creationBefore,
  type DueOccurrence,
  nextWork,
  passOver,
} from '../domain/schedules/plan.ts';
import type { StoredSchedule } from '../table/entities/schedules.ts';
import { Generation } from './generation.ts';
import { holdingOf } from './holiday-calendars.ts';
import { foundPlaces, placesFrom, placesWrites } from './many-places.ts';
import { type PlaceId, nextChunk, openPlaces, type Prerequisites, readPrerequisites } from './occurrence.ts';
import { withOutlook } from './records.ts';

/** Places of a schedule with many that are looked at together. */
const PLACES_AT_ONCE = 100;

/** The work on a schedule with a recurrence rule: it creates the inspections of each occurrence. */
export class GenerationByRule extends Generation {
  /** Places from a position on, as they were read last. */
  #places: { from: number; ids: string[] } = { from: 0, ids: [] };

  /** Creates the inspections of all occurrences that are due. */
  async run(): Promise<void> {
    let schedule: StoredSchedule = this.stored;
    let isReviewed = false;
    const heldOn = await holdingOf(this.caller, schedule);
    while (!this.isOver()) {
      const due = schedule.status === 'active' ? heldWork(schedule, this.now, heldOn) : undefined;
      if (!due && (isReviewed || schedule.problems.length === 0)) {
        await this.leave(schedule);
        return;
      }
      if (due && !isUnderWay(schedule, due)) {
        const at = creationBefore(schedule, due, this.now, heldOn);
        if (at > this.now) {
          await this.leave(schedule, at);
          return;
        }
      }
      if (due && due.held_on === undefined) {
        schedule = afterWork(schedule, due);
        continue;
      }
      if (due && schedule.places && !isUnderWay(schedule, due)) schedule = await this.#begin(schedule, due);
      const places = await this.#placesOf(schedule, due);
      const readiness = await readPrerequisites(this.caller, schedule, due, places);
      if (readiness.isArchived) {
        await this.#wait(schedule);
        return;
      }
      schedule = await this.list(schedule, readiness);
      isReviewed = true;
      const { prerequisites } = readiness;
      if (!prerequisites) {
        await this.leave(schedule, this.recheck);
        return;
      }
      if (due) schedule = await this.#create(schedule, due, places, prerequisites);
    }
    if (schedule !== this.stored) await this.leave(schedule);
  }

  /** Waits while the template family is archived. Occurrences that start meanwhile are missed, as in any pause. */
  async #wait(schedule: StoredSchedule): Promise<void> {
    const passed = passOver(schedule, this.now);
    const next = withOutlook(passed, this.now).next_occurrence_at;
    const recheck = this.recheck;
    await this.leave(passed, next !== null && next < recheck ? next : recheck);
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
    const { placeIds, schedule: known } = await foundPlaces(this.caller, schedule);
    const next = { ...begun(placeIds.length), places: known.places! };
    await this.store((work) => [withOutlook(next, this.now), ...placesWrites(work, schedule.id, placeIds)]);
    return this.stored;
  }

  /** The next places of an occurrence, in their order. */
  async #nextPlaces(schedule: StoredSchedule): Promise<string[]> {
    const { position, location_count } = schedule.progress!;
    if (position < this.#places.from || position >= this.#places.from + this.#places.ids.length) {
      this.#places = { from: position, ids: await placesFrom(this.caller, schedule.id, position) };
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
    places: readonly PlaceId[],
    prerequisites: Prerequisites,
  ): Promise<StoredSchedule> {
    const start = schedule.progress?.position ?? 0;
    const end = this.#moved(schedule, due, places.length === 0 ? Infinity : start + places.length);
    let current = schedule;
    let rest = openPlaces(schedule, due, prerequisites);
    if (rest.length === 0) return end;
    while (rest.length > 0 && !this.isOver()) {
      const [before, placeIds] = [current, rest];
      await this.store(async (work) => {
        const { writes, count } = await nextChunk(work, before, due, placeIds, prerequisites);
        rest = placeIds.slice(count);
        const counted = {
          ...before,
          generated_count: before.generated_count + count,
          last_generated_at: this.now,
        };
        const reached = rest.length > 0 ? start + places.indexOf(rest[0]!) : start + places.length;
        const isPart = rest.length > 0 && !before.progress;
        const next = isPart ? counted : this.#moved(counted, due, reached);
        return [withOutlook(next, this.now), ...writes];
      });
      current = this.stored;
    }
    return current;
  }

  /** The places to look at: the next ones of an occurrence, or those that are known. */
  async #placesOf(schedule: StoredSchedule, due: DueOccurrence | undefined): Promise<PlaceId[]> {
    return schedule.places && due ? this.#nextPlaces(schedule) : this.knownPlaces(schedule);
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
