import { createAll } from '../../shared/http/batch.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { EXTERNAL_REF } from '../../shared/schedules/records.ts';
import * as schedules from '../../shared/schedules/schedules.ts';
import { batchOf, ROWS_FAIL_ALONE } from '../../shared/schemas/batch.ts';
import { NewSchedule, Schedule } from '../../shared/schemas/schedules/schedule.ts';

export const operation = defineOperation({
  id: 'createScheduleBatch',
  method: 'POST',
  path: '/inspection-schedules/batch',
  summary: 'Create many schedules',
  description: ROWS_FAIL_ALONE,
  access: 'write',
  ...batchOf('Schedule', NewSchedule, Schedule),
  rows: 'rows',
  success: 200,
});

export const handler = createHandler(operation, ({ body, caller }) =>
  createAll(caller, body.rows, {
    operation: 'createSchedule',
    create: (row) => schedules.create(caller, row),
    known: { as: EXTERNAL_REF, get: (id) => schedules.get(caller, id) },
  }),
);
