import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as calendars from '../../shared/schedules/holiday-calendars.ts';
import { HolidayCalendar, NewHolidayCalendar } from '../../shared/schemas/schedules/holiday-calendar.ts';

export const operation = defineOperation({
  id: 'createHolidayCalendar',
  method: 'POST',
  path: '/calendars',
  summary: 'Create a calendar of holidays',
  description:
    'A schedule that names the calendar leaves out what falls on its dates, or shifts it, as its `on_holiday` says. The dates are given, or read from an iCalendar file.',
  access: 'write',
  body: NewHolidayCalendar,
  success: 201,
  location: '/calendars/{calendar_id}',
  response: HolidayCalendar,
});

export const handler = createHandler(operation, ({ body, caller }) => calendars.create(caller, body));
