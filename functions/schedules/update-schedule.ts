import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as schedules from '../../shared/schedules/schedules.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import {
  ChangedSchedule,
  CreatedPolicy,
  DryRun,
  ScheduleChanges,
} from '../../shared/schemas/schedules/schedule.ts';

export const operation = defineOperation({
  id: 'updateSchedule',
  method: 'PATCH',
  path: '/inspection-schedules/{schedule_id}',
  summary: 'Update a schedule',
  description: `${PATCH_DESCRIPTION} Inspections that exist stay as they are unless \`created\` says otherwise: another rule, other locations or other people affect what has no inspection yet. A new location also gets the occurrences ahead for which other locations have their inspections already. \`status\` pauses the schedule or resumes it; what it missed while paused is not made up for. An override of an occurrence that the new rule does not have is deleted, unless it has inspections.`,
  access: 'write',
  params: z.strictObject({ schedule_id: Uuid }),
  query: z.strictObject({
    created: CreatedPolicy.default('keep').meta({
      description:
        'What happens to inspections that the schedule has created and nobody has started. `update` gives them the title, the assignees, the approver and the times that a new inspection of the same occurrence gets, also where somebody has changed these; one of a date that the rule does not have keeps its start. `archive` archives them, and their history says why; their occurrences get no other inspections. Where there are many, both are done soon after the reply.',
    }),
    dry_run: DryRun.meta({
      description:
        'Changes nothing: the reply is the schedule as it is, and `created_inspections` says how many inspections the request would change.',
    }),
  }),
  body: ScheduleChanges,
  success: 200,
  response: ChangedSchedule,
});

export const handler = createHandler(operation, ({ params, query, body, caller, expectedVersion }) =>
  schedules.update(caller, params.schedule_id, body, query, expectedVersion),
);
