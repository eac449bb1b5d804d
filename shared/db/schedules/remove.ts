import type { Caller } from '../../base/caller.ts';
import { change } from '../table/change.ts';
import { expectVersion } from '../table/collection.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import * as resource from '../table/resource.ts';
import { queryRows, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { scheduleEvent, scheduleJob, scheduleRecords } from './record.ts';

/**
 * Deletes a schedule. The inspections that it has created stay as they are; a worker deletes the rows by which it knows
 * that it has created them.
 * @throws ApiError 404; 409 for another version
 */
export const remove = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  change(caller, async (work) => {
    const schedule = withoutKeys(await scheduleRecords.get(work, id));
    expectVersion(scheduleRecords.noun, schedule, expectedVersion);
    return {
      writes: [
        ...resource.remove(scheduleRecords, work, schedule, scheduleJob.isKnown(schedule)),
        scheduleEvent(work, 'schedule.deleted', schedule),
        enqueue(work, 'cleanup', { schedule_id: id }),
      ],
      reply: null,
    };
  });

/** Rows that one transaction deletes. */
const MAX_DELETED = 100;

/** Deletes some of what a deleted schedule knew of its inspections. The reply is whether there may be more. */
export const deleteSomeOfSchedule = (caller: Caller, id: string): Promise<boolean> =>
  change(caller, async () => {
    const writes: Write[] = [];
    const created = keys.parts(caller, 'SCHEDULE', id, 'OCCURRENCE');
    for await (const row of queryRows(caller, { ...created, pageSize: MAX_DELETED })) {
      writes.push(write.drop(write.keyOf(row)));
      if (writes.length === MAX_DELETED) break;
    }
    return { writes, reply: writes.length === MAX_DELETED };
  });
