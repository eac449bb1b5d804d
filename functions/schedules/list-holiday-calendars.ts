import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as calendars from '../../shared/schedules/holiday-calendars.ts';
import { HolidayCalendar, holidayCalendarQuery } from '../../shared/schemas/schedules/holiday-calendar.ts';

export const operation = defineOperation({
  id: 'listHolidayCalendars',
  method: 'GET',
  path: '/calendars',
  summary: 'List calendars of holidays',
  access: 'read',
  people: ['admin'],
  query: holidayCalendarQuery,
  success: 200,
  response: z.array(HolidayCalendar),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => calendars.list(caller, query));
