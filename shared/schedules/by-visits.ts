import { timeAfter } from '../base/time.ts';
import { type DueOccurrence, startAt } from '../domain/schedules/plan.ts';
import { change } from '../table/change.ts';
import type { VisitedPlace } from '../table/entities/schedules.ts';
import { withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { Generation, generationJob, RECHECK_MS } from './generation.ts';
import { holdingOf } from './holiday-calendars.ts';
import { foundPlaces, presentPlaces } from './many-places.ts';
import { type PlaceId, nextChunk, openPlaces, type Prerequisites, readPrerequisites } from './occurrence.ts';
import { withOutlook } from './records.ts';
import {
  type AfterSchedule,
  enrolledPlaces,
  isAfter,
  newPlace,
  placeKey,
  placeWrite,
  planned,
} from './visits.ts';

const DAY_MS = 86_400_000;

/** Rows of places that one transaction writes, beside the check of their schedule. */
const PLACES_IN_TRANSACTION = 90;

/** Items in their order, some together. */
const chunks = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, chunk) =>
    items.slice(chunk * size, (chunk + 1) * size),
  );

/** The work on a schedule that counts from the last visit: it enrols its places, and creates the visits of due ones. */
export class GenerationByVisits extends Generation {
  /** Looks at a schedule that counts from the last visit: whether what was missing still is, and at its places. */
  async review(): Promise<void> {
    const schedule = this.stored;
    if (!isAfter(schedule) || schedule.status !== 'active') return this.leave(schedule);
    if (schedule.problems.length > 0) {
      const places = this.knownPlaces(schedule);
      const readiness = await readPrerequisites(this.caller, schedule, undefined, places);
      if (!readiness.isArchived) await this.list(schedule, readiness);
    }
    await this.#enrol({ ...schedule, ...this.stored, after: schedule.after });
  }

  /**
   * Enrols the places of a schedule that counts from the last visit: new ones get a row, those that it does not have any
   * more lose theirs, and all are planned again after a change of the schedule. What is done already is not done again,
   * so the next run goes on where this one ends.
   */
  async #enrol(schedule: AfterSchedule): Promise<void> {
    const { location_ids, asset_ids, after_revision: revision } = schedule;
    const isFilter = schedule.places && !schedule.places.list;
    const found = isFilter ? await foundPlaces(this.caller, schedule) : undefined;
    const named = asset_ids.length > 0 ? asset_ids : location_ids;
    const listed = found?.placeIds ?? (await presentPlaces(this.caller, schedule)) ?? named;
    const wanted = new Set(listed);
    const enrolled = new Map<string, VisitedPlace>();
    const gone: VisitedPlace[] = [];
    for await (const row of enrolledPlaces(this.caller, schedule)) {
      const place = withoutKeys(row);
      if (wanted.has(place.location_id)) enrolled.set(place.location_id, place);
      else gone.push(place);
    }
    const open = [...wanted].flatMap((id) => {
      const place = enrolled.get(id) ?? newPlace(schedule, id);
      return place.turn > 0 && place.revision === revision ? [] : [place];
    });
    for (const some of chunks(gone, PLACES_IN_TRANSACTION)) {
      if (this.isOver()) return;
      await change(this.caller, (work) => ({
        writes: some.map(({ location_id }) => write.drop(placeKey(work, schedule, location_id))),
        reply: undefined,
      }));
    }
    for (const some of chunks(open, PLACES_IN_TRANSACTION)) {
      if (this.isOver()) return;
      const next = await planned(this.caller, schedule, some, this.now);
      await change(this.caller, (work) => ({
        writes: [generationJob.check(work, this.stored), ...next.map((each) => placeWrite(work, each))],
        reply: undefined,
      }));
    }
    // Those that a filter finds may be others tomorrow.
    const enrol_at = isFilter ? timeAfter(this.now, DAY_MS) : undefined;
    await this.leave({ ...(found?.schedule ?? schedule), enrol_at });
  }

  /** Creates the visits of some due places of a schedule that counts from the last one. */
  async visit(found: readonly VisitedPlace[]): Promise<void> {
    const schedule = this.stored;
    if (!isAfter(schedule) || schedule.status !== 'active') {
      await this.#putOffPlaces(found, DAY_MS);
      return;
    }
    const places = await planned(this.caller, schedule, found, this.now);
    const isDue = ({ due_at }: VisitedPlace) => due_at !== null && due_at <= this.now;
    const others = places.filter((place) => !isDue(place));
    if (others.length > 0) {
      await change(this.caller, (work) => ({
        writes: others.map((place) => placeWrite(work, place)),
        reply: undefined,
      }));
    }
    const heldOn = await holdingOf(this.caller, schedule);
    for (const [date, some] of Map.groupBy(places.filter(isDue), ({ next_on }) => next_on!)) {
      if (this.isOver()) return;
      await this.#visitOn(date, heldOn(date) ?? date, some);
    }
  }

  /** Creates the visits of places that have the same date. */
  async #visitOn(occurrence_date: string, held_on: string, places: readonly VisitedPlace[]): Promise<void> {
    const starts_at = startAt(this.stored, held_on, null, null);
    const due: DueOccurrence = { occurrence_date, starts_at, by: 'restoration', held_on };
    const byId = new Map(places.map((place) => [place.location_id, place]));
    const ids = [...byId.keys()];
    const readiness = await readPrerequisites(this.caller, this.stored, due, ids);
    if (readiness.isArchived) return this.#putOffPlaces(places, DAY_MS);
    const schedule = await this.list(this.stored, readiness);
    const { prerequisites } = readiness;
    if (!prerequisites) return this.#putOffPlaces(places, RECHECK_MS);
    const visited = (id: string): VisitedPlace => ({
      ...byId.get(id)!,
      last_on: occurrence_date,
      next_on: null,
      next_at: null,
      due_at: null,
    });
    let rest: PlaceId[] = openPlaces(schedule, due, prerequisites);
    const waiting = ids.filter((id) => !rest.includes(id));
    if (waiting.length > 0) await this.#passPlaces(waiting, prerequisites, byId, visited);
    while (rest.length > 0 && !this.isOver()) {
      const [before, placeIds] = [this.stored, rest];
      await this.store(async (work) => {
        const { writes, count } = await nextChunk(work, before, due, placeIds, prerequisites, 1);
        rest = placeIds.slice(count);
        const counted = {
          ...before,
          generated_count: before.generated_count + count,
          last_generated_at: this.now,
        };
        const moved = placeIds.slice(0, count).map((id) => placeWrite(work, visited(id!)));
        return [withOutlook(counted, this.now), ...writes, ...moved];
      });
    }
  }

  /** Passes over places: those that are not there are waited for, and of a visit that exists the place learns. */
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

  /** Puts off places, whose schedule creates nothing now. */
  async #putOffPlaces(places: readonly VisitedPlace[], milliseconds: number): Promise<void> {
    const due_at = timeAfter(this.now, milliseconds);
    await change(this.caller, (work) => ({
      writes: places.map((place) => placeWrite(work, { ...place, due_at })),
      reply: undefined,
    }));
  }
}
