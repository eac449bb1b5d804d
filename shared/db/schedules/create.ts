import type { Caller } from '../../base/caller.ts';
import { describe } from '../../domain/recurrence/index.ts';
import type { NewSchedule, Schedule } from '../../schemas/schedules/schedule.ts';
import { change } from '../table/change.ts';
import { newResource } from '../table/collection.ts';
import type { StoredSchedule } from '../table/entities.ts';
import { follow } from '../table/resource.ts';
import * as write from '../table/writes.ts';
import { initiableVersion } from '../templates/family-record.ts';
import { rowOf, scheduleEvent, scheduleRecords, toSchedule, withOutlook } from './record.ts';
import { checkRecurrence, checkSetup, neverOccurs } from './setup.ts';

/**
 * Creates a schedule. It creates inspections for what starts from now on.
 * @throws ApiError 422 for a rule that cannot be read or has nothing ahead; 400 for a resource that does not exist; 409
 *   for a family that is not published, or an external_ref that is in use
 */
export const create = (caller: Caller, request: NewSchedule): Promise<Schedule> =>
  change(caller, async (work) => {
    checkRecurrence(request);
    const family = await checkSetup(work, request);
    initiableVersion(family!);
    const fields: StoredSchedule = newResource(work, {
      ...request,
      org_id: caller.org_id,
      description: describe(request.recurrence),
      status: 'active' as const,
      problem: null,
      next_occurrence_at: null,
      last_generated_at: null,
      generated_count: 0,
      overrides: [],
      created_by: caller.user_id,
      handled_until: work.now,
      restored: [],
      turn: 0,
    });
    const schedule = withOutlook(fields, work.now);
    if (schedule.status === 'ended') throw neverOccurs(request.recurrence);
    return {
      writes: [
        write.create<object>(rowOf(work, schedule)),
        ...follow(scheduleRecords, work, undefined, schedule),
        scheduleEvent(work, 'schedule.created', schedule),
      ],
      reply: toSchedule(schedule, family),
    };
  });
