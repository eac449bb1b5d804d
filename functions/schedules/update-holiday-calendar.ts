import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as calendars from '../../shared/schedules/holiday-calendars.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { HolidayCalendar, HolidayCalendarChanges } from '../../shared/schemas/schedules/holiday-calendar.ts';

export const operation = defineOperation({
  id: 'updateHolidayCalendar',
  method: 'PATCH',
  path: '/calendars/{calendar_id}',
  summary: 'Update a calendar of holidays',
  description: `${PATCH_DESCRIPTION} Inspections that exist stay as they are.`,
  access: 'write',
  params: z.strictObject({ calendar_id: Uuid }),
  body: HolidayCalendarChanges,
  success: 200,
  response: HolidayCalendar,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  calendars.update(caller, params.calendar_id, body, expectedVersion),
);
