import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as schedules from '../../shared/schedules/schedules.ts';
import { NewSchedule, Schedule } from '../../shared/schemas/schedules/schedule.ts';

export const operation = defineOperation({
  id: 'createSchedule',
  method: 'POST',
  path: '/inspection-schedules',
  summary: 'Create a schedule',
  description:
    'The schedule creates inspections for occurrences from now on. Those that are due to be created already follow within minutes. Refused with `409` when the template family has no published version or is archived, and with `422` when the rule cannot be read, never occurs, or has nothing ahead.',
  access: 'write',
  body: NewSchedule,
  success: 201,
  location: '/inspection-schedules/{schedule_id}',
  response: Schedule,
});

export const handler = createHandler(operation, ({ body, caller }) => schedules.create(caller, body));
