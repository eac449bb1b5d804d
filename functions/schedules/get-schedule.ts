import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as schedules from '../../shared/schedules/schedules.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Schedule } from '../../shared/schemas/schedules/schedule.ts';

export const operation = defineOperation({
  id: 'getSchedule',
  method: 'GET',
  path: '/inspection-schedules/{schedule_id}',
  summary: 'Get a schedule',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ schedule_id: Uuid }),
  success: 200,
  response: Schedule,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  schedules.get(caller, params.schedule_id),
);
