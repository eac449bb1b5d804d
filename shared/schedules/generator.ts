import { type Caller, serviceOf } from '../base/caller.ts';
import { timeAfter } from '../base/time.ts';
import { change, NOTHING } from '../table/change.ts';
import type { DueRows } from '../table/entities/kinds.ts';
import type { StoredSchedule, VisitedPlace } from '../table/entities/schedules.ts';
import { Overtaken } from '../table/job.ts';
import { dueRowsInTurns } from '../table/outbox/due.ts';
import { Sweep } from '../table/outbox/sweep.ts';
import { isOutage } from '../table/retry.ts';
import { getRow, getRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { GenerationByRule } from './by-rule.ts';
import { GenerationByVisits } from './by-visits.ts';
import type { FoundSchedule } from './generation.ts';
import { completeInterrupted } from './overrides.ts';
import { scheduleJob, scheduleRecords } from './records.ts';
import { isAfter, placeKey, placeWrite } from './visits.ts';

const hasInterrupted = ({ overrides }: StoredSchedule): boolean =>
  overrides.some(({ following }) => following !== undefined);

/**
 * Completes interrupted changes of a schedule's overrides, and creates its inspections that are due. It may be killed
 * at any point, and may run any number of times at once.
 * @param row the schedule as it was found due
 * @param isOver whether to leave the rest for the next sweep
 */
export const generate = async (row: FoundSchedule, now: Date, isOver: () => boolean): Promise<void> => {
  const caller = serviceOf(row.org_id);
  let current: typeof row | undefined = row;
  while (current && hasInterrupted(current)) {
    await completeInterrupted(caller, row.id);
    current = await getRow(caller, scheduleRecords.key(caller, row.id));
  }
  if (!current) return;
  try {
    const time = now.toISOString();
    await (isAfter(current)
      ? new GenerationByVisits(current, time, isOver).review()
      : new GenerationByRule(current, time, isOver).run());
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
      if (schedule)
        await new GenerationByVisits(schedule, now.toISOString(), isOver).visit(places.map(placeOf));
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
