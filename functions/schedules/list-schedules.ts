import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { list } from '../../shared/schedules/lists.ts';
import { Schedule, ScheduleQuery } from '../../shared/schemas/schedules/schedule.ts';

export const operation = defineOperation({
  id: 'listSchedules',
  method: 'GET',
  path: '/inspection-schedules',
  summary: 'List schedules',
  description:
    'In the order of creation; with `q`, and without `has_problems=true` or a filter by `external_ref`, in the order of the word that was found. A schedule is listed when it matches all filters.',
  access: 'read',
  people: ['admin'],
  query: ScheduleQuery,
  success: 200,
  response: z.array(Schedule),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => list(caller, query));
