import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as overrides from '../../shared/schedules/overrides.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteScheduleOverride',
  method: 'DELETE',
  path: '/inspection-schedules/{schedule_id}/overrides/{override_id}',
  summary: 'Delete an override',
  description:
    'The occurrence follows the rule again. Its inspections go back to their time, to the schedule’s assignees, or from the archive; `409` once a moved or reassigned one was started. An occurrence that was left out is created, also if its time has passed.',
  access: 'write',
  params: z.strictObject({ schedule_id: Uuid, override_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await overrides.remove(caller, params.schedule_id, params.override_id, expectedVersion);
});
