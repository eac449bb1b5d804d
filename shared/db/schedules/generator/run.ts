import { serviceOf } from '../../../base/caller.ts';
import { timeAfter } from '../../../base/time.ts';
import { change, NOTHING } from '../../table/change.ts';
import type { DueRows, StoredSchedule } from '../../table/entities.ts';
import { dueRows } from '../../table/outbox/due.ts';
import { Sweep } from '../../table/outbox/sweep.ts';
import { isOutage } from '../../table/retry.ts';
import { getRow, type Row, withoutKeys } from '../../table/rows.ts';
import { scheduleJob, scheduleRecords } from '../record.ts';
import { generate } from './generate.ts';

type DueSchedule = Row<DueRows['SCHEDULE']>;

/** The schedules of all organizations that have something to do by now, page by page. */
export const dueSchedules = (now: Date): AsyncGenerator<DueSchedule[]> => dueRows('SCHEDULE', now);

/** How long a schedule waits whose inspections could not be created for an unknown reason, in milliseconds. */
const RETRY_MS = 15 * 60_000;

/** Puts a schedule off that has failed, so that it does not stand before the others of each run. */
const putOff = async ({ org_id, id }: DueSchedule, now: Date): Promise<void> => {
  const caller = serviceOf(org_id);
  const due_at = timeAfter(now.toISOString(), RETRY_MS);
  await change<StoredSchedule | undefined>(caller, async (work) => {
    const row = await getRow(caller, scheduleRecords.key(caller, id));
    return row ? scheduleJob.save(work, withoutKeys(row), { due_at }) : NOTHING;
  });
};

/**
 * Creates the inspections of all schedules that are due at a time. No organization waits for another.
 * @param time how long this begins work, in milliseconds
 * @returns the causes for which schedules failed, or organizations have to wait for the next run
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
