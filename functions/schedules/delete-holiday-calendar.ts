import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as calendars from '../../shared/schedules/holiday-calendars.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteHolidayCalendar',
  method: 'DELETE',
  path: '/calendars/{calendar_id}',
  summary: 'Delete a calendar of holidays',
  description: 'Refused with `409` while schedules or regions name it.',
  access: 'write',
  params: z.strictObject({ calendar_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await calendars.remove(caller, params.calendar_id, expectedVersion);
});
