import * as z from 'zod';
import * as schedules from '../../shared/db/schedules/schedules.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteSchedule',
  method: 'DELETE',
  path: '/inspection-schedules/{schedule_id}',
  summary: 'Delete a schedule',
  description:
    'The inspections that it has created stay as they are, and keep its id. Pause it instead to go on later.',
  access: 'write',
  params: z.strictObject({ schedule_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await schedules.remove(caller, params.schedule_id, expectedVersion);
});
