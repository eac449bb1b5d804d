import * as z from 'zod';
import * as errors from '../../shared/base/errors.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { file } from '../../shared/http/operation/responses.ts';
import { calendar } from '../../shared/schedules/calendar.ts';
import { CalendarQuery, CalendarRow, MAX_CALENDAR_DAYS } from '../../shared/schemas/schedules/schedule.ts';

export const operation = defineOperation({
  id: 'getScheduleCalendar',
  method: 'GET',
  path: '/inspection-schedules/calendar',
  summary: 'Get the calendar of schedules',
  description:
    'The inspections that schedules have created, and those that they are still to create, one row for each location, in the order of their starts. The result is complete. With `format=ics` each row is an event with a UID that stays, and a SEQUENCE that increases when the inspection is created, moved or cancelled. A paused schedule shows no projected inspections.',
  access: 'read',
  people: ['admin'],
  query: CalendarQuery,
  success: 200,
  response: z.array(CalendarRow),
  list: true,
  alsoAs: file('The calendar as RFC 5545 has it (`format=ics`).', 'text/calendar'),
});

const MS_OF_DAY = 86_400_000;

export const handler = createHandler(operation, async ({ query, caller }) => {
  const days = (Date.parse(query.to) - Date.parse(query.from)) / MS_OF_DAY + 1;
  if (days < 1 || days > MAX_CALENDAR_DAYS) {
    const limits = `from the same day as \`from\` to ${MAX_CALENDAR_DAYS - 1} days later`;
    throw errors.validationFailed([
      {
        loc: ['query', 'to'],
        type: 'value_error',
        msg: `Value error, to must be ${limits}`,
        input: query.to,
      },
    ]);
  }
  const result = await calendar(caller, query);
  if ('rows' in result) return result;
  return { ...result, media_type: 'text/calendar; charset=utf-8', file_name: 'inspections.ics' };
});
