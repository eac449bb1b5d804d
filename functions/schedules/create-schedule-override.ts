import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as overrides from '../../shared/schedules/overrides.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewScheduleOverride, ScheduleOverride } from '../../shared/schemas/schedules/schedule.ts';

export const operation = defineOperation({
  id: 'createScheduleOverride',
  method: 'POST',
  path: '/inspection-schedules/{schedule_id}/overrides',
  summary: 'Override one occurrence of a schedule',
  description:
    'Where the inspections of the occurrence exist already, `move` and `reassign` change them, and `skip` and `cancel` archive them; `409` once one of them was started. A date on which the rule does not occur is `422`, a second override for a date `409`. A schedule has at most 150 overrides; those of occurrences more than 400 days ago make room for new ones.',
  access: 'write',
  params: z.strictObject({ schedule_id: Uuid }),
  body: NewScheduleOverride,
  guarded: true,
  success: 201,
  response: ScheduleOverride,
  example: {
    body: {
      occurrence_date: '2027-03-29',
      action: 'move',
      new_at: '2027-03-30T07:00:00.000Z',
      reason: 'Easter Monday',
    },
  },
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  overrides.create(caller, params.schedule_id, body, expectedVersion),
);
