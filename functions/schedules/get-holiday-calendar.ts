import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as calendars from '../../shared/schedules/holiday-calendars.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { HolidayCalendar } from '../../shared/schemas/schedules/holiday-calendar.ts';

export const operation = defineOperation({
  id: 'getHolidayCalendar',
  method: 'GET',
  path: '/calendars/{calendar_id}',
  summary: 'Get a calendar of holidays',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ calendar_id: Uuid }),
  success: 200,
  response: HolidayCalendar,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  calendars.get(caller, params.calendar_id),
);
