import * as z from 'zod';
import * as schedules from '../../shared/db/schedules/schedules.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Schedule, ScheduleChanges } from '../../shared/schemas/schedules/schedule.ts';

export const operation = defineOperation({
  id: 'updateSchedule',
  method: 'PATCH',
  path: '/inspection-schedules/{schedule_id}',
  summary: 'Update a schedule',
  description: `${PATCH_DESCRIPTION} Inspections that exist stay as they are: another rule, other locations or other people affect what has no inspection yet. A new location also gets the occurrences ahead for which other locations have their inspections already. \`status\` pauses the schedule or resumes it; what it missed while paused is not made up for. An override of an occurrence that the new rule does not have is deleted, unless it has inspections.`,
  access: 'write',
  params: z.strictObject({ schedule_id: Uuid }),
  body: ScheduleChanges,
  success: 200,
  response: Schedule,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  schedules.update(caller, params.schedule_id, body, expectedVersion),
);
